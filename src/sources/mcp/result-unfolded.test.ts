import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { detect } from "../../dialects/detect.js";
import type { Dialect } from "../../dialects/dialect.js";
import { outcome as anyOutcome } from "../../dialects/fixtures/arbitrary-outcome.js";
import { twoBlocks } from "../../dialects/fixtures/envelope-block.js";
import { failure, success, throughWire, wireOf } from "../../dialects/fixtures/reading.js";
import { helperOutput } from "../../dialects/helper-output.js";
import { mcpResult } from "../../dialects/mcp-result.js";
import { problemDetails } from "../../dialects/problem-details.js";
import { responseEnvelope } from "../../dialects/response-envelope.js";
import { responseV2 } from "../../dialects/response-v2.js";
import { toolEnvelopeV1 } from "../../dialects/tool-envelope-v1.js";
import { toolResponse } from "../../dialects/tool-response.js";
import { isCallError } from "../../envelope/call-error.js";
import { isHint } from "../../envelope/hints.js";
import { type Outcome, outcomeFromEnvelope } from "../../envelope/outcome.js";
import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import { isEqual, omit } from "../../json/value.js";
import { thrownBy } from "../../registry/fixtures/operations.js";
import { OperationRegistry } from "../../registry/registry.js";
import { sampleOutcomes } from "../../testing/outcomes.js";
import { operationsFromTools } from "./operation-from-tool.js";
import { envelopeFromResult, type ResultOptions } from "./result.js";

interface Given extends ResultOptions {
  readonly declares?: boolean;
}

function envelopeOf(result: unknown, { declares = false, ...options }: Given = {}): ResponseEnvelope {
  return envelopeFromResult(result, options, declares);
}

/** What a call gives: its data and hints, or the error that it throws. */
function outcomeOf(result: unknown, given?: Given): Outcome {
  const thrown = { error: undefined as unknown };
  try {
    const { data, meta } = envelopeOf(result, given);
    return { ok: true, data, meta: hintsOf(meta) };
  } catch (error) {
    thrown.error = error;
  }
  if (!isCallError(thrown.error)) throw thrown.error;
  return { ok: false, error: thrown.error.toJSON(), meta: {} };
}

/** Without what tells of the way: what the result had beside the document, and the notes of who read it. */
function hintsOf(meta: object): Outcome["meta"] {
  const hints = Object.entries(meta).filter(([name, value]) => isHint(name, value));
  return omit(Object.fromEntries(hints), ["extra", "warnings"]) as Outcome["meta"];
}

const text = (said: string): object => ({ type: "text", text: said });

type Place = (dialect: Dialect, outcome: Outcome) => object;

const whole: Place = wireOf;
const inText: Place = (dialect, outcome) => ({ content: [text(JSON.stringify(wireOf(dialect, outcome)))] });
const inStructure: Place = (dialect, outcome) => ({ content: [], structuredContent: wireOf(dialect, outcome) });
const inBoth: Place = (dialect, outcome) => ({ ...inText(dialect, outcome), ...structureOf(dialect, outcome) });
const structureOf = (dialect: Dialect, outcome: Outcome): object => ({ structuredContent: wireOf(dialect, outcome) });

const PLACES: readonly [what: string, dialect: Dialect, place: Place][] = [
  ["tool-envelope-v1 as a block", toolEnvelopeV1 as Dialect, whole],
  ["tool-response as structure", toolResponse as Dialect, whole],
  ["response-v2 in text", responseV2 as Dialect, inText],
  ["response-v2 in structure", responseV2 as Dialect, inStructure],
  ["response-v2 in both", responseV2 as Dialect, inBoth],
  ["helper-output in text", helperOutput as Dialect, inText],
  ["helper-output in structure", helperOutput as Dialect, inStructure],
  ["a response envelope in text", responseEnvelope as Dialect, inText],
  ["a response envelope in structure", responseEnvelope as Dialect, inStructure],
];

const DONE = success({ rows: [1] }, { summary: "One row", pagination: { cursor: null, hasMore: false } });
const FAILED = failure({
  category: "not_found",
  code: "ROW_NOT_FOUND",
  message: "There is no row 7",
  suggestedAction: "List them",
  data: { id: 7 },
});

