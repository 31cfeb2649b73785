import { Compile } from "typebox/schema";
import { describe, expect, test } from "vitest";
import {
  MCP_ERROR_CATEGORIES,
  type McpErrorPayload,
  McpErrorPayloadSchema,
  type RecommendationItem,
  RecommendationItemSchema,
  type SkillArtifact,
  SkillArtifactSchema,
  type WorkflowEnvelopePayload,
  WorkflowEnvelopePayloadSchema,
} from "./payload.js";

const RECOMMENDATION: RecommendationItem = {
  title: "Rotate refresh tokens on every use",
  detail: "A stolen refresh token is then noticed the first time that both parties use it.",
  modelClass: "strong",
  groundingScope: "workspace",
  evidenceAnchors: ["src/auth/session.ts:42", "docs/adr/0007-sessions.md"],
  sourceRefs: ["RFC 6819 §5.2.2.3"],
  problem: "Refresh tokens live for ninety days and are never rotated.",
  suggestedAction: "Add a token family id and revoke the family on reuse.",
};

const ARTIFACTS: Readonly<Record<SkillArtifact["kind"], SkillArtifact>> = {
  "worked-example": {
    kind: "worked-example",
    title: "Login with an expired token",
    input: { token: "expired", now: 1_750_185_000 },
    expectedOutput: { status: 401, error: "token_expired" },
  },
  "output-template": {
    kind: "output-template",
    title: "Decision record",
    description: "One page at most",
    template: "# {{title}}\n\n## Context\n{{context}}",
    fields: ["title", "context"],
  },
  "eval-criteria": { kind: "eval-criteria", title: "Done when", criteria: ["Tokens rotate", "Reuse is logged"] },
  "comparison-matrix": {
    kind: "comparison-matrix",
    title: "Sessions or tokens",
    headers: ["Revocation", "Scale"],
    rows: [
      { label: "Server sessions", values: ["at once", "one store"] },
      { label: "JWT", values: ["on expiry", "no store"] },
    ],
  },
  "tool-chain": {
    kind: "tool-chain",
    title: "From design to review",
    steps: [{ tool: "system-design", description: "Draft the flow" }, { tool: "code-review" }],
  },
};

const WORKFLOW: WorkflowEnvelopePayload = {
  displayName: "System Design: Feature Authentication",
  instructionId: "system-design",
  model: { id: "claude-3-5-sonnet", label: "Claude 3.5 Sonnet" },
  steps: [
    { kind: "design", label: "Architecture", summary: "Define the auth flow and components" },
    { kind: "review", label: "Threat model", summary: "" },
  ],
  recommendations: [RECOMMENDATION, { title: "Log reuse", detail: "", modelClass: "free" }],
  artifacts: Object.values(ARTIFACTS),
  methodology: { name: "architecture decision record", steps: 3 },
};

const ERROR: McpErrorPayload = {
  category: "validation",
  code: "ERR_INPUT_SCHEMA",
  message: "The provided context does not match schema",
  details: "path.to.field is required",
  recoverable: true,
  suggestedAction: "Provide all required fields and retry",
  nextTool: "schema-describe",
};

function without(payload: object, key: string): object {
  return Object.fromEntries(Object.entries(payload).filter(([name]) => name !== key));
}

describe("a workflow payload", () => {
  const validator = Compile(WorkflowEnvelopePayloadSchema);

  test("with everything is taken, and stays so as JSON", () => {
    expect(validator.Check(WORKFLOW)).toBe(true);
    expect(validator.Check(JSON.parse(JSON.stringify(WORKFLOW)))).toBe(true);
  });

  test("of the spec's own example is taken", () => {
    expect(validator.Check({ ...WORKFLOW, steps: [WORKFLOW.steps[0]], recommendations: [], artifacts: [] })).toBe(true);
  });

  test.each(["displayName", "instructionId", "model", "steps", "recommendations", "artifacts"])("needs %s", (key) => {
    expect(validator.Check(without(WORKFLOW, key))).toBe(false);
  });

  test("needs no methodology", () => {
    expect(validator.Check(without(WORKFLOW, "methodology"))).toBe(true);
  });

  test.each([
    ["a model without a label", { model: { id: "m" } }],
    ["a step without a summary", { steps: [{ kind: "design", label: "A" }] }],
    ["steps that are no list", { steps: {} }],
    ["a recommendation of text", { recommendations: ["cache"] }],
    ["a wrong artifact among right ones", { artifacts: [ARTIFACTS["tool-chain"], { kind: "tool-chain", title: "x" }] }],
    ["a display name of null", { displayName: null }],
  ])("with %s is not taken", (_, change) => {
    expect(validator.Check({ ...WORKFLOW, ...change })).toBe(false);
  });
});

