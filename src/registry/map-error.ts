import { CallError, callErrorFrom, isCallError } from "../envelope/call-error.js";
import { categoryFromCode } from "../envelope/category.js";
import { messageOf, orElse } from "../json/attempt.js";
import { isRecord } from "../json/value.js";
import type { ErrorDeclaration, ErrorDeclarations } from "./operation.js";

/**
 * Whatever a handler threw, as a `CallError`: its own, one of those that the operation declares, or else a failure
 * whose text stays in `cause`, because the text of an unknown exception may hold what no caller should see.
 */
export function mapError(thrown: unknown, operationId: string, declared: ErrorDeclarations = {}): CallError {
  if (isCallError(thrown)) return callErrorFrom(thrown);
  const message = messageOf(thrown);
  const code = declaredCode(thrown, message, declared);
  if (code !== undefined) return declaredError(code, declared[code] ?? {}, message, thrown);
  const name = orElse(() => (isRecord(thrown) ? thrown["name"] : undefined), undefined);
  if (!isError(thrown) || name === "AbortError" || name === "TimeoutError") return callErrorFrom(thrown);
  return new CallError({ category: "execution", message: `${operationId} failed unexpectedly.`, cause: thrown });
}

/** Also one of another realm, such as of a worker or a `vm` context. */
function isError(thrown: unknown): boolean {
  return orElse(() => thrown instanceof Error || Object.prototype.toString.call(thrown) === "[object Error]", false);
}

/** A code that stands whole in `code`, is the message, or begins it before a colon. */
function declaredCode(thrown: unknown, message: string, declared: ErrorDeclarations): string | undefined {
  const own = orElse(() => (isRecord(thrown) ? thrown["code"] : undefined), undefined);
  const candidates = [own, message, message.slice(0, Math.max(0, message.indexOf(":")))];
  return candidates.find((code): code is string => typeof code === "string" && Object.hasOwn(declared, code));
}

function declaredError(code: string, declaration: ErrorDeclaration, message: string, thrown: unknown): CallError {
  const text = message.startsWith(`${code}:`) ? message.slice(code.length + 1).trim() : message;
  const details = orElse(() => (isRecord(thrown) ? thrown["details"] : undefined), undefined);
  const { category = categoryFromCode(code) ?? "execution", recoverable, description } = declaration;
  return new CallError({
    category,
    code,
    message: text === code || text === "" ? (description ?? code) : text,
    ...(recoverable !== undefined && { recoverable }),
    ...(details !== undefined && { details }),
    cause: thrown,
  });
}
