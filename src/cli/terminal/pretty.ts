import { printJson } from "../../json/printable.js";
import { isRecord } from "../../json/value.js";

const WIDTH = 100;
/** Past what anyone reads, the rest goes on one line. */
const MOST_LEVELS = 100;

/** JSON for people: what fits on a line stays on one. */
export function pretty(value: unknown, indent = ""): string {
  const flat = onOneLine(value, WIDTH - indent.length);
  if (flat !== undefined) return flat;
  if (indent.length >= 2 * MOST_LEVELS || typeof value !== "object" || value === null) return printJson(value);
  const inner = `${indent}  `;
  const items = Array.from(membersOf(value), ([name, item]) => `${inner}${name}${pretty(item, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${items.join(",\n")}\n${indent}${close}`;
}

/** The value on a line of at most so many characters, or `undefined`. */
function onOneLine(value: unknown, width: number): string | undefined {
  if (width <= 0) return undefined;
  if (!Array.isArray(value) && !isRecord(value)) return within(printJson(value), width);
  const parts: string[] = [];
  let left = width;
  for (const [name, item] of membersOf(value)) {
    const flat = onOneLine(item, left - name.length);
    if (flat === undefined) return undefined;
    parts.push(name + flat);
    left -= name.length + flat.length + 2;
  }
  if (parts.length === 0) return Array.isArray(value) ? "[]" : "{}";
  return within(Array.isArray(value) ? `[${parts.join(", ")}]` : `{ ${parts.join(", ")} }`, width);
}

function within(text: string, width: number): string | undefined {
  return text.length <= width ? text : undefined;
}

/** Each item, with its name and a colon where it has one. */
function* membersOf(value: object): Generator<[name: string, item: unknown]> {
  if (Array.isArray(value)) for (const item of value) yield ["", item];
  else for (const [key, item] of Object.entries(value)) yield [`${JSON.stringify(key)}: `, item];
}
