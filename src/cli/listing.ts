import type { CallErrorData } from "../envelope/call-error.js";
import type { SourceKind } from "../gateway/config/config.js";
import type { Gateway, GatewaySource, GatewaySourceHealth } from "../gateway/gateway.js";
import type { OperationAnnotations, OperationSpec, OperationType } from "../registry/operation.js";
import { operationIdOf } from "../registry/operation-id.js";
import type { SourceStatus } from "../registry/source.js";
import { compile } from "../schema/compile.js";
import { jsonSchemaOf } from "../schema/standard-schema.js";
import { inputSummary } from "./input-summary.js";

/** What `plico ls --json` prints: fields are added to it, and none is taken away. */
export interface Listing {
  readonly sources: readonly ListedSource[];
}

export interface ListedSource {
  readonly name: string;
  readonly kind: SourceKind;
  readonly status: SourceStatus;
  readonly openedInMs?: number;
  /** Of MCP servers. */
  readonly era?: "legacy" | "modern";
  readonly protocolVersion?: string;
  readonly server?: { readonly name: string; readonly version: string };
  /** Why it is not up. */
  readonly error?: Pick<CallErrorData, "category" | "code" | "message" | "suggestedAction">;
  readonly warnings: readonly string[];
  readonly operations: readonly ListedOperation[];
}

export interface ListedOperation {
  readonly id: string;
  readonly type: OperationType;
  readonly version: string;
  readonly title?: string;
  readonly description: string;
  readonly tags?: readonly string[];
  readonly annotations?: OperationAnnotations;
  /** On one line, for people. */
  readonly input: string;
  readonly inputSchema: unknown;
  readonly outputSchema: unknown;
  readonly schemas: SchemaState;
}

interface SchemaState {
  /** Whether a schema says anything. */
  readonly input: boolean;
  readonly output: boolean;
  /** Parts of them that cannot be used, and accept anything. */
  readonly problems: readonly string[];
}

export function listingOf(gateway: Gateway): Listing {
  const specs = new Map(gateway.served.list().map((spec) => [operationIdOf(spec), spec]));
  return { sources: gateway.sources.map((source) => listedSource(source, specs)) };
}

function listedSource(source: GatewaySource, specs: ReadonlyMap<string, OperationSpec>): ListedSource {
  const { name, kind, operationIds } = source;
  const { status, error, warnings, openedInMs, era, protocolVersion, server }: GatewaySourceHealth = source.health();
  return {
    ...{ name, kind, status },
    ...(openedInMs !== undefined && { openedInMs }),
    ...(era !== undefined && { era }),
    ...(protocolVersion !== undefined && { protocolVersion }),
    ...(server !== undefined && { server }),
    ...(error !== undefined && { error: reasonOf(error) }),
    warnings: warnings.map(({ message }) => message),
    operations: operationIds.flatMap((id) => specs.get(id) ?? []).map(listedOperation),
  };
}

function reasonOf({ category, code, message, suggestedAction }: CallErrorData): NonNullable<ListedSource["error"]> {
  return { category, code, message, ...(suggestedAction !== undefined && { suggestedAction }) };
}

export function listedOperation(spec: OperationSpec): ListedOperation {
  const { type, version, title, description, tags, annotations } = spec;
  return {
    ...{ id: operationIdOf(spec), type, version },
    ...(title !== undefined && { title }),
    description,
    ...(tags !== undefined && { tags }),
    ...(annotations !== undefined && { annotations }),
    input: inputSummary(spec),
    inputSchema: jsonSchemaOf(() => spec.inputSchema, "input"),
    outputSchema: jsonSchemaOf(() => spec.outputSchema, "output"),
    schemas: schemaState(spec),
  };
}

function schemaState({ inputSchema, outputSchema }: OperationSpec): SchemaState {
  const input = compile(inputSchema, { side: "input" });
  const output = compile(outputSchema);
  return {
    input: !input.acceptsAll,
    output: !output.acceptsAll,
    problems: [...input.warnings, ...output.warnings].map(({ message }) => message),
  };
}
