import { type JsonPointer, pointerTo } from "../json/pointer.js";
import { told } from "../json/told.js";
import { isRecord, isString, isStringArray, type JsonRecord } from "../json/value.js";
import type { ModernKeywords } from "./flavours.js";
import { type Node, TYPE } from "./node.js";
import { compilePattern, type Pattern } from "./pattern.js";

/** What reading a keyword needs of the document around it. */
export interface KeywordReader {
  inner(node: Node, schema: unknown, at: JsonPointer): Node;
  target(node: Node, reference: unknown, at: JsonPointer): Node | undefined;
  fault(at: JsonPointer, reason: string): void;
}

/** One keyword with its value, and the node that it says something about. */
interface Keyword {
  readonly node: Node;
  readonly value: unknown;
  readonly at: JsonPointer;
  /** The whole schema, for the keywords that depend on each other. */
  readonly words: JsonRecord;
}

/** Adds to the node what the keywords say. Unknown ones are annotations. */
export function readKeywords(reader: KeywordReader, node: Node, { words, places }: ModernKeywords): void {
  for (const word of Object.keys(words)) {
    const read = READERS.get(word);
    const value = words[word];
    if (read !== undefined && value !== undefined)
      read({ node, value, words, at: node.at + (places[word] ?? `/${word}`) }, reader);
  }
}

type Read = (keyword: Keyword, reader: KeywordReader) => void;

const BY_WORD: Readonly<Record<string, Read>> = {
  type: readType,
  enum: readEnum,
  const: ({ node, value }) => restrict(node, [value]),
  default: ({ node, value }) => {
    node.default = { value };
  },

  minimum: limit("minimum"),
  maximum: limit("maximum"),
  exclusiveMinimum: limit("exclusiveMinimum"),
  exclusiveMaximum: limit("exclusiveMaximum"),
  multipleOf: limit("multipleOf", (value) => value > 0 && Number.isFinite(value), "a number above zero"),

  minLength: count("minLength"),
  maxLength: count("maxLength"),
  pattern: ({ node, value, at }, reader) => {
    const pattern = readPattern(value, at, reader);
    if (pattern !== undefined) node.pattern = pattern;
  },

  minItems: count("minItems"),
  maxItems: count("maxItems"),
  uniqueItems: ({ node, value }) => {
    if (value === true) node.unique = true;
  },
  prefixItems: list("prefix"),
  items: schema("items"),
  contains: readContains,
  unevaluatedItems: schema("unevaluatedItems"),

  minProperties: count("minProperties"),
  maxProperties: count("maxProperties"),
  required: ({ node, value, at }, reader) => {
    if (isStringArray(value)) node.required = [...new Set(value)];
    else wanted(reader, at, "a list of names", value);
  },
  properties: (keyword, reader) => {
    keyword.node.properties = schemasByName(keyword, reader);
  },
  patternProperties: (keyword, reader) => {
    keyword.node.patterns = [...schemasByName(keyword, reader)].flatMap(([source, node]) => {
      const pattern =
        source === ANY_NAME.source ? ANY_NAME : readPattern(source, keyword.at + pointerTo(source), reader);
      return pattern === undefined ? [] : [[pattern, node] as const];
    });
  },
  additionalProperties: schema("additional"),
  propertyNames: schema("names"),
  dependentRequired: readDependentRequired,
  dependentSchemas: (keyword, reader) => {
    keyword.node.dependent = [...schemasByName(keyword, reader)];
  },
  unevaluatedProperties: schema("unevaluatedProperties"),

  $ref: readRef,
  // Of 2019-09. Which schema it means depends on the way to it only where several documents extend each other.
  $recursiveRef: readRef,
  $dynamicRef: readDynamicRef,
  allOf: ({ node, ...keyword }, reader) => {
    node.all = [...new Set([...(node.all ?? []), ...schemasOf({ node, ...keyword }, reader)])];
  },
  anyOf: (keyword, reader) => {
    list("any")(keyword, reader);
    // To ask twice gives the same answer, and a chain that does so doubles the work at each link.
    if (keyword.node.any !== undefined) keyword.node.any = [...new Set(keyword.node.any)];
  },
  oneOf: list("one"),
  not: schema("not"),
  if: readCondition,
};

const READERS: ReadonlyMap<string, Read> = new Map(Object.entries(BY_WORD));

/** All words that are read. */
export const KEYWORDS: readonly string[] = [...READERS.keys()];

type NumberField = "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf";
type CountField = "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties";
type SchemaField = "items" | "unevaluatedItems" | "additional" | "names" | "unevaluatedProperties" | "not";

function limit(field: NumberField, fits: (value: number) => boolean = Number.isFinite, what = "a number"): Read {
  return ({ node, value, at }, reader) => {
    if (typeof value === "number" && fits(value)) node[field] = value;
    else wanted(reader, at, what, value);
  };
}

function count(field: CountField): Read {
  return ({ node, value, at }, reader) => {
    if (Number.isInteger(value) && (value as number) >= 0) node[field] = value as number;
    else wanted(reader, at, "a whole number from zero up", value);
  };
}

function schema(field: SchemaField): Read {
  return ({ node, value, at }, reader) => {
    node[field] = reader.inner(node, value, at);
  };
}

