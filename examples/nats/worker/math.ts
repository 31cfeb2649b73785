// What workers do for everybody.
import { defineOperation } from "plico";

const numbers = { type: "array", items: { type: "number" } } as const;

export const sum = defineOperation({
  namespace: "math",
  name: "sum",
  version: "1.0.0",
  type: "query",
  description: "Adds numbers.",
  inputSchema: { type: "object", properties: { numbers }, required: ["numbers"] },
  outputSchema: { type: "number" },
  handler: ({ numbers }) => numbers.reduce((sum, number) => sum + number, 0),
});

export const invoice = defineOperation({
  namespace: "math",
  name: "invoice",
  version: "1.0.0",
  type: "mutation",
  description:
    "Writes an invoice. The call is kept until a worker has answered it, and runs once for each idempotency key.",
  delivery: "durable",
  inputSchema: { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] },
  outputSchema: { type: "object", properties: { number: { type: "string" }, amount: { type: "number" } } },
  handler: ({ amount }, { idempotencyKey = "none" }) => ({ number: `invoice ${idempotencyKey}`, amount }),
});
