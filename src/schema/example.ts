import { orElse } from "../json/attempt.js";
import { isRecord, isString, isStringArray, type JsonRecord, setField } from "../json/value.js";
import { type CompiledSchema, compile } from "./compile.js";
import { exampleText } from "./example-text.js";
import { MergedWords } from "./example-words.js";
import type { AnySchema, SchemaSide } from "./standard-schema.js";

/** A value for people to see. */
export interface Example {
  readonly value: unknown;
}

/**
 * A small value that a schema accepts: one that the schema names itself, or one made of what it requires. None where that
 * is not easy: this is no solver.
 */
export function exampleOf(schema: AnySchema, side: SchemaSide = "output"): Example | undefined {
  return exampleFor(compile(schema, { side, generate: false }));
}

/** What an example has to match. */
export type CheckedSchema = Pick<CompiledSchema, "schema" | "acceptsAll" | "accepts">;

export function exampleFor(checked: CheckedSchema): Example | undefined {
  const { schema, acceptsAll } = checked;
  if (acceptsAll && !hasOwnValue(schema)) return undefined;
  for (const attempt of ATTEMPTS) {
    const example = plain(new Drawing(schema, attempt).draw(schema));
    if (example !== undefined && checked.accepts(example.value)) return example;
  }
  return undefined;
}

interface Attempt {
  /** Whether the values that a schema names for people are used. */
  readonly usesOwn: boolean;
  /** Which of several alternatives is taken, wherever there are some. */
  readonly choice: number;
}

const ATTEMPTS: readonly Attempt[] = [
  { usesOwn: true, choice: 0 },
  { usesOwn: true, choice: 1 },
  { usesOwn: false, choice: 0 },
  { usesOwn: false, choice: 1 },
];

const MOST_CHARACTERS = 4_000;

/** The value as JSON has it, if it is small. */
function plain(example: Example | undefined): Example | undefined {
  const text = example === undefined ? undefined : orElse(() => JSON.stringify(example.value), undefined);
  return text === undefined || text.length > MOST_CHARACTERS ? undefined : { value: JSON.parse(text) };
}

const OWN_WORDS = ["examples", "example", "default", "const"];

function hasOwnValue(schema: unknown): boolean {
  return isRecord(schema) && OWN_WORDS.some((word) => schema[word] !== undefined);
}

const MOST_SCHEMAS = 500;
const DEPTH = 10;
/** Deeper lists have no more items than they must: schemas may contain themselves. */
const SHOWN_DEPTH = 3;
const MOST_ITEMS = 20;

/** What may be anything. */
const ANYTHING: Example = { value: "anything" };

class Drawing {
  readonly #words: MergedWords;
  readonly #attempt: Attempt;

  constructor(root: unknown, attempt: Attempt) {
    this.#words = new MergedWords(root, MOST_SCHEMAS);
    this.#attempt = attempt;
  }

