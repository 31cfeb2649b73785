import { Code, field, isPlainObject } from "./code.js";
import { type Node, TYPE } from "./node.js";
import { sizeLeft } from "./size.js";

/** What is left of a size after a value; the depth is that which the schema does not know. */
export type Measure = (value: unknown, depth: number, size: number) => number;

/** Where nothing is to be measured. */
export const measureNothing: Measure = (_value, _depth, size) => size;

/**
 * A function that measures values that match the schema. Unless it measures the whole, it looks only at what the schema
 * says nothing about: of the rest the depth is known, and to count its characters would take longer than to check it.
 */
export function generateMeasure(root: Node, whole: boolean): Measure {
  return whole || !isKnown(root) ? new MeasureWriter(whole).build(root) : measureNothing;
}

/** Whether the schema says of all that it lets in what it is. Fields that it does not name are none of its business. */
export function isKnown(node: Node, told: Map<Node, boolean> = new Map()): boolean {
  const { types, items, prefix, properties, recursive } = node;
  if (types === undefined || recursive === true) return false;
  // Many may lead to the same one, and each of them twice.
  const before = told.get(node);
  if (before !== undefined) return before;
  const listsAreKnown =
    (types & TYPE.array) === 0 || (items !== undefined && prefix === undefined && isKnown(items, told));
  const objectsAreKnown = (types & TYPE.object) === 0 || (properties !== undefined && properties.size > 0);
  const partsAreKnown = (): boolean => [...(properties?.values() ?? [])].every((inner) => isKnown(inner, told));
  const known = listsAreKnown && objectsAreKnown && partsAreKnown();
  told.set(node, known);
  return known;
}

/** More would only make the code large. */
const MAX_FUNCTIONS = 200;

class MeasureWriter {
  readonly #code = new Code();
  readonly #names = new Map<Node, string>();
  readonly #told = new Map<Node, boolean>();
  readonly #whole: boolean;

  constructor(whole: boolean) {
    this.#whole = whole;
  }

  build(root: Node): Measure {
    this.#code.add("measure", "v, depth, left", `${this.#statement(root, "v")}\nreturn left;`);
    return this.#code.build("measure") as Measure;
  }

  /** Takes the size of a variable from what is left. */
  #statement(node: Node, variable: string): string {
    const { types } = node;
    if (!this.#whole && isKnown(node, this.#told)) return "";
    if (types !== undefined && (types & (TYPE.object | TYPE.array)) === 0) {
      if ((types & TYPE.string) === 0) return "";
      const take = `left -= ${variable}.length;`;
      return types === TYPE.string ? take : `if (typeof ${variable} === "string") ${take}`;
    }
    return `left = ${this.#known(node) ?? this.#code.outside(sizeLeft)}(${variable}, depth, left);`;
  }

  /** The function of a list or an object whose parts are known. */
  #known(node: Node): string | undefined {
    const body =
      node.types === TYPE.array ? this.#list(node) : node.types === TYPE.object ? this.#object(node) : undefined;
    if (body === undefined || node.recursive === true || this.#names.size >= MAX_FUNCTIONS) return undefined;
    const name = this.#names.get(node) ?? `s${this.#names.size}`;
    if (!this.#names.has(node)) {
      this.#names.set(node, name);
      this.#code.add(name, "v, depth, left", body());
    }
    return name;
  }

  #list({ items, prefix }: Node): (() => string) | undefined {
    if (items === undefined || prefix !== undefined) return undefined;
    return () =>
      `left -= 2 + 4 * v.length;\nfor (let i = 0; i < v.length && left >= 0; i++) { const p = v[i]; ${this.#statement(items, "p")} }\nreturn left;`;
  }

  #object({ properties }: Node): (() => string) | undefined {
    if (properties === undefined || properties.size === 0) return undefined;
    return () => {
      const lines = [`if (!${isPlainObject("v")}) return ${this.#code.outside(sizeLeft)}(v, depth, left);`];
      const known = [...properties.keys()].reduce((sum, name) => sum + name.length + 4, 2);
      lines.push(`left -= ${known};`, "let p, missing = 0;");
      for (const [name, node] of properties) {
        const statement = this.#statement(node, "p");
        lines.push(
          `p = ${field("v", name)};`,
          `if (p === undefined) missing++;${statement === "" ? "" : ` else { ${statement} }`}`,
        );
      }
      if (this.#whole) lines.push(this.#others(properties));
      return [...lines, "return left;"].join("\n");
    };
  }

  #others(properties: ReadonlyMap<string, Node>): string {
    const names = this.#code.outside(new Set(properties.keys()));
    const take = `left = ${this.#code.outside(sizeLeft)}(v[key], depth, left - key.length);`;
    return [
      "let count = 0;",
      "for (const key in v) count++;",
      `if (count !== ${properties.size} - missing) for (const key in v) if (!${names}.has(key)) ${take}`,
    ].join("\n");
  }
}
