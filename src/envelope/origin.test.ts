import { describe, expect, test } from "vitest";
import { isResponseSource, originFaults, originFields, RESPONSE_SOURCES } from "./origin.js";

describe("the sources", () => {
  test("are the spec's three and scripts", () => {
    expect(RESPONSE_SOURCES).toEqual(["local", "http", "mcp", "script"]);
  });

  test("are known by name only", () => {
    expect(RESPONSE_SOURCES.every(isResponseSource)).toBe(true);
    expect(["LOCAL", "", "toString", "__proto__", 0, null, undefined, ["local"]].some(isResponseSource)).toBe(false);
  });
});

describe("originFields", () => {
  test.each([
    ["local", ["operationId", "timestamp"]],
    ["http", ["statusCode", "headers", "contentType", "setCookie"]],
    ["mcp", ["isError", "content", "structuredContent", "_meta"]],
    ["script", ["command", "exitCode", "timestamp", "schemaVersion", "agent"]],
  ] as const)("names the fields of %s, the source first", (source, names) => {
    expect(originFields(source)).toEqual(["source", ...names]);
  });
});

describe("originFaults", () => {
  test("names each field that is missing or wrong", () => {
    expect(originFaults("local", {})).toEqual(["operationId", "timestamp"]);
    expect(originFaults("http", { statusCode: "200", headers: { a: 1 }, contentType: "x", setCookie: "a" })).toEqual([
      "statusCode",
      "headers",
      "setCookie",
    ]);
    expect(originFaults("script", { command: [], exitCode: undefined, timestamp: 0, agent: null })).toEqual([
      "exitCode",
      "agent",
    ]);
  });

  test("finds none where every required field is there", () => {
    expect(originFaults("local", { operationId: "", timestamp: 0 })).toEqual([]);
    expect(originFaults("script", { command: [], exitCode: null, timestamp: 0 })).toEqual([]);
    expect(originFaults("mcp", { isError: false, content: [] })).toEqual([]);
  });
});
