import { describe, expect, test } from "vitest";
import { CallError, callErrorData, isCallError } from "../envelope/call-error.js";
import { DIALECTS } from "./all.js";
import { convert, read, validate, write } from "./convert.js";
import { FIXTURES } from "./fixtures/by-dialect.js";
import { block, META, text } from "./fixtures/envelope-block.js";
import { success } from "./fixtures/reading.js";
import { SPEC_ERROR } from "./fixtures/tool-envelope-v1.js";

const RESPONSE_V2 = {
  success: true,
  data: { rows: [1] },
  error: null,
  meta: { version: "response-v2", request_id: "r_1" },
};

function errorOf(run: () => unknown): { category?: string; code?: string; issues?: readonly { rule?: string }[] } {
  try {
    run();
  } catch (thrown) {
    if (isCallError(thrown)) return thrown;
    throw thrown;
  }
  throw new Error("nothing was thrown");
}

describe("read", () => {
  test("names the dialect it found", () => {
    expect(read(RESPONSE_V2)).toMatchObject({
      kind: "outcome",
      dialect: "response-v2",
      outcome: { meta: { requestId: "r_1" } },
    });
  });

  test("tells a stranger, which has no dialect", () => {
    expect(read({ rows: [1] })).toEqual({ kind: "stranger" });
  });
});

describe("convert", () => {
  test("says where the document came from and what the target cannot carry", () => {
    const { wire, from, lost } = convert(RESPONSE_V2, "helper-output", { agent: "codex", schemaVersion: "1.2.0" });
    expect(from).toBe("response-v2");
    expect(wire).toMatchObject({ schema_version: "1.2.0", status: "ok", error: null, agent: "codex", rows: [1] });
    expect(lost.map(({ path }) => path)).toEqual(["/meta/requestId"]);
  });

  test("reproduces every document of every dialect in its own", () => {
    for (const { name } of DIALECTS) {
      for (const { document } of FIXTURES[name as keyof typeof FIXTURES].accepts?.slice(0, 3) ?? []) {
        expect(convert(document, name)).toEqual({ wire: document, from: name, lost: [], notes: [] });
      }
    }
  });

  test("passes the notes of the reading on", () => {
    const deprecations = [{ field: "payload.a", since: 1, removeInVersion: 2 }];
    const document = block({ payload: { a: 1 }, meta: { ...META, deprecations } });
    expect(convert(document, "response-v2").notes.map(({ code }) => code)).toEqual(["FIELD_DEPRECATED"]);
  });

  test("unfolds a document inside an MCP result when asked", () => {
    const result = { content: [text(JSON.stringify(RESPONSE_V2))] };
    expect(convert(result, "tool-response").from).toBe("mcp-result");
    expect(convert(result, "tool-response", { deep: true })).toMatchObject({
      from: "response-v2",
      wire: { structuredContent: { data: { rows: [1] } } },
    });
  });

  test("keeps an error's meaning from dialect to dialect", () => {
    const { wire } = convert(SPEC_ERROR, "problem-details");
    expect(wire).toMatchObject({ status: 400, code: "ERR_INPUT_SCHEMA" });
    const back = convert(wire, "tool-envelope-v1").wire;
    expect(read(back)).toMatchObject({
      outcome: { error: { category: "validation", code: "ERR_INPUT_SCHEMA", recoverable: true } },
    });
  });

  test("refuses a target that does not exist, a stranger and a malformed document", () => {
    expect(errorOf(() => convert(RESPONSE_V2, "response-v3"))).toMatchObject({
      category: "validation",
      code: "UNKNOWN_DIALECT",
    });
    expect(errorOf(() => convert({ rows: [1] }, "response-v2"))).toMatchObject({
      category: "validation",
      code: "UNKNOWN_DIALECT",
    });
    const damaged = errorOf(() => convert({ ...RESPONSE_V2, error: "but" }, "tool-response"));
    expect(damaged).toMatchObject({ category: "validation", code: "MALFORMED" });
    expect(damaged.issues?.map(({ rule }) => rule)).toEqual(["error-null"]);
  });

  test("names the unsupported version of a later envelope", () => {
    const later = block({ payload: {}, meta: { ...META, version: 2 } });
    expect(errorOf(() => convert(later, "response-v2")).issues?.map(({ rule }) => rule)).toEqual([
      "UNSUPPORTED_VERSION",
    ]);
  });
});

describe("write", () => {
  test.each(DIALECTS.map(({ name }) => name))("writes %s by its name", (name) => {
    expect(read(write(success({ rows: [1] }), name).wire)).toMatchObject({
      dialect: name,
      outcome: { data: { rows: [1] } },
    });
  });

  test.each(["", "json", "constructor"])("refuses the name %j", (name) => {
    expect(errorOf(() => write(success(1), name))).toMatchObject({ category: "validation", code: "UNKNOWN_DIALECT" });
  });
});

test.each(DIALECTS.map(({ name }) => [name]))("%s writes an error that was thrown as it writes its data", (name) => {
  const error = new CallError({
    category: "conflict",
    code: "TAKEN",
    message: "The name is taken.",
    details: { by: 7 },
  });
  const { wire } = write({ ok: false, error: callErrorData(error), meta: {} }, name, { now: 1 });
  expect(write({ ok: false, error, meta: {} }, name, { now: 1 }).wire).toEqual(wire);
});

describe("validate", () => {
  test("finds nothing wrong with a document that follows the rules", () => {
    expect(validate(RESPONSE_V2)).toEqual([]);
  });

  test.each([
    [{ success: true, user_id: "123", meta: { version: "response-v2" } }, "anti-pattern-data-at-root", "/user_id"],
    [{ success: false, message: "Invalid input" }, "anti-pattern-error-key", "/message"],
    [{ success: true, data: {} }, "anti-pattern-missing-version", "/meta/version"],
    [{ schema_version: "1.0.0", rows: [] }, "status", "/status"],
    [{ meta: { status: "ok" }, data: 1 }, "summary", "/meta/summary"],
    [{ data: 1, meta: { source: "ftp" } }, "source", "/meta/source"],
    [{ content: null, isError: false }, "content", "/content"],
  ])("names what %j lacks to be what it seems meant for", (document, rule, path) => {
    expect(validate(document)).toContainEqual(expect.objectContaining({ rule, path }));
  });

  test("says of a stranger that no dialect knows it", () => {
    expect(validate({ rows: [1] })).toMatchObject([{ rule: "unknown-dialect", level: "fatal", path: "" }]);
  });

  test("checks as the dialect that is asked for", () => {
    expect(validate({ rows: [1] }, { as: "helper-output" }).map(({ rule }) => rule)).toContain("schema-version");
    expect(errorOf(() => validate(RESPONSE_V2, { as: "nope" }))).toMatchObject({ code: "UNKNOWN_DIALECT" });
  });

  test("checks the document inside a result when asked", () => {
    const inside = { content: [text(JSON.stringify({ ...RESPONSE_V2, error: "but" }))] };
    expect(validate(inside)).toEqual([]);
    expect(validate(inside, { deep: true }).map(({ rule }) => rule)).toEqual(["error-null"]);
  });
});
