import { CallError, isCallError } from "../../envelope/call-error.js";
import type { Warning } from "../../envelope/warning.js";
import { messageOf, orElse } from "../../json/attempt.js";
import type { Issue } from "../../json/issue.js";
import { told } from "../../json/told.js";
import { isRecord, isString, type JsonRecord } from "../../json/value.js";
import type { AnyHandler, OperationSpec } from "../../registry/operation.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import { checkHandler, checkSpec } from "../../registry/registration.js";

export interface ExportedOperations {
  readonly operations: readonly AnyOperation[];
  readonly warnings: readonly Warning[];
}

interface ExportOptions {
  /** How the module is called in messages. */
  readonly module: string;
  /** Of all operations, in place of their own. */
  readonly namespace?: string | undefined;
  /** Of definitions that say none. */
  readonly ownNamespace: string;
}

/** The operations among the exports of a module. Throws a `CallError` where there is none. */
export function operationsFromExports(exports: JsonRecord, options: ExportOptions): ExportedOperations {
  const operations = new Map<string, AnyOperation>();
  const faults: Fault[] = [];
  for (const { path, value } of candidatesIn(exports)) {
    const found = attempt(() => operationFrom(value, options));
    if ("fault" in found) faults.push({ path, ...found });
    else if (!operations.has(found.operation.id)) operations.set(found.operation.id, found.operation);
    else faults.push({ path, fault: `is a second operation ${found.operation.id}` });
  }
  if (operations.size === 0) throw nothingFound(faults, options.module);
  const warnings = faults.map(({ path, fault }): Warning => ({ code: "EXPORT_SKIPPED", message: `${path} ${fault}.` }));
  return { operations: [...operations.values()], warnings };
}

interface Candidate {
  /** As one would write it: `default`, `tools[1]`, `math.add`. */
  readonly path: string;
  readonly value: unknown;
}

interface Fault {
  readonly path: string;
  /** Goes on after the path. */
  readonly fault: string;
  readonly issues?: readonly Issue[];
}

/** Each value once, whatever names it has: a CommonJS module exports all it has twice. */
function* candidatesIn(exports: JsonRecord): Generator<Candidate> {
  const seen = new Set<unknown>();
  for (const candidate of everyCandidate(exports)) {
    const { value } = candidate;
    if (seen.has(value)) continue;
    if (isRecord(value) || typeof value === "function") seen.add(value);
    yield candidate;
  }
}

function* everyCandidate(exports: JsonRecord): Generator<Candidate> {
  for (const [name, value] of fieldsOf(exports)) {
    if (NAMES_OF_COMMONJS.includes(name)) continue;
    if (isAsOperation(value)) yield { path: name, value };
    else if (Array.isArray(value)) yield* value.map((member, at) => ({ path: `${name}[${at}]`, value: member }));
    else if (name === "default" && isRecord(value)) yield* membersOf(value, name, exports);
    else if (isRecord(value) && fieldsOf(value).some(([, member]) => isAsOperation(member)))
      yield* membersOf(value, name, {});
    else yield { path: name, value };
  }
}

const NAMES_OF_COMMONJS = ["__esModule", "module.exports"];

function* membersOf(record: JsonRecord, name: string, known: JsonRecord): Generator<Candidate> {
  for (const [field, value] of fieldsOf(record))
    if (!NAMES_OF_COMMONJS.includes(field) && !(Object.hasOwn(known, field) && known[field] === value))
      yield { path: `${name}.${field}`, value };
}

/** An export may be a getter, or not yet be there. */
function fieldsOf(record: JsonRecord): [string, unknown][] {
  return Object.keys(record).map((name) => [name, orElse(() => record[name], undefined)]);
}

/** Whether it was meant as one, right or wrong. */
function isAsOperation(value: unknown): value is JsonRecord {
  return isRecord(value) && "handler" in value && (isRecord(value["spec"]) || isString(value["name"]));
}

function operationFrom(value: unknown, { namespace, ownNamespace }: ExportOptions): AnyOperation {
  if (!isAsOperation(value)) throw new TypeError(`is no operation but ${told(value)}`);
  const isDefined = isRecord(value["spec"]);
  const given = isDefined ? (value["spec"] as JsonRecord) : withField(value, "handler", undefined);
  const missing = isDefined ? given["namespace"] : (given["namespace"] ?? ownNamespace);
  const spec = withField(given, "namespace", namespace ?? missing) as unknown as OperationSpec;
  const id = `${spec.namespace}.${spec.name}`;
  checkSpec(spec);
  checkHandler(id, value["handler"]);
  const isSame = isDefined && spec.namespace === given["namespace"] && value["id"] === id;
  return isSame ? (value as unknown as AnyOperation) : { id, spec, handler: value["handler"] as AnyHandler };
}

/** A copy that asks no getter: schemas may be made when they are first needed. */
function withField(record: JsonRecord, name: string, value: unknown): JsonRecord {
  const { [name]: _, ...others } = Object.getOwnPropertyDescriptors(record);
  const field = value === undefined ? {} : { [name]: { value, enumerable: true } };
  return Object.defineProperties({}, { ...others, ...field }) as JsonRecord;
}

function attempt(make: () => AnyOperation): { readonly operation: AnyOperation } | Omit<Fault, "path"> {
  try {
    return { operation: make() };
  } catch (thrown) {
    const issues = isCallError(thrown) ? thrown.issues : undefined;
    const words = messageOf(thrown).replace(/\.$/, "");
    return issues === undefined ? { fault: words } : { fault: `is no operation: ${words}`, issues };
  }
}

function nothingFound(faults: readonly Fault[], module: string): CallError {
  const groups = [...grouped(faults)].map(([fault, paths]) => `${listed(paths)} ${fault}`);
  const what = faults.length === 0 ? "It exports nothing" : `Of its exports, ${listed(groups, "; ")}`;
  const issues = faults.flatMap(({ issues = [] }) => issues);
  return new CallError({
    category: "validation",
    code: "MODULE_FAILED",
    recoverable: false,
    message: `${module} exports no operation. ${what}.`,
    suggestedAction:
      issues.length > 0
        ? "Correct what is said there; TypeScript tells the same of what is given to `defineOperation`."
        : "Export what `defineOperation({ namespace, name, …, handler })` or `defineHelper({ … })` gives.",
    ...(issues.length > 0 && { issues }),
  });
}

function listed(texts: readonly string[], between: string = ", "): string {
  const more = texts.length > LISTED ? [`${texts.length - LISTED} more`] : [];
  return [...texts.slice(0, LISTED), ...more].join(between);
}

/** The exports that have the same fault. */
function grouped(faults: readonly Fault[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, readonly string[]>();
  for (const { path, fault } of faults) {
    const words = fault.replace(/\S+ cannot be registered: /, "");
    groups.set(words, [...(groups.get(words) ?? []), path]);
  }
  return groups;
}

const LISTED = 10;
