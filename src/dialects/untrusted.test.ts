import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isResponseSource, originFaults } from "../envelope/origin.js";
import { setAt } from "../json/residue.js";
import type { JsonRecord } from "../json/value.js";
import { DIALECTS, dialectNamed } from "./all.js";
import type { Dialect } from "./dialect.js";
import { json } from "./fixtures/arbitrary-outcome.js";
import { block, META } from "./fixtures/envelope-block.js";
import { readingOf, success, wireOf } from "./fixtures/reading.js";

// What Plico keeps under `plico` and in `extra` comes back over a wire, and a wire is not trusted.

const HEAD = { schema_version: "1.0.0", error: null, agent: "claude", ts: "2026-05-01T09:30:00Z" };

/** Of each dialect, a success with the given value where Plico carries what the dialect has no words for. */
const CARRYING: Readonly<Record<string, (plico: unknown) => unknown>> = {
  "tool-envelope-v1": (plico) => block({ payload: { a: 1 }, meta: { ...META, plico } }),
  "response-envelope": (plico) => ({
    data: { a: 1 },
    meta: { source: "local", operationId: "a.b", timestamp: 1, plico },
  }),
  "tool-response": (plico) => ({ meta: { status: "ok", summary: "Done", plico }, data: { a: 1 } }),
  "helper-output": (plico) => ({ ...HEAD, status: "ok", a: 1, plico }),
  "response-v2": (plico) => ({ success: true, data: { a: 1 }, error: null, meta: { version: "response-v2", plico } }),
  "mcp-result": (plico) => ({ content: [], structuredContent: { a: 1 }, _meta: { plico } }),
  "problem-details": (plico) => ({ title: "OK", status: 200, data: { a: 1 }, plico }),
};

const POISON: readonly (readonly [label: string, plico: unknown])[] = [
  ["an mcp origin without content", { meta: { source: "mcp", isError: true } }],
  ["an mcp origin whose content is a text", { meta: { source: "mcp", isError: true, content: "hello" } }],
  ["an mcp origin with null for a block", { meta: { source: "mcp", isError: true, content: [null] } }],
  ["a local origin without an operation", { meta: { source: "local" } }],
  ["an http origin whose headers are a number", { meta: { source: "http", headers: 7 } }],
  ["a timestamp that is an object", { meta: { source: "local", operationId: "a.b", timestamp: {} } }],
  ["a timestamp that no calendar has", { meta: { timestamp: 1e300 } }],
  ["an error whose category is a number", { error: { category: 7, code: [], message: null } }],
  ["the required fields of an error as absent", { ok: false, absent: ["category", "code", "message"] }],
  ["every place as added", { added: ["", "/data", "/meta", "/success", "/status", "/content", "/payload"] }],
];

function assertSound(dialect: Dialect, document: unknown): void {
  const reading = dialect.read(document);
  if (reading.kind !== "outcome") throw new Error(`${dialect.name} cannot read it: ${JSON.stringify(reading)}`);
  const { outcome } = reading;
  const meta: JsonRecord = { ...outcome.meta };
  if (isResponseSource(meta["source"])) expect(originFaults(meta["source"], meta)).toEqual([]);
  expect(["number", "undefined"]).toContain(typeof meta["timestamp"]);
  if (!outcome.ok) {
    const { category, code, message, recoverable } = outcome.error;
    expect([typeof category, typeof code, typeof message, typeof recoverable]).toEqual([
      "string",
      "string",
      "string",
      "boolean",
    ]);
  }
  for (const target of DIALECTS) readingOf(target, wireOf(target, outcome));
}

describe.each(DIALECTS.map((dialect) => [dialect.name, dialect] as const))(
  "what a stranger writes under plico in %s",
  (name, dialect) => {
    const carrying = CARRYING[name] ?? (() => undefined);

    test.each(POISON)("does no harm: %s", (_, plico) => {
      assertSound(dialect, carrying(plico));
    });

    test("does no harm, whatever it is", () => {
      const origin = fc.record(
        {
          source: fc.constantFrom("local", "http", "mcp", "script"),
          content: json,
          isError: json,
          timestamp: json,
          headers: json,
        },
        { requiredKeys: ["source"] },
      );
      const plico = fc.record(
        { meta: fc.oneof(origin, json), error: json, ok: json, wrapped: json, absent: json, added: json },
        { requiredKeys: [] },
      );
      fc.assert(
        fc.property(fc.oneof(plico, json), (value) => assertSound(dialect, carrying(value))),
        { numRuns: 50 },
      );
    });
  },
);

describe("what a stranger writes into extra", () => {
  test.each([
    ["tool-envelope-v1", "/envelope/meta/version", 2],
    ["tool-envelope-v1", "/envelope/meta", "none"],
    ["tool-envelope-v1", "/result/content", []],
    ["response-envelope", "/meta/source", "ftp"],
    ["tool-response", "/structuredContent/meta/status", "fine"],
    ["tool-response", "/structuredContent", 7],
    ["helper-output", "/status", "fine"],
    ["helper-output", "/error", 7],
    ["helper-output", "/schema_version", "one"],
    ["response-v2", "/success", "maybe"],
    ["response-v2", "/data", 7],
    ["response-v2", "/meta/version", "response-v9"],
    ["mcp-result", "/content", "hello"],
    ["mcp-result", "/isError", "maybe"],
    ["problem-details", "/status", 7],
  ])("does not damage what is written in %s: %s is %j", (name, place, value) => {
    const dialect = dialectNamed(name);
    if (dialect === undefined) throw new Error(`no dialect ${name}`);
    const outcome = success({ a: 1 }, { extra: { [name]: setAt({}, place, value) } });
    expect(readingOf(dialect, wireOf(dialect, outcome)).outcome).toMatchObject({ ok: true, data: { a: 1 } });
  });
});
