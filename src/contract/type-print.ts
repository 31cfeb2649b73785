import {
  type CombinedType,
  type FieldType,
  fieldHead,
  isCombined,
  type ObjectType,
  OTHER_FIELDS,
  oneLine,
  type TupleType,
  type TypeExpression,
  tupleParts,
} from "./type-expression.js";

export interface PrintOptions {
  /** @default 100 */
  readonly width?: number;
  /**
   * One level of it.
   * @default two spaces
   */
  readonly indent?: string;
  /**
   * Whether descriptions are told as comments.
   * @default true
   */
  readonly docs?: boolean;
}

/** Writes types: what fits stands in a line, of the rest each part in one of its own. */
export class TypePrinter {
  readonly #width: number;
  readonly #step: string;
  readonly #docs: boolean;

  constructor({ width = 100, indent = "  ", docs = true }: PrintOptions = {}) {
    this.#width = width;
    this.#step = indent;
    this.#docs = docs;
  }

  /** The type, where `margin` stands before each further line and `used` characters before it in its first. */
  print(type: TypeExpression, margin = "", used: number = margin.length): string {
    if (type.kind === "name" || this.#fits(type, used)) return oneLine(type);
    switch (type.kind) {
      case "list":
        return `${this.#enclosed(type.item, margin, used)}[]`;
      case "tuple":
        return this.#tuple(type, margin);
      case "object":
        return this.object(type, margin);
      case "union":
        return this.#union(type, margin, used);
      case "intersection":
        return type.members.map((member) => this.#enclosed(member, margin, used)).join(" & ");
    }
  }

  /** The type after a `:` or `=`: on the same line, or with each member of a union on one below. */
  hanging(type: TypeExpression, margin: string, used: number): string {
    if (type.kind !== "union" || this.#fits(type, used + 1) || this.#largeMember(type) !== undefined)
      return ` ${this.print(type, margin, used + 1)}`;
    const inner = margin + this.#step;
    return `\n${inner}${this.#stacked(type, inner)}`;
  }

  /** An object with a line for each field. */
  object({ fields, others }: ObjectType, margin: string): string {
    const inner = margin + this.#step;
    const lines = fields.map((field) => this.#field(field, inner));
    if (others !== undefined)
      lines.push(`${inner}${OTHER_FIELDS}${this.hanging(others, inner, inner.length + OTHER_FIELDS.length)};`);
    return lines.length === 0 ? "{}" : `{\n${lines.join("\n")}\n${margin}}`;
  }

  /** The lines of a comment, which nothing in them can end. */
  comment(doc: readonly string[], margin: string): string {
    if (!this.#docs || doc.length === 0) return "";
    const lines = doc.flatMap((line) => wrapped(safe(line), this.#width - margin.length - 3));
    if (lines.length === 1 && margin.length + (lines[0] ?? "").length + 7 <= this.#width)
      return `${margin}/** ${lines[0]} */\n`;
    return `${margin}/**\n${lines.map((line) => `${margin} * ${line}`.trimEnd()).join("\n")}\n${margin} */\n`;
  }

  #field(field: FieldType, margin: string): string {
    const head = margin + fieldHead(field);
    return `${this.comment(field.doc, margin)}${head}${this.hanging(field.type, margin, head.length)};`;
  }

  #tuple(type: TupleType, margin: string): string {
    const inner = margin + this.#step;
    const lines = tupleParts(type).map(({ before, type: part, after }) => {
      const start = inner + before;
      return `${start}${this.print(part, inner, start.length)}${after},`;
    });
    return `[\n${lines.join("\n")}\n${margin}]`;
  }

  #union(type: CombinedType, margin: string, used: number): string {
    const large = this.#largeMember(type);
    if (large === undefined) return this.#stacked(type, margin);
    return type.members.map((member) => this.print(member, margin, large === member ? used : 0)).join(" | ");
  }

  /** The one member that has lines of its own, where the others are no more than names: `{ … } | null`. */
  #largeMember({ members }: CombinedType): TypeExpression | undefined {
    const [large, ...others] = members.filter(({ kind }) => kind !== "name");
    const isShort =
      members.reduce((sum, member) => sum + (member.kind === "name" ? member.text.length : 0), 0) <= SHORT;
    return others.length === 0 && isShort ? large : undefined;
  }

  /** A line for each member, after a bar; names share one as far as they fit. */
  #stacked({ members }: CombinedType, margin: string): string {
    if (members.every(({ kind }) => kind === "name")) return this.#filled(members.map(oneLine), margin);
    const bar = margin + this.#step;
    return members.map((member) => `| ${this.print(member, bar, bar.length)}`).join(`\n${margin}`);
  }

  /** As many in a line as fit. */
  #filled(words: readonly string[], margin: string): string {
    const lines: string[] = [];
    for (const word of words) {
      const last = lines.at(-1);
      const longer = `${last} | ${word}`;
      if (last !== undefined && margin.length + longer.length <= this.#width) lines[lines.length - 1] = longer;
      else lines.push(`| ${word}`);
    }
    return lines.join(`\n${margin}`);
  }

  #enclosed(type: TypeExpression, margin: string, used: number): string {
    if (!isCombined(type)) return this.print(type, margin, used);
    const inner = margin + this.#step;
    if (this.#fits(type, used + 2)) return `(${oneLine(type)})`;
    return `(\n${inner}${this.print(type, inner)}\n${margin})`;
  }

  /** Whether it can stand in the line of which so much is used. */
  #fits(type: TypeExpression, used: number): boolean {
    return used + oneLine(type).length <= this.#width && !(this.#docs && isDocumented(type));
  }
}

const SHORT = 40;
const DOCUMENTED = new WeakMap<TypeExpression, boolean>();

function isDocumented(type: TypeExpression): boolean {
  const known = DOCUMENTED.get(type);
  if (known !== undefined) return known;
  const found = partsOf(type).some(isDocumented) || (type.kind === "object" && type.fields.some(hasDoc));
  DOCUMENTED.set(type, found);
  return found;
}

function hasDoc({ doc }: FieldType): boolean {
  return doc.length > 0;
}

function partsOf(type: TypeExpression): readonly TypeExpression[] {
  switch (type.kind) {
    case "name":
      return [];
    case "list":
      return [type.item];
    case "tuple":
      return tupleParts(type).map((part) => part.type);
    case "object":
      return [...type.fields.map((field) => field.type), ...(type.others === undefined ? [] : [type.others])];
    default:
      return type.members;
  }
}

function safe(line: string): string {
  return line.replaceAll("*/", "*\\/").replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, " ");
}

/** The words of a line in lines of at most this width, unless one word is longer. */
function wrapped(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const lines: string[] = [];
  for (const word of line.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= Math.max(width, 40))
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
