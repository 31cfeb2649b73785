import { describe, expect, test } from "vitest";
import { CallError } from "../../envelope/call-error.js";
import type { Progress } from "../../registry/call-options.js";
import type { HandlerContext } from "../../registry/context.js";
import { keepHints } from "../../registry/failure-hints.js";
import { registryOf, settled } from "../../registry/fixtures/operations.js";
import type { AnyHandler, OperationSpec } from "../../registry/operation.js";
import { ClientCall } from "../client-call.js";
import { collectValues } from "./collect-values.js";

function collect(handler: AnyHandler, over: Partial<OperationSpec> = {}) {
  const reports: Progress[] = [];
  const onProgress = (progress: Progress): void => void reports.push(progress);
  const call = new ClientCall({ identity: undefined, metadata: undefined, onProgress });
  const registry = registryOf(handler, { type: "subscription", ...over });
  return { call, reports, outcome: collectValues(registry, "test.run", {}, call) };
}

describe("a subscription as one call", () => {
  test("gives its values, and the hints of the last", async () => {
    const { outcome } = collect(async function* (_input, { warn, page }: HandlerContext) {
      warn("first");
      yield 1;
      page({ hasMore: false });
      yield 2;
    });
    expect(await outcome).toMatchObject({
      ok: true,
      data: [1, 2],
      meta: { warnings: [{ message: "first" }], pagination: { hasMore: false } },
    });
    expect((await outcome).meta).not.toHaveProperty("source");
  });

  test("cuts what it tells as progress", async () => {
    const { outcome, reports } = collect(async function* () {
      yield "x".repeat(5_000);
    });
    await outcome;
    expect(reports.map(({ progress, message }) => [progress, message?.length])).toEqual([[1, 2_000]]);
  });

  test.each([
    ["values", 10_000, () => 1],
    ["bytes", 8, () => "x".repeat(1024 * 1024 - 2)],
  ])("ends a subscription that has too many %s, and tells so", async (_, count, value) => {
    let ended = false;
    const { outcome } = collect(async function* () {
      try {
        for (;;) yield value();
      } finally {
        ended = true;
      }
    });
    const result = await outcome;
    expect(result).toMatchObject({ ok: true, meta: { truncated: true, warnings: [{ code: "TRUNCATED" }] } });
    expect(result.ok && result.data).toHaveLength(count);
    expect(ended).toBe(true);
  });

  test("keeps the values that came before it failed", async () => {
    const { outcome } = collect(async function* () {
      yield 1;
      throw new CallError({ category: "network", message: "gone" });
    });
    expect(await outcome).toMatchObject({ ok: false, error: { category: "network", data: [1] } });
  });

  test("keeps the warnings that came before it failed, and those of the failure", async () => {
    const { outcome } = collect(async function* (_input, { warn }: HandlerContext) {
      warn("first");
      yield 1;
      warn("second");
      yield 2;
      throw keepHints(new CallError({ category: "network", message: "gone" }), {
        warnings: [{ code: "X", message: "third" }],
      });
    });
    const { meta } = await outcome;
    expect(meta.warnings?.map(({ message }) => message)).toEqual(["first", "second", "third"]);
  });

  test("keeps a first value that is larger than all of them may be", async () => {
    const large = "x".repeat(9 * 1024 * 1024);
    const { outcome } = collect(async function* () {
      yield large;
      yield 2;
    });
    expect(await outcome).toMatchObject({ ok: true, data: [large], meta: { truncated: true } });
  });

  test("is refused like any other", async () => {
    const { outcome } = collect(async function* () {}, { accessControl: { requiredScopes: ["x"] } });
    expect(await outcome).toMatchObject({ ok: false, error: { code: "ACCESS_DENIED" } });
  });

  test("ends with its call", async () => {
    let ended = false;
    const { call, outcome } = collect(async function* (_input, { signal }: HandlerContext) {
      yield 1;
      try {
        await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      } finally {
        ended = true;
      }
    });
    await settled();
    call.stop(new CallError({ category: "aborted", message: "enough" }));
    expect(await outcome).toMatchObject({ ok: false, error: { category: "aborted" } });
    await settled();
    expect(ended).toBe(true);
  });
});
