import { orElse } from "../json/attempt.js";
import { pointerTo } from "../json/pointer.js";
import { type Graph, type Node, TYPE } from "../schema/node.js";
import { typesOfNode } from "../schema/possible-types.js";
import type { TypeDefinitions } from "./type-definitions.js";
import { docOf, partAt } from "./type-doc.js";
import {
  type FieldType,
  intersectionOf,
  NEVER,
  named,
  type ObjectType,
  oneLine,
  type TupleType,
  type TypeExpression,
  UNKNOWN,
  unionOf,
} from "./type-expression.js";
import { literalTypes, plainTypes } from "./type-literal.js";

/** Beyond this many parts, or this deep, all is `unknown`. */
const MOST_PARTS = 10_000;
const DEPTH = 40;

/** Descriptions beyond this many characters are left out. */
const MOST_DOC = 200_000;

const ANYTHING = 255;

export interface TypeReaderOptions {
  /** The schema that the graph is of. */
  readonly document: unknown;
  readonly graph: Graph;
  readonly definitions: TypeDefinitions;
  /** By what a part is told from others that are definitions; `undefined` where it is none. */
  readonly keyOf: (node: Node) => unknown;
}

/**
 * Makes types of the parts of a schema. A type holds every value that its part accepts, and more where TypeScript has no
 * words: bounds, patterns, `not` and `if` are left out.
 */
export class TypeReader {
  readonly #options: TypeReaderOptions;
  readonly #bits = new Map<Node, number>();
  /** The parts that contain themselves and are being made, with the name that such a part needs. */
  readonly #open = new Map<Node, { name?: string }>();
  #parts = 0;
  #docLength = 0;

  constructor(options: TypeReaderOptions) {
    this.#options = options;
  }

  /** The type of a part, of which only values of some types come into question. */
  typeOf(node: Node, mask: number = ANYTHING, depth: number = DEPTH): TypeExpression {
    this.#parts++;
    if (depth === 0 || this.#parts > MOST_PARTS) return plainTypes(mask);
    const key = this.#options.keyOf(node);
    if (key !== undefined) return this.#within(node, mask, this.#definition(node, key));
    if (node.recursive === true) return this.#within(node, mask, this.#recursive(node, depth));
    return this.#body(node, mask, depth);
  }

  #definition(node: Node, key: unknown): TypeExpression {
    const { definitions, document } = this.#options;
    return definitions.reference({
      key,
      at: node.at,
      read: () => ({ type: this.#body(node, ANYTHING, DEPTH), doc: docOf(partAt(document, node.at)) }),
    });
  }

  /** A part that contains itself gets a name when it is met inside itself. */
  #recursive(node: Node, depth: number): TypeExpression {
    const { definitions, document } = this.#options;
    const known = this.#open.get(node);
    if (known !== undefined) {
      known.name ??= definitions.nameFor(node.at);
      return named(known.name);
    }
    const open: { name?: string } = {};
    this.#open.set(node, open);
    const type = this.#body(node, ANYTHING, depth);
    this.#open.delete(node);
    if (open.name === undefined) return type;
    definitions.add({ name: open.name, type, doc: docOf(partAt(document, node.at)) });
    return named(open.name);
  }

  #within(node: Node, mask: number, type: TypeExpression): TypeExpression {
    return (this.#bitsOf(node) & ~mask) === 0 ? type : intersectionOf([type, plainTypes(mask)]);
  }

  #bitsOf(node: Node): number {
    let bits = this.#bits.get(node);
    if (bits === undefined) {
      bits = orElse(() => typesOfNode(node), ANYTHING);
      this.#bits.set(node, bits);
    }
    return bits;
  }

