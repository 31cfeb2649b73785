import { orElse } from "../json/attempt.js";
import type { Issue } from "../json/issue.js";
import type { OperationSpec } from "../registry/operation.js";
import { Evaluator } from "../schema/evaluate.js";
import { loadSchema } from "../schema/load.js";
import type { Node } from "../schema/node.js";
import { readSchema } from "../schema/standard-schema.js";
import { type InputField, inputFields, takesOtherFields } from "./input-fields.js";

/** The fields of an operation's input, where they come as texts: in a path, a query, or the flags of a command. */
export interface InputTexts {
  /** An input without any of them is an empty one: what it lacks is then named. */
  readonly fields: readonly InputField[];
  /** What texts mean that stand for a field. Where one field may have several, a single one may be a list of one. */
  valueOf(name: string, texts: readonly string[], mayRepeat: boolean): unknown;
  /** Whether the schema says itself that there may be other fields, or names none. */
  readonly takesOthers: boolean;
  /** The same for the fields of a field that is an object. */
  inside(name: string): InputTexts;
}

const KNOWN = new WeakMap<OperationSpec, InputTexts>();

export function inputTextsOf(spec: OperationSpec): InputTexts {
  const known = KNOWN.get(spec) ?? readFields(spec);
  KNOWN.set(spec, known);
  return known;
}

function readFields({ inputSchema }: OperationSpec): InputTexts {
  const { graph } = loadSchema(readSchema(inputSchema, "input").json);
  return textsOf([graph.root], new Evaluator(graph));
}

function textsOf(schemas: readonly Node[], evaluator: Evaluator): InputTexts {
  const fields = inputFields(...schemas);
  const byName = new Map(fields.map((field) => [field.name, field]));
  return {
    fields,
    takesOthers: takesOtherFields(...schemas),
    inside: (name) => textsOf(byName.get(name)?.schemas ?? [], evaluator),
    valueOf(name, texts, mayRepeat) {
      const asGiven = texts.length === 1 ? texts[0] : texts;
      const field = byName.get(name);
      if (field === undefined) return asGiven;
      const isRight = (value: unknown): boolean => field.schemas.some((schema) => evaluator.accepts(schema, value));
      for (const candidate of candidatesFor(field, texts, mayRepeat)) if (isRight(candidate)) return candidate;
      // The check of the input will tell what is wrong with the one that comes nearest.
      return nearest([...candidatesFor(field, texts, mayRepeat)], field, evaluator);
    },
  };
}

/** The first of those with the fewest values of another type: `0` for a number from 1, and not the text. */
function nearest(candidates: readonly unknown[], { schemas }: InputField, evaluator: Evaluator): unknown {
  const faultsOf = (candidate: unknown): number =>
    Math.min(...schemas.map((schema) => typeFaults(evaluator.issues(schema, candidate))));
  const faults = candidates.map(faultsOf);
  return candidates[faults.indexOf(Math.min(...faults))];
}

/** The whole being of another type is worse than any number of its parts. */
function typeFaults(issues: readonly Issue[]): number {
  const faults = issues.filter(({ rule }) => rule === "type");
  return faults.some(({ path }) => path === "") ? Number.MAX_SAFE_INTEGER : faults.length;
}

/** Text stays text wherever that is right; else it is what it says. The rest is in the order that documents promise. */
function* candidatesFor({ form }: InputField, texts: readonly string[], mayRepeat: boolean): Generator<unknown> {
  const [text = ""] = texts;
  const isOne = texts.length === 1;
  const isListFirst = form === "list" && mayRepeat;
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
