// Operations in TypeScript, loaded without a build. Types, enums and other syntax are no obstacle.
import { defineOperation } from "plico";

enum Rate {
  Reduced = 7,
  Full = 19,
}

interface Line {
  readonly cents: number;
  readonly reduced?: boolean;
}

const line = {
  type: "object",
  properties: { cents: { type: "integer" }, reduced: { type: "boolean" } },
  required: ["cents"],
} as const;

export const total = defineOperation({
  namespace: "invoices",
  name: "total",
  version: "1.0.0",
  type: "query",
  description: "What is to be paid, with tax.",
  inputSchema: { type: "object", properties: { lines: { type: "array", items: line } }, required: ["lines"] },
  outputSchema: { type: "object", properties: { cents: { type: "integer" } }, required: ["cents"] },
  handler: ({ lines }) => ({ cents: lines.reduce((sum, item) => sum + withTax(item), 0) }),
});

/** No operation: it is left alone, and the source's health tells. */
export function withTax({ cents, reduced = false }: Line): number {
  return Math.round((cents * (100 + (reduced ? Rate.Reduced : Rate.Full))) / 100);
}
