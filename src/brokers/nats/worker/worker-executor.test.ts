import { expect, test } from "vitest";
import { OperationRegistry } from "../../../registry/registry.js";
import { operation } from "../fixtures/fleet-stage.js";
import { EndpointStats } from "./endpoint-stats.js";
import { WorkerExecutor } from "./worker-executor.js";

const { id, spec, handler } = operation("shut", () => 1, { accessControl: { requiredScopes: ["keys"] } });

/** As a gateway is served, which has `attempt` alone. */
function executor(): WorkerExecutor {
  const registry = new OperationRegistry().registerAll([{ id, spec, handler }]);
  const served = {
    list: () => registry.list(),
    attempt: registry.attempt.bind(registry),
    subscribe: registry.subscribe.bind(registry),
    onChange: registry.onChange.bind(registry),
  };
  const offered = { id, spec, major: 1, stats: new EndpointStats() };
  return new WorkerExecutor(
    served,
    () => offered,
    () => ({ digest: "", operations: [] }),
  );
}

test("a caller that is not known is told to sign, and one that is known is not", async () => {
  const refused = { category: "authentication", suggestedAction: expect.stringContaining("sign") };
  await expect(executor().execute(id, 1)).rejects.toMatchObject({ code: "ACCESS_DENIED", ...refused });
  const known = executor().execute(id, 1, { identity: { id: "ada", scopes: [] } });
  await expect(known).rejects.toMatchObject({ category: "authorization" });
  await expect(known).rejects.not.toHaveProperty("suggestedAction");
});
