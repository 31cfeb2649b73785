import type { HandlerContext } from "../../registry/context.js";
import type { AnyHandler, OperationSpec } from "../../registry/operation.js";
import { operationIdOf } from "../../registry/operation-id.js";
import { OperationRegistry } from "../../registry/registry.js";
import type { Catalog } from "./catalog.js";
import { operationDescription } from "./operation-description.js";
import { operationUnknown } from "./operation-unknown.js";
import { searchAnswer } from "./search-answer.js";

/** The namespace of the three; clients see their names without it. */
const NAMESPACE = "plico";
const MOST_MATCHES = 50;
const USUAL_MATCHES = 10;

/** How many sources the description of the search names. */
const MOST_NAMED = 20;

export const CALL_ID: string = `${NAMESPACE}.call_operation`;

const ID = { type: "string", description: "As search_operations gives it, such as files.read." };

// What they give is not described: it differs by operation, and the list is to be short.
const COMMON = { namespace: NAMESPACE, version: "1.0.0", outputSchema: {} } as const;

const DESCRIBE: OperationSpec = {
  ...COMMON,
  name: "describe_operation",
  type: "query",
  description: "Tells what an operation takes, gives and fails with, as JSON Schema, with an example of a call.",
  inputSchema: { type: "object", properties: { id: ID }, required: ["id"] },
  annotations: { readOnly: true, idempotent: true, openWorld: false },
};

const CALL: OperationSpec = {
  ...COMMON,
  name: "call_operation",
  type: "mutation",
  description: "Calls an operation and gives its result. describe_operation tells what its input must be.",
  inputSchema: {
    type: "object",
    properties: { id: ID, input: { type: "object", description: "The input of the operation." } },
    required: ["id"],
  },
};

/** Search and description as a registry of their own; what is called goes another way. */
export class SearchTools {
  readonly #own: OperationRegistry = new OperationRegistry();
  #search: OperationSpec = searchSpec([]);

  constructor(catalog: Catalog) {
    const add = (spec: OperationSpec, handler: AnyHandler): void => {
      this.#own.register({ id: operationIdOf(spec), spec, handler });
    };
    add(this.#search, ({ query = "", source, limit = USUAL_MATCHES }: SearchInput, { identity }: HandlerContext) =>
      searchAnswer(catalog, { query, source, limit, identity }),
    );
    add(DESCRIBE, ({ id }: { readonly id: string }, { identity }: HandlerContext) => {
      const shown = catalog.shownTo(identity);
      const spec = shown.find((one) => operationIdOf(one) === id);
      if (spec === undefined) throw operationUnknown(id, shown);
      return operationDescription(spec);
    });
  }

  /** The three. The search names the sources that everybody may know of, so that a model knows what to look for. */
  list(specs: readonly OperationSpec[]): readonly OperationSpec[] {
    const open = specs.filter(({ accessControl }) => accessControl === undefined);
    const search = searchSpec([...new Set(open.map(({ namespace }) => namespace))]);
    if (search.description !== this.#search.description) this.#search = search;
    return [this.#search, DESCRIBE, CALL];
  }

  /** Where the two are run. */
  get registry(): OperationRegistry {
    return this.#own;
  }

  has(id: string): boolean {
    return id === CALL_ID || this.#own.getSpec(id) !== undefined;
  }
}

/** Whether an operation is one of the three, whose names are used as they are. */
export function isSearchTool({ namespace, name }: OperationSpec): boolean {
  return namespace === NAMESPACE && [DESCRIBE.name, CALL.name, "search_operations"].includes(name);
}

interface SearchInput {
  readonly query?: string;
  readonly source?: string;
  readonly limit?: number;
}

function searchSpec(sources: readonly string[]): OperationSpec {
  const more = sources.length > MOST_NAMED ? ` and ${sources.length - MOST_NAMED} more` : "";
  const named =
    sources.length === 0 ? "" : ` There are operations of: ${sources.slice(0, MOST_NAMED).join(", ")}${more}.`;
  return {
    ...COMMON,
    name: "search_operations",
    type: "query",
    description: `Finds operations by what they do, the best first; without a query it lists the sources.${named} Describe what you found with describe_operation, then call it with call_operation.`,
    inputSchema: {
      type: "object",
      properties: {
        query: { type: "string", description: "Words, such as: create issue" },
        source: { type: "string", description: "Only operations of this source." },
        limit: { type: "integer", minimum: 1, maximum: MOST_MATCHES, default: USUAL_MATCHES },
      },
    },
    annotations: { readOnly: true, idempotent: true, openWorld: false },
  };
}
