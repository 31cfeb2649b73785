import type { JsonRpcError, RequestId } from "../../mcp/json-rpc.js";
import type { Progress } from "../../registry/call-options.js";

// Frames are added up as text: what a call gives is in JSON already.

export function resultFrame(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

export function errorFrame(id: RequestId | null, error: JsonRpcError): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${JSON.stringify(error)}}`;
}

export function progressFrame(token: RequestId, progress: Progress): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: progressParams(token, progress),
  });
}

export function progressParams(progressToken: RequestId, { progress, total, message }: Progress): ProgressParams {
  return {
    progressToken,
    progress,
    ...(total !== undefined && { total }),
    ...(message !== undefined && { message }),
  };
}

export type ProgressParams = Progress & { readonly progressToken: RequestId };
