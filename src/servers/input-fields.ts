import { type Node, TYPE } from "../schema/node.js";
import { typesOfNode } from "../schema/possible-types.js";

/** A field of an input that is an object. */
export interface InputField {
  readonly name: string;
  /** What is said of it; several where alternatives of the input describe it. */
  readonly schemas: readonly Node[];
  readonly isRequired: boolean;
  /** How it is written in a path or a query: as it is, as many times as there are items, or as JSON. */
  readonly form: "text" | "list" | "json";
}

/** The fields that a schema names, by itself and through all that it is composed of; of several the fields of each. */
export function inputFields(...roots: readonly Node[]): readonly InputField[] {
  const fields = new Map<string, Node[]>();
  const required = new Set<string>();
  const seen = new Set<Node>();
  for (const root of roots) collect(root, roots.length === 1, { fields, required, seen });
  return [...fields].map(([name, schemas]) => ({
    name,
    schemas,
    isRequired: required.has(name),
    form: formOf(schemas),
  }));
}

interface Collection {
  readonly fields: Map<string, Node[]>;
  readonly required: Set<string>;
  readonly seen: Set<Node>;
}

function collect(node: Node, isSure: boolean, found: Collection): void {
  if (found.seen.has(node)) return;
  found.seen.add(node);
  for (const [name, schema] of node.properties ?? [])
    found.fields.set(name, [...(found.fields.get(name) ?? []), schema]);
  if (isSure) for (const name of node.required ?? []) found.required.add(name);
  for (const part of node.all ?? []) collect(part, isSure, found);
  for (const option of [...(node.any ?? []), ...(node.one ?? [])]) collect(option, false, found);
}

/** Whether a schema says itself that there may be fields which it does not name, or names none. */
export function takesOtherFields(...roots: readonly Node[]): boolean {
  return inputFields(...roots).length === 0 || roots.some((root) => saysOthers(root, new Set()));
}

function saysOthers(node: Node, seen: Set<Node>): boolean {
  if (seen.has(node)) return false;
  seen.add(node);
  if (node.patterns !== undefined || (node.additional !== undefined && node.additional.never !== true)) return true;
  const parts = [...(node.all ?? []), ...(node.any ?? []), ...(node.one ?? [])];
  return parts.some((part) => saysOthers(part, seen));
}

const SCALAR = TYPE.null | TYPE.boolean | TYPE.number | TYPE.string;

/** A text is taken as it is wherever that is right, so what may be one cannot be JSON. */
function formOf(schemas: readonly Node[]): InputField["form"] {
  const types = schemas.reduce((sum, schema) => sum | typesOfNode(schema), 0) & ~TYPE.undefined;
  if ((types & ~SCALAR) === 0) return "text";
  if ((types & ~SCALAR) === TYPE.array && schemas.every(hasScalarItems)) return "list";
  return (types & TYPE.string) !== 0 ? "text" : "json";
}

function hasScalarItems(node: Node): boolean {
  const parts = [node, ...(node.all ?? [])];
  const items = parts.flatMap((part) => [...(part.prefix ?? []), ...(part.items === undefined ? [] : [part.items])]);
  return items.length > 0 && items.every((item) => (typesOfNode(item) & ~TYPE.undefined & ~SCALAR) === 0);
}
