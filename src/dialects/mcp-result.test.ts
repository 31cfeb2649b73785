import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Compile } from "typebox/schema";
import { describe, expect, test } from "vitest";
import type { Outcome, OutcomeMeta } from "../envelope/outcome.js";
import { assertReproduces, assertRoundTrip } from "../testing/index.js";
import { text } from "./fixtures/envelope-block.js";
import { mcpResultFixtures } from "./fixtures/mcp-result.js";
import {
  failure,
  failureOf,
  readingOf,
  rulesBroken,
  success,
  successOf,
  throughWire,
  wireOf,
} from "./fixtures/reading.js";
import { testFixtures } from "./fixtures/test-fixtures.js";
import { mcpResult } from "./mcp-result.js";

const dialect = mcpResult;
const LINK = { type: "resource_link", uri: "demo://1", name: "one" } as const;

describe("mcp-result", () => {
  testFixtures(dialect, mcpResultFixtures);
});

describe("reading an MCP result", () => {
  test.each([[{ a: 1 }], [0], [null], [""], [false], [[]], [[1]]])(
    "gives the structured content %j as data",
    (value) => {
      expect(successOf(dialect, { content: [text("other")], structuredContent: value }).data).toEqual(value);
    },
  );

  test("gives the blocks as data where there is no structured content, JSON or not", () => {
    for (const said of ["hi", '{"rows":[]}', "007"]) {
      expect(successOf(dialect, { content: [text(said)] }).data).toEqual([text(said)]);
    }
  });

  test("takes resource links beside structured content as a hint", () => {
    expect(successOf(dialect, { content: [text("see"), LINK], structuredContent: {} }).meta.links).toEqual([LINK]);
  });

  test("reads an error as category execution with its texts as message", () => {
    const { error } = failureOf(dialect, { content: [text("one"), text("two")], isError: true });
    expect(error).toMatchObject({ category: "execution", code: "TOOL_ERROR", message: "one\ntwo" });
  });

  test.each([
    ["MCP error -32602: Invalid arguments", "validation"],
    ["MCP error -32601: Tool nope not found", "not_found"],
    ["MCP error -32603: Failed to launch", "internal"],
    ["MCP error -32700: Parse error", "validation"],
    ["MCP error -32000: Connection closed", "execution"],
  ])("reads the text %j as category %s", (said, category) => {
    expect(failureOf(dialect, { content: [text(said)], isError: true }).error.category).toBe(category);
  });

  test.each([
    ["at its root", { code: "ROW_NOT_FOUND", message: "no row 7", id: 7 }],
    ["in error", { error: { code: "ROW_NOT_FOUND", message: "no row 7" }, id: 7 }],
  ])("says of an error what its payload says %s, and keeps the payload", (_, structuredContent) => {
    const { error } = failureOf(dialect, { content: [text("no")], structuredContent, isError: true });
    expect(error).toMatchObject({
      category: "not_found",
      code: "ROW_NOT_FOUND",
      message: "no row 7",
      data: structuredContent,
    });
  });
});

describe("writing an MCP result", () => {
  test.each([["hello"], [true], [0], [null], [[1, 2]]])("prints the data %j as JSON, wrapped or as it is", (data) => {
    for (const options of [{}, { layout: {} }]) {
      const { wire } = dialect.write({ ok: true, data, meta: {} }, options);
      expect(JSON.parse(dialect.print(wire))).toEqual(wire);
    }
  });

  test("gives older clients an object, whether the call succeeded or failed", () => {
    const error = { category: "execution", code: "X", message: "half", recoverable: false, data: [1, 2] };
    const outcomes: Outcome[] = [
      { ok: true, data: [1, 2], meta: {} },
      { ok: false, error, meta: {} },
    ];
    for (const outcome of outcomes) {
      expect(dialect.write(outcome).wire).toMatchObject({ structuredContent: { result: [1, 2] } });
      assertRoundTrip(dialect, outcome);
    }
  });

  test("repeats the data as JSON text", () => {
    expect(wireOf(dialect, success({ rows: [] }))).toMatchObject({
      content: [text('{"rows":[]}')],
      structuredContent: { rows: [] },
    });
  });

  test("writes blocks as blocks", () => {
    expect(wireOf(dialect, success([text("hi")]))).toEqual({ content: [text("hi")] });
  });

  test("does not send the blocks of a result twice because one of them is of a type nobody knows", () => {
    const document = { content: [text("hi"), { type: "hologram" }] };
    const { outcome } = readingOf(dialect, document);
    expect(wireOf(dialect, outcome)).not.toHaveProperty("structuredContent");
  });

  test("sets isError on a failure, and only there", () => {
    expect(wireOf(dialect, failure({ category: "model", message: "no" }))["isError"]).toBe(true);
    expect(wireOf(dialect, success(1))).not.toHaveProperty("isError");
  });

  test("carries every hint", () => {
    const meta: OutcomeMeta = { requestId: "r", pagination: { cursor: null }, warnings: [{ code: "A", message: "b" }] };
    expect(throughWire(dialect, success(1, meta))).toEqual(success(1, meta));
  });

  test("does not let an old text contradict new data", () => {
    const { outcome } = readingOf(dialect, { content: [text('{"a":1}')], structuredContent: { a: 1 } });
    const wire = wireOf(dialect, { ...outcome, ok: true, data: { a: 2 } } as typeof outcome);
    expect(wire).toMatchObject({ content: [text('{"a":2}')], structuredContent: { a: 2 } });
  });

  test.each<[string, unknown, OutcomeMeta]>([
    ["structured content", { rows: [] }, { source: "mcp", isError: false, content: [text('{"rows":[]}')] }],
    ["links", 1, { source: "mcp", isError: false, content: [LINK], structuredContent: 1 }],
  ])("invents no %s for an MCP origin", (_, data, meta) => {
    assertRoundTrip(dialect, success(data, meta));
  });

  test("invents no structured content for a failed MCP origin", () => {
    const meta: OutcomeMeta = { source: "mcp", isError: true, content: [text("no")] };
    assertRoundTrip(dialect, failure({ category: "execution", code: "TOOL_ERROR", message: "no", data: null }, meta));
  });
});

