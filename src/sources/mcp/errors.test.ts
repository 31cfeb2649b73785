import { describe, expect, test } from "vitest";
import { CallError, isCallError } from "../../envelope/call-error.js";
import {
  closed,
  errorFromJsonRpc,
  errorFromStatus,
  errorFromThrown,
  invalidAnswer,
  serverDied,
  timedOut,
  tooLarge,
  unavailable,
} from "./errors.js";

describe("the error of a server", () => {
  test.each([
    [-32700, "validation", "VALIDATION_ERROR"],
    [-32600, "validation", "VALIDATION_ERROR"],
    [-32601, "not_found", "NOT_FOUND"],
    [-32602, "validation", "VALIDATION_ERROR"],
    [-32603, "internal", "UNKNOWN_ERROR"],
    [-32001, "timeout", "TIMEOUT"],
    [-32002, "not_found", "NOT_FOUND"],
    [-32000, "execution", "EXECUTION_ERROR"],
    [-31429, "rate_limit", "RATE_LIMITED"],
    [-31403, "authorization", "ACCESS_DENIED"],
    [-31503, "unavailable", "UNAVAILABLE"],
    [0, "execution", "EXECUTION_ERROR"],
    [404, "execution", "EXECUTION_ERROR"],
    [1.5, "execution", "EXECUTION_ERROR"],
  ])("with the code %d is of the category %s", (code, category, ours) => {
    expect(errorFromJsonRpc({ code, message: "no" }, "tools/call")).toMatchObject({
      category,
      code: ours,
      message: "no",
      details: { code },
    });
  });

  test.each([undefined, null, "E_CODE", {}])("with the code %j is an error all the same, and says it", (code) => {
    expect(errorFromJsonRpc({ code, message: "no" }, "x").toJSON()).toMatchObject({ category: "execution" });
  });

  test.each([undefined, null, "", 7, {}])("with the message %j has words", (message) => {
    const error = errorFromJsonRpc({ code: -32603, message }, "x");
    expect(error.message).not.toBe("");
    expect(typeof error.message).toBe("string");
  });

  test.each([0, "", false, null, [], { a: 1 }])("keeps the data %j", (data) => {
    expect(errorFromJsonRpc({ code: 1, message: "x", data }, "x").details).toEqual({ code: 1, data });
  });

  test.each([undefined, null, "text", 7, true, []])("that is %j is an invalid answer", (error) => {
    expect(errorFromJsonRpc(error, "tools/call")).toMatchObject({ category: "execution", code: "INVALID_ANSWER" });
  });

  test.each<[data: unknown, wait: number | undefined]>([
    [{ retryAfterMs: 1500 }, 1500],
    [{ retryAfterMs: 0 }, 0],
    [{ retryAfter: 2 }, 2000],
    [{ retry_after: 0.5 }, 500],
    [{ retry_after_seconds: 3 }, 3000],
    [{ retryAfterMs: 10, retryAfter: 2 }, 10],
    [{ retryAfterMs: -1, retryAfter: 2 }, 2000],
    [{ retryAfter: "2" }, undefined],
    [{ retryAfter: -2 }, undefined],
    [{ retryAfter: null }, undefined],
    [[1], undefined],
    ["soon", undefined],
    [JSON.parse('{"retryAfterMs":1e999}'), undefined],
    [JSON.parse('{"retryAfter":1e306}'), undefined],
  ])("with the data %j is to be tried again after %s ms", (data, wait) => {
    expect(errorFromJsonRpc({ code: -31429, message: "x", data }, "x").retryAfterMs).toBe(wait);
  });
});

