import type { Tool as ToolDefinition } from "@modelcontextprotocol/server";
import { printJson } from "../../json/printable.js";
import { compact, isRecord, type JsonRecord, omit } from "../../json/value.js";
import { OPERATION_KEY, TOOL_KEY } from "../../mcp/keys.js";
import { type Identity, isShownTo } from "../../registry/access.js";
import type { OperationSpec } from "../../registry/operation.js";
import { operationIdOf } from "../../registry/operation-id.js";
import type { McpChannels, McpLayout } from "./options.js";
import { type ToolInput, type ToolOutput, toolInput, toolOutput } from "./tool-schemas.js";

export interface ToolOptions {
  readonly name: string;
  readonly layout: McpLayout;
  readonly channels: McpChannels;
  /** It is not there now, and nothing is known of it but its name. */
  readonly isAwaited?: boolean;
}

/** An operation as a tool. Its schemas are looked at when they are first asked for. */
export class Tool {
  readonly id: string;
  readonly spec: OperationSpec;
  readonly name: string;
  readonly layout: McpLayout;
  readonly channels: McpChannels;
  readonly isSubscription: boolean;
  readonly isAwaited: boolean;
  #input: ToolInput | undefined;
  #output: ToolOutput | undefined;
  #definition: ToolDefinition | undefined;

  constructor(spec: OperationSpec, { name, layout, channels, isAwaited = false }: ToolOptions) {
    this.id = operationIdOf(spec);
    this.spec = spec;
    this.name = name;
    this.layout = layout;
    this.channels = channels;
    this.isSubscription = spec.type === "subscription";
    this.isAwaited = isAwaited;
  }

  get input(): ToolInput {
    this.#input ??= toolInput(this.spec);
    return this.#input;
  }

  get output(): ToolOutput {
    this.#output ??= toolOutput(this.spec, this.layout, this.channels);
    return this.#output;
  }

  get definition(): ToolDefinition {
    this.#definition ??= definitionOf(this);
    return this.#definition;
  }

  /** Whether some are refused. */
  get isRestricted(): boolean {
    return this.spec.accessControl !== undefined;
  }

  /** Whether there is an input with which this caller is not refused. */
  isFor(identity: Identity | undefined): boolean {
    return isShownTo(this.spec.accessControl, identity, this.id);
  }

  /** The operation's input from the tool's arguments; who leaves them out has none to give. */
  inputFrom(args: Readonly<Record<string, unknown>> = {}): unknown {
    return this.input.isWrapped ? args["input"] : args;
  }
}

function definitionOf({ name, id, spec, input, output }: Tool): ToolDefinition {
  const { title, description, version, type, tags } = spec;
  const warnings = [...input.warnings, ...output.warnings];
  const operation = {
    id,
    version,
    type,
    tags,
    wrapsInput: input.isWrapped ? true : undefined,
    wrapsOutput: output.isWrapped ? true : undefined,
    warnings: warnings.length === 0 ? undefined : warnings,
  };
  const said = behind(spec);
  const definition = {
    name,
    title,
    description,
    inputSchema: input.schema,
    outputSchema: output.schema,
    annotations: { ...said.annotations, ...annotationsOf(spec) },
    icons: said.icons,
    // Whatever it holds, the list of all tools must not fail for it.
    _meta: { ...JSON.parse(printJson(omit({ ...spec._meta }, [TOOL_KEY]))), [OPERATION_KEY]: compact(operation) },
  };
  return compact(definition) as unknown as ToolDefinition;
}

/** What a server behind Plico says of its tool, beyond what an operation has words for. */
function behind({ _meta }: OperationSpec): { readonly annotations?: JsonRecord; readonly icons?: unknown } {
  const tool = _meta?.[TOOL_KEY];
  if (!isRecord(tool)) return {};
  const { annotations, icons } = tool;
  return { ...(isRecord(annotations) && { annotations }), ...(Array.isArray(icons) && { icons }) };
}

function annotationsOf({ annotations = {}, type }: OperationSpec): object {
  return compact({
    readOnlyHint: annotations.readOnly ?? type !== "mutation",
    idempotentHint: annotations.idempotent,
    destructiveHint: annotations.destructive,
    openWorldHint: annotations.openWorld,
  });
}
