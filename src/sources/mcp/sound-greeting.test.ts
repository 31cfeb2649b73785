import { describe, expect, test } from "vitest";
import { soundGreeting } from "./sound-greeting.js";

function mended(message: unknown): unknown {
  soundGreeting(message);
  return message;
}

const GREETING = {
  protocolVersion: "2025-11-25",
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: "a", version: "1", title: "A" },
  instructions: "Be kind.",
};

describe("soundGreeting", () => {
  test.each([
    { jsonrpc: "2.0", id: 0, result: GREETING },
    { jsonrpc: "2.0", id: 0, error: { code: -32601, message: "no" } },
    { method: "ping", id: 1 },
    { method: "notifications/x", params: { protocolVersion: 1 } },
    { jsonrpc: "2.0", id: 1, result: { tools: [] } },
    { jsonrpc: "2.0", id: 1, result: {} },
  ])("leaves %j as it is", (message) => {
    expect(mended(structuredClone(message))).toEqual(message);
  });

  test.each([undefined, null, 7, "x", []])("passes over %j, which is no message", (message) => {
    expect(() => soundGreeting(message)).not.toThrow();
  });

  test.each<[what: string, over: object, sound: object]>([
    ["no name", { serverInfo: {} }, { serverInfo: { name: "unknown", version: "unknown" } }],
    ["nothing of itself", { serverInfo: null }, { serverInfo: { name: "unknown", version: "unknown" } }],
    ["odd icons", { serverInfo: { name: "a", version: "1", icons: 7 } }, { serverInfo: { name: "a", version: "1" } }],
    ["odd capabilities", { capabilities: { tools: true, prompts: {} } }, { capabilities: { prompts: {} } }],
    ["capabilities that are none", { capabilities: [] }, { capabilities: {} }],
  ])("mends a server that says %s", (_, over, sound) => {
    expect(mended({ id: 0, result: { ...GREETING, ...over } })).toMatchObject({ result: { ...GREETING, ...sound } });
  });

  test("takes away instructions that are no text", () => {
    const message = mended({ id: 0, result: { ...GREETING, instructions: 7 } });
    expect(message).not.toHaveProperty("result.instructions");
  });

  test.each([null, 7, "x", [], true])("makes an error of the result %j, which nobody would answer", (result) => {
    expect(mended({ id: 0, result })).toMatchObject({ id: 0, error: { code: expect.any(Number) } });
    expect(mended({ id: 0, result })).not.toHaveProperty("result");
  });

  test("keeps a result although an empty error stands beside it", () => {
    const message = mended({ id: 0, error: null, result: { ...GREETING, serverInfo: null } });
    expect(message).toMatchObject({ result: { serverInfo: { name: "unknown" } } });
    expect(message).not.toHaveProperty("error");
  });
});