describe.each(PLACES)("%s", (_, dialect, place) => {
  // Where the data of one format makes a document of another, that is what it is read as.
  const clear = sampleOutcomes.filter(({ outcome }) => detect(wireOf(dialect, outcome))?.name === dialect.name);

  test.each(clear)("is read as what it says: $label", ({ outcome }) => {
    const said = throughWire(dialect, outcome);
    const got = outcomeOf(place(dialect, outcome));
    expect(got.ok).toBe(said.ok);
    if (got.ok && said.ok) {
      expect(got.data).toEqual(said.data);
      expect(got.meta).toEqual(hintsOf(said.meta));
    } else if (!got.ok && !said.ok) expect(got.error).toEqual(said.error);
  });

  test("is kept as it came beside what was read", () => {
    const result = place(dialect, DONE);
    const { meta } = envelopeOf(result);
    expect(meta).toMatchObject({ source: "mcp", isError: false, ...result });
  });

  test("is an error of the call also where the result itself says that it failed, or forgets to", () => {
    for (const isError of [true, false]) {
      const got = outcomeOf({ ...place(dialect, FAILED), isError });
      expect(got).toMatchObject({ ok: false, error: { code: "ROW_NOT_FOUND", message: "There is no row 7" } });
    }
  });

  test("that says success in a result that says failure counts as failed, and keeps its data", () => {
    const result = { ...place(dialect, DONE), isError: true };
    const thrown = thrownBy(() => envelopeOf(result, { throwOnToolError: true }));
    expect(thrown).toMatchObject({ name: "CallError", category: "execution", data: { rows: [1] } });
    // These two are whole results: what they say of the failure is theirs, and they do not contradict themselves.
    if (place === whole) return expect(thrownBy(() => envelopeOf(result))).toMatchObject({ data: { rows: [1] } });
    const envelope = envelopeOf(result);
    expect(envelope.data).toEqual({ rows: [1] });
    expect(envelope.meta).toMatchObject({ source: "mcp", isError: true });
    expect(envelope.meta.warnings?.map(({ code }) => code)).toContain("VERDICTS_DIFFER");
    expect(outcomeFromEnvelope(envelope).ok).toBe(false);
  });

  test("is left alone where the option says so", () => {
    for (const outcome of [DONE, FAILED]) {
      const result = place(dialect, outcome) as { content: unknown; structuredContent?: unknown };
      const envelope = envelopeOf({ ...result, isError: false }, { unfold: false, recoverJson: false });
      expect(envelope.data).toEqual(result.structuredContent ?? result.content);
      expect(envelope.meta.summary).toBeUndefined();
    }
  });

  test("keeps its own warnings and fields beside what is odd about the result", () => {
    const warned = success({ rows: [1] }, { warnings: [{ code: "SOURCE_WARNING", message: "half" }] });
    const said = throughWire(dialect, warned).meta.warnings ?? [];
    const { meta } = envelopeOf({ ...place(dialect, warned), _meta: "odd", beside: 1 });
    expect(meta.warnings).toEqual(expect.arrayContaining([...said]));
    expect(meta.warnings?.map(({ code }) => code)).toContain("NONCONFORMING");
    expect(JSON.stringify(meta.extra)).toContain('"beside":1');
  });
});

describe("a problem", () => {
  const PROBLEM = { type: "about:blank", title: "Not found", status: 404, detail: "There is no row 7", id: 7 };

  test.each<[where: string, result: object]>([
    ["in text", { content: [text(JSON.stringify(PROBLEM))] }],
    ["in structure", { content: [], structuredContent: PROBLEM }],
  ])("%s of a result that failed is the error", (_, result) => {
    expect(outcomeOf({ ...result, isError: true })).toMatchObject({
      ok: false,
      error: { category: "not_found", message: "There is no row 7", data: { id: 7 } },
    });
  });

  test("of a result that did not fail is data like any other", () => {
    expect(envelopeOf({ content: [], structuredContent: PROBLEM }).data).toEqual(PROBLEM);
    expect(envelopeOf({ content: [text(JSON.stringify(PROBLEM))] }).data).toEqual(PROBLEM);
  });

  test("is written and read back", () => {
    const structuredContent = wireOf(problemDetails as Dialect, FAILED);
    expect(outcomeOf({ content: [], structuredContent, isError: true })).toMatchObject({
      ok: false,
      error: { code: "ROW_NOT_FOUND", message: "There is no row 7" },
    });
  });
});

describe("what only looks like another format", () => {
  test.each<[what: string, document: unknown]>([
    ["success and data", { success: true, data: { rows: [] } }],
    ["success that is false", { success: false, error: "none" }],
    ["a status of its own", { status: "open", items: [] }],
    ["a number as status", { status: 200, body: "x" }],
    ["a meta of its own", { meta: { page: 1 }, data: [] }],
    ["a source of its own", { meta: { source: "wikipedia" }, data: [] }],
    ["a schema_version alone", { schema_version: 3, rows: [] }],
    ["data and meta of a tool-response without a summary", { meta: { status: "ok" }, data: [] }],
    ["an MCP result inside", { content: [text("x")], structuredContent: {} }],
  ])("stays the data it is: %s", (_, document) => {
    expect(envelopeOf({ content: [], structuredContent: document }).data).toEqual(document);
    expect(envelopeOf({ content: [text(JSON.stringify(document))] }).data).toEqual(document);
    const failed = envelopeOf({ content: [], structuredContent: document, isError: true });
    expect(failed).toMatchObject({ data: document, meta: { isError: true } });
  });

  test("in a text that speaks of envelopes is a text", () => {
    const content = [text("__ENVELOPE_V1__ is the prefix of a block")];
    expect(envelopeOf({ content }).data).toEqual(content);
  });
});

