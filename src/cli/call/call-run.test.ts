import { expect, test } from "vitest";
import { CallError } from "../../envelope/call-error.js";
import type { Outcome } from "../../envelope/outcome.js";
import { keepHints } from "../../registry/failure-hints.js";
import type { OperationSpec } from "../../registry/operation.js";
import type { ServedRegistry } from "../../registry/served-registry.js";
import { callStream } from "./call-run.js";

const spec: OperationSpec = {
  ...{ namespace: "a", name: "ticks", version: "1.0.0", type: "subscription", description: "" },
  ...{ inputSchema: true, outputSchema: true },
};

test("a subscription that fails keeps what was said of the failure", async () => {
  const meta = { requestId: "r-1", timestamp: 1 };
  // biome-ignore lint/correctness/useYield: it fails at once
  const subscribe: ServedRegistry["subscribe"] = async function* () {
    throw keepHints(new CallError({ category: "unavailable", message: "Gone." }), meta);
  };
  const served = { subscribe } as unknown as ServedRegistry;
  const written: Outcome[] = [];
  const code = await callStream({ served, spec, input: {}, options: {} }, (outcome) => {
    written.push(outcome);
    return outcome.ok ? 0 : 69;
  });
  expect(code).toBe(69);
  expect(written).toMatchObject([{ ok: false, meta }]);
});
