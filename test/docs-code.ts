import { readFileSync } from "node:fs";

/** The blocks of a language under a heading of a docs page, as people copy them. */
export function blocksUnder(page: string, heading: string, language: string): readonly string[] {
  const text = `\n${readFileSync(new URL(`../${page}`, import.meta.url), "utf8")}`;
  const start = text.indexOf(`\n${heading}\n`);
  if (start < 0) throw new Error(`${page} has no heading ${heading}`);
  const found = text.slice(start).matchAll(new RegExp(`\n\`\`\`${language}\n([^]*?\n)\`\`\`\n`, "g"));
  return [...found].map(([, code = ""]) => code);
}

/** The first of them. */
export function codeUnder(page: string, heading: string, language: string): string {
  const [code] = blocksUnder(page, heading, language);
  if (code === undefined) throw new Error(`${page} has no ${language} under ${heading}`);
  return code;
}
