import { expect, test } from "vitest";
import { callErrorData } from "../../envelope/call-error.js";
import type { GatewaySourceHealth } from "../gateway.js";
import { keptLog } from "./fixtures/gateway-stage.js";
import { SourceLog } from "./source-log.js";

const health = (more: Partial<GatewaySourceHealth>): GatewaySourceHealth => ({
  name: "far",
  kind: "mcp",
  status: "ready",
  operations: 1,
  warnings: [],
  ...more,
});

const down = (message: string): GatewaySourceHealth =>
  health({ status: "down", error: callErrorData({ category: "unavailable", message }) });

test("each thing that becomes of a source is told once", () => {
  const log = keptLog();
  const tale = new SourceLog(log);
  const odd = health({ warnings: [{ code: "ODD", message: "odd" }] });
  for (const one of [health({ status: "connecting" }), health({}), health({}), odd, odd]) tale.look(one);
  for (const one of [down("gone"), down("gone"), down("other"), health({}), odd]) tale.look(one);
  const levels = log.lines.map((line) => line.split(" ")[0]);
  expect(levels).toEqual(["info", "warn", "warn", "warn", "info", "warn"]);
});
