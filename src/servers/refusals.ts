import { CallError } from "../envelope/call-error.js";

export function closing(): CallError {
  return new CallError({ category: "unavailable", message: "The server is shutting down. Try again later." });
}

export function cancelled(reason: unknown): CallError {
  const why = typeof reason === "string" && reason !== "" ? `: ${reason}` : ".";
  return new CallError({ category: "aborted", message: `The client has cancelled the call${why}` });
}
