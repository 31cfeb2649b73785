import { describe, expect, test } from "vitest";
import { isNotification, isRequest, isRequestId } from "./json-rpc.js";

const KINDS: readonly [message: unknown, kind: "request" | "notification" | "neither"][] = [
  [{ jsonrpc: "2.0", id: 1, method: "ping" }, "request"],
  [{ jsonrpc: "2.0", id: 0, method: "ping" }, "request"],
  [{ jsonrpc: "2.0", id: "", method: "ping" }, "request"],
  [{ jsonrpc: "2.0", id: "a", method: "ping", params: {} }, "request"],
  [{ id: 1, method: "" }, "request"],
  [{ jsonrpc: "2.0", method: "notifications/initialized" }, "notification"],
  [{ method: "x", id: undefined }, "notification"],
  [{ jsonrpc: "2.0", id: null, method: "ping" }, "neither"],
  [{ jsonrpc: "2.0", id: true, method: "ping" }, "neither"],
  [{ jsonrpc: "2.0", id: { a: 1 }, method: "ping" }, "neither"],
  [{ jsonrpc: "2.0", id: 1, result: {} }, "neither"],
  [{ jsonrpc: "2.0", id: 1, error: { code: 1, message: "x" } }, "neither"],
  [{ jsonrpc: "2.0", id: 1, method: 7 }, "neither"],
  [{ jsonrpc: "2.0", method: null }, "neither"],
  [[{ id: 1, method: "ping" }], "neither"],
  [null, "neither"],
  [undefined, "neither"],
  ["ping", "neither"],
  [0, "neither"],
];

describe("a JSON-RPC message", () => {
  test.each(KINDS)("%j is of the kind %s", (message, kind) => {
    expect(isRequest(message)).toBe(kind === "request");
    expect(isNotification(message)).toBe(kind === "notification");
  });

  test("has an id that is a text or a number", () => {
    for (const id of [0, -1, 1.5, "", "x"]) expect(isRequestId(id)).toBe(true);
    for (const id of [null, undefined, true, {}, []]) expect(isRequestId(id)).toBe(false);
  });
});
