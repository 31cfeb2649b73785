import { printJson } from "../json/printable.js";
import { isRecord } from "../json/value.js";

/** JSON for people: what fits on a line stays on one. */
export function pretty(value: unknown, width = 100): string {
  try {
    return layOut(value, width);
  } catch {
    // Deeper than the stack: the plain form will do.
    return printJson(value);
  }
}

function layOut(value: unknown, width: number): string {
  if (Array.isArray(value))
    return enclose(
      "[",
      value.map((item) => layOut(item, width - 2)),
      "]",
      width,
    );
  if (!isRecord(value)) return printJson(value);
  const members = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${layOut(item, width - 2)}`);
  return enclose("{", members, "}", width);
}

function enclose(open: string, items: readonly string[], close: string, width: number): string {
  if (items.length === 0) return open + close;
  const length = items.reduce((sum, item) => sum + item.length + 2, 2);
  const space = open === "{" ? " " : "";
  if (length <= width && !items.some((item) => item.includes("\n")))
    return open + space + items.join(", ") + space + close;
  return `${open}\n${items.map((item) => `  ${item.replaceAll("\n", "\n  ")}`).join(",\n")}\n${close}`;
}
