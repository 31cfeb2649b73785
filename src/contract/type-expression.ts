/** A type of TypeScript, before it is text. */
export type TypeExpression = NamedType | ListType | TupleType | ObjectType | CombinedType;

/** `string`, `unknown`, a literal, or the name of a definition. */
export interface NamedType {
  readonly kind: "name";
  readonly text: string;
}

interface ListType {
  readonly kind: "list";
  readonly item: TypeExpression;
}

export interface TupleType {
  readonly kind: "tuple";
  readonly items: readonly { readonly type: TypeExpression; readonly isOptional: boolean }[];
  readonly rest?: TypeExpression;
}

export interface ObjectType {
  readonly kind: "object";
  readonly fields: readonly FieldType[];
  /** Of the fields that have no name here. */
  readonly others?: TypeExpression;
}

export interface FieldType {
  readonly name: string;
  readonly type: TypeExpression;
  readonly isOptional: boolean;
  /** The lines of its comment. */
  readonly doc: readonly string[];
}

export interface CombinedType {
  readonly kind: "union" | "intersection";
  readonly members: readonly TypeExpression[];
}

export const UNKNOWN: NamedType = named("unknown");
export const NEVER: NamedType = named("never");
export const ANY_OBJECT: ObjectType = { kind: "object", fields: [], others: UNKNOWN };

export function named(text: string): NamedType {
  return { kind: "name", text };
}

/** One of these types, each told once. */
export function unionOf(types: readonly TypeExpression[]): TypeExpression {
  const members = distinct(types.flatMap((type) => (type.kind === "union" ? type.members : [type])));
  if (members.some((member) => oneLine(member) === UNKNOWN.text)) return UNKNOWN;
  const said = members.filter((member) => oneLine(member) !== NEVER.text);
  const isNothing = (member: TypeExpression): boolean => /^(null|undefined)$/.test(oneLine(member));
  const told = [...said.filter((member) => !isNothing(member)), ...said.filter(isNothing)];
  return combined("union", withoutCovered(told), NEVER);
}

/** All of these types at once. Objects become one where their fields are not the same. */
export function intersectionOf(types: readonly TypeExpression[]): TypeExpression {
  const members = distinct(types.flatMap((type) => (type.kind === "intersection" ? type.members : [type])));
  if (members.some((member) => oneLine(member) === NEVER.text)) return NEVER;
  return combined("intersection", mergeObjects(members.filter((member) => oneLine(member) !== UNKNOWN.text)), UNKNOWN);
}

function combined(
  kind: CombinedType["kind"],
  members: readonly TypeExpression[],
  ofNone: TypeExpression,
): TypeExpression {
  const [first = ofNone, ...others] = members;
  return others.length === 0 ? first : { kind, members };
}

function distinct(types: readonly TypeExpression[]): TypeExpression[] {
  return [...new Map(types.map((type) => [oneLine(type), type])).values()];
}

/** A literal says nothing beside the type of its kind; both literals of `boolean` are that type. */
function withoutCovered(members: readonly TypeExpression[]): TypeExpression[] {
  const texts = new Set(members.map(oneLine));
  const isBoolean = texts.has("boolean") || (texts.has("true") && texts.has("false"));
  const isCovered = (text: string): boolean =>
    (texts.has("string") && text.startsWith('"')) ||
    (texts.has("number") && /^-?\d/.test(text)) ||
    (isBoolean && (text === "true" || text === "false" || text === "boolean"));
  const kept = members.filter((member) => member.kind !== "name" || !isCovered(member.text));
  return isBoolean ? [named("boolean"), ...kept] : kept;
}

function mergeObjects(members: readonly TypeExpression[]): TypeExpression[] {
  const mergeable = members.filter((member) => member.kind === "object" && member.others === undefined) as ObjectType[];
  const fields = mergeable.flatMap((member) => member.fields);
  if (mergeable.length < 2 || new Set(fields.map(({ name }) => name)).size < fields.length) return [...members];
  const [first] = mergeable;
  return members.flatMap<TypeExpression>((member) =>
    member === first ? [{ kind: "object", fields }] : mergeable.includes(member as ObjectType) ? [] : [member],
  );
}

const LINES = new WeakMap<TypeExpression, string>();

/** The type in one line, without its comments. */
export function oneLine(type: TypeExpression): string {
  if (type.kind === "name") return type.text;
  const known = LINES.get(type);
  if (known !== undefined) return known;
  const line = lineOf(type);
  LINES.set(type, line);
  return line;
}

function lineOf(type: Exclude<TypeExpression, NamedType>): string {
  switch (type.kind) {
    case "list":
      return `${inParentheses(type.item)}[]`;
    case "tuple":
      return `[${tupleParts(type).map(oneLineOfPart).join(", ")}]`;
    case "object":
      return objectLine(type);
    case "union":
      return type.members.map(oneLine).join(" | ");
    case "intersection":
      return type.members.map(inParentheses).join(" & ");
  }
}

/** What stands between the brackets of a tuple: each type with what is before and after it. */
export interface TuplePart {
  readonly before: string;
  readonly type: TypeExpression;
  readonly after: string;
}

export function tupleParts({ items, rest }: TupleType): TuplePart[] {
  const parts = items.map(({ type, isOptional }) => {
    const wraps = isOptional && isCombined(type);
    return { before: wraps ? "(" : "", type, after: `${wraps ? ")" : ""}${isOptional ? "?" : ""}` };
  });
  if (rest === undefined) return parts;
  return [...parts, { before: isCombined(rest) ? "...(" : "...", type: rest, after: isCombined(rest) ? ")[]" : "[]" }];
}

function oneLineOfPart({ before, type, after }: TuplePart): string {
  return `${before}${oneLine(type)}${after}`;
}

function objectLine({ fields, others }: ObjectType): string {
  if (fields.length === 0 && others !== undefined && isSimple(others)) return `Record<string, ${oneLine(others)}>`;
  const parts = fields.map((field) => `${fieldHead(field)} ${oneLine(field.type)}`);
  if (others !== undefined) parts.push(`${OTHER_FIELDS} ${oneLine(others)}`);
  return parts.length === 0 ? "{}" : `{ ${parts.join("; ")} }`;
}

/** An alias of TypeScript's own can hold no type that is being defined. */
function isSimple(type: TypeExpression): boolean {
  return type.kind === "name" && /^(unknown|never|string|number|boolean)$/.test(type.text);
}

export const OTHER_FIELDS = "[key: string]:";

export function fieldHead({ name, isOptional }: FieldType): string {
  return `${propertyName(name)}${isOptional ? "?" : ""}:`;
}

/** A name as a property has it: in quotes where it is no identifier. */
function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
}

/** A text as a literal of TypeScript; all but plain characters are escaped. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll(
    /[\u007f-\u009f\p{Bidi_Control}\u2028\u2029\ufeff]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export function isCombined(type: TypeExpression): type is CombinedType {
  return type.kind === "union" || type.kind === "intersection";
}

function inParentheses(type: TypeExpression): string {
  return isCombined(type) ? `(${oneLine(type)})` : oneLine(type);
}
