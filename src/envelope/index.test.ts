import { Compile } from "typebox/schema";
import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../json/json-schema.js";
import { sampleOutcomes } from "../testing/outcomes.js";
import { CallError } from "./call-error.js";
import * as envelope from "./index.js";
import { httpEnvelope, localEnvelope, mcpEnvelope, scriptEnvelope } from "./response-envelope.js";

const LINK = { type: "resource_link", uri: "docs://1", name: "one" };
const TEXT = { type: "text", text: "" };
const LOCAL = { source: "local", operationId: "a.b", timestamp: 0 };
const HTTP = { source: "http", statusCode: 200, headers: { etag: "1" }, contentType: "text/plain" };
const MCP = { source: "mcp", isError: false, content: [TEXT, LINK] };
const SCRIPT = { source: "script", command: ["node"], exitCode: null, timestamp: 0 };
const ERROR = { category: "quantum", code: "Q", message: "", recoverable: false };
const ISSUE = { path: "", message: "" };
const WARNING = { code: "A", message: "" };
const DEPRECATION = { field: "a", since: 1, removeInVersion: 2 };
const ITEM = { title: "Cache", detail: "Keep tokens", modelClass: "cheap" };
const ARTIFACT = { kind: "eval-criteria", title: "Checks", criteria: ["fast"] };
const WORKFLOW = {
  displayName: "System Design",
  instructionId: "system-design",
  model: { id: "m-1", label: "Model 1" },
  steps: [{ kind: "design", label: "Architecture", summary: "Define the flow" }],
  recommendations: [ITEM],
  artifacts: [ARTIFACT],
};

interface Samples {
  /** The first is whole: without any one of `required` it is bad. */
  readonly good: readonly [Readonly<Record<string, unknown>>, ...unknown[]];
  readonly required: readonly string[];
  readonly bad?: readonly unknown[];
}

