import type { CallErrorData } from "./call-error.js";

/** Whether it stands for an exception of a handler, whose words are in `cause` and are told to no caller. */
export function isUnexpectedFailure(error: CallErrorData): error is CallErrorData & Error {
  return (
    (error.code === "EXECUTION_ERROR" || error.code === "UNKNOWN_ERROR") &&
    error instanceof Error &&
    error.cause !== undefined
  );
}