describe("a recommendation", () => {
  const validator = Compile(RecommendationItemSchema);

  test.each(["free", "cheap", "strong", "reviewer"])("may be for models of class %s", (modelClass) => {
    expect(validator.Check({ ...RECOMMENDATION, modelClass })).toBe(true);
  });

  test.each(["manifest", "request", "context", "workspace", "snapshot", "evidence", "hybrid"])(
    "may be grounded in %s",
    (groundingScope) => {
      expect(validator.Check({ ...RECOMMENDATION, groundingScope })).toBe(true);
    },
  );

  test("needs a title, a detail and a class of models", () => {
    const optional = ["groundingScope", "evidenceAnchors", "sourceRefs", "problem", "suggestedAction"];
    expect(Object.keys(RECOMMENDATION).filter((key) => validator.Check(without(RECOMMENDATION, key)))).toEqual(
      optional,
    );
  });
});

describe("an artifact", () => {
  const validator = Compile(SkillArtifactSchema);

  test.each(Object.entries(ARTIFACTS))("of kind %s is taken, with a description or without", (_, artifact) => {
    expect(validator.Check(artifact)).toBe(true);
    expect(validator.Check({ ...artifact, description: "more" })).toBe(true);
    expect(validator.Check(without(artifact, "description"))).toBe(true);
  });

  test.each([
    ["worked-example", ["kind", "title", "input", "expectedOutput"]],
    ["output-template", ["kind", "title", "template"]],
    ["eval-criteria", ["kind", "title", "criteria"]],
    ["comparison-matrix", ["kind", "title", "headers", "rows"]],
    ["tool-chain", ["kind", "title", "steps"]],
  ] as const)("of kind %s needs what the notes on the spec list", (kind, required) => {
    const artifact = ARTIFACTS[kind];
    expect(Object.keys(artifact).filter((key) => !validator.Check(without(artifact, key)))).toEqual(required);
  });

  test.each([
    ["a kind nobody knows", { kind: "poem", title: "x" }],
    ["criteria that are one text", { ...ARTIFACTS["eval-criteria"], criteria: "fast" }],
    ["a row without values", { ...ARTIFACTS["comparison-matrix"], rows: [{ label: "a" }] }],
    ["a value that is no text", { ...ARTIFACTS["comparison-matrix"], rows: [{ label: "a", values: [1] }] }],
    ["a step without a tool", { ...ARTIFACTS["tool-chain"], steps: [{ description: "x" }] }],
    ["the fields of another kind", { ...ARTIFACTS["tool-chain"], kind: "eval-criteria" }],
  ])("with %s is not taken", (_, artifact) => {
    expect(validator.Check(artifact)).toBe(false);
  });

  test("may work an example with any values, null included", () => {
    expect(validator.Check({ ...ARTIFACTS["worked-example"], input: null, expectedOutput: "" })).toBe(true);
  });
});

describe("an error payload", () => {
  const validator = Compile(McpErrorPayloadSchema);

  test.each(MCP_ERROR_CATEGORIES)("may have the category %s", (category) => {
    expect(validator.Check({ ...ERROR, category })).toBe(true);
  });

  test("may have a category that a later version adds", () => {
    expect(validator.Check({ ...ERROR, category: "quota" })).toBe(true);
  });

  test("needs category, code, message and whether a retry is safe", () => {
    const optional = ["details", "suggestedAction", "nextTool"];
    expect(Object.keys(ERROR).filter((key) => validator.Check(without(ERROR, key)))).toEqual(optional);
  });

  test("has details of text only", () => {
    expect(validator.Check({ ...ERROR, details: { line: 1 } })).toBe(false);
  });
});
