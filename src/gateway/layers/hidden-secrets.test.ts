import { expect, test } from "vitest";
import { CallError } from "../../envelope/call-error.js";
import { scriptEnvelope } from "../../envelope/response-envelope.js";
import { operation } from "../../registry/fixtures/operations.js";
import { OperationRegistry } from "../../registry/registry.js";
import { createRedactor } from "../redact.js";
import { hiddenSecrets } from "./hidden-secrets.js";

const SECRET = "s3cret-of-ada";
const origin = { command: ["node", "leak.mjs", "--token", SECRET], exitCode: 0, timestamp: 1 };
const failure = (): CallError =>
  new CallError({
    category: "execution",
    message: `${SECRET} failed`,
    details: { at: SECRET },
    data: { said: SECRET },
  });

const registry = new OperationRegistry().registerAll([
  operation(() => scriptEnvelope({ said: SECRET }, origin), { name: "run" }),
  operation(() => Promise.reject(failure()), { name: "fail" }),
  operation(
    async function* () {
      yield scriptEnvelope(1, origin);
      throw failure();
    },
    { name: "many", type: "subscription" },
  ),
]);
const served = hiddenSecrets({ redactor: () => createRedactor([SECRET]) })(registry);
const shown = { command: ["node", "leak.mjs", "--token", "[redacted]"] };
const told = { message: "[redacted] failed", details: { at: "[redacted]" }, data: { said: SECRET } };

test("the command of an answer has none, and its data is left alone", async () => {
  expect(await served.attempt("test.run")).toMatchObject({ ok: true, data: { said: SECRET }, meta: shown });
});

test("an error has none, and what came with it is left alone", async () => {
  expect(await served.attempt("test.fail")).toMatchObject({ ok: false, error: told });
});

test("the values of a subscription and its failure have none", async () => {
  const values = served.subscribe("test.many");
  expect((await values.next()).value).toMatchObject({ data: 1, meta: shown });
  await expect(values.next()).rejects.toMatchObject(told);
});

test("where nothing is secret the outcome is the same object", async () => {
  const outcome = { ok: true, data: 1, meta: { source: "local", operationId: "a.b", timestamp: 1 } } as const;
  const same = hiddenSecrets({ redactor: () => createRedactor([SECRET]) })({ ...served, attempt: async () => outcome });
  expect(await same.attempt("a.b")).toBe(outcome);
});
