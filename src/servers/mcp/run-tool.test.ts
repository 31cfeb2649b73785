import { expect, test } from "vitest";
import { registryOf, specOf } from "../../registry/fixtures/operations.js";
import { ClientCall } from "../client-call.js";
import { toolOf } from "./fixtures/tools.js";
import { runTool } from "./run-tool.js";

test.each([undefined, {}, { other: 1 }])(
  "an input that had to be wrapped and is missing in %j is asked for by name",
  async (args) => {
    const inputSchema = { type: "string" };
    const registry = registryOf(() => "ran", { inputSchema });
    const call = new ClientCall({ identity: undefined, metadata: undefined });
    const outcome = await runTool(registry, toolOf({ ...specOf(), inputSchema }), args, call);
    expect(outcome).toMatchObject({ ok: false, error: { category: "validation", issues: [{ path: "/input" }] } });
  },
);
