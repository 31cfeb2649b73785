import type { Issue } from "../json/issue.js";
import type { JsonPointer } from "../json/pointer.js";
import { told } from "../json/told.js";
import { type Node, TYPE } from "./node.js";
import { isFieldHolder } from "./plain-object.js";

// What is wrong with a value, each a sentence that goes on after the name of the place.

export const never = "must not be there";
export const not = "must not match the schema that is excluded here";
export const required = "is required";
export const unique = "must not hold the same item twice";
export const severalAlternatives = "matches several of the alternatives where exactly one is wanted";

export function tooDeep(limit: number): string {
  return `is nested more than ${limit} deep`;
}

export function type(types: number, value: unknown): string {
  return `must be ${typeNames(types)}, not ${kindOf(value)}`;
}

export function values(allowed: readonly unknown[], value: unknown): string {
  const shown = allowed.slice(0, 12).map(told).join(", ");
  const more = allowed.length > 12 ? ` and ${allowed.length - 12} more` : "";
  return `must be ${allowed.length === 1 ? "" : "one of "}${shown}${more}, not ${told(value)}`;
}

/** An object that is no JSON object is named by its class. */
function kindOf(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value) || isFieldHolder(value)) return told(value);
  return `a ${Object.prototype.toString.call(value).slice(8, -1)}`;
}

export function minimum(limit: number): string {
  return `must be at least ${limit}`;
}

export function maximum(limit: number): string {
  return `must be at most ${limit}`;
}

export function above(limit: number): string {
  return `must be more than ${limit}`;
}

export function below(limit: number): string {
  return `must be less than ${limit}`;
}

export function multipleOf(factor: number): string {
  return `must be a multiple of ${factor}`;
}

export function minLength(limit: number, value: string): string {
  return value === "" && limit === 1 ? "must not be empty" : `must have at least ${counted(limit, "character")}`;
}

export function maxLength(limit: number): string {
  return `must have at most ${counted(limit, "character")}`;
}

export function pattern(source: string): string {
  return `must match the pattern ${source.length > 80 ? `${source.slice(0, 79)}…` : source}`;
}

export function minItems(limit: number): string {
  return `must have at least ${counted(limit, "item")}`;
}

export function maxItems(limit: number): string {
  return `must have at most ${counted(limit, "item")}`;
}

export function contains(min: number, max: number, found: number): string {
  return found < min
    ? `must hold at least ${counted(min, "item")} of the wanted kind, and has ${found}`
    : `must hold at most ${counted(max, "item")} of this kind, and has ${found}`;
}

export function minProperties(limit: number): string {
  return `must have at least ${counted(limit, "field")}`;
}

export function maxProperties(limit: number): string {
  return `must have at most ${counted(limit, "field")}`;
}

export function requiredBy(present: string): string {
  return `is required where ${told(present)} is given`;
}

export function unknownField(properties: ReadonlyMap<string, unknown> | undefined): string {
  const names = [...(properties?.keys() ?? [])];
  if (names.length === 0) return "is not known here";
  const more = names.length > 10 ? ` and ${names.length - 10} more` : "";
  return `is not known here; known are ${names.slice(0, 10).join(", ")}${more}`;
}

export function noAlternative(nodes: readonly Node[]): string {
  const kinds = new Set(nodes.map(({ types }) => (types === undefined ? undefined : typeNames(types))));
  const [...names] = kinds;
  const plain = !kinds.has(undefined) && names.length === nodes.length;
  return plain ? `must be ${names.join(" or ")}` : `matches none of the ${nodes.length} alternatives`;
}

/** Rules that tell a value of another kind from a faulty one of this kind. */
const KIND = new Set(["type", "const", "enum"]);

/** The faults of the alternative that was meant: the only one whose kind fits. */
export function meantAlternative(
  attempts: readonly (readonly Issue[])[],
  at: JsonPointer,
): readonly Issue[] | undefined {
  const fitting = attempts.filter((issues) => !issues.some((issue) => tellsKind(issue, at)));
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** The value itself is of another type, or a field of it that can only be one value is another. */
function tellsKind({ path, rule }: Issue, at: JsonPointer): boolean {
  if (!KIND.has(rule ?? "")) return false;
  return path === at || (rule === "const" && path.lastIndexOf("/") === at.length);
}

const TYPE_NAMES = [
  [TYPE.object, "an object"],
  [TYPE.array, "a list"],
  [TYPE.string, "a string"],
  [TYPE.number, "a number"],
  [TYPE.integer, "a whole number"],
  [TYPE.boolean, "true or false"],
  [TYPE.null, "null"],
] as const;

export function typeNames(types: number): string {
  const names: string[] = [];
  let left = types & ~TYPE.undefined;
  for (const [bits, name] of TYPE_NAMES) {
    if ((left & bits) !== bits) continue;
    names.push(name);
    left &= ~bits;
  }
  return names.join(" or ");
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