describe("an HTTP status", () => {
  test.each([
    [400, "validation"],
    [401, "authentication"],
    [403, "authorization"],
    [404, "not_found"],
    [405, "validation"],
    [408, "timeout"],
    [409, "conflict"],
    [413, "validation"],
    [429, "rate_limit"],
    [500, "internal"],
    [502, "network"],
    [503, "unavailable"],
    [504, "timeout"],
    [302, "unavailable"],
    [0, "internal"],
  ])("of %d is of the category %s", (status, category) => {
    expect(errorFromStatus(status, "", undefined)).toMatchObject({ category, details: { status } });
  });

  test("tells what the body says, shortened, and keeps all of it", () => {
    const body = `why ${"x".repeat(10_000)}`;
    const error = errorFromStatus(500, body, undefined);
    expect(error.message.length).toBeLessThan(1_000);
    expect(error.message).toContain("why");
    expect(error.details).toEqual({ status: 500, body });
    expect(errorFromStatus(500, "", undefined).details).toEqual({ status: 500 });
  });

  test.each<[header: string | undefined, wait: number | undefined]>([
    ["2", 2000],
    ["0", 0],
    ["soon", undefined],
    ["", undefined],
    [undefined, undefined],
    ["-1", undefined],
    ["9".repeat(400), undefined],
  ])("with Retry-After %j is to be tried again after %s ms", (header, wait) => {
    expect(errorFromStatus(429, "", header).retryAfterMs).toBe(wait);
  });
});

describe("whatever was thrown", () => {
  test("stays what it is where it is a CallError", () => {
    const error = new CallError({ category: "conflict", message: "x" });
    expect(errorFromThrown(error)).toBe(error);
  });

  test.each<[what: string, thrown: unknown, category: string]>([
    ["an HTTP error of the SDK", sdkError({ data: { status: 503, text: "later" } }), "unavailable"],
    ["a refusal to let in", sdkError({ name: "UnauthorizedError" }), "authentication"],
    ["an answer in JSON-RPC", sdkError({ name: "ProtocolError", code: -32601, data: { a: 1 } }), "not_found"],
    ["a time-out of the SDK", sdkError({ code: "REQUEST_TIMEOUT" }), "timeout"],
    ["an error of the network", sdkError({ code: "ECONNREFUSED" }), "unavailable"],
    ["fetch's own", new TypeError("fetch failed", { cause: new Error("ECONNREFUSED") }), "unavailable"],
    ["a text", "no", "unavailable"],
    ["nothing", undefined, "unavailable"],
    ["null", null, "unavailable"],
    ["a number", 7, "unavailable"],
    ["an object without words", Object.create(null), "unavailable"],
  ])("becomes an error of the call: %s", (_, thrown, category) => {
    const error = errorFromThrown(thrown);
    expect(isCallError(error)).toBe(true);
    expect(error.category).toBe(category);
    expect(error.message).not.toBe("");
  });

  test("keeps what was thrown as the cause, and says what the cause of fetch says", () => {
    const thrown = new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:9") });
    const error = errorFromThrown(thrown);
    expect(error.cause).toBe(thrown);
    expect(error.message).toContain("ECONNREFUSED");
  });
});

function sdkError(fields: object): Error {
  return Object.assign(new Error("said the SDK"), fields);
}

describe("what goes wrong on the way", () => {
  test("has a category, and never an empty message", () => {
    expect(timedOut("tools/call", 10)).toMatchObject({ category: "timeout", code: "TIMEOUT" });
    expect(tooLarge(100, 10)).toMatchObject({ code: "PAYLOAD_TOO_LARGE", recoverable: false });
    expect(closed("one")).toMatchObject({ category: "unavailable", recoverable: false });
    expect(invalidAnswer("sings")).toMatchObject({ code: "INVALID_ANSWER" });
    expect(invalidAnswer("sings").toJSON()).not.toHaveProperty("data");
  });

  test.each([0, "", null, false])("keeps the odd answer %j", (data) => {
    expect(invalidAnswer("sings", data).toJSON()).toMatchObject({ data });
  });

  test("tells how a process ended, and the last that it said", () => {
    const stderr = `${"noise\n".repeat(1_000)}Error: no licence\n`;
    const byCode = serverDied({ code: 3, signal: null }, stderr);
    expect(byCode).toMatchObject({ category: "unavailable", code: "UNAVAILABLE" });
    expect(byCode.details).toEqual({ exitCode: 3, signal: null, stderr });
    expect(byCode.message).toContain("no licence");
    expect(byCode.message.length).toBeLessThan(1_000);
    const bySignal = serverDied({ code: null, signal: "SIGKILL" }, "");
    expect(bySignal.details).toEqual({ exitCode: null, signal: "SIGKILL", stderr: "" });
  });

  test("may have a cause and details, or none", () => {
    expect(unavailable("It is gone").toJSON()).not.toHaveProperty("details");
    expect(unavailable("It is gone", { a: 1 }, "cause")).toMatchObject({ details: { a: 1 }, cause: "cause" });
  });
});
