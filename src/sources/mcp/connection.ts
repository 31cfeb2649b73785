import type { CallError } from "../../envelope/call-error.js";
import type { Era } from "../../mcp/keys.js";
import type { RequestEncoder } from "./encode.js";
import type { LaneRequest } from "./lane.js";

/** A server that answers, until it is lost. */
export interface Connection {
  readonly era: Era;
  readonly protocolVersion: string;
  readonly server: { readonly name: string; readonly version: string } | undefined;
  readonly hasTools: boolean;
  /** Writes requests as this era wants them. */
  readonly encoder: RequestEncoder;
  /** Sends a request and gives its result as it came. */
  request(request: LaneRequest): Promise<unknown>;
  /** Settles when the connection is gone, with the reason. */
  readonly lost: Promise<CallError>;
  /** Ends it once the requests that are under way have ended by themselves. */
  retire(): Promise<void>;
  close(): Promise<void>;
}

export interface ConnectionHooks {
  readonly onToolsChanged: () => void;
  /** The connection is not wanted any more, also while it is being made. */
  readonly signal: AbortSignal;
}
