import { arraySchema, type JsonSchema, objectSchema } from "../json/json-schema.js";

// What tool-envelope-v1 puts into its `payload`.

/** What an instruction of a workflow answers. */
export interface WorkflowEnvelopePayload {
  readonly displayName: string;
  readonly instructionId: string;
  readonly model: { readonly id: string; readonly label: string };
  readonly steps: readonly { readonly kind: string; readonly label: string; readonly summary: string }[];
  readonly recommendations: readonly RecommendationItem[];
  readonly artifacts: readonly SkillArtifact[];
  readonly methodology?: Readonly<Record<string, unknown>>;
}

export interface RecommendationItem {
  readonly title: string;
  readonly detail: string;
  readonly modelClass: (typeof MODEL_CLASSES)[number];
  readonly groundingScope?: (typeof GROUNDING_SCOPES)[number];
  readonly evidenceAnchors?: readonly string[];
  readonly sourceRefs?: readonly string[];
  readonly problem?: string;
  readonly suggestedAction?: string;
}

export type SkillArtifact = { readonly title: string; readonly description?: string } & (
  | { readonly kind: "worked-example"; readonly input: unknown; readonly expectedOutput: unknown }
  | { readonly kind: "output-template"; readonly template: string; readonly fields?: readonly string[] }
  | { readonly kind: "eval-criteria"; readonly criteria: readonly string[] }
  | { readonly kind: "comparison-matrix"; readonly headers: readonly string[]; readonly rows: readonly MatrixRow[] }
  | { readonly kind: "tool-chain"; readonly steps: readonly ToolChainStep[] }
);

export interface MatrixRow {
  readonly label: string;
  readonly values: readonly string[];
}

export interface ToolChainStep {
  readonly tool: string;
  readonly description?: string;
}

/** What a failed tool answers. */
export interface McpErrorPayload {
  readonly category: McpErrorCategory | (string & {});
  readonly code: string;
  readonly message: string;
  readonly details?: string;
  readonly recoverable: boolean;
  readonly suggestedAction?: string;
  readonly nextTool?: string;
}

export type McpErrorCategory = (typeof MCP_ERROR_CATEGORIES)[number];

export const MCP_ERROR_CATEGORIES = [
  "validation",
  "execution",
  "timeout",
  "model",
  "network",
  "authorization",
  "rate_limit",
  "not_found",
  "internal",
] as const;

const MODEL_CLASSES = ["free", "cheap", "strong", "reviewer"] as const;
const GROUNDING_SCOPES = ["manifest", "request", "context", "workspace", "snapshot", "evidence", "hybrid"] as const;

const string = { type: "string" };
const strings = arraySchema(string);

export const McpErrorPayloadSchema: JsonSchema = objectSchema(
  {
    category: string,
    code: string,
    message: string,
    details: string,
    recoverable: { type: "boolean" },
    suggestedAction: string,
    nextTool: string,
  },
  ["details", "suggestedAction", "nextTool"],
);

export const RecommendationItemSchema: JsonSchema = objectSchema(
  {
    title: string,
    detail: string,
    modelClass: { enum: MODEL_CLASSES },
    groundingScope: { enum: GROUNDING_SCOPES },
    evidenceAnchors: strings,
    sourceRefs: strings,
    problem: string,
    suggestedAction: string,
  },
  ["groundingScope", "evidenceAnchors", "sourceRefs", "problem", "suggestedAction"],
);

export const SkillArtifactSchema: JsonSchema = {
  anyOf: [
    artifact("worked-example", { input: true, expectedOutput: true }),
    artifact("output-template", { template: string, fields: strings }, ["fields"]),
    artifact("eval-criteria", { criteria: strings }),
    artifact("comparison-matrix", {
      headers: strings,
      rows: arraySchema(objectSchema({ label: string, values: strings })),
    }),
    artifact("tool-chain", {
      steps: arraySchema(objectSchema({ tool: string, description: string }, ["description"])),
    }),
  ],
};

export const WorkflowEnvelopePayloadSchema: JsonSchema = objectSchema(
  {
    displayName: string,
    instructionId: string,
    model: objectSchema({ id: string, label: string }),
    steps: arraySchema(objectSchema({ kind: string, label: string, summary: string })),
    recommendations: arraySchema(RecommendationItemSchema),
    artifacts: arraySchema(SkillArtifactSchema),
    methodology: { type: "object" },
  },
  ["methodology"],
);

function artifact(kind: string, fields: Record<string, JsonSchema>, optional: readonly string[] = []): JsonSchema {
  return objectSchema({ kind: { const: kind }, title: string, description: string, ...fields }, [
    "description",
    ...optional,
  ]);
}