const SAMPLES: Readonly<Record<string, Samples>> = {
  CallErrorSchema: {
    good: [
      ERROR,
      { ...ERROR, details: null, data: 0, issues: [ISSUE], retryAfterMs: 0 },
      new CallError(ERROR).toJSON(),
    ],
    required: ["category", "code", "message", "recoverable"],
    bad: [
      { ...ERROR, recoverable: "no" },
      { ...ERROR, retryAfterMs: -1 },
      { ...ERROR, issues: [{}] },
      { ...ERROR, nextTool: null },
    ],
  },
  IssueSchema: { good: [ISSUE, { ...ISSUE, rule: "r" }], required: ["path", "message"], bad: [{ ...ISSUE, rule: 1 }] },
  MCPAnnotationsSchema: {
    good: [{}, { audience: ["user", "assistant"], priority: 0, lastModified: "" }],
    required: [],
    bad: [{ audience: ["system"] }, { audience: "user" }, { priority: "1" }, { lastModified: 0 }],
  },
  MCPResourceContentSchema: {
    good: [{ uri: "a" }, { uri: "a", mimeType: "text/plain", text: "", blob: "" }],
    required: ["uri"],
    bad: [{ uri: "a", text: null }, { uri: 1 }],
  },
  MCPResourceLinkSchema: {
    good: [LINK, { ...LINK, title: "", description: "", mimeType: "" }],
    required: ["type", "uri", "name"],
    bad: [
      { ...LINK, type: "text" },
      { ...LINK, mimeType: 1 },
    ],
  },
  MCPContentBlockSchema: {
    good: [
      TEXT,
      { ...TEXT, annotations: {} },
      LINK,
      { type: "image", data: "", mimeType: "" },
      { type: "audio", data: "", mimeType: "" },
      { type: "resource", resource: { uri: "a" } },
    ],
    required: ["type", "text"],
    bad: [
      { type: "image", data: "" },
      { type: "audio", mimeType: "" },
      { type: "resource", resource: {} },
      { ...TEXT, annotations: { audience: "user" } },
      { type: "resource" },
    ],
  },
  DeprecationSchema: {
    good: [DEPRECATION, { ...DEPRECATION, replacement: "b", note: "" }],
    required: ["field", "since", "removeInVersion"],
    bad: [
      { ...DEPRECATION, since: "1" },
      { ...DEPRECATION, note: 1 },
    ],
  },
  PaginationSchema: {
    good: [{}, { cursor: null, hasMore: false, totalCount: 0, pageSize: 1, page: 0 }],
    required: [],
    bad: [{ cursor: 1 }, { totalCount: -1 }, { pageSize: 0.5 }, { hasMore: null }],
  },
  RateLimitSchema: {
    good: [{}, { limit: 0, resetSeconds: 0.5 }],
    required: [],
    bad: [{ limit: "1" }, { resetAt: null }],
  },
  TokenUsageSchema: { good: [{}, { inline: 0, total: 1 }], required: [], bad: [{ inline: "1" }, { total: null }] },
  WarningSchema: {
    good: [WARNING, { ...WARNING, path: "/a" }],
    required: ["code", "message"],
    bad: [{ ...WARNING, path: 0 }],
  },
  ResponseHintsSchema: {
    good: [{}, { requestId: "", warnings: [WARNING], links: [LINK], truncated: false, extra: {} }, { future: 1 }],
    required: [],
    bad: [
      { status: "error" },
      { warnings: [{}] },
      { details: "a" },
      { timestamp: "0" },
      { deprecations: [{}] },
      { skippedSources: [1] },
    ],
  },
  LocalResponseMetaSchema: { good: [LOCAL], required: Object.keys(LOCAL), bad: [HTTP, { ...LOCAL, timestamp: "0" }] },
  HTTPResponseMetaSchema: {
    good: [HTTP, { ...HTTP, setCookie: ["a=1"] }],
    required: Object.keys(HTTP),
    bad: [LOCAL, { ...HTTP, headers: { etag: 1 } }, { ...HTTP, setCookie: "a=1" }, { ...HTTP, statusCode: "200" }],
  },
  MCPResponseMetaSchema: {
    good: [MCP, { ...MCP, structuredContent: null, _meta: {} }],
    required: Object.keys(MCP),
    bad: [LOCAL, { ...MCP, isError: 0 }, { ...MCP, content: ["a"] }, { ...MCP, _meta: [] }],
  },
  ScriptResponseMetaSchema: {
    good: [SCRIPT, { ...SCRIPT, exitCode: 0, schemaVersion: "1.0.0", agent: "codex" }],
    required: Object.keys(SCRIPT),
    bad: [LOCAL, { ...SCRIPT, command: "node" }, { ...SCRIPT, exitCode: "0" }, { ...SCRIPT, agent: 1 }],
  },
  ResponseMetaSchema: {
    good: [LOCAL, HTTP, MCP, SCRIPT, { ...LOCAL, requestId: "", status: "ok" }],
    required: Object.keys(LOCAL),
    bad: [{ ...LOCAL, source: "ftp" }, { ...LOCAL, status: "error" }, { ...HTTP, warnings: [{}] }, { requestId: "" }],
  },
  ResponseEnvelopeSchema: {
    good: [
      { data: null, meta: LOCAL },
      { data: 0, meta: MCP },
      localEnvelope({ rows: [] }, "rows.list"),
      httpEnvelope("", { statusCode: 204, headers: {}, contentType: "" }),
      mcpEnvelope([], { isError: true, content: [] }),
      scriptEnvelope(false, { command: [], exitCode: null, timestamp: 0 }),
    ],
    required: ["data", "meta"],
    bad: [
      { data: 1, meta: {} },
      { data: 1, meta: null },
      { data: 1, meta: { source: "local" } },
    ],
  },
  OutcomeSchema: {
    good: [
      { ok: true, data: null, meta: {} },
      { ok: false, error: ERROR, meta: { requestId: "" } },
      { ok: true, data: 0, meta: LOCAL },
      ...sampleOutcomes.map(({ outcome }) => outcome),
    ],
    required: ["ok", "data", "meta"],
    bad: [
      { ok: false, data: 1, meta: {} },
      { ok: true, error: ERROR, meta: {} },
      { ok: "true", data: 1, meta: {} },
      { ok: false, error: "no", meta: {} },
      { ok: true, data: 1, meta: { status: "error" } },
      { ok: true, data: 1, meta: { source: "http" } },
      { ok: true, data: 1, meta: { ...LOCAL, source: "ftp" } },
    ],
  },
  McpErrorPayloadSchema: {
    good: [ERROR, { ...ERROR, details: "", suggestedAction: "", nextTool: "" }],
    required: ["category", "code", "message", "recoverable"],
    bad: [
      { ...ERROR, details: {} },
      { ...ERROR, recoverable: null },
    ],
  },
  RecommendationItemSchema: {
    good: [
      ITEM,
      { ...ITEM, groundingScope: "hybrid", evidenceAnchors: [], sourceRefs: ["a"], problem: "", suggestedAction: "" },
    ],
    required: Object.keys(ITEM),
    bad: [
      { ...ITEM, modelClass: "huge" },
      { ...ITEM, groundingScope: "web" },
      { ...ITEM, sourceRefs: "a" },
    ],
  },
  SkillArtifactSchema: {
    good: [ARTIFACT],
    required: Object.keys(ARTIFACT),
    bad: [
      { ...ARTIFACT, kind: "poem" },
      { ...ARTIFACT, description: 1 },
    ],
  },
  WorkflowEnvelopePayloadSchema: {
    good: [WORKFLOW, { ...WORKFLOW, methodology: { name: "adr" }, future: 1 }],
    required: Object.keys(WORKFLOW),
    bad: [
      { ...WORKFLOW, model: "m-1" },
      { ...WORKFLOW, steps: [{}] },
      { ...WORKFLOW, artifacts: [{}] },
      { ...WORKFLOW, methodology: [] },
    ],
  },
};

const SCHEMAS = Object.entries(envelope).filter(([name]) => name.endsWith("Schema")) as [string, JsonSchema][];

test("there are samples for every schema that is exported", () => {
  expect(Object.keys(SAMPLES).sort()).toEqual(SCHEMAS.map(([name]) => name).sort());
});

describe.each(SCHEMAS)("%s", (name, schema) => {
  const validator = Compile(schema);
  const { good, required, bad = [] } = SAMPLES[name] ?? { good: [{}], required: [] };

  test("is plain JSON", () => {
    expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  });

  test("takes what is right", () => {
    expect(good.filter((value) => !validator.Check(value))).toEqual([]);
  });

  test("takes fields that it does not know", () => {
    expect(validator.Check({ ...good[0], somethingNew: { a: 1 } })).toBe(true);
  });

  test("does not take what is wrong", () => {
    expect(bad.filter((value) => validator.Check(value))).toEqual([]);
  });

  test("does not take what is no object", () => {
    expect([undefined, null, 0, "", true, [], [good[0]]].filter((value) => validator.Check(value))).toEqual([]);
  });

  test("requires what the type requires", () => {
    const optional = Object.keys(good[0]).filter((key) => {
      const { [key]: _, ...rest } = good[0];
      return validator.Check(rest);
    });
    expect(
      Object.keys(good[0])
        .filter((key) => !optional.includes(key))
        .sort(),
    ).toEqual([...required].sort());
  });
});
