import { expect, test } from "vitest";
import { CallError } from "../../envelope/call-error.js";
import { operation } from "../../registry/fixtures/operations.js";
import { OperationRegistry } from "../../registry/registry.js";
import { type LogFields, SILENT } from "../log.js";
import { createRedactor } from "../redact.js";
import { failureLog } from "./failure-log.js";

const SECRET = "s3cret-of-ada";

const registry = new OperationRegistry().registerAll([
  operation(
    () => {
      throw new Error(`no key ${SECRET}`);
    },
    { name: "fail" },
  ),
  operation(
    () => {
      throw new CallError({ category: "conflict", message: "as it says itself" });
    },
    { name: "refuse" },
  ),
  operation(
    async function* () {
      yield 1;
      throw new Error("no more");
    },
    { name: "many", type: "subscription" },
  ),
]);

function stage() {
  const lines: [string, LogFields | undefined][] = [];
  const log = { ...SILENT, error: (message: string, fields?: LogFields) => void lines.push([message, fields]) };
  return { lines, served: failureLog({ log, redactor: () => createRedactor([SECRET]) })(registry) };
}

test("an exception is told with its call and its place, and without secrets; the caller hears no word of it", async () => {
  const { lines, served } = stage();
  const outcome = await served.attempt("test.fail", undefined, { requestId: "r1" });
  expect(JSON.stringify(outcome)).not.toContain("no key");
  const fields = { operation: "test.fail", requestId: "r1", error: "no key [redacted]" };
  expect(lines).toEqual([[expect.any(String), { ...fields, at: expect.stringContaining("failure-log.test.ts") }]]);
});

test("that of a subscription is told too", async () => {
  const { lines, served } = stage();
  const values = served.subscribe("test.many", undefined, { requestId: "r2" });
  await values.next();
  await expect(values.next()).rejects.toMatchObject({ code: "EXECUTION_ERROR" });
  expect(lines).toMatchObject([[expect.any(String), { operation: "test.many", requestId: "r2", error: "no more" }]]);
});

test("what a handler means to say is its caller's alone", async () => {
  const { lines, served } = stage();
  expect(await served.attempt("test.refuse")).toMatchObject({ ok: false, error: { category: "conflict" } });
  expect(lines).toEqual([]);
});
