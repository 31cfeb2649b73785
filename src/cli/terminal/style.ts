import type { Io, Output } from "../io.js";

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;

export type Style = Readonly<Record<keyof typeof CODES, (text: string) => string>>;

/** Colours only on a terminal, and never with `NO_COLOR`. */
export function styleFor(output: Output, { env }: Io): Style {
  const colours = output.isTTY === true && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
  const paint = (code: number) => (text: string) => (colours ? `\u001b[${code}m${text}\u001b[0m` : text);
  return Object.fromEntries(Object.entries(CODES).map(([name, code]) => [name, paint(code)])) as unknown as Style;
}
