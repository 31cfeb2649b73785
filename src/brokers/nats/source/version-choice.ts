import type { Warning } from "../../../envelope/warning.js";
import { canonicalJson } from "../../../json/canonical.js";
import { isEqual } from "../../../json/value.js";
import { nameTest } from "../../../registry/name-pattern.js";
import type { OperationSpec } from "../../../registry/operation.js";
import { operationIdOf } from "../../../registry/operation-id.js";
import { majorOf } from "../addresses.js";
import type { ReadCatalog } from "./read-catalog.js";

export interface VersionChoiceOptions {
  readonly isChosen: (operationId: string) => boolean;
  readonly majors: Readonly<Record<string, number>>;
}

export interface VersionChoice {
  readonly specs: readonly OperationSpec[];
  readonly warnings: readonly Warning[];
}

/** One spec of each operation: of the major that is wanted, else the highest; of that the newest version. */
export function chooseVersions(
  catalogs: readonly Pick<ReadCatalog, "specs">[],
  { isChosen, majors }: VersionChoiceOptions,
): VersionChoice {
  const wanted = wantedMajor(majors);
  const best = new Map<string, OperationSpec>();
  const refused = new Map<string, number>();
  for (const spec of catalogs.flatMap(({ specs }) => specs)) {
    const id = operationIdOf(spec);
    if (!isChosen(id)) continue;
    const major = wanted(id);
    if (major !== undefined && major !== majorOf(spec.version)) refused.set(id, major);
    else best.set(id, better(best.get(id), spec));
  }
  const missing = [...refused].filter(([id]) => !best.has(id));
  const warnings = [...missing.map(([id, major]) => notOffered(id, major)), ...unusedPatterns(catalogs, majors)];
  return { specs: [...best.values()], warnings };
}

/** Before anything is offered, nothing can be said of them. */
function unusedPatterns(
  catalogs: readonly Pick<ReadCatalog, "specs">[],
  majors: Readonly<Record<string, number>>,
): readonly Warning[] {
  const patterns = Object.keys(majors);
  if (patterns.length === 0 || catalogs.length === 0) return [];
  const ids = catalogs.flatMap(({ specs }) => specs.map(operationIdOf));
  return patterns.filter((pattern) => !ids.some(nameTest(pattern))).map(fitsNothing);
}

function wantedMajor(majors: Readonly<Record<string, number>>): (id: string) => number | undefined {
  const patterns = Object.entries(majors).map(([pattern, major]) => ({ fits: nameTest(pattern), major }));
  // What is said of one operation goes before what is said of many.
  return (id) => (Object.hasOwn(majors, id) ? majors[id] : patterns.find(({ fits }) => fits(id))?.major);
}

/** All callers choose alike, in whichever order they heard of them. */
function better(a: OperationSpec | undefined, b: OperationSpec): OperationSpec {
  if (a === undefined) return b;
  const order = compareVersions(a.version, b.version);
  if (order !== 0) return order > 0 ? a : b;
  return isEqual(a, b) || canonicalJson(a) > canonicalJson(b) ? a : b;
}

/** As semantic versioning orders them; what is built otherwise counts as equal. */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [partsOf(a), partsOf(b)];
  for (const at of [0, 1, 2]) {
    const difference = Number(one.core[at]) - Number(other.core[at]);
    if (difference !== 0) return difference;
  }
  if (one.pre.length === 0 || other.pre.length === 0) return other.pre.length - one.pre.length;
  for (let at = 0; at < Math.max(one.pre.length, other.pre.length); at++) {
    const order = compareWords(one.pre[at], other.pre[at]);
    if (order !== 0) return order;
  }
  return 0;
}

function partsOf(version: string): { readonly core: readonly string[]; readonly pre: readonly string[] } {
  const [core = "", ...pre] = (version.split("+")[0] ?? "").split("-");
  return { core: core.split("."), pre: pre.length === 0 ? [] : pre.join("-").split(".") };
}

/** Numbers by their size and before words; a shorter list goes before a longer one. */
function compareWords(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return (a === undefined ? 0 : 1) - (b === undefined ? 0 : 1);
  const [isNumber, isOther] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumber && isOther) return Number(a) - Number(b);
  if (isNumber !== isOther) return isNumber ? -1 : 1;
  return a < b ? -1 : Number(a > b);
}

function fitsNothing(pattern: string): Warning {
  return {
    code: "OPERATION_SKIPPED",
    message: `${JSON.stringify(pattern)} of \`majors\` fits no operation that is offered. Correct it, or take it out.`,
  };
}

function notOffered(id: string, major: number): Warning {
  return {
    code: "OPERATION_SKIPPED",
    message: `${id} is offered, but not in the major version ${major} that \`majors\` asks for.`,
  };
}