  #body(node: Node, mask: number, depth: number): TypeExpression {
    const bits = meant(node, this.#bitsOf(node) & mask);
    if (node.never === true || bits === 0) return NEVER;
    const plain = plainTypes(bits);
    const parts = [this.#own(node, bits, depth), ...this.#applied(node, bits, depth)];
    const telling = parts.filter((part) => oneLine(part) !== oneLine(plain));
    return telling.length === 0 ? plain : intersectionOf(telling);
  }

  /** What the schemas say that apply to the same value. */
  #applied(node: Node, bits: number, depth: number): TypeExpression[] {
    const { all = [], any, one, dynamic } = node;
    const of = (inner: Node): TypeExpression => this.typeOf(inner, bits, depth - 1);
    const choices = [any, one, dynamic && this.#targets(dynamic)];
    return [...all.map(of), ...choices.flatMap((choice) => (choice === undefined ? [] : [unionOf(choice.map(of))]))];
  }

  /** All that a dynamic reference can lead to. */
  #targets({ anchor, node }: NonNullable<Node["dynamic"]>): Node[] {
    const anchors = [...this.#options.graph.dynamicAnchors.values()].map((byName) => byName.get(anchor));
    return [...new Set([node, ...anchors.filter((target) => target !== undefined)])];
  }

  #own(node: Node, bits: number, depth: number): TypeExpression {
    if (node.values !== undefined) return literalTypes(node.values, bits);
    const types = [plainTypes(bits & ~(TYPE.array | TYPE.object))];
    const isSaid = saysArray(node) || saysObject(node);
    if (!isSaid) return plainTypes(bits);
    if ((bits & TYPE.object) !== 0) types.push(this.#object(node, depth));
    if ((bits & TYPE.array) !== 0) types.push(this.#array(node, depth));
    return unionOf(types);
  }

  #array(node: Node, depth: number): TypeExpression {
    const { prefix, items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = node;
    const of = (inner: Node): TypeExpression => this.typeOf(inner, ANYTHING, depth - 1);
    const rest = items === undefined ? UNKNOWN : of(items);
    if (prefix === undefined) return maxItems === 0 ? EMPTY : { kind: "list", item: rest };
    const first = prefix.slice(0, maxItems).map((inner, at) => ({ type: of(inner), isOptional: at >= minItems }));
    const isOpen = maxItems > prefix.length && oneLine(rest) !== NEVER.text;
    return { kind: "tuple", items: first, ...(isOpen && { rest }) };
  }

  #object(node: Node, depth: number): TypeExpression {
    const { properties = new Map<string, Node>(), required = [] } = node;
    const others = this.#others(node, depth);
    const needed = new Set(required);
    const fields: FieldType[] = [];
    for (const [name, inner] of properties) {
      if (this.#parts > MOST_PARTS) break;
      const type = this.typeOf(inner, ANYTHING, depth - 1);
      fields.push({ name, type, isOptional: !needed.has(name), doc: this.#docOfField(node, name, inner) });
    }
    for (const name of needed)
      if (!properties.has(name) && fields.length < MOST_PARTS)
        fields.push({
          name,
          type: node.patterns === undefined ? (others ?? UNKNOWN) : UNKNOWN,
          isOptional: false,
          doc: [],
        });
    return withOthers(fields, others);
  }

  /** The type of the fields without a name; none where nothing is said of them. */
  #others({ additional, patterns = [] }: Node, depth: number): TypeExpression | undefined {
    if (additional === undefined && patterns.length === 0) return undefined;
    if (additional === undefined) return UNKNOWN;
    return unionOf(
      [additional, ...patterns.map(([, inner]) => inner)].map((inner) => this.typeOf(inner, ANYTHING, depth - 1)),
    );
  }

  #docOfField(node: Node, name: string, inner: Node): readonly string[] {
    const { document, keyOf } = this.#options;
    if (this.#docLength > MOST_DOC) return [];
    const own = partAt(document, node.at + pointerTo("properties", name));
    const doc = docOf(own, ...(keyOf(inner) === undefined ? [partAt(document, inner.at)] : []));
    for (const line of doc) this.#docLength += line.length;
    return doc;
  }
}

const EMPTY: TupleType = { kind: "tuple", items: [] };

/** A field must fit what is said of all fields; where it does not, those can be anything. */
function withOthers(fields: readonly FieldType[], others: TypeExpression | undefined): ObjectType {
  if (others === undefined) return { kind: "object", fields, ...(fields.length === 0 && { others: UNKNOWN }) };
  if (fields.length === 0) return { kind: "object", fields, others };
  if (oneLine(others) === NEVER.text) return { kind: "object", fields };
  const isSame = fields.every(({ type }) => oneLine(type) === oneLine(others));
  const orAbsent = fields.some(({ isOptional }) => isOptional) ? [named("undefined")] : [];
  return { kind: "object", fields, others: isSame ? unionOf([others, ...orAbsent]) : UNKNOWN };
}

function saysObject({ properties, required, additional, patterns }: Node): boolean {
  return (properties ?? required ?? additional ?? patterns) !== undefined;
}

function saysArray({ prefix, items, maxItems }: Node): boolean {
  return (prefix ?? items) !== undefined || maxItems === 0;
}

/** Who leaves out the type and tells what an object or a list has, means one. */
function meant(node: Node, bits: number): number {
  if ((bits & ANYTHING) !== ANYTHING || saysObject(node) === saysArray(node)) return bits;
  return saysObject(node) ? TYPE.object : TYPE.array;
}
