import type { Dialect } from "./dialect.js";
import { helperOutput } from "./helper-output.js";
import { mcpResult } from "./mcp-result.js";
import { problemDetails } from "./problem-details.js";
import { responseEnvelope } from "./response-envelope.js";
import { responseV2 } from "./response-v2.js";
import { toolEnvelopeV1 } from "./tool-envelope-v1.js";
import { toolResponse } from "./tool-response.js";

/** Every dialect, in the order in which they are asked: a carrier comes after what it may carry. */
export const DIALECTS: readonly Dialect[] = [
  toolEnvelopeV1,
  responseEnvelope,
  toolResponse,
  helperOutput,
  responseV2,
  mcpResult,
  problemDetails,
] as readonly Dialect[];

export type DialectName =
  | "tool-envelope-v1"
  | "response-envelope"
  | "tool-response"
  | "helper-output"
  | "response-v2"
  | "mcp-result"
  | "problem-details";

export const DIALECT_NAMES: readonly string[] = DIALECTS.map(({ name }) => name);

/** The dialect of that name, or `undefined`. */
export function dialectNamed(name: string, dialects: readonly Dialect[] = DIALECTS): Dialect | undefined {
  return dialects.find((dialect) => dialect.name === name);
}