function list(field: "prefix" | "any" | "one"): Read {
  return (keyword, reader) => {
    const nodes = schemasOf(keyword, reader);
    if (nodes.length > 0) keyword.node[field] = nodes;
  };
}

function schemasOf({ node, value, at }: Keyword, reader: KeywordReader): Node[] {
  if (Array.isArray(value) && value.length > 0)
    return value.map((item, index) => reader.inner(node, item, at + pointerTo(index)));
  wanted(reader, at, "a list of schemas", value);
  return [];
}

function schemasByName({ node, value, at }: Keyword, reader: KeywordReader): Map<string, Node> {
  const found = new Map<string, Node>();
  if (!isRecord(value)) wanted(reader, at, "an object with schemas", value);
  else for (const name of Object.keys(value)) found.set(name, reader.inner(node, value[name], at + stepTo(name)));
  return found;
}

/** As `pointerTo`, and cheaper for nearly all names. */
function stepTo(name: string): JsonPointer {
  return name.includes("/") || name.includes("~") ? pointerTo(name) : `/${name}`;
}

/** `void` and `undefined` are TypeBox's words for an operation without a result, which JSON writes as `null`. */
export const TYPE_BITS: ReadonlyMap<unknown, number> = new Map(
  Object.entries({ ...TYPE, undefined: TYPE.undefined + TYPE.null, void: TYPE.undefined + TYPE.null }),
);

function readType({ node, value, at }: Keyword, reader: KeywordReader): void {
  const only = isString(value) ? TYPE_BITS.get(value) : undefined;
  if (only !== undefined) node.types = only;
  else readTypes(node, value, at, reader);
}

function readTypes(node: Node, value: unknown, at: JsonPointer, reader: KeywordReader): void {
  const names = Array.isArray(value) ? value : [value];
  const unknown = names.filter((name) => !TYPE_BITS.has(name));
  if (unknown.length > 0 || names.length === 0) wanted(reader, at, "a type of JSON", unknown[0] ?? value);
  else node.types = names.reduce((bits, name) => bits | (TYPE_BITS.get(name) ?? 0), 0);
}

function readEnum({ node, value, at }: Keyword, reader: KeywordReader): void {
  if (Array.isArray(value)) restrict(node, value);
  else wanted(reader, at, "a list of values", value);
}

/** Both `enum` and `const` may be there; then both hold. */
function restrict(node: Node, values: readonly unknown[]): void {
  if (node.values === undefined) node.values = values;
  else node.all = [...(node.all ?? []), { id: -1, at: node.at, resource: node.resource, values }];
}

function readPattern(source: unknown, at: JsonPointer, reader: KeywordReader): Pattern | undefined {
  // TypeBox also takes a RegExp.
  const text = source instanceof RegExp ? source.source : source;
  const pattern = isString(text)
    ? compilePattern(text)
    : { fault: `a regular expression is wanted, not ${told(source)}` };
  if (!("fault" in pattern)) return pattern;
  reader.fault(at, pattern.fault);
  return undefined;
}

/** TypeBox's word for every name. As a pattern it would leave out names with a line break. */
const ANY_NAME: Pattern = { source: "^.*$", test: () => true };

function readContains({ node, value, at, words }: Keyword, reader: KeywordReader): void {
  const { minContains = 1, maxContains = Number.POSITIVE_INFINITY } = words;
  const fits = typeof minContains === "number" && typeof maxContains === "number";
  if (!fits) reader.fault(at, "minContains and maxContains are numbers");
  else node.contains = { node: reader.inner(node, value, at), min: minContains, max: maxContains };
}

function readDependentRequired({ node, value, at }: Keyword, reader: KeywordReader): void {
  if (!isRecord(value)) wanted(reader, at, "an object with lists of names", value);
  node.dependentRequired = Object.entries(isRecord(value) ? value : {}).flatMap(([name, names]) => {
    if (isStringArray(names)) return [[name, names] as const];
    wanted(reader, at + pointerTo(name), "a list of names", names);
    return [];
  });
}

function readRef({ node, value, at }: Keyword, reader: KeywordReader): void {
  const target = reader.target(node, value, at);
  if (target !== undefined) node.all = [...(node.all ?? []), target];
}

function readDynamicRef({ node, value, at }: Keyword, reader: KeywordReader): void {
  const target = reader.target(node, value, at);
  if (target === undefined) return;
  const anchor = isString(value) ? value.slice(value.indexOf("#") + 1) : "";
  // Only an anchor that is itself dynamic is looked up again in what was entered before.
  const isDynamic = value !== "#" && target.resource.dynamicAnchors.has(anchor);
  if (isDynamic) node.dynamic = { anchor, node: target };
  else node.all = [...(node.all ?? []), target];
}

function readCondition({ node, value, at, words }: Keyword, reader: KeywordReader): void {
  const branch = (word: string): Node | undefined =>
    words[word] === undefined ? undefined : reader.inner(node, words[word], node.at + pointerTo(word));
  const fits = branch("then");
  const otherwise = branch("else");
  node.condition = {
    test: reader.inner(node, value, at),
    ...(fits !== undefined && { fits }),
    ...(otherwise !== undefined && { otherwise }),
  };
}

function wanted(reader: KeywordReader, at: JsonPointer, what: string, value: unknown): void {
  reader.fault(at, `${what} is wanted and ${told(value)} is there`);
}
