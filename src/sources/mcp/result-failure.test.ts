import { expect, test } from "vitest";
import type { CallError } from "../../envelope/call-error.js";
import { hintsOfFailure } from "../../registry/failure-hints.js";
import { thrownBy } from "../../registry/fixtures/operations.js";
import { envelopeFromResult } from "./result.js";

test.each([
  [
    "a document that says what failed",
    { success: false, data: {}, error: "gone", meta: { version: "response-v2" } },
    {},
  ],
  ["a tool that says it failed", { code: 7 }, { throwOnToolError: true }],
])("what a server sent is kept beside the error of %s", (_, document, options) => {
  const content = [{ type: "text", text: JSON.stringify(document) }];
  const error = thrownBy(() => envelopeFromResult({ content, isError: true, _meta: { trace: "t" } }, options, false));
  expect(hintsOfFailure(error as CallError)).toMatchObject({
    source: "mcp",
    isError: true,
    content,
    _meta: { trace: "t" },
  });
});