  draw(schema: unknown, depth: number = DEPTH): Example | undefined {
    if (schema === false || depth === 0 || this.#words.isSpent) return undefined;
    if (!isRecord(schema)) return ANYTHING;
    const words = this.#words.of(schema);
    const named = this.#namedValue(words);
    if (named !== undefined) return named;
    const { anyOf, oneOf, ...rest } = words;
    const options = [anyOf, oneOf].find((list) => Array.isArray(list) && list.length > 0) as unknown[] | undefined;
    if (options === undefined) return this.#ofType(words, depth);
    return this.draw({ ...rest, allOf: [this.#chosen(options)] }, depth - 1);
  }

  #namedValue({ examples, example, default: fallback, const: only, enum: values }: JsonRecord): Example | undefined {
    const own = [...(Array.isArray(examples) ? examples.slice(0, 1) : []), example, fallback];
    const fixed = [only, ...(Array.isArray(values) ? values.slice(0, 1) : [])];
    const value = [...(this.#attempt.usesOwn ? own : []), ...fixed].find((item) => item !== undefined);
    return value === undefined ? undefined : { value };
  }

  /** Nothing is the last that people want to see. */
  #chosen(options: readonly unknown[]): unknown {
    const isNull = (option: unknown): boolean =>
      isRecord(option) && (option["type"] === "null" || option["const"] === null);
    const told = [...options.filter((option) => !isNull(option)), ...options.filter(isNull)];
    return told[Math.min(this.#attempt.choice, told.length - 1)];
  }

  #ofType(words: JsonRecord, depth: number): Example | undefined {
    switch (typeIn(words)) {
      case "string":
        return { value: exampleText(words) };
      case "integer":
      case "number":
        return { value: exampleNumber(words) };
      case "boolean":
        return { value: true };
      case "null":
        return { value: null };
      case "array":
        return this.#array(words, depth);
      case "object":
        return this.#object(words, depth);
      default:
        return ANYTHING;
    }
  }

  #array(words: JsonRecord, depth: number): Example | undefined {
    const { prefixItems, items, contains, minItems, maxItems, uniqueItems } = words;
    const least = typeof minItems === "number" ? minItems : 0;
    const most = typeof maxItems === "number" ? maxItems : MOST_ITEMS;
    if (least > MOST_ITEMS) return undefined;
    const first = Array.isArray(prefixItems) ? prefixItems : contains === undefined ? [] : [contains];
    const list = first.slice(0, most).map((schema) => this.draw(schema, depth - 1));
    const isShown = first.length === 0 && depth > DEPTH - SHOWN_DEPTH;
    const wanted = Math.max(least, list.length, isShown ? Math.min(1, most) : 0);
    for (let at = list.length; at < wanted; at++) {
      const item = this.draw(items, depth - 1);
      list.push(item !== undefined && uniqueItems === true ? { value: distinct(item.value, at) } : item);
    }
    const values = list.flatMap((item) => (item === undefined ? [] : [item.value]));
    return values.length === list.length || values.length >= least ? { value: values } : undefined;
  }

  #object(words: JsonRecord, depth: number): Example | undefined {
    const properties = isRecord(words["properties"]) ? words["properties"] : {};
    const required = isStringArray(words["required"]) ? words["required"] : [];
    const others = Object.keys(properties).filter((name) => !required.includes(name));
    const shown = others.filter((name) => this.#attempt.usesOwn && hasOwnValue(properties[name]));
    const least = typeof words["minProperties"] === "number" ? words["minProperties"] : 0;
    const value: JsonRecord = {};
    for (const name of new Set([...required, ...shown, ...others])) {
      const isNeeded = required.includes(name);
      if (!isNeeded && !shown.includes(name) && Object.keys(value).length >= least) break;
      const schema = Object.hasOwn(properties, name) ? properties[name] : words["additionalProperties"];
      const field = this.draw(schema, depth - 1);
      if (field !== undefined) setField(value, name, field.value);
      else if (isNeeded) return undefined;
    }
    return { value };
  }
}

const TYPE_OF_WORD: Readonly<Record<string, string>> = {
  properties: "object",
  required: "object",
  additionalProperties: "object",
  items: "array",
  prefixItems: "array",
  minLength: "string",
  pattern: "string",
  format: "string",
  minimum: "number",
  maximum: "number",
};

function typeIn(words: JsonRecord): unknown {
  const { type } = words;
  if (Array.isArray(type)) return type.find((name) => name !== "null") ?? type[0];
  if (isString(type)) return type;
  const telling = Object.keys(TYPE_OF_WORD).find((word) => words[word] !== undefined);
  return telling === undefined ? undefined : TYPE_OF_WORD[telling];
}

function exampleNumber(words: JsonRecord): number {
  const step = words["type"] === "integer" ? 1 : 0.5;
  const limit = (word: string, shift: number): number | undefined =>
    typeof words[word] === "number" ? words[word] + shift : undefined;
  const least = limit("minimum", 0) ?? limit("exclusiveMinimum", step);
  const most = limit("maximum", 0) ?? limit("exclusiveMaximum", -step);
  const value = least ?? Math.min(1, most ?? 1);
  const { multipleOf } = words;
  return typeof multipleOf === "number" && multipleOf > 0 ? Math.ceil(value / multipleOf) * multipleOf : value;
}

function distinct(value: unknown, at: number): unknown {
  if (at === 0) return value;
  if (typeof value === "number") return value + at;
  return isString(value) ? `${value}${at + 1}` : value;
}
