import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DIALECTS } from "../../dialects/all.js";
import { read } from "../../dialects/convert.js";
import { losses } from "../../dialects/loss.js";
import { responseV2 } from "../../dialects/response-v2.js";
import type { Success } from "../../envelope/outcome.js";
import { sampleOutcomes } from "../../testing/outcomes.js";
import { bareData, inDialect, problem, quickSuccess, standard } from "./printing.js";

const ORIGIN = { source: "local", operationId: "test.run", timestamp: 1_770_000_000_000 } as const;

function success(data: unknown, requestId?: string): Success {
  return { ok: true, data, meta: requestId === undefined ? ORIGIN : { ...ORIGIN, requestId } };
}

/** The text that the dialect itself would have written. */
function slowly(outcome: Success): string {
  return inDialect(responseV2, "application/json")(outcome).body;
}

const cycle: Record<string, unknown> = { name: "loop" };
cycle["self"] = cycle;

class Money {
  constructor(readonly cents: number) {}
  toJSON(): unknown {
    return `${this.cents} ct`;
  }
}

const ODD: Readonly<Record<string, unknown>> = {
  nothing: undefined,
  null: null,
  "an empty list": [],
  "a list with holes": [1, undefined, null],
  "a field without a value": { a: undefined, b: null },
  quotes: 'a "quoted" \\ text\n\u2028\u0000',
  "half a character": "\ud800",
  emoji: { "🔑": "東京 🎉" },
  "numbers that JSON has no word for": [Number.NaN, Number.POSITIVE_INFINITY, -0],
  "a large whole number": 10n,
  "a large whole number inside": { n: 10n },
  "what contains itself": cycle,
  "a list of what contains itself": [cycle],
  "a day": new Date(0),
  "a day inside": { at: new Date(0) },
  "what has words of its own": new Money(5),
  "what has words of its own inside": { price: new Money(5) },
  "a map": new Map([["a", 1]]),
  "a regular expression": /a/,
  "a function inside": { run: () => 1, kept: 1 },
  "a getter that throws": Object.defineProperty({ a: 1 }, "b", {
    enumerable: true,
    get: () => {
      throw new Error("no");
    },
  }),
  "no prototype": Object.assign(Object.create(null), { a: 1 }),
  bytes: new Uint8Array([1, 2]),
  "a field called plico": { plico: { wrapped: true } },
  "a field called result": { result: 1 },
  "a prototype as data": JSON.parse('{"__proto__":{"a":1}}'),
};

describe("response-v2 in one go", () => {
  test.each(Object.entries(ODD))("prints %s as the dialect does", (_, data) => {
    for (const outcome of [success(data), success(data, "req_1")])
      expect(JSON.parse(quickSuccess(outcome) ?? "")).toEqual(JSON.parse(slowly(outcome)));
  });

  test("prints every other value as the dialect does", () => {
    const values = fc.oneof(fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true }), fc.jsonValue());
    fc.assert(
      fc.property(values, fc.option(fc.string(), { nil: undefined }), (data, requestId) => {
        const outcome = success(data, requestId);
        expect(JSON.parse(quickSuccess(outcome) ?? "")).toEqual(JSON.parse(slowly(outcome)));
      }),
    );
  });

  test("is read back", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (data) => {
        const reading = read(JSON.parse(standard(success(data, "req_1")).body));
        expect(reading).toMatchObject({ kind: "outcome", outcome: { ok: true, meta: { requestId: "req_1" } } });
        expect(reading.kind === "outcome" && reading.outcome.ok && JSON.stringify(reading.outcome.data)).toBe(
          JSON.stringify(data),
        );
      }),
    );
  });

  test("is not tried where an answer says more", () => {
    const hints = sampleOutcomes.filter(({ outcome }) => outcome.ok && Object.keys(outcome.meta).length > 4);
    expect(hints.length).toBeGreaterThan(0);
    for (const { outcome } of hints) expect(quickSuccess(outcome as Success)).toBeUndefined();
    expect(quickSuccess({ ok: true, data: 1, meta: { ...ORIGIN, summary: "one" } })).toBeUndefined();
    expect(quickSuccess({ ok: true, data: 1, meta: {} })).toBeUndefined();
    expect(
      quickSuccess({ ok: true, data: 1, meta: { requestId: "a", summary: "b", truncated: true } }),
    ).toBeUndefined();
  });

  test.each(sampleOutcomes.map(({ label, outcome }) => [label, outcome] as const))("tells %s", (_, outcome) => {
    const { body, contentType } = standard(outcome);
    expect(contentType).toBe("application/json");
    expect(JSON.parse(body)).toEqual(JSON.parse(responseV2.print(responseV2.write(outcome).wire)));
  });
});

describe("bare data", () => {
  test.each(Object.entries(ODD))("prints %s as JSON", (_, data) => {
    expect(() => JSON.parse(bareData(success(data)).body)).not.toThrow();
  });

  test("names the hints that it has no place for, and not where the answer came from", () => {
    const { lost, contentType } = bareData({ ok: true, data: 1, meta: { ...ORIGIN, requestId: "r", summary: "one" } });
    expect(lost.map(({ path }) => path)).toEqual(["/meta/requestId", "/meta/summary"]);
    expect(contentType).toBe("application/json;profile=data");
  });

  test("tells a failure as a problem", () => {
    for (const { outcome } of sampleOutcomes) if (!outcome.ok) expect(bareData(outcome)).toEqual(problem(outcome));
  });
});

describe.each(DIALECTS.map((dialect) => [dialect.name, dialect] as const))("in %s", (name, dialect) => {
  const format = inDialect(dialect, `application/vnd.plico.${name}+json`);

  test("every outcome is read back, but for what is named as lost", () => {
    for (const { label, outcome } of sampleOutcomes) {
      const { body, contentType, lost } = format(outcome);
      expect(contentType).toBe(`application/vnd.plico.${name}+json`);
      const reading = dialect.read(JSON.parse(body));
      const back = reading.kind === "outcome" ? reading.outcome : expect.fail(`${label} is ${reading.kind}`);
      const missed = losses(outcome, back, name).filter(({ path }) => !isOfOrigin(path));
      expect(lost, label).toEqual(missed);
    }
  });

  test.each(Object.entries(ODD))("%s is one document that can be read", (_, data) => {
    const { body } = format(success(data, "req_1"));
    expect(read(JSON.parse(body))).toMatchObject({ kind: "outcome", outcome: { ok: true } });
  });
});

function isOfOrigin(path: string): boolean {
  return /^\/meta\/(source|operationId|timestamp|statusCode|headers|contentType|setCookie|isError|content|structuredContent|_meta|command|exitCode|schemaVersion|agent)\b/.test(
    path,
  );
}
