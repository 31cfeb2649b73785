import { CallError } from "../envelope/call-error.js";
import { hintsIn } from "../envelope/hints.js";
import type { Outcome } from "../envelope/outcome.js";
import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import type { JsonSchema } from "../json/json-schema.js";
import type { AnyHandler, OperationSpec } from "../registry/operation.js";
import type { AnyOperation } from "../registry/operation-map.js";
import type { AnySchema } from "../schema/standard-schema.js";
import { sampleOutcomes } from "./outcomes.js";

/** An operation, and a call of it. */
export interface SampleCall {
  readonly label: string;
  readonly operation: AnyOperation;
  readonly input: unknown;
}

const NAMESPACE = "corpus";

const ROW: JsonSchema = {
  type: "object",
  properties: { id: { type: "integer" }, name: { type: "string" }, tag: { type: "string", default: "none" } },
  required: ["id", "name"],
};

const ROWS: JsonSchema = {
  type: "object",
  properties: { rows: { type: "array", items: { $ref: "#/$defs/row" } } },
  required: ["rows"],
  $defs: { row: ROW },
};

const TREE: JsonSchema = {
  $defs: { node: { type: "object", properties: { children: { type: "array", items: { $ref: "#/$defs/node" } } } } },
  $ref: "#/$defs/node",
};

/** Calls whose answer must be the same however the operation is reached. */
export const sampleCalls: readonly SampleCall[] = [
  ...sampleOutcomes.map(({ label, outcome }, at) =>
    sample(`answers with ${label}`, `outcome_${at}`, () => given(outcome)),
  ),
  sample("answers by its schema", "rows", () => ({ rows: [{ id: 0, name: "Ada", tag: "first" }] }), ROWS),
  sample("tells what was changed", "untidy", () => ({ rows: [{ id: "7", name: "Ada", secret: 1 }], total: 1 }), ROWS),
  sample("tells what does not match", "mismatch", () => ({ rows: [{ id: "seven" }] }), ROWS),
  sample("answers with what is no object at all", "not_rows", () => [1, 2], ROWS),
  sample("answers with a list by its schema", "list", () => [1, 2, 3], { type: "array", items: { type: "integer" } }),
  sample("answers with a text by its schema", "text", () => "007", { type: "string" }),
  sample("answers with null by its schema", "null", () => null, { type: ["string", "null"] }),
  sample("answers with a tree", "tree", () => ({ children: [{ children: [] }] }), TREE),
  sample("answers with nothing", "nothing", () => undefined),
  sample("works with a broken schema", "broken", () => ({ a: 1 }), {
    type: "object",
    properties: { a: { $ref: "#/no" } },
  }),
  sample(
    "answers with a lot",
    "large",
    () => ({ rows: Array.from({ length: 2_000 }, (_, id) => ({ id, name: "x", tag: "" })) }),
    ROWS,
  ),
  sample(
    "says more beside the data",
    "hints",
    (_, context) => {
      context.warn("careful");
      context.warn({ code: "OWN_CODE", message: "there", path: "/rows" });
      context.page({ cursor: "next", hasMore: true });
      context.link({ uri: "docs://rows", name: "rows" });
      context.summary("One row");
      return { rows: [] };
    },
    ROWS,
  ),
  sample("takes its input", "echo", (input) => input, true, {
    text: "Zoë 東京 🎉",
    zero: 0,
    no: false,
    nothing: null,
    list: [],
  }),
  sample("refuses bad input", "strict_input", () => 1, true, { a: "one" }, { a: { type: "number" } }),
  sample("throws what it declares", "declared", () => {
    throw new Error("NO_ROWS: There are none.");
  }),
  sample("throws what nobody expects", "unexpected", () => {
    throw new TypeError("a secret of the inside");
  }),
  sample("fails after it said something", "late", (_, context) => {
    context.warn("half of it was done");
    throw new CallError({ category: "conflict", code: "HALF", message: "It stopped.", data: { done: 1 } });
  }),
];

function sample(
  label: string,
  name: string,
  handler: AnyHandler,
  outputSchema: AnySchema = true,
  input: unknown = {},
  properties: JsonSchema = {},
): SampleCall {
  const spec: OperationSpec = {
    namespace: NAMESPACE,
    name,
    version: "1.2.3",
    type: "query",
    description: label,
    inputSchema: { type: "object", properties },
    outputSchema,
    errorSchemas: { NO_ROWS: { category: "not_found" } },
  };
  return { label, operation: { id: `${NAMESPACE}.${name}`, spec, handler }, input };
}

/** What a handler returns or throws so that its call has this outcome. */
function given(outcome: Outcome): ResponseEnvelope {
  if (!outcome.ok) throw new CallError(outcome.error);
  const local = { source: "local", operationId: "corpus.sample", timestamp: 1_770_000_000_000 } as const;
  const { meta } = outcome;
  return { data: outcome.data, meta: meta.source === undefined ? { ...local, ...hintsIn(meta) } : meta };
}
