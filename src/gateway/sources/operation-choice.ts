import type { Warning } from "../../envelope/warning.js";
import { isRecord, isString } from "../../json/value.js";
import { TOOL_KEY } from "../../mcp/keys.js";
import { nameTest } from "../../registry/name-pattern.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import { nearestOf } from "../../registry/refusals.js";
import { OPENAPI_KEY } from "../../sources/openapi/openapi-key.js";

export interface Choice {
  /** Names, with `*` for anything. What is left out allows all. */
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
}

export interface ChosenOperations {
  readonly operations: readonly AnyOperation[];
  /** Of patterns that fit nothing: they are misspelt, or what they were for is gone. */
  readonly warnings: readonly Warning[];
}

/** The operations that `include` names and `exclude` does not. */
export function chooseOperations(operations: readonly AnyOperation[], choice: Choice): ChosenOperations {
  const include = choice.include?.map(patternOf);
  const exclude = (choice.exclude ?? []).map(patternOf);
  if (include === undefined && exclude.length === 0) return { operations, warnings: [] };
  const all = operations.map((operation) => ({ operation, names: namesOf(operation) }));
  const chosen = all.filter(({ names }) => (include === undefined || isAny(include, names)) && !isAny(exclude, names));
  const known = all.map(({ names }) => names);
  return {
    operations: chosen.map(({ operation }) => operation),
    warnings: [...unmatched("include", include ?? [], known), ...unmatched("exclude", exclude, known)],
  };
}

interface Pattern {
  readonly text: string;
  readonly isMatch: (name: string) => boolean;
}

function patternOf(text: string): Pattern {
  return { text, isMatch: nameTest(text) };
}

function isAny(patterns: readonly Pattern[], names: readonly string[]): boolean {
  return patterns.some(({ isMatch }) => names.some(isMatch));
}

/** All that the operation may be called: here, and where it comes from. */
function namesOf({ id, spec }: AnyOperation): readonly string[] {
  const { [TOOL_KEY]: tool, [OPENAPI_KEY]: api } = spec._meta ?? {};
  const foreign = [
    ...(isRecord(tool) ? [tool["name"]] : []),
    ...(isRecord(api) ? [api["operationId"], `${String(api["method"])} ${String(api["path"])}`] : []),
  ];
  return [spec.name, id, ...foreign.filter(isString)];
}

function unmatched(
  option: keyof Choice,
  patterns: readonly Pattern[],
  known: readonly (readonly string[])[],
): readonly Warning[] {
  const lost = patterns.filter((pattern) => !known.some((names) => isAny([pattern], names)));
  return lost.map(({ text }) => {
    const nearest = nearestOf(
      text,
      known.map(([name = ""]) => name),
    );
    const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
    return { code: "FILTER_UNMATCHED", message: `\`${option}\` has "${text}", which fits no operation.${hint}` };
  });
}
