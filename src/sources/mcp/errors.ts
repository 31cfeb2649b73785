import { CallError, callErrorData, isCallError } from "../../envelope/call-error.js";
import { categoryFromJsonRpc, categoryFromStatus } from "../../envelope/category.js";
import { messageOf, orElse } from "../../json/attempt.js";
import { told } from "../../json/told.js";
import { isRecord, isString, type JsonRecord } from "../../json/value.js";
import type { ProcessEnd } from "../process-tree.js";
import { retryAfterMs } from "../retry-after.js";

/** MCP's own codes beside those of JSON-RPC. */
const CATEGORY_OF_MCP_CODE: Readonly<Record<number, string>> = { [-32001]: "timeout", [-32002]: "not_found" };

/** What a server answered in place of a result. What it says beside its message is kept in the details. */
export function errorFromJsonRpc(error: unknown, method: string): CallError {
  if (!isRecord(error)) return invalidAnswer(`answered ${method} with an error that is ${told(error)}`, error);
  const { code, message, data } = error;
  const category = typeof code === "number" ? (CATEGORY_OF_MCP_CODE[code] ?? categoryFromJsonRpc(code)) : "execution";
  const wait = isRecord(data) ? waitOf(data) : undefined;
  return new CallError({
    category,
    message: isString(message) && message !== "" ? message : `The server failed with the code ${told(code)}.`,
    details: { ...(code !== undefined && { code }), ...(data !== undefined && { data }) },
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}

function waitOf(data: JsonRecord): number | undefined {
  const milliseconds = data["retryAfterMs"];
  if (isWait(milliseconds)) return milliseconds;
  const seconds = ["retryAfter", "retry_after", "retry_after_seconds"].map((name) => data[name]).find(isWait);
  return seconds === undefined ? undefined : seconds * 1000;
}

function isWait(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < Number.MAX_SAFE_INTEGER / 1000;
}

/** The server said something that MCP has no meaning for. What it said is kept. */
export function invalidAnswer(what: string, data?: unknown): CallError {
  return new CallError({
    category: "execution",
    code: "INVALID_ANSWER",
    message: `The MCP server ${what}.`,
    ...(data !== undefined && { data }),
  });
}

export function timedOut(method: string, timeout: number): CallError {
  return new CallError({
    category: "timeout",
    message: `The MCP server has not answered ${method} within ${timeout} ms. A longer \`timeout\` of the source waits longer.`,
  });
}

export function tooLarge(length: number, limit: number): CallError {
  return new CallError({
    category: "validation",
    code: "PAYLOAD_TOO_LARGE",
    recoverable: false,
    message: `The MCP server answered with ${length} characters; \`maxMessageLength\` of the source allows ${limit}.`,
  });
}

/** The process is gone, and with it what it was doing. */
export function serverDied({ code, signal }: ProcessEnd, stderr: string): CallError {
  const how = signal === null ? `with the exit code ${code}` : `by the signal ${signal}`;
  return unavailable(`The MCP server's process has ended ${how}`, { exitCode: code, signal, stderr });
}

export function unavailable(what: string, details?: JsonRecord, cause?: unknown): CallError {
  const stderr = isString(details?.["stderr"]) ? details["stderr"].trim() : "";
  const last = stderr === "" ? "" : ` Its last words: ${stderr.split("\n").slice(-3).join("\n").slice(-500)}`;
  return new CallError({
    category: "unavailable",
    message: `${what}.${last}`,
    ...(details !== undefined && { details }),
    ...(cause !== undefined && { cause }),
  });
}

/** Errors of calls that the server has surely not begun: they may be made again. */
export const neverRan: WeakSet<CallError> = new WeakSet();

/** The same failure for a call that came too late to be begun. */
export function notBegun(error: CallError): CallError {
  const copy = new CallError({ ...callErrorData(error), cause: error.cause });
  neverRan.add(copy);
  return copy;
}

export function closed(name: string): CallError {
  return new CallError({ category: "unavailable", message: `The source ${name} is closed.`, recoverable: false });
}

/** An answer with an HTTP status that is no success. */
export function errorFromStatus(status: number, body: string, retryAfter: string | undefined): CallError {
  const wait = retryAfterMs(retryAfter);
  const words = wordsIn(body).slice(0, 500);
  const isElsewhere = status >= 300 && status < 400;
  return new CallError({
    category: isElsewhere ? "unavailable" : categoryFromStatus(status),
    ...(isElsewhere && { recoverable: false, suggestedAction: "Give the source the address that it redirects to." }),
    message: `The MCP server answered with the HTTP status ${status}${words === "" ? "" : `: ${words}`}`,
    details: { status, ...(body !== "" && { body }) },
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}

/** The message of a JSON-RPC error, where the body is one. */
function wordsIn(body: string): string {
  const parsed = orElse<unknown>(() => JSON.parse(body), undefined);
  const error = isRecord(parsed) ? parsed["error"] : undefined;
  return isRecord(error) && isString(error["message"]) ? error["message"] : body.trim();
}

/** A server that was started or greeted, and said nothing. */
export function notReady(thrown: unknown, startTimeout: number): unknown {
  if (!isRecord(thrown) || thrown["code"] !== "REQUEST_TIMEOUT") return thrown;
  const message = `The MCP server was not ready within ${startTimeout} ms. A longer \`startTimeout\` of the source waits longer.`;
  return new CallError({ category: "timeout", message, cause: thrown });
}

/** The user's own function has failed, and the server was never asked. */
export function noToken(thrown: unknown): CallError {
  const message = `The \`token\` of the source could not be had: ${messageOf(thrown)}`;
  return new CallError({ category: "authentication", message, cause: thrown });
}

/** Whatever the SDK, the network or a hook of the user threw. */
export function errorFromThrown(thrown: unknown): CallError {
  if (isCallError(thrown)) return thrown;
  const { code, data, name } = isRecord(thrown) ? thrown : ({} as JsonRecord);
  if (isRecord(data) && typeof data["status"] === "number")
    return errorFromStatus(data["status"], isString(data["text"]) ? data["text"] : messageOf(thrown), undefined);
  if (name === "UnauthorizedError" || isRefusedSignIn(name, messageOf(thrown)))
    return new CallError({ category: "authentication", message: signInMessage(thrown), cause: thrown });
  if (name === "InsufficientScopeError")
    return new CallError({ category: "authorization", message: messageOf(thrown), cause: thrown });
  if (name === "ProtocolError" && typeof code === "number")
    return errorFromJsonRpc({ code, message: messageOf(thrown), data }, "");
  if (code === "REQUEST_TIMEOUT")
    return new CallError({ category: "timeout", message: messageOf(thrown), cause: thrown });
  return new CallError({ category: "unavailable", message: wordsOf(thrown), cause: thrown });
}

/** What the SDK throws where a server or its sign-in is not who it says it is. */
function isRefusedSignIn(name: unknown, message: string): boolean {
  return (
    /^(OAuth|Issuer|AuthorizationServer|InsecureToken|Registration).*Error$/.test(String(name)) ||
    /^Protected resource /.test(message)
  );
}

function signInMessage(thrown: unknown): string {
  return `The MCP server wants to know who calls, and is not content: ${messageOf(thrown)}`;
}

/** `fetch failed` says nothing; the cause of its cause does. */
function wordsOf(thrown: unknown): string {
  const innermost = innermostCause(thrown);
  const { code, errors } = isRecord(innermost) ? innermost : ({} as JsonRecord);
  const first = Array.isArray(errors) ? errors[0] : innermost;
  const words = messageOf(first);
  const told = isString(code) && !words.includes(code) ? `${code}: ${words}` : words;
  return `The MCP server cannot be reached: ${told}`;
}

/** Whether a connection was closed before anything came back, as happens to one that was kept for the next request. */
export function isReset(thrown: unknown): boolean {
  const cause = innermostCause(thrown);
  return isRecord(cause) && ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"].includes(String(cause["code"]));
}

function innermostCause(thrown: unknown): unknown {
  let innermost = thrown;
  for (let depth = 0; depth < 5 && isRecord(innermost) && innermost["cause"] !== undefined; depth++)
    innermost = innermost["cause"];
  return innermost;
}
