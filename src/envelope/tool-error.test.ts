import { describe, expect, test } from "vitest";
import { toolError } from "./tool-error.js";

describe("the error of a failed tool", () => {
  test("has the tool's text as its message", () => {
    expect(toolError("disk full")).toStrictEqual({
      category: "execution",
      code: "TOOL_ERROR",
      message: "disk full",
      recoverable: false,
    });
  });

  test("has a message where the tool says nothing", () => {
    expect(toolError("").message).not.toBe("");
  });

  test.each([
    ["MCP error -32602: Invalid arguments", "validation"],
    ["MCP error -32601: no such tool", "not_found"],
    ["MCP error -32603: oops", "internal"],
    ["MCP error -32000: closed", "execution"],
    ["it says MCP error -32602: no", "execution"],
    ["MCP error 404: no", "execution"],
  ])("reads the code of JSON-RPC at the beginning of %j", (text, category) => {
    expect(toolError(text).category).toBe(category);
  });

  test.each([
    ["bare", (error: object) => error],
    ["under error", (error: object) => ({ error })],
  ])("says what a payload says %s", (_, wrap) => {
    const said = {
      category: "timeout",
      code: "SLOW",
      message: "too slow",
      recoverable: false,
      suggestedAction: "wait",
    };
    expect(toolError("it broke", wrap({ ...said, nextTool: "later" }))).toStrictEqual({ ...said, nextTool: "later" });
  });

  test("takes the category from the code where the payload has none", () => {
    expect(toolError("", { code: "ROW_NOT_FOUND", message: "no" })).toMatchObject({
      category: "not_found",
      recoverable: false,
    });
    expect(toolError("", { code: "E42", message: "no" }).category).toBe("execution");
  });

  test("keeps a category that nobody knows", () => {
    expect(toolError("", { category: "quantum", code: "Q", message: "no" }).category).toBe("quantum");
  });

  test("passes over fields of the wrong type", () => {
    const payload = {
      category: 5,
      code: "TIMEOUT",
      message: "no",
      recoverable: "yes",
      nextTool: ["a"],
      suggestedAction: null,
    };
    expect(toolError("", payload)).toStrictEqual({
      category: "timeout",
      code: "TIMEOUT",
      message: "no",
      recoverable: true,
    });
  });

  test.each([
    ["nothing", undefined],
    ["null", null],
    ["a text", "TIMEOUT"],
    ["a list", [{ code: "TIMEOUT", message: "m" }]],
    ["no code", { message: "m" }],
    ["no message", { code: "TIMEOUT" }],
    ["a number for a code", { code: 404, message: "m" }],
    ["an error of text", { error: "TIMEOUT" }],
  ])("is told by the text alone where the payload is or has %s", (_, payload) => {
    expect(toolError("it broke", payload)).toMatchObject({
      category: "execution",
      code: "TOOL_ERROR",
      message: "it broke",
    });
  });
});
