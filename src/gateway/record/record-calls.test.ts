import { appendFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineOperation } from "../../registry/operation.js";
import { OperationRegistry } from "../../registry/registry.js";
import { ClientCall } from "../../servers/client-call.js";
import { createRedactor } from "../redact.js";
import { readLines, recordedMath, temporaryFolder } from "./fixtures/stage.js";
import { recordCalls } from "./record-calls.js";

const AT = "1970-01-01T00:00:00.000Z";

describe("recordCalls", () => {
  test("writes a header, what an operation is, and each call with its outcome", async () => {
    const { served, recorder, lines } = recordedMath();
    const options = { requestId: "req_1", identity: { id: "ann", scopes: [] } };
    const outcome = await served.attempt("math.add", { a: 1, b: 2 }, options);
    await served.attempt("math.add", { a: 1, b: 3 });
    await recorder.close();
    const [header, operation, first, second, ...others] = lines();
    expect(header).toEqual({ plico: "recording", version: 1, at: AT });
    expect(operation).toMatchObject({ type: "operation", spec: { namespace: "math", name: "add" } });
    expect(first).toEqual({
      type: "call",
      operation: "math.add",
      input: { a: 1, b: 2 },
      at: AT,
      requestId: "req_1",
      identity: "ann",
      outcome,
      ms: 0,
    });
    expect(second).toMatchObject({ input: { a: 1, b: 3 }, outcome: { ok: true, data: 4 } });
    expect(others).toEqual([]);
  });

  test("writes failures as plain data, and calls that were refused", async () => {
    const { served, recorder, lines } = recordedMath();
    await served.attempt("math.add", { a: "one" });
    await served.attempt("math.sub", {});
    await recorder.close();
    const errors = lines().flatMap((line) => (line["outcome"] === undefined ? [] : [line["outcome"]]));
    expect(errors).toMatchObject([
      { ok: false, error: { category: "validation", issues: [{ path: "/b" }, { path: "/a" }] } },
      { ok: false, error: { code: "OPERATION_NOT_FOUND" } },
    ]);
  });

  test("keeps null, false and 0 apart from what is absent", async () => {
    const { served, recorder, lines } = recordedMath();
    for (const input of [undefined, null, false, 0, ""]) await served.attempt("math.echo", input);
    await recorder.close();
    const calls = lines().slice(2);
    expect(calls.map((call) => ("input" in call ? call["input"] : "absent"))).toEqual(["absent", null, false, 0, ""]);
  });

  test("takes out secrets by value and by the name of a field, in inputs, data, meta and errors", async () => {
    const { served, recorder, file } = recordedMath({ secrets: ["hunter2"] });
    class Login {
      readonly note = "it is hunter2";
    }
    await served.attempt("math.echo", { text: "say hunter2", password: "open sesame", nested: [new Login()] });
    await served.attempt("math.add", { a: "hunter2", b: 1 });
    await served.attempt("math.hunter2", {});
    await recorder.close();
    const text = readFileSync(file, "utf8");
    expect(text).not.toContain("hunter2");
    expect(text).not.toContain("open sesame");
    expect(text).toContain('"text":"say [redacted]"');
  });

  test("does not take the schema of a password for one", async () => {
    const { recorder, lines } = recordedRegistry(
      new OperationRegistry().register(
        defineOperation({
          namespace: "users",
          name: "login",
          version: "1.0.0",
          type: "mutation",
          description: "",
          inputSchema: z.object({ password: z.string() }),
          get outputSchema() {
            return { type: "object", dependentRequired: { password: ["user"] } };
          },
          handler: () => ({}),
        }),
      ),
    );
    await recorder.close();
    expect(lines()[1]).toMatchObject({
      spec: {
        inputSchema: { properties: { password: { type: "string" } } },
        outputSchema: { dependentRequired: { password: ["user"] } },
      },
    });
  });

  test("keeps the input as it came, also where the handler changes it", async () => {
    const { served, recorder, lines } = recordedRegistry(
      new OperationRegistry().register(
        defineOperation({
          namespace: "list",
          name: "clear",
          version: "1.0.0",
          type: "mutation",
          description: "",
          inputSchema: {},
          outputSchema: {},
          handler: (input) => (input as { items: unknown[] }).items.splice(0).length,
        }),
      ),
    );
    await served.attempt("list.clear", { items: [1, 2] });
    await recorder.close();
    expect(lines().at(-1)).toMatchObject({ input: { items: [1, 2] }, outcome: { data: 2 } });
  });

  test("writes all operations where that is wanted, also those that come later and those that change", async () => {
    const registry = new OperationRegistry();
    const { recorder, lines } = recordedRegistry(registry);
    const operation = (description: string) =>
      defineOperation({
        ...{ namespace: "a", name: "b", version: "1.0.0", type: "query", description },
        ...{ inputSchema: {}, outputSchema: {}, handler: () => 1 },
      });
    registry.register(operation("before"));
    await new Promise((resolve) => setImmediate(resolve));
    registry.unregister("a.b");
    registry.register(operation("after"));
    await recorder.close();
    const specs = lines().flatMap((line) => (line["type"] === "operation" ? [line["spec"]] : []));
    expect(specs).toMatchObject([{ description: "before" }, { description: "after" }]);
  });

  test("writes the values of a subscription as they come, and how it ended", async () => {
    const { served, recorder, lines } = recordedMath();
    for await (const _ of served.subscribe("math.count", { to: 2 }));
    const failing = served.subscribe("math.count", { to: 0, fails: true });
    await expect(failing.next()).rejects.toMatchObject({ code: "GONE" });
    const stopped = served.subscribe("math.count", { to: 9 });
    await stopped.next();
    await stopped.return(undefined);
    await recorder.close();
    const told = lines().slice(2);
    expect(told.map(({ type, reason }) => [type, ...(reason === undefined ? [] : [reason])].join(" "))).toEqual([
      ...["subscription", "value", "value", "end done"],
      ...["subscription", "end failed", "subscription", "value", "end stopped"],
    ]);
    expect(told[1]).toMatchObject({ envelope: { data: 1 }, subscription: told[0]?.["subscription"] });
    expect(told[5]).toMatchObject({ error: { code: "GONE" } });
  });

  test("lets a subscription be ended while it waits for a value", async () => {
    const { served, recorder } = recordedRegistry(
      new OperationRegistry().register(
        defineOperation({
          namespace: "news",
          name: "follow",
          version: "1.0.0",
          type: "subscription",
          description: "",
          inputSchema: {},
          outputSchema: {},
          async *handler() {
            yield await new Promise<number>(() => {});
          },
        }),
      ),
    );
    const values = served.subscribe("news.follow");
    const waiting = values.next();
    await new Promise((resolve) => setImmediate(resolve));
    await values.return(undefined);
    expect(await waiting).toMatchObject({ done: true });
    await recorder.close();
  });

  test("hears of progress only where the caller does, and passes it on", async () => {
    const { served, recorder, lines } = recordedMath();
    const heard: unknown[] = [];
    const init = { identity: undefined, metadata: undefined };
    await served.attempt("math.next", {}, new ClientCall({ ...init, onProgress: (report) => heard.push(report) }));
    await served.attempt("math.next", {}, new ClientCall(init));
    await recorder.close();
    expect(heard).toEqual([{ progress: 1, total: 2, message: "half" }]);
    expect(lines().map(({ progress }) => progress)).toEqual([undefined, undefined, heard, undefined]);
  });

  test("leaves it to a client's call to end it", async () => {
    const { served, recorder, lines } = recordedRegistry(
      new OperationRegistry().register(
        defineOperation({
          ...{ namespace: "slow", name: "wait", version: "1.0.0", type: "query", description: "" },
          ...{ inputSchema: {}, outputSchema: {} },
          handler: (_, { signal }) =>
            new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
        }),
      ),
    );
    const call = new ClientCall({ identity: undefined, metadata: undefined, onProgress: () => {} });
    const running = served.attempt("slow.wait", {}, call);
    call.stop(Object.assign(new Error("gone"), { name: "AbortError" }) as never);
    expect(await running).toMatchObject({ ok: false });
    await recorder.close();
    expect(lines().at(-1)).toMatchObject({ operation: "slow.wait", outcome: { ok: false } });
  });

  test("writes whole lines, however many calls run at once and however large they are", async () => {
    const { served, recorder, lines } = recordedMath();
    const large = "x".repeat(1_000_000);
    await Promise.all(Array.from({ length: 20 }, (_, at) => served.attempt("math.echo", { at, large })));
    await recorder.close();
    const calls = lines().slice(2) as unknown as { input: { at: number; large: string } }[];
    expect(calls.map(({ input }) => input.at).sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => at));
    expect(calls.every(({ input }) => input.large === large)).toBe(true);
  });
});

