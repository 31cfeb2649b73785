import { isRecord } from "../json/value.js";
import { typeOf as bitsOf, TYPE } from "../schema/node.js";
import { ANY_OBJECT, named, quoted, type TypeExpression, UNKNOWN, unionOf } from "./type-expression.js";

const MOST_LITERALS = 1_000;
const LONGEST = 200;
const DEPTH = 5;

/** The types of the values that `enum` and `const` allow, as far as they have one of these types. */
export function literalTypes(values: readonly unknown[], bits: number): TypeExpression {
  const allowed = values.filter((value) => (bitsOf(value) & bits) !== 0);
  if (allowed.length > MOST_LITERALS) return plainTypes(allowed.reduce<number>((sum, value) => sum | bitsOf(value), 0));
  return unionOf(allowed.map((value) => literalType(value)));
}

function literalType(value: unknown, depth: number = DEPTH): TypeExpression {
  if (typeof value === "string" && value.length <= LONGEST) return named(quoted(value));
  if (typeof value === "number" || typeof value === "boolean" || value === null) return named(JSON.stringify(value));
  if (depth === 0 || isLarge(value)) return plainTypes(bitsOf(value));
  if (Array.isArray(value)) {
    const items = value.map((item) => ({ type: literalType(item, depth - 1), isOptional: false }));
    return { kind: "tuple", items };
  }
  if (!isRecord(value)) return plainTypes(bitsOf(value));
  const fields = Object.keys(value).filter((name) => value[name] !== undefined);
  if (fields.length === 0) return ANY_OBJECT;
  return {
    kind: "object",
    fields: fields.map((name) => ({ name, type: literalType(value[name], depth - 1), isOptional: false, doc: [] })),
  };
}

function isLarge(value: unknown): boolean {
  return isRecord(value)
    ? Object.keys(value).length > MOST_LITERALS
    : Array.isArray(value) && value.length > MOST_LITERALS;
}

/** The types themselves, of which nothing more is said. */
export function plainTypes(bits: number): TypeExpression {
  if ((bits & ALL_OF_JSON) === ALL_OF_JSON) return UNKNOWN;
  return unionOf(PLAIN.flatMap(([bit, type]) => ((bits & bit) !== 0 ? [type] : [])));
}

const ALL_OF_JSON = TYPE.null | TYPE.boolean | TYPE.number | TYPE.string | TYPE.array | TYPE.object;

const PLAIN: readonly (readonly [number, TypeExpression])[] = [
  [TYPE.string, named("string")],
  [TYPE.number, named("number")],
  [TYPE.boolean, named("boolean")],
  [TYPE.object, ANY_OBJECT],
  [TYPE.array, { kind: "list", item: UNKNOWN }],
  [TYPE.null, named("null")],
  [TYPE.undefined, named("undefined")],
];
