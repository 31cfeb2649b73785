import { describe, expect, test } from "vitest";
import { CallError } from "../envelope/call-error.js";
import { defineOperation } from "../registry/operation.js";
import type { OperationSource } from "../registry/source.js";
import { testSource } from "./test-source.js";

/** The smallest source that keeps the contract. */
function smallSource(): OperationSource {
  let isClosed = false;
  const greet = defineOperation({
    namespace: "small",
    name: "greet",
    version: "1.0.0",
    type: "query",
    description: "Greets.",
    inputSchema: true,
    outputSchema: true,
    handler: async () => {
      if (isClosed) throw new CallError({ category: "unavailable", message: "The source is closed." });
      return "hello";
    },
  });
  return {
    name: "small",
    operations: [greet],
    health: () => ({ status: isClosed ? "closed" : "ready" }),
    onChange: () => () => {},
    close: async () => {
      isClosed = true;
    },
  };
}

const options = { operation: "small.greet" };

describe("the suite for sources", () => {
  for (const { label, run } of testSource("a small one", async () => smallSource(), options)) test(label, run);

  test.each<[string, (source: OperationSource) => Partial<OperationSource>]>([
    ["is never ready", () => ({ health: () => ({ status: "connecting" }) })],
    ["has an operation twice", ({ operations }) => ({ operations: [...operations, ...operations] })],
    ["has another id than its spec", ({ operations: [one] }) => ({ operations: one ? [{ ...one, id: "x.y" }] : [] })],
    ["has no operation", () => ({ operations: [] })],
    ["answers when it is closed", () => ({ close: async () => {} })],
  ])("fails a source that %s", async (_, change) => {
    const broken = async (): Promise<OperationSource> => {
      const source = smallSource();
      return { ...source, ...change(source) };
    };
    const verdicts = await Promise.allSettled(testSource("broken", broken, options).map(({ run }) => run()));
    expect(verdicts.map(({ status }) => status)).toContain("rejected");
  });

  test("fails a source that makes its operations anew each time", async () => {
    const forgetful = async (): Promise<OperationSource> => ({
      ...smallSource(),
      get operations() {
        return smallSource().operations;
      },
    });
    const [, , sameObjects] = testSource("forgetful", forgetful, options);
    await expect(sameObjects?.run()).rejects.toThrow("anew");
  });

  test("knows no case to skip that is none", () => {
    expect(() => testSource("a", async () => smallSource(), { ...options, skip: { "no such": "why" } })).toThrow();
  });
});
