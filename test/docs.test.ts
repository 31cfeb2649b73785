import { describe, expect, test } from "vitest";
import { DIALECTS } from "../src/dialects/all.js";
import type { Dialect } from "../src/dialects/dialect.js";
import { CATEGORIES, CATEGORY_FACTS } from "../src/envelope/category.js";
import { HINT_NAMES } from "../src/envelope/hints.js";
import type { Outcome } from "../src/envelope/outcome.js";
import { WARNINGS } from "../src/envelope/warning.js";
import { REGISTRY_CODES } from "../src/registry/registry-code.js";
import { sampleOutcomes } from "../src/testing/outcomes.js";
import { expectBlock, table } from "./generated-block.js";

const NOW = Date.UTC(2026, 0, 1);

describe("docs/errors.md", () => {
  test("has the table of categories", () => {
    const rows = CATEGORIES.map((category) => {
      const { code, status, jsonRpc, exitCode, errorType, envelopeCategory, emoji, recoverable } =
        CATEGORY_FACTS[category];
      const words = [`\`${category}\``, emoji, `\`${code}\``, status, jsonRpc, exitCode];
      return [...words.map(String), `\`${errorType}\``, `\`${envelopeCategory}\``, recoverable ? "yes" : "no"];
    });
    const head = [
      "category",
      "",
      "default code",
      "HTTP",
      "JSON-RPC",
      "exit",
      "response-v2",
      "tool-envelope-v1",
      "recoverable",
    ];
    expectBlock("docs/errors.md", "categories", table(head, rows));
  });

  test("has the codes of the registry", () => {
    const rows = Object.entries(REGISTRY_CODES).map(([code, meaning]) => [`\`${code}\``, meaning]);
    expectBlock("docs/errors.md", "codes", table(["code", "what it tells"], rows));
  });
});

describe("docs/warnings.md", () => {
  test("has the table of warnings", () => {
    const rows = Object.entries(WARNINGS).map(([code, meaning]) => [`\`${code}\``, meaning]);
    expectBlock("docs/warnings.md", "warnings", table(["code", "what it tells"], rows));
  });
});

describe.each(DIALECTS.map((dialect) => [dialect.name, dialect] as const))("docs/dialects/%s.md", (name, dialect) => {
  test("has the rules", () => {
    const rows = Object.entries(dialect.rules).map(([rule, { level, demand }]) => [`\`${rule}\``, level, demand]);
    expectBlock(`docs/dialects/${name}.md`, "rules", table(["rule", "level", "what it demands"], rows));
  });

  test("has the hints that it carries", () => {
    const carried = HINT_NAMES.filter((hint) => hint !== "extra").map((hint) => [
      `\`${hint}\``,
      howCarried(dialect, hint),
    ]);
    expectBlock(`docs/dialects/${name}.md`, "hints", table(["hint", "carried"], carried));
  });

  test("has a success and a failure as examples", () => {
    expectBlock(`docs/dialects/${name}.md`, "success", example(dialect, SUCCESS));
    expectBlock(`docs/dialects/${name}.md`, "failure", example(dialect, FAILURE));
  });
});

describe("docs/dialects/README.md", () => {
  const matrix = DIALECTS.map((from) => DIALECTS.map((to) => lossesBetween(from, to)));

  test("has the matrix of losses", () => {
    const head = ["from \\ to", ...DIALECTS.map(({ name }) => name)];
    const rows = DIALECTS.map(({ name }, at) => [`**${name}**`, ...(matrix[at] ?? []).map(String)]);
    const text = table(head, rows);
    console.log(`Losses in ${sampleOutcomes.length} sample outcomes, from the row's dialect to the column's:\n${text}`);
    expectBlock("docs/dialects/README.md", "matrix", text);
  });

  test("no dialect loses anything on the way to itself", () => {
    expect(matrix.map((row, at) => row[at])).toEqual(DIALECTS.map(() => 0));
  });
});

const SUCCESS: Outcome = {
  ok: true,
  data: { users: [{ id: 0, name: "Ada" }] },
  meta: {
    requestId: "req_0123456789ab",
    summary: "One user",
    warnings: [{ code: "SOURCE_WARNING", message: "The index is a day old" }],
    pagination: { cursor: "eyJvZmZzZXQiOjF9", hasMore: true },
  },
};

const FAILURE: Outcome = {
  ok: false,
  error: {
    category: "rate_limit",
    code: "RATE_LIMITED",
    message: "Too many calls",
    recoverable: true,
    suggestedAction: "Wait a minute",
    retryAfterMs: 60_000,
  },
  meta: {},
};

function example(dialect: Dialect, outcome: Outcome): string {
  const { wire, lost } = dialect.write(outcome, { now: NOW });
  const lines = lost.map(({ path, reason }) => `lost: ${path}: ${reason}`);
  return [
    "```json",
    JSON.stringify(wire, null, 2),
    "```",
    ...(lines.length === 0 ? [] : ["```", ...lines, "```"]),
  ].join("\n");
}

function howCarried(dialect: Dialect, hint: string): string {
  const sample = sampleOutcomes.find(({ label }) => label === `the hint ${hint}`);
  if (sample === undefined) throw new Error(`there is no sample of ${hint}`);
  const lost = dialect.write(sample.outcome, { now: NOW }).lost.map(({ path }) => path.replace(`/meta/${hint}`, ""));
  if (lost.length === 0) return "yes";
  return lost.includes("") ? "no" : `without ${lost.map((path) => `\`${path.slice(1)}\``).join(", ")}`;
}

/** How many places are lost when every sample, written in one dialect, is converted to another. */
function lossesBetween(from: Dialect, to: Dialect): number {
  const counts = sampleOutcomes.map(({ outcome }) => {
    const reading = from.read(JSON.parse(JSON.stringify(from.write(outcome, { now: NOW }).wire)));
    if (reading.kind !== "outcome") throw new Error(`${from.name} cannot read what it wrote`);
    return to.write(reading.outcome, from === to ? { now: NOW, layout: reading.layout } : { now: NOW }).lost.length;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}