describe("a result that Plico had to lay out otherwise", () => {
  const plico = (carried: object) => ({ _meta: { plico: carried } });
  const packed = `__ENVELOPE_V1__:${btoa('{"payload":[1],"meta":{"tool":"t","ts":"","version":1}}')}`;

  test("is a success where it is told so, with the data that is carried", () => {
    const document = { content: [text("no")], isError: true, ...plico({ ok: true, data: { a: 1 } }) };
    expect(successOf(dialect, document).data).toEqual({ a: 1 });
    expect(successOf(dialect, { ...document, ...plico({ ok: true }) }).data).toEqual([text("no")]);
  });

  test.each([
    ["a part of the structure", "/structuredContent/data", "007"],
    ["the JSON of a text", "/content/0/text", { b: 2 }],
    ["a block", "/content/1/text", [1]],
  ])("has its data in another place: %s", (_, at, data) => {
    const content = [text('{"b":2}'), text(packed)];
    const document = { content, structuredContent: { data: "007" }, ...plico({ at }) };
    expect(successOf(dialect, document).data).toEqual(data);
  });

  test.each(["/nowhere", "/content/0/text", "/content/__proto__", "/content/1/text"])(
    "is what it seems where nothing can be read at %s",
    (at) => {
      const content = [text("no JSON"), text("__ENVELOPE_V1__:damaged")];
      expect(successOf(dialect, { content, structuredContent: { a: 1 }, ...plico({ at }) }).data).toEqual({ a: 1 });
    },
  );

  test("wraps an object, or blocks, where it is told to", () => {
    for (const data of [{ a: 1 }, [text("hi")]]) {
      const { wire } = dialect.write(success(data), { layout: { wrapped: true } });
      expect(wire.structuredContent).toEqual({ result: data });
      expect(successOf(dialect, wire).data).toEqual(data);
    }
  });
});

const corpus = join(
  process.env["PLICO_CORPUS"] ?? fileURLToPath(new URL("../../../shared/corpus", import.meta.url)),
  "mcp",
);
const found = existsSync(corpus);

describe("what real MCP servers answered", () => {
  const title = found
    ? "is recorded"
    : `is skipped, because there is no folder ${corpus}; PLICO_CORPUS may name another`;
  test.skipIf(!found)(title, () => expect(recordedResults().length).toBeGreaterThan(40));

  for (const [label, result] of found ? recordedResults() : []) {
    test(`is reproduced: ${label}`, () => assertReproduces(dialect, result));
    test(`breaks no rule: ${label}`, () => expect(rulesBroken(dialect, result)).toEqual([]));
    test(`fits the schema: ${label}`, () => expect(Compile(dialect.schema).Check(result)).toBe(true));
  }
});

interface Recording {
  readonly calls: readonly {
    readonly request: { readonly tool?: string };
    readonly response: { readonly result?: unknown };
  }[];
}

function recordedResults(): [label: string, result: unknown][] {
  const files = readdirSync(corpus).filter((file) => file.endsWith(".json"));
  return files.flatMap((file) => {
    const { calls } = JSON.parse(readFileSync(join(corpus, file), "utf8")) as Recording;
    return calls.flatMap(({ request: { tool }, response: { result } }, at): [string, unknown][] =>
      tool === undefined || result === undefined ? [] : [[`${file} call ${at}, ${tool}`, result]],
    );
  });
}
