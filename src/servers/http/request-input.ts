import { CallError } from "../../envelope/call-error.js";
import { orElse } from "../../json/attempt.js";
import { pointerTo } from "../../json/pointer.js";
import { isEqual, isRecord, type JsonRecord, setField } from "../../json/value.js";
import type { OperationSpec } from "../../registry/operation.js";
import { Evaluator } from "../../schema/evaluate.js";
import { loadSchema } from "../../schema/load.js";
import { readSchema } from "../../schema/standard-schema.js";
import { type InputField, inputFields } from "./input-fields.js";

/** The input of an operation that is reached by a path of its own: from the path, the query and the body. */
export function inputFromRequest(
  spec: OperationSpec,
  places: Readonly<Record<string, string>>,
  query: string,
  body: unknown,
): unknown {
  const inPath = Object.entries(places);
  const inQuery = textsIn(query);
  const fields = fieldsOf(spec);
  if (inPath.length === 0 && inQuery.size === 0) return body === undefined && fields.hasAny ? {} : body;
  if (body !== undefined && !isRecord(body))
    throw new CallError({
      category: "validation",
      message: "The body must be a JSON object, because fields of the input stand in the path or the query too.",
    });
  const input: JsonRecord = { ...(body as JsonRecord | undefined) };
  const put = (name: string, value: unknown): void => {
    if (Object.hasOwn(input, name) && !isEqual(input[name], value)) throw contradiction(name);
    setField(input, name, value);
  };
  for (const [name, texts] of inQuery) put(name, fields.valueOf(name, texts, "query"));
  for (const [name, text] of inPath) put(name, fields.valueOf(name, [text], "path"));
  return input;
}

function contradiction(name: string): CallError {
  const issues = [{ path: pointerTo(name), message: "is given twice, with different values" }];
  const message = `The request says ${JSON.stringify(name)} in two places, and not the same.`;
  return new CallError({ category: "validation", message, issues });
}

function textsIn(query: string): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  for (const [name, text] of new URLSearchParams(query)) {
    const known = texts.get(name);
    if (known === undefined) texts.set(name, [text]);
    else known.push(text);
  }
  return texts;
}

interface Fields {
  /** An input without any of them is an empty one: what it lacks is then named. */
  readonly hasAny: boolean;
  /** What texts mean that stand for a field. */
  valueOf(name: string, texts: readonly string[], where: "path" | "query"): unknown;
}

const FIELDS = new WeakMap<OperationSpec, Fields>();

function fieldsOf(spec: OperationSpec): Fields {
  const known = FIELDS.get(spec) ?? readFields(spec);
  FIELDS.set(spec, known);
  return known;
}

function readFields({ inputSchema }: OperationSpec): Fields {
  const { graph } = loadSchema(readSchema(inputSchema, "input").json);
  const evaluator = new Evaluator(graph);
  const byName = new Map(inputFields(graph.root).map((field) => [field.name, field]));
  return {
    hasAny: byName.size > 0,
    valueOf(name, texts, where) {
      const asGiven = texts.length === 1 ? texts[0] : texts;
      const field = byName.get(name);
      if (field === undefined) return asGiven;
      const isRight = (value: unknown): boolean => field.schemas.some((schema) => evaluator.accepts(schema, value));
      for (const candidate of candidatesFor(field, texts, where)) if (isRight(candidate)) return candidate;
      // The check of the input will tell.
      return asGiven;
    },
  };
}

/** Text stays text wherever that is right; else it is what it says. The rest is in the order that the document promises. */
function* candidatesFor({ form }: InputField, texts: readonly string[], where: "path" | "query"): Generator<unknown> {
  const [text = ""] = texts;
  const isOne = texts.length === 1;
  const isListFirst = form === "list" && where === "query";
  if (isOne) yield text;
  if (isOne && !isListFirst) yield said(text);
  yield texts;
  yield texts.map(said);
  if (isOne && isListFirst) yield said(text);
}

/** A number with more digits than JavaScript keeps stays a text: it would be another one. */
function said(text: string): unknown {
  const value = orElse<unknown>(() => JSON.parse(text), text);
  if (typeof value !== "number" || !/^-?\d{16,}$/.test(text)) return value;
  return Number.isFinite(value) && BigInt(text) === BigInt(value) ? value : text;
}
