import { isRecord, type JsonRecord } from "../json/value.js";

export type RequestId = string | number;

export interface JsonRpcRequest {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly method: string;
  readonly params?: JsonRecord;
}

export interface JsonRpcNotification {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: JsonRecord;
}

export interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || typeof value === "number";
}

export function isRequest(message: unknown): message is JsonRpcRequest {
  return isRecord(message) && typeof message["method"] === "string" && isRequestId(message["id"]);
}

export function isNotification(message: unknown): message is JsonRpcNotification {
  return isRecord(message) && typeof message["method"] === "string" && message["id"] === undefined;
}
