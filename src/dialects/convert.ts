import { CallError } from "../envelope/call-error.js";
import type { Outcome } from "../envelope/outcome.js";
import { toolError } from "../envelope/tool-error.js";
import type { Warning } from "../envelope/warning.js";
import { told } from "../json/told.js";
import { DIALECTS, type DialectName, dialectNamed } from "./all.js";
import { textOf } from "./content.js";
import { type Carrier, type DetectOptions, type Found, find } from "./detect.js";
import type { Dialect, Loss, Reading, Violation, WriteOptions, Writing } from "./dialect.js";

/** One of ours, or of the dialects that are passed in. */
export type AnyDialectName = DialectName | (string & {});

type WithDialects = Pick<DetectOptions, "dialects">;

/** A reading, with the dialect that was found. */
export type FoundReading = Reading & { readonly dialect?: string; readonly carrier?: Carrier };

/** Reads a document of whatever dialect. */
export function read(value: unknown, options: DetectOptions = {}): FoundReading {
  const found = find(value, options);
  if (found === undefined) return { kind: "stranger" };
  const { dialect, document, carrier } = found;
  const reading = dialect.read(document);
  if (carrier === undefined) return { ...reading, dialect: dialect.name };
  return { ...unfolded(reading, carrier), dialect: dialect.name, carrier };
}

/** What was around the document is kept, and a result that says it failed has failed. */
function unfolded(reading: Reading, { dialect, rest, isError }: Carrier): Reading {
  if (reading.kind !== "outcome") return reading;
  const { outcome, notes } = reading;
  const extra = { ...outcome.meta.extra, [dialect.name]: rest };
  const meta = Object.keys(rest).length === 0 ? outcome.meta : { ...outcome.meta, extra };
  if (!isError || !outcome.ok) return { ...reading, outcome: { ...outcome, meta } };
  return { ...reading, outcome: overruled(outcome.data, meta, rest["content"]), notes: [...notes, VERDICTS_DIFFER] };
}

const VERDICTS_DIFFER: Warning = {
  code: "VERDICTS_DIFFER",
  message: "The MCP result says isError, the document inside it says that the call succeeded; it counts as failed.",
};

function overruled(data: unknown, meta: Outcome["meta"], content: unknown): Outcome {
  const text = meta.summary ?? textOf(Array.isArray(content) ? content : []);
  return { ok: false, error: { ...toolError(text), data }, meta };
}

/** Writes an outcome in a named dialect. */
export function write(outcome: Outcome, to: AnyDialectName, options: WriteOptions & WithDialects = {}): Writing {
  return named(to, options.dialects).write(outcome, options);
}

export interface Conversion {
  readonly wire: unknown;
  readonly from: string;
  /** Everything that the target cannot carry. */
  readonly lost: readonly Loss[];
  readonly notes: readonly Warning[];
}

/** Reads a document of whatever dialect and writes it in another. Throws a `CallError` where it cannot be read. */
export function convert(value: unknown, to: AnyDialectName, options: DetectOptions & WriteOptions = {}): Conversion {
  const target = named(to, options.dialects);
  const reading = read(value, options);
  if (reading.kind === "stranger") throw stranger(value);
  const from = reading.dialect ?? "";
  if (reading.kind === "malformed") {
    const message = `The ${from} document is malformed: ${reading.issues.map(({ path, message: text }) => `${path} ${text}`).join("; ")}`;
    throw new CallError({ category: "validation", code: "MALFORMED", message, issues: reading.issues });
  }
  const { outcome, notes, layout } = reading;
  return { ...target.write(outcome, from === to ? { ...options, layout } : options), from, notes };
}

/** Every broken rule of the named dialect, or of the one that the document is or seems meant to be. */
export function validate(value: unknown, options: DetectOptions & { readonly as?: string } = {}): Violation[] {
  const found = findForCheck(value, options);
  if (found !== undefined) return found.dialect.validate(found.document);
  return [{ path: "", rule: "unknown-dialect", level: "fatal", message: stranger(value).message }];
}

/** The document to check: as another dialect than its own where asked, else what it is, else what it resembles. */
export function findForCheck(
  value: unknown,
  options: DetectOptions & { readonly as?: string } = {},
): Found | undefined {
  const found = find(value, options);
  if (options.as !== undefined) {
    const dialect = named(options.as, options.dialects);
    return found?.dialect === dialect ? found : { dialect, document: value };
  }
  if (found !== undefined) return found;
  const dialect = (options.dialects ?? DIALECTS).find((candidate) => candidate.resembles(value));
  return dialect === undefined ? undefined : { dialect, document: value };
}

function named(name: string, dialects: readonly Dialect[] = DIALECTS): Dialect {
  const dialect = dialectNamed(name, dialects);
  if (dialect !== undefined) return dialect;
  const known = dialects.map((item) => item.name).join(", ");
  throw new CallError({
    category: "validation",
    code: "UNKNOWN_DIALECT",
    message: `There is no dialect "${name}". Known: ${known}.`,
  });
}

function stranger(value: unknown): CallError {
  const message = `No dialect claims this document; it is ${told(value)} without any of their markers.`;
  return new CallError({ category: "validation", code: "UNKNOWN_DIALECT", message });
}
