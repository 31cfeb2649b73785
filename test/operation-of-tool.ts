import { TOOL_KEY } from "../src/mcp/keys.js";
import type { AnyOperation } from "../src/registry/operation-map.js";
import type { OperationSource } from "../src/registry/source.js";

/** The operation that an MCP server's tool became, whatever it is called now. */
export function operationOf({ operations }: OperationSource, toolName: string): AnyOperation | undefined {
  return operations.find((operation) => toolNameOf(operation) === toolName);
}

export function toolNameOf({ spec }: AnyOperation): string | undefined {
  return (spec._meta?.[TOOL_KEY] as { readonly name?: string } | undefined)?.name;
}
