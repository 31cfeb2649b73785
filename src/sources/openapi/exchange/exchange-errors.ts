import { CallError } from "../../../envelope/call-error.js";
import { messageOf } from "../../../json/attempt.js";
import { isRecord, isString } from "../../../json/value.js";

const lost: WeakSet<object> = new WeakSet();

/** Whether the failure is that a connection could not be made or was cut, so that the next one may do better. */
export function isConnectionLoss(error: unknown): boolean {
  return isRecord(error) && lost.has(error);
}

/** What went wrong between here and the server, in words. `host` is told, and nothing else of the address. */
export function errorFromNetwork(thrown: unknown, host: string): CallError {
  const code = codeOf(thrown);
  if (code.startsWith("HPE_")) return invalidAnswer(host, `answered in something that is not HTTP (${code})`, thrown);
  const words = WORDS_OF_CODE[code] ?? (isAboutTls(code) ? "it is not trusted" : undefined);
  const reason = [words ?? messageOf(thrown), code].filter((part) => part !== "").join(", ");
  const message = `${host} cannot be reached: ${reason}.`;
  const isLasting = code === "ENOTFOUND" || isAboutTls(code);
  const init = { category: "unavailable", message, details: { host, ...(code !== "" && { reason: code }) } };
  const error = new CallError({ ...init, ...(isLasting && { recoverable: false }), cause: thrown });
  return isLasting ? error : markLost(error);
}

function codeOf(thrown: unknown): string {
  return isRecord(thrown) && isString(thrown["code"]) ? thrown["code"] : "";
}

const WORDS_OF_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nobody listens there",
  ECONNRESET: "it closed the connection",
  EPIPE: "it closed the connection",
  ETIMEDOUT: "it does not answer",
  EHOSTUNREACH: "no way leads there",
  ENETUNREACH: "no way leads there",
  ENOTFOUND: "no host has this name",
  EAI_AGAIN: "its name cannot be looked up now",
  EPROTO: "it does not speak TLS as this side does",
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by nobody but itself; NODE_EXTRA_CA_CERTS makes it known",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate comes from an unknown authority; NODE_EXTRA_CA_CERTS makes it known",
};

function isAboutTls(code: string): boolean {
  return /^EPROTO$|^ERR_(SSL|TLS)_|CERT|UNABLE_TO_|SIGNATURE|^CRL_|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH/.test(code);
}

function markLost(error: CallError): CallError {
  lost.add(error);
  return error;
}

export function cutAnswer(host: string, cause?: unknown): CallError {
  const code = codeOf(cause);
  const message = `${host} closed the connection before its answer was whole${code === "" ? "" : ` (${code})`}.`;
  return markLost(new CallError({ category: "unavailable", message, details: { host }, cause }));
}

/** The server said something that has no meaning in HTTP, or cannot be decoded. */
export function invalidAnswer(host: string, what: string, cause?: unknown): CallError {
  return new CallError({
    category: "execution",
    code: "INVALID_ANSWER",
    message: `${host} ${what}.`,
    details: { host },
    cause,
  });
}

export function tooLarge(host: string, limit: number, told?: number): CallError {
  const size = told === undefined ? `more than ${limit}` : `${told}`;
  return new CallError({
    category: "validation",
    code: "PAYLOAD_TOO_LARGE",
    recoverable: false,
    message: `${host} answered with ${size} bytes; \`maxResponseBytes\` of the source allows ${limit}.`,
  });
}

export function timedOut(host: string, what: string, timeout: number): CallError {
  return new CallError({
    category: "timeout",
    message: `${host} ${what} within ${timeout} ms. A longer \`timeout\` of the source waits longer.`,
  });
}

export function deadlinePassed(what: string): CallError {
  return new CallError({ category: "timeout", message: `The deadline of the call passed before ${what}.` });
}

export function clientClosed(): CallError {
  return new CallError({ category: "unavailable", message: "The source is closed.", recoverable: false });
}

export function addressRefused(host: string, address: string): CallError {
  const where = host === address ? host : `${host} (${address})`;
  return new CallError({
    category: "authorization",
    code: "ADDRESS_REFUSED",
    recoverable: false,
    message: `${where} is a private address, which an API from elsewhere may not reach. Where it may, set \`allowPrivate\` of the source.`,
    details: { host, address },
  });
}

export function tooManyRedirects(hosts: readonly string[], most: number): CallError {
  return new CallError({
    category: "execution",
    code: "TOO_MANY_REDIRECTS",
    message: `The server redirects more than ${most} times: ${hosts.join(" → ")}.`,
    details: { hosts },
  });
}

/** A body may hold secrets, and the other host is not the one that it was meant for. */
export function bodyNotForwarded(from: string, to: string, method: string): CallError {
  return new CallError({
    category: "execution",
    code: "REDIRECT_REFUSED",
    message: `${from} redirects the ${method} to ${to}; its body is not sent to another host.`,
    suggestedAction: `Where ${to} is right, give the source that address as its \`baseUrl\`.`,
    details: { from, to },
  });
}

/** The request itself cannot be sent: a header or the method has characters that HTTP has no room for. */
export function unsendable(thrown: unknown): CallError {
  return new CallError({
    category: "validation",
    message: `The request cannot be sent: ${messageOf(thrown)}`,
    cause: thrown,
  });
}
