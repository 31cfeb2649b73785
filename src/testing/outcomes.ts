import { callErrorData } from "../envelope/call-error.js";
import { CATEGORIES } from "../envelope/category.js";
import type { Failure, Outcome, OutcomeMeta, Success } from "../envelope/outcome.js";

export interface SampleOutcome {
  readonly label: string;
  readonly outcome: Outcome;
}

/** Every hint at once. */
const ALL_HINTS: OutcomeMeta = {
  requestId: "req_0123456789ab",
  traceId: "trace-1",
  spanId: "span-1",
  timestamp: 1_770_000_000_000,
  status: "warn",
  summary: "Three of four rows",
  details: ["first", "second"],
  nextSteps: ["ask for the fourth"],
  warnings: [
    { code: "SOURCE_WARNING", message: "a plain warning" },
    { code: "OUTPUT_STRIPPED", message: "a field was removed", path: "/rows/0/debug", count: 3 },
  ],
  skippedSources: ["journal", { name: "calendar", reason: "offline" }],
  deprecations: [{ field: "payload.rows", since: 1, removeInVersion: 2, replacement: "payload.items" }],
  pagination: { cursor: "abc", hasMore: true, totalCount: 4, pageSize: 3 },
  rateLimit: { limit: 100, remaining: 0, resetAt: 1_770_000_060_000, resetSeconds: 60, retryAfterMs: 1500 },
  tokenUsage: { inline: 12, total: 3400 },
  telemetry: { duration_ms: 234, cache_hit: false },
  truncated: true,
  links: [{ type: "resource_link", uri: "docs://rows/4", name: "the fourth" }],
};

const ORIGINS: Readonly<Record<string, OutcomeMeta>> = {
  local: { source: "local", operationId: "rows.list", timestamp: 1_770_000_000_000 },
  http: {
    source: "http",
    statusCode: 201,
    headers: { location: "/rows/1" },
    contentType: "application/json",
    setCookie: ["a=1", "b=2"],
  },
  mcp: {
    source: "mcp",
    isError: false,
    content: [{ type: "text", text: '{"rows":[]}' }],
    structuredContent: { rows: [] },
    _meta: { "example/trace": "t" },
  },
  script: {
    source: "script",
    command: ["node", "rows.js"],
    exitCode: 0,
    timestamp: 1_770_000_000_000,
    schemaVersion: "1.2.0",
    agent: "codex",
  },
};

const DATA: Readonly<Record<string, unknown>> = {
  "an object": { rows: [{ id: 0, name: "Ada" }], total: 1 },
  "an empty object": {},
  "an empty list": [],
  "a list": [1, "two", null],
  null: null,
  zero: 0,
  "minus one": -1,
  "an empty string": "",
  "a string": "007",
  false: false,
  true: true,
  "falsy fields": { zero: 0, empty: "", no: false, nothing: null, none: [] },
  "unicode beyond the basic plane": { "ключ 🔑": "Zoë 東京 🎉\u0000\u2028" },
  "big numbers": { safe: Number.MAX_SAFE_INTEGER, large: 1.7976931348623157e308, small: 5e-324, negative: -9e15 },
  "a value 100 levels deep": nested(100),
  "the names of other formats' fields": {
    status: "open",
    error: "none",
    ts: "then",
    meta: { version: "mine" },
    data: 1,
    success: false,
    plico: {},
  },
  "a field called result": { result: 5 },
  "the keys of an object's own machinery": JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"toString":"x"}'),
  "what looks like an error": { category: "validation", code: "E", message: "not one", recoverable: true },
  "what looks like content blocks": [{ type: "text", text: "hello" }],
  "an envelope inside": { data: 1, meta: { source: "local", operationId: "a.b", timestamp: 1 } },
};

const ERRORS: readonly (readonly [label: string, failure: Omit<Failure, "ok">])[] = [
  ...CATEGORIES.map(
    (category) => [`a failure of category ${category}`, failure({ category, message: `${category} it is` })] as const,
  ),
  ["a failure of a category nobody knows", failure({ category: "quantum", code: "Q_1", message: "entangled" })],
  ["a failure that says nothing", failure({ category: "execution", code: "TOOL_ERROR", message: "no" })],
  ["a failure without a message", failure({ category: "internal", message: "" })],
  [
    "a failure with everything",
    {
      error: callErrorData({
        category: "conflict",
        code: "VERSION_CONFLICT",
        message: "Someone else was faster",
        recoverable: true,
        details: { expected: 3, found: 4 },
        data: { rows: [1, 2], code: "theirs" },
        issues: [
          { path: "/rows/0/id", message: "is taken", rule: "unique" },
          { path: "", message: "is stale" },
        ],
        suggestedAction: "Read again",
        nextTool: "rows.get",
        retryAfterMs: 1500,
      }),
      meta: ALL_HINTS,
    },
  ],
  [
    "a failure with text details",
    failure({ category: "execution", message: "crashed", details: "at line 1\nat line 2" }),
  ],
  [
    "a failure with falsy parts",
    failure({ category: "timeout", message: "slow", details: 0, data: "", retryAfterMs: 0 }),
  ],
  ["a failure with null parts", failure({ category: "network", message: "gone", details: null, data: null })],
  ["a failure with a list as data", failure({ category: "execution", message: "half", data: [1, 2] })],
  ["a failure with an empty object", failure({ category: "execution", message: "half", data: {}, issues: [] })],
  [
    "a failure with steps but no suggestion",
    { error: callErrorData({ category: "execution", message: "x" }), meta: { nextSteps: ["a", "b"] } },
  ],
];

/** Outcomes that every dialect must carry, or say what it cannot. */
export const sampleOutcomes: readonly SampleOutcome[] = [
  ...Object.entries(DATA).map(([label, data]) => sample(label, { ok: true, data, meta: {} })),
  sample("every hint", { ok: true, data: { rows: [1, 2, 3] }, meta: ALL_HINTS }),
  ...Object.entries(ALL_HINTS).map(([name, value]) =>
    sample(`the hint ${name}`, success({ [name]: value } as OutcomeMeta)),
  ),
  ...Object.entries(ORIGINS).map(([source, meta]) => sample(`a ${source} origin`, success(meta))),
  sample("a failure with an http origin", { ...ERRORS[0]?.[1], ok: false, meta: ORIGINS["http"] } as Failure),
  ...ERRORS.map(([label, parts]) => sample(label, { ok: false, ...parts })),
];

function sample(label: string, outcome: Outcome): SampleOutcome {
  return { label, outcome };
}

function success(meta: OutcomeMeta): Success {
  return { ok: true, data: { rows: [] }, meta };
}

function failure(init: Parameters<typeof callErrorData>[0]): Omit<Failure, "ok"> {
  return { error: callErrorData(init), meta: {} };
}

function nested(levels: number): unknown {
  let value: unknown = "bottom";
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { deeper: value };
  return value;
}
