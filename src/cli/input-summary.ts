import { orElse } from "../json/attempt.js";
import type { OperationSpec } from "../registry/operation.js";
import { type Node, TYPE } from "../schema/node.js";
import { typesOfNode } from "../schema/possible-types.js";
import type { InputField } from "../servers/input-fields.js";
import { inputTextsOf } from "../servers/input-texts.js";

/** The input of an operation on a line: `{ a: number, b?: string[] }`. */
export function inputSummary(spec: OperationSpec): string {
  const fields = fieldsOf(spec);
  if (fields.length === 0) return "";
  return `{ ${fields.map((field) => `${field.name}${field.isRequired ? "" : "?"}: ${fieldType(field)}`).join(", ")} }`;
}

/** The fields that the input has, those that must be there first; none where it is no object, or its schema is broken. */
export function fieldsOf(spec: OperationSpec): readonly InputField[] {
  const fields = orElse(() => inputTextsOf(spec).fields, []);
  return [...fields.filter(({ isRequired }) => isRequired), ...fields.filter(({ isRequired }) => !isRequired)];
}

export function fieldType({ schemas }: InputField): string {
  return typeOfNodes(schemas, true);
}

/** The texts that a field can only be, where its schema names them all. */
export function fieldValues({ schemas }: InputField): readonly string[] {
  const values = schemas.flatMap((schema) => valuesOf(schema) ?? []);
  const isBoolean = schemas.length > 0 && schemas.every((schema) => typesWithout(schema) === TYPE.boolean);
  return isBoolean ? ["true", "false"] : values.filter((value) => typeof value === "string");
}

const WORDS: readonly (readonly [bits: number, word: string])[] = [
  [TYPE.string, "string"],
  [TYPE.number, "number"],
  [TYPE.integer, "number"],
  [TYPE.boolean, "boolean"],
  [TYPE.array, "list"],
  [TYPE.object, "object"],
  [TYPE.null, "null"],
];

const MOST_VALUES = 4;

function typeOfNodes(nodes: readonly Node[], isOutside: boolean): string {
  const values = nodes.length === 1 && nodes[0] !== undefined ? valuesOf(nodes[0]) : undefined;
  if (values !== undefined && values.length <= MOST_VALUES)
    return parted(
      values.map((value) => JSON.stringify(value)),
      isOutside,
    );
  const types = nodes.reduce((sum, node) => sum | typesWithout(node), 0);
  const words = WORDS.filter(([bits]) => (types & bits) === bits).map(([, word]) => word);
  if (words.length > MOST_VALUES || words.length === 0) return "any";
  const named = [...new Set(words)].map((word) => (word === "list" ? listType(nodes) : word));
  return parted(named, isOutside);
}

function parted(parts: readonly string[], isOutside: boolean): string {
  const text = parts.join(" | ");
  return parts.length > 1 && !isOutside ? `(${text})` : text;
}

function listType(nodes: readonly Node[]): string {
  const items = nodes.flatMap((node) => [node, ...(node.all ?? [])]).flatMap(({ items: item }) => item ?? []);
  return items.length === 0 ? "any[]" : `${typeOfNodes(items, false)}[]`;
}

function typesWithout(node: Node): number {
  return typesOfNode(node) & ~TYPE.undefined;
}

/** Of `enum` and `const`, also behind a reference. */
function valuesOf({ values, all = [] }: Node): readonly unknown[] | undefined {
  return values ?? all.find((part) => part.values !== undefined)?.values;
}