describe("a damaged block", () => {
  const DAMAGED = [text("One row\nof four"), text("__ENVELOPE_V1__:!!!!")];

  test("leaves the text beside it, and is told", () => {
    const envelope = envelopeOf({ content: DAMAGED });
    expect(envelope.data).toBe("One row\nof four");
    expect(envelope.meta).toMatchObject({ isError: false, content: DAMAGED });
    expect(envelope.meta.warnings?.map(({ code }) => code)).toContain("ENVELOPE_DAMAGED");
  });

  test("of a result that failed leaves an envelope that says so, and throws only where that is wanted", () => {
    const envelope = envelopeOf({ content: DAMAGED, isError: true });
    expect(envelope.meta).toMatchObject({ isError: true, content: DAMAGED });
    const thrown = thrownBy(() => envelopeOf({ content: DAMAGED, isError: true }, { throwOnToolError: true }));
    expect(thrown).toMatchObject({ name: "CallError", category: "execution" });
  });

  test.each(["__ENVELOPE_V1__:", "__ENVELOPE_V2__:e30=", "__ENVELOPE_V1__:e30="])(
    "%s by itself is what it is",
    (said) => {
      const content = [text(said)];
      const envelope = envelopeOf({ content });
      expect(envelope.data).toEqual(content);
      expect(envelope.meta).toMatchObject({ content });
    },
  );

  test("does not hide the structure that came with it", () => {
    const envelope = envelopeOf({ content: DAMAGED, structuredContent: { rows: [1] } });
    expect(envelope.data).toEqual({ rows: [1] });
  });
});

test("a whole block counts more than structure and text beside it, which are kept", () => {
  const result = { ...twoBlocks("One row", { rows: [1] }), structuredContent: { other: true } };
  const envelope = envelopeOf(result);
  expect(envelope.data).toEqual({ rows: [1] });
  expect(envelope.meta).toMatchObject({ structuredContent: { other: true }, content: result.content });
});

describe("a result that Plico wrote", () => {
  const trip = (outcome: Outcome): { result: { _meta?: { plico?: unknown } }; got: Outcome } => {
    const result = wireOf(mcpResult as Dialect, outcome);
    return { result, got: outcomeOf(result) };
  };

  test.each(sampleOutcomes)("comes back as it was: $label", ({ outcome }) => {
    assertSame(outcome, trip(outcome));
  });

  test("comes back as it was, whatever it says", () => {
    fc.assert(
      fc.property(anyOutcome, (outcome) => {
        assertSame(outcome, trip(outcome));
      }),
    );
  });

  test("comes back also where other formats' documents are left alone", () => {
    const result = wireOf(mcpResult as Dialect, FAILED);
    expect(thrownBy(() => envelopeOf(result, { unfold: false }))).toMatchObject({ code: "ROW_NOT_FOUND" });
  });

  test("keeps the hints of a failure for who attempts the call", async () => {
    const hints = { warnings: [{ code: "HALF", message: "half" }], rateLimit: { remaining: 0 }, requestId: "r1" };
    const result = wireOf(mcpResult as Dialect, failure({ category: "rate_limit", message: "slow" }, hints));
    const handlerOf = () => () => envelopeOf(result);
    const operations = operationsFromTools([{ name: "one" }], { namespace: "far", unfold: true, handlerOf });
    const registry = new OperationRegistry().registerAll(operations) as OperationRegistry;
    const outcome = await registry.attempt("far.one", {});
    expect(outcome).toMatchObject({ ok: false, error: { category: "rate_limit" }, meta: hints });
  });

  test.each([1, "x", [], { mine: 1 }, { ok: "yes" }, { error: 7, meta: "x" }])(
    "is not one because a tool uses the name for %j",
    (plico) => {
      const result = { content: [text("hi")], _meta: { plico } };
      expect(envelopeOf(result)).toMatchObject({ data: [text("hi")], meta: { isError: false, _meta: { plico } } });
    },
  );
});

/** Where nothing had to be carried, a failure is what MCP can say of it. */
function assertSame(wanted: Outcome, { result, got }: { result: { _meta?: { plico?: unknown } }; got: Outcome }): void {
  const isPlain = !wanted.ok && result._meta?.plico === undefined;
  if (isPlain) {
    const said = outcomeFromEnvelope(envelopeOf(result));
    expect(said).toMatchObject({
      ok: false,
      error: { category: wanted.error.category, message: wanted.error.message },
    });
    return;
  }
  expect(got.ok).toBe(wanted.ok);
  const expected = wanted.ok ? wanted.data : wanted.error;
  const actual = got.ok ? got.data : got.error;
  if (!isEqual(actual, expected)) expect(actual).toEqual(expected);
  if (wanted.ok) expect(isEqual(got.meta, hintsOf(wanted.meta)), JSON.stringify([got.meta, wanted.meta])).toBe(true);
}
