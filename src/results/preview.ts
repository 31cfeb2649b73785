import { orElse } from "../json/attempt.js";
import type { Issue } from "../json/issue.js";
import type { JsonPointer } from "../json/pointer.js";
import type { CompiledSchema } from "../schema/compile.js";
import { encodedSize, isSurelyWithin } from "./encoded-size.js";
import { Part } from "./part.js";
import { rulesFor } from "./part-rules.js";
import { shorten } from "./shorten.js";
import { type Shortening, shorteningsOf } from "./shortening.js";
import { squeeze } from "./squeeze.js";

export type { Shortening } from "./shortening.js";

export interface PreviewOptions {
  /** Of the data. The preview matches it where the data does. */
  readonly schema?: CompiledSchema | undefined;
  /** How many bytes the preview may have, as compact JSON in UTF-8. */
  readonly bytes: number;
  /** The bytes of the data, if the caller knows them already. */
  readonly encoded?: number | undefined;
}

export interface Preview {
  /** Shares with the data what was not shortened. */
  readonly data: unknown;
  readonly shortened: readonly Shortening[];
}

/**
 * The data in fewer bytes: lists with their first items, long texts with their beginning. `undefined` where the data
 * fits, or where nothing can be shortened without breaking its schema. Never throws: what JSON cannot write, or what is
 * nested too deep, has no preview.
 */
export function previewOf(data: unknown, options: PreviewOptions): Preview | undefined {
  return orElse(() => makePreview(data, options), undefined);
}

function makePreview(data: unknown, { schema, bytes, encoded }: PreviewOptions): Preview | undefined {
  if (encoded === undefined ? fits(data, bytes) : encoded <= bytes) return undefined;
  const shown =
    schema === undefined || schema.acceptsAll ? candidateOf(data, schema, bytes) : validPreview(data, schema, bytes);
  const shortened = shorteningsOf(data, shown);
  return shortened.length === 0 ? undefined : { data: shown, shortened };
}

function fits(data: unknown, bytes: number): boolean {
  return isSurelyWithin(data, bytes) || encodedSize(data, bytes) <= bytes;
}

/** The rules that guide the shortening do not know all of a schema; what it refuses is left whole the next time. */
const MAX_ROUNDS = 8;

function validPreview(data: unknown, schema: CompiledSchema, bytes: number): unknown {
  const pins = new Set<JsonPointer>();
  let valid = data;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const candidate = candidateOf(data, schema, bytes, pins);
    if (schema.accepts(candidate)) {
      valid = candidate;
      break;
    }
    // Data that does not match is passed on as it came, and so is its preview.
    if (round === 0 && !schema.accepts(data)) return candidate;
    const known = pins.size;
    for (const path of culprits(schema.issues(candidate), shorteningsOf(data, candidate))) pins.add(path);
    if (pins.size === known) break;
  }
  return fits(valid, bytes) ? valid : squeeze(valid, schema, bytes);
}

function candidateOf(
  data: unknown,
  schema: CompiledSchema | undefined,
  bytes: number,
  pins: ReadonlySet<JsonPointer> = new Set(),
): unknown {
  return shorten(Part.root(data, rulesFor(schema, data), { bytes, pins }), bytes).value;
}

/** The places to be left as they are: those inside of what an issue is about, or else the nearest around it. */
function culprits(issues: readonly Issue[], shortened: readonly Shortening[]): JsonPointer[] {
  const paths = shortened.map(({ path }) => path);
  return issues.flatMap(({ path, rule = "" }) => {
    const inside = paths.filter((inner) => isWithin(inner, path));
    const around = paths.findLast((outer) => isWithin(path, outer));
    if (inside.length > 0) return inside;
    // A field that is missing is to be kept; then what holds it may still be shortened.
    return MISSING.has(rule) || around === undefined ? [path] : [around];
  });
}

const MISSING: ReadonlySet<string> = new Set(["required", "dependentRequired"]);

function isWithin(path: JsonPointer, outer: JsonPointer): boolean {
  return path === outer || path.startsWith(`${outer}/`);
}