describe("the file of a recording", () => {
  const redactor = createRedactor([]);

  test("is added to where it is a recording", async () => {
    const first = recordedMath();
    await first.served.attempt("math.add", { a: 1, b: 2 });
    await first.recorder.close();
    const before = readFileSync(first.file, "utf8");
    await recordCalls({ file: first.file, redactor }).close();
    expect(readFileSync(first.file, "utf8")).toBe(before);
  });

  test("loses a last line that was not written to its end", async () => {
    const { file, recorder } = recordedMath();
    await recorder.close();
    const before = readFileSync(file, "utf8");
    appendFileSync(file, `{"type":"call","input":"${"x".repeat(200_000)}`);
    await recordCalls({ file, redactor }).close();
    expect(readFileSync(file, "utf8")).toBe(before);
  });

  test("is readable by its owner alone", async () => {
    const { file, recorder } = recordedMath();
    await recorder.close();
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  test.each([
    ["a text", "Dear diary\n"],
    ["JSON of something else", '{"plico":"settings"}\n'],
  ])("is left as it is where it is %s", (_, text) => {
    const file = join(temporaryFolder(), "mine.txt");
    writeFileSync(file, text);
    expect(() => recordCalls({ file, redactor })).toThrow(expect.objectContaining({ code: "NO_RECORDING" }));
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  test("is not added to where it has another version", () => {
    const file = join(temporaryFolder(), "calls.jsonl");
    writeFileSync(file, '{"plico":"recording","version":2}\n');
    expect(() => recordCalls({ file, redactor })).toThrow(expect.objectContaining({ code: "RECORDING_VERSION" }));
  });

  test("must be one that can be written", () => {
    const folder = temporaryFolder();
    for (const file of [folder, join(folder, "missing", "calls.jsonl")])
      expect(() => recordCalls({ file, redactor })).toThrow(expect.objectContaining({ code: "RECORDING_UNWRITABLE" }));
  });

  test.runIf(process.platform === "linux")("tells at the start when the disk is full", () => {
    const attempt = () => recordCalls({ file: "/dev/full", redactor });
    expect(attempt).toThrow(expect.objectContaining({ code: "RECORDING_UNWRITABLE" }));
  });
});

function recordedRegistry<Registry extends { readonly attempt: unknown }>(registry: Registry) {
  const file = join(temporaryFolder(), "calls.jsonl");
  const recorder = recordCalls({ file, redactor: createRedactor([]), operations: "all" });
  const served = recorder.layer(registry as never);
  return { served, recorder, lines: () => readLines(file) };
}
