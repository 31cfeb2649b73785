import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CallError } from "../../envelope/call-error.js";
import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import { createRedactor } from "../redact.js";
import { recordedMath, type Stage, temporaryFolder } from "./fixtures/stage.js";
import { replayCalls } from "./replay-calls.js";

describe("replayCalls", () => {
  test("gives the recorded outcome, to the last field of its meta", async () => {
    const { file, served, recorder } = recordedMath();
    const options = { requestId: "req_then" };
    const recorded = await served.attempt("math.next", {}, options);
    const failed = await served.attempt("math.add", { a: "one" }, options);
    await recorder.close();
    const { served: replayed } = await replayCalls({ file });
    expect(await replayed.attempt("math.next", {}, { requestId: "req_now" })).toEqual(recorded);
    expect(JSON.stringify(await replayed.attempt("math.add", { a: "one" }))).toBe(JSON.stringify(failed));
  });

  test("lists the operations, as plain data that says the same", async () => {
    const stage = recordedMath({ operations: "all" });
    const specs = stage.served.list();
    const { served, operations } = await replayOf(stage);
    expect(served.list()).toEqual(specs);
    expect(operations).toEqual(specs);
    expect(served.onChange(() => {})()).toBeUndefined();
  });

  test("finds an input whatever the order of its keys, and takes none for an empty one", async () => {
    const stage = recordedMath();
    await stage.served.attempt("math.add", { a: 1, b: 2 });
    await stage.served.attempt("math.next");
    const { served } = await replayOf(stage);
    expect(await served.attempt("math.add", { b: 2, a: 1 })).toMatchObject({ data: 3 });
    expect(await served.attempt("math.next", {})).toMatchObject({ data: 1 });
  });

  test("gives answers to the same input in their order, and the last one again", async () => {
    const stage = recordedMath();
    for (const _ of [1, 2, 3]) await stage.served.attempt("math.next", {});
    const { served } = await replayOf(stage);
    const data = [];
    for (const _ of [1, 2, 3, 4, 5]) data.push(await served.attempt("math.next", {}));
    expect(data).toMatchObject([1, 2, 3, 3, 3].map((number) => ({ data: number })));
  });

  test("tells of progress again", async () => {
    const stage = recordedMath();
    await stage.served.attempt("math.next", {}, { onProgress: () => {} });
    const { served } = await replayOf(stage);
    const heard: unknown[] = [];
    await served.attempt("math.next", {}, { onProgress: (report) => heard.push(report) });
    expect(heard).toEqual([{ progress: 1, total: 2, message: "half" }]);
  });

  test("keeps data that is absent apart from null", async () => {
    const stage = recordedMath();
    await stage.served.attempt("math.echo", undefined);
    await stage.served.attempt("math.echo", null);
    const { served } = await replayOf(stage);
    expect(await served.attempt("math.echo", null)).toMatchObject({ ok: true, data: null });
    const outcome = await served.attempt("math.echo");
    expect("data" in outcome && outcome.data).toBeUndefined();
  });

  test("names the nearest recorded input where one was not recorded, and how to record it", async () => {
    const stage = recordedMath();
    await stage.served.attempt("math.add", { a: 7, b: 8 });
    await stage.served.attempt("math.add", { a: 1, b: 2 });
    const { served } = await replayOf(stage);
    const outcome = await served.attempt("math.add", { a: 1, b: 3 });
    expect(outcome).toMatchObject({
      ok: false,
      error: {
        category: "not_found",
        code: "NOT_RECORDED",
        suggestedAction: expect.stringContaining(`plico call math.add --input '{"a":1,"b":3}' --record`),
        details: { nearest: { a: 1, b: 2 }, differences: [{ path: "/b", recorded: 2, given: 3 }] },
      },
    });
    const { error } = outcome as { error: { message: string } };
    expect(error.message).toContain("/b (recorded 2, given 3)");
  });

  test("tells of an operation that was never called, and of one that there is not", async () => {
    const { served } = await replayOf(recordedMath({ operations: "all" }));
    expect(await served.attempt("math.add", { a: 1, b: 2 })).toMatchObject({ error: { code: "NOT_RECORDED" } });
    expect(await served.attempt("math.ad", {})).toMatchObject({
      error: { code: "OPERATION_NOT_FOUND", nextTool: "math.add" },
    });
    expect(() => served.subscribe("math.ad")).toThrow(expect.objectContaining({ code: "OPERATION_NOT_FOUND" }));
  });

  test("refuses what is not valid, recorded or not", async () => {
    const { served } = await replayOf(recordedMath({ operations: "all" }));
    const outcome = await served.attempt("math.add", { a: 1 });
    expect(outcome).toMatchObject({ error: { category: "validation", issues: [{ path: "/b" }] } });
    expect(await served.attempt("math.count", { to: 1 })).toMatchObject({ error: { code: "IS_SUBSCRIPTION" } });
  });

  test("judges again who may call", async () => {
    const stage = recordedMath();
    const identity = { id: "ann", scopes: ["read"] };
    await stage.served.attempt("math.secret", {});
    await stage.served.attempt("math.secret", {}, { identity });
    const { served } = await replayOf(stage);
    expect(await served.attempt("math.secret", {}, { identity })).toMatchObject({ ok: true, data: "treasure" });
    expect(await served.attempt("math.secret", {})).toMatchObject({ error: { code: "ACCESS_DENIED" } });
  });

  test("takes any secret for one that was taken out", async () => {
    const stage = recordedMath({ secrets: ["hunter2"] });
    await stage.served.attempt("math.echo", { password: "one", note: "with hunter2 inside" });
    const { served } = await replayOf(stage);
    expect(await served.attempt("math.echo", { password: "two", note: "with another inside" })).toMatchObject({
      ok: true,
      data: { password: "[redacted]" },
    });
    for (const note of ["with another outside", "without", "with inside"])
      expect(await served.attempt("math.echo", { password: "two", note })).toMatchObject({
        error: { code: "NOT_RECORDED" },
      });
    const { served: knowing } = await replayCalls({ file: stage.file, redactor: createRedactor(["xyzzy"]) });
    expect(await knowing.attempt("math.echo", { password: "", note: "with xyzzy inside" })).toMatchObject({
      error: { code: "NOT_RECORDED", details: { differences: [{ path: "/password" }] } },
    });
  });

  test("ends calls that are over before they begin", async () => {
    const stage = recordedMath();
    await stage.served.attempt("math.next", {});
    const { served } = await replayOf(stage);
    const categories = [
      { signal: AbortSignal.abort() },
      { deadline: 1 },
      { onStart: (end: (error: CallError) => void) => end(aborted()) },
    ].map(async (options) => (await served.attempt("math.next", {}, options)) as { error?: { category: string } });
    expect((await Promise.all(categories)).map(({ error }) => error?.category)).toEqual([
      "aborted",
      "timeout",
      "aborted",
    ]);
    expect(await served.attempt("math.next", {})).toMatchObject({ data: 1 });
  });
});

