import { readFileSync, writeFileSync } from "node:fs";
import { expect } from "vitest";

/**
 * Asserts that a part of a docs page is what the code says. The part stands between `<!-- name -->` and
 * `<!-- /name -->`; `npm run docs` writes it anew.
 */
export function expectBlock(page: string, name: string, content: string): void {
  const file = new URL(`../${page}`, import.meta.url);
  const text = readFileSync(file, "utf8");
  const pattern = new RegExp(`(<!-- ${name} -->\n)[^]*?(\n<!-- /${name} -->)`);
  const found = pattern.exec(text);
  if (found === null) throw new Error(`${page} has no part <!-- ${name} -->`);
  const wanted = text.replace(pattern, (_, open, close) => open + content + close);
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, wanted);
  else expect(text, `${page} is out of date: run npm run docs`).toBe(wanted);
}

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
