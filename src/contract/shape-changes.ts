import { type JsonPointer, pointerTo } from "../json/pointer.js";
import type { FieldShape, Shape, TypeName } from "./shape.js";
import type { VersionPart } from "./version-bump.js";

/** Every way in which the shape of an output can change, the part of its version that is due then, and why. */
export const SHAPE_CHANGES: Readonly<Record<ShapeChangeKind, ShapeChangeFacts>> = {
  removed: { level: "major", meaning: "A field is gone: who reads it finds nothing." },
  optional: { level: "major", meaning: "A field that was always there may be absent." },
  type: { level: "major", meaning: "A value has another type." },
  wider: { level: "major", meaning: "A value may have a type that it never had, such as null." },
  added: { level: "minor", meaning: "A field is new: what was there before still is." },
  narrower: { level: "patch", meaning: "A value no longer has one of its types: nobody has to handle more." },
  required: { level: "patch", meaning: "A field that could be absent is always there." },
  order: { level: "patch", meaning: "Fields stand in another order: programs do not notice, who compares texts does." },
};

type ShapeChangeKind = "removed" | "optional" | "type" | "wider" | "added" | "narrower" | "required" | "order";

interface ShapeChangeFacts {
  readonly level: VersionPart;
  readonly meaning: string;
}

export interface ShapeChange {
  /** Where; `*` stands for every element of a list. */
  readonly path: JsonPointer;
  readonly kind: ShapeChangeKind;
  readonly level: VersionPart;
  readonly message: string;
}

/** A place that only one of the two shapes tells something of. */
export interface UnseenPlace {
  readonly path: JsonPointer;
  readonly message: string;
}

/** What a consumer of `before` has to know about `after`. What only one of them shows cannot be judged and is no change. */
export function shapeChanges(before: Shape, after: Shape): readonly ShapeChange[] {
  return [...findings(before, after, "")].filter((finding) => "kind" in finding);
}

/** The places that could not be compared: an empty list, nothing but null, or too deep. */
export function unseenPlaces(before: Shape, after: Shape): readonly UnseenPlace[] {
  return [...findings(before, after, "")].filter((finding) => !("kind" in finding));
}

/** The part of the version that is due for all of these changes. */
export function levelDue(changes: readonly ShapeChange[]): VersionPart | undefined {
  const levels = new Set(changes.map(({ level }) => level));
  return (["major", "minor", "patch"] as const).find((level) => levels.has(level));
}

type Finding = ShapeChange | UnseenPlace;

function* findings(before: Shape, after: Shape, path: JsonPointer): Generator<Finding> {
  yield* typeFindings(before.types, after.types, path);
  if (before.isCut || after.isCut) return yield { path, message: "there is more below than is compared" };
  if (before.types.has("object") && after.types.has("object")) {
    yield* fieldFindings(before.fields, after.fields, path);
    yield* orderFindings(before.order, after.order, path);
  }
  if (before.items !== undefined && after.items !== undefined) yield* findings(before.items, after.items, `${path}/*`);
}

type Types = ReadonlySet<TypeName>;

function* typeFindings(before: Types, after: Types, path: JsonPointer): Generator<Finding> {
  const gained = [...after].filter((type) => !before.has(type));
  const lost = [...before].filter((type) => !after.has(type));
  if (gained.length === 0 && lost.length === 0) return;
  const words = `was ${typesText(before)}, is now ${typesText(after)}`;
  // What is only null tells nothing of what else may stand there.
  if (isUnseen(before) || (isUnseen(after) && gained.length === 0)) yield { path, message: words };
  else if (gained.length === 0) yield change("narrower", path, words);
  else yield change(lost.length === 0 || isOnlyNull(after) || keepsOne(before, after) ? "wider" : "type", path, words);
}

function isUnseen(types: Types): boolean {
  return types.size === 0 || isOnlyNull(types);
}

function isOnlyNull(types: Types): boolean {
  return types.size === 1 && types.has("null");
}

function keepsOne(before: Types, after: Types): boolean {
  return [...before].some((type) => type !== "null" && after.has(type));
}

function typesText(types: Types): string {
  if (types.size === 0) return "an empty list";
  const names = [...types].filter((type) => type !== "null").sort();
  return [...names, ...(types.has("null") ? ["null"] : [])].join(" or ");
}

type Fields = ReadonlyMap<string, FieldShape>;

function* fieldFindings(before: Fields, after: Fields, path: JsonPointer): Generator<Finding> {
  for (const [key, was] of before) {
    const place = path + pointerTo(key);
    const is = after.get(key);
    if (is === undefined) {
      yield change("removed", place, `is gone, was ${typesText(was.shape.types)}`);
      continue;
    }
    if (is.isOptional && !was.isOptional) yield change("optional", place, "was always there, may now be absent");
    if (was.isOptional && !is.isOptional) yield change("required", place, "could be absent, is now always there");
    yield* findings(was.shape, is.shape, place);
  }
  for (const [key, { shape }] of after)
    if (!before.has(key)) yield change("added", path + pointerTo(key), `is new: ${typesText(shape.types)}`);
}

function* orderFindings(
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
  path: JsonPointer,
): Generator<Finding> {
  if (before === undefined) return;
  if (after === undefined) return yield change("order", path, "its fields stood in one order, and now in several");
  const [known, there] = [new Set(before), new Set(after)];
  const was = before.filter((key) => there.has(key));
  const is = after.filter((key) => known.has(key));
  const at = was.findIndex((key, index) => key !== is[index]);
  if (at >= 0) yield change("order", path, `\`${is[at]}\` now comes before \`${was[at]}\``);
}

function change(kind: ShapeChangeKind, path: JsonPointer, message: string): ShapeChange {
  return { path, kind, level: SHAPE_CHANGES[kind].level, message };
}
