import { CallError, isCallError } from "../../envelope/call-error.js";
import { categoryFromCode } from "../../envelope/category.js";
import { messageOf, orElse } from "../../json/attempt.js";
import { isRecord, isString } from "../../json/value.js";
import { mapError } from "../../registry/map-error.js";
import type { ErrorDeclarations } from "../../registry/operation.js";
import { toolMissing } from "./require-program.js";

/**
 * Whatever a helper threw, as a `CallError`. Unlike that of other operations its text is told: who runs a helper runs it
 * as themselves, and may see what it sees.
 */
export function helperFailure(thrown: unknown, operationId: string, declared: ErrorDeclarations = {}): CallError {
  const mapped = mapError(thrown, operationId, declared);
  const isTold = isCallError(thrown) || Object.hasOwn(declared, mapped.code) || TOLD.includes(mapped.category);
  if (isTold) return mapped;
  const program = missingProgram(thrown);
  if (program !== undefined) return toolMissing(program, `Install ${program}, or put it into the PATH.`, thrown);
  const { code, message } = wordsOf(thrown);
  if (code === undefined) return new CallError({ category: "execution", message, cause: thrown });
  const details = fieldOf(thrown, "details");
  return new CallError({
    category: categoryFromCode(code) ?? "execution",
    code,
    message,
    ...(details !== undefined && { details }),
    cause: thrown,
  });
}

/** Of an `AbortError` or a `TimeoutError`. */
const TOLD: readonly string[] = ["aborted", "timeout"];

/** The program that could not be started. */
function missingProgram(thrown: unknown): string | undefined {
  const [code, syscall] = [fieldOf(thrown, "code"), fieldOf(thrown, "syscall")];
  if (code !== "ENOENT" || !isString(syscall)) return undefined;
  return /^spawn(?:Sync)? (.+)$/.exec(syscall)?.[1];
}

/** A code of its own, or one that begins the message: `RATE_LIMITED: try later`. */
function wordsOf(thrown: unknown): { readonly code?: string; readonly message: string } {
  const message = messageOf(thrown);
  const own = fieldOf(thrown, "code");
  if (isString(own) && own !== "") return { code: own, message: message === "" ? own : message };
  const [, code, text] = /^([A-Z][A-Z0-9_]{2,}):\s+(\S.*)$/s.exec(message) ?? [];
  if (code !== undefined && text !== undefined) return { code, message: text };
  return { message: message === "" ? "The helper failed without a message." : message };
}

function fieldOf(thrown: unknown, name: string): unknown {
  return orElse(() => (isRecord(thrown) ? thrown[name] : undefined), undefined);
}
