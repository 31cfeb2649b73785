import type { Io, Output } from "../io.js";

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;
const PLAIN = 0;

export type Style = Readonly<Record<keyof typeof CODES, (text: string) => string>>;

/** Nobody else knows it, so that no tool can paint what it says. Whatever cryptography gives takes longer to load. */
const KEY = Math.random().toString(36).slice(2);
const MARK = new RegExp(`\uFDD0${KEY}(\\d+)\uFDD1`, "g");

/** Colours only on a terminal, and never with `NO_COLOR`. Only `tell` can write what is painted. */
export function styleFor(output: Output, { env }: Pick<Io, "env">): Style {
  const colours = output.isTTY === true && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
  const paint = (code: number) => (text: string) => (colours ? `${mark(code)}${text}${mark(PLAIN)}` : text);
  return Object.fromEntries(Object.entries(CODES).map(([name, code]) => [name, paint(code)])) as unknown as Style;
}

/** What is painted, as a terminal understands it. */
export function coloured(painted: string): string {
  return painted.replaceAll(MARK, (_, code) => `\u001b[${code}m`);
}

function mark(code: number): string {
  return `\uFDD0${KEY}${code}\uFDD1`;
}