describe("replayed subscriptions", () => {
  test("give their values, and fail as they did", async () => {
    const stage = recordedMath();
    const input = { to: 2, fails: true };
    const before = await valuesOf(stage.served.subscribe("math.count", input));
    const { served } = await replayOf(stage);
    const after = await valuesOf(served.subscribe("math.count", { fails: true, to: 2 }));
    expect(after.envelopes).toEqual(before.envelopes);
    expect(after.envelopes.map(({ data }) => data)).toEqual([1, 2]);
    expect(after.thrown).toMatchObject({ name: "CallError", code: "GONE" });
  });

  test("of calls have one value, and calls of them the first", async () => {
    const stage = recordedMath();
    await stage.served.attempt("math.add", { a: 1, b: 2 });
    await valuesOf(stage.served.subscribe("math.add", { a: 2, b: 2 }));
    const { served } = await replayOf(stage);
    const { envelopes } = await valuesOf(served.subscribe("math.add", { a: 1, b: 2 }));
    expect(envelopes).toMatchObject([{ data: 3 }]);
    expect(await served.attempt("math.add", { a: 2, b: 2 })).toMatchObject({ ok: true, data: 4 });
  });

  test("stop between two values when they are aborted", async () => {
    const stage = recordedMath();
    await valuesOf(stage.served.subscribe("math.count", { to: 3 }));
    const { served } = await replayOf(stage);
    const controller = new AbortController();
    const values = served.subscribe("math.count", { to: 3 }, { signal: controller.signal });
    await values.next();
    controller.abort();
    await expect(values.next()).rejects.toMatchObject({ category: "aborted" });
  });
});

describe("a recording that cannot be replayed", () => {
  const header = '{"plico":"recording","version":1}';

  test.each([
    ["NO_RECORDING", '{"a":1}\n'],
    ["NO_RECORDING", "Dear diary"],
    ["NO_RECORDING", ""],
    ["RECORDING_VERSION", '{"plico":"recording","version":2}\n'],
  ])("is told by %s: %s", async (code, text) => {
    await expect(replayCalls({ file: fileWith(text) })).rejects.toMatchObject({ code, category: "validation" });
  });

  test.each([
    "{",
    "[]",
    '{"type":"dance"}',
    '{"type":"operation","spec":{"namespace":"a"}}',
    '{"type":"call","outcome":{"ok":true,"meta":{}}}',
    '{"type":"call","operation":"a.b","outcome":{"ok":"yes","meta":{}}}',
    '{"type":"call","operation":"a.b","outcome":{"ok":false,"error":{},"meta":{}}}',
    '{"type":"call","operation":"a.b","outcome":{"ok":true,"meta":{}},"progress":[1]}',
    '{"type":"value","subscription":"1","envelope":{"data":1,"meta":{"source":"local","operationId":"a.b","timestamp":1}}}',
    '{"type":"end","subscription":"1"}',
  ])("is told with the number of the line: %s", async (line) => {
    const file = fileWith(`${header}\n\n${line}\n`);
    await expect(replayCalls({ file })).rejects.toMatchObject({ code: "RECORDING_DAMAGED", details: { line: 3 } });
  });

  test("must be there", async () => {
    const file = join(temporaryFolder(), "missing.jsonl");
    await expect(replayCalls({ file })).rejects.toMatchObject({ code: "RECORDING_UNREADABLE" });
  });

  test("loses only a last line that was not written to its end, and notes it", async () => {
    const stage = recordedMath();
    await stage.served.attempt("math.next", {});
    await stage.recorder.close();
    appendFileSync(stage.file, '{"type":"call","oper');
    const { served, notes } = await replayCalls({ file: stage.file });
    expect(notes).toHaveLength(1);
    expect(await served.attempt("math.next", {})).toMatchObject({ data: 1 });
  });
});

async function replayOf({ recorder, file }: Stage) {
  await recorder.close();
  return replayCalls({ file });
}

async function valuesOf(values: AsyncGenerator<ResponseEnvelope>) {
  const envelopes: ResponseEnvelope[] = [];
  try {
    for await (const envelope of values) envelopes.push(envelope);
    return { envelopes };
  } catch (thrown) {
    return { envelopes, thrown };
  }
}

function aborted(): CallError {
  return new CallError({ category: "aborted", message: "gone" });
}

function fileWith(text: string): string {
  const file = join(temporaryFolder(), "calls.jsonl");
  writeFileSync(file, text);
  return file;
}
