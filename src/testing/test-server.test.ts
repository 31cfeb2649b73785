import { describe, expect, test } from "vitest";
import { callErrorFrom } from "../envelope/call-error.js";
import { type Outcome, outcomeFromEnvelope } from "../envelope/outcome.js";
import { buildCallHandler } from "../protocol/call-handler.js";
import { memoryBus } from "../protocol/memory-bus.js";
import { PendingRequestMap } from "../protocol/pending-request-map.js";
import type { OperationRegistry } from "../registry/registry.js";
import { type RoundTrip, testServer } from "./test-server.js";

async function overBus(registry: OperationRegistry): Promise<RoundTrip> {
  const bus = memoryBus();
  const handler = buildCallHandler({ registry, bus });
  const caller = new PendingRequestMap({ bus });
  return {
    attempt: (id, input, options) =>
      caller.call(id, input, options).then(outcomeFromEnvelope, (thrown): Outcome => {
        return { ok: false, error: callErrorFrom(thrown), meta: {} };
      }),
    async close() {
      await caller.close();
      await handler.close();
      await bus.close();
    },
  };
}

const WITHOUT_HINTS = "a failure over a bus has no hints";

describe("the suite for servers", () => {
  const cases = testServer("a bus", overBus, { skip: { "fails after it said something": WITHOUT_HINTS } });
  for (const { label, run } of cases) test(label, run);

  test("finds a server that loses something", async () => {
    const lossy = async (registry: OperationRegistry): Promise<RoundTrip> => ({
      ...(await overBus(registry)),
      attempt: async (id, input) => ({ ...(await registry.attempt(id, input)), meta: {} }) as Outcome,
    });
    const failed: string[] = [];
    for (const { label, run } of testServer("lossy", lossy)) {
      if (!/abort|deadline/.test(label)) await run().catch(() => failed.push(label));
    }
    expect(failed).toContain("lossy: says more beside the data");
    expect(failed).toContain("lossy: brings progress while the call runs");
  });
});
