import type { Progress } from "../registry/call-options.js";
import type { CallProgressEvent } from "./events.js";

export function progressEvent(requestId: string, { progress, total, message }: Progress): CallProgressEvent {
  return {
    type: "call.progress",
    requestId,
    progress,
    ...(total !== undefined && { total }),
    ...(message !== undefined && { message }),
  };
}

export function progressOf({ progress, total, message }: CallProgressEvent): Progress {
  return { progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) };
}
