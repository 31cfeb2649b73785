// Every way in which a call can fail, and how a consumer tells them apart: first by category, then by code.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { buildCallHandler, defineOperation, memoryBus, OperationRegistry, PendingRequestMap } from "plico";

const BALANCE = 100;

// 1. An operation declares what it may fail with: the category, and what `details` hold.
const transfer = defineOperation({
  namespace: "bank",
  name: "transfer",
  version: "1.0.0",
  type: "mutation",
  description: "Moves money to another account.",
  inputSchema: {
    type: "object",
    properties: { to: { type: "string", minLength: 1 }, amount: { type: "integer", minimum: 1 } },
    required: ["to", "amount"],
  },
  outputSchema: { type: "object", properties: { balance: { type: "integer" } }, required: ["balance"] },
  errorSchemas: {
    INSUFFICIENT_FUNDS: {
      category: "conflict",
      description: "The account does not hold that much.",
      details: { type: "object", properties: { missing: { type: "integer" } }, required: ["missing"] },
    },
  },
  accessControl: { requiredScopes: ["money:move"] },
  handler({ amount }) {
    // Any error whose code is a declared one is that error; nothing of Plico has to be imported.
    const missing = amount - BALANCE;
    if (missing > 0) throw Object.assign(new Error("INSUFFICIENT_FUNDS"), { details: { missing } });
    return { balance: BALANCE - amount };
  },
});

const report = defineOperation({
  namespace: "bank",
  name: "report",
  version: "1.0.0",
  type: "query",
  description: "A report that takes an hour, or fails.",
  inputSchema: { type: "object", properties: { year: { type: "integer" } }, required: ["year"] },
  outputSchema: { type: "string" },
  async handler({ year }, { signal }) {
    if (year < 2000) throw new Error("connect ECONNREFUSED db-7.internal, password hunter2");
    await sleep(3_600_000, undefined, { signal });
    return `All of ${year}`;
  },
});

// 2. A consumer decides by category, of which there are few. The code is for those who know the operation.
function advice({ category, code, details, issues, message, recoverable }) {
  switch (category) {
    case "validation":
      return `correct ${issues.map(({ path, message }) => `${path} (${message})`).join(", ")}`;
    case "authentication":
      return "sign in first";
    case "authorization":
      return `ask for permission: ${message}`;
    case "conflict":
      return code === "INSUFFICIENT_FUNDS" ? `pay in ${details.missing} more` : "look at what has changed";
    default:
      return recoverable ? "try again" : `tell the operator: ${message}`;
  }
}

const teller = { id: "ada", scopes: ["money:move"] };
const guest = { id: "guest", scopes: [] };

const CASES = [
  ["bank.transfer", { to: "bob", amount: 130 }, { identity: teller }, "conflict", "INSUFFICIENT_FUNDS"],
  ["bank.transfer", { amount: 0 }, { identity: teller }, "validation", "VALIDATION_ERROR"],
  ["bank.transfer", { to: "bob", amount: 1 }, {}, "authentication", "ACCESS_DENIED"],
  ["bank.transfer", { to: "bob", amount: 1 }, { identity: guest }, "authorization", "ACCESS_DENIED"],
  ["bank.report", { year: 2024 }, { timeout: 20 }, "timeout", "TIMEOUT"],
  ["bank.report", { year: 1999 }, {}, "execution", "EXECUTION_ERROR"],
  ["bank.transfers", {}, {}, "not_found", "OPERATION_NOT_FOUND"],
];

const registry = new OperationRegistry().registerAll([transfer, report]);
const bus = memoryBus();
const worker = buildCallHandler({ registry, bus });
const caller = new PendingRequestMap({ bus });

for (const [id, input, { timeout, ...given }, category, code] of CASES) {
  const options = () => (timeout === undefined ? given : { ...given, deadline: Date.now() + timeout });
  const { ok, error } = await registry.attempt(id, input, options());
  assert.equal(ok, false);
  assert.deepEqual([error.category, error.code], [category, code]);
  // 3. The words of an exception that nobody declared stay in `cause`, on this side.
  assert.doesNotMatch(JSON.stringify(error), /hunter2/);
  // 4. From the other side of a bus it is the same error, so the same consumer understands it.
  const far = await caller.call(id, input, options()).catch((thrown) => thrown);
  assert.equal(advice(far), advice(error));
  console.log(`${category.padEnd(14)} ${code.padEnd(19)} → ${advice(error)}`);
}

// 5. The operator finds the exception itself where it was thrown.
const { error } = await registry.attempt("bank.report", { year: 1999 });
assert.match(error.cause.message, /ECONNREFUSED/);

await caller.close();
await worker.close();
await bus.close();
