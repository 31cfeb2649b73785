import { isIP } from "node:net";
import { CallError } from "../../../envelope/call-error.js";
import { orElse } from "../../../json/attempt.js";

/** Where a request goes. Its path is what was written, because a URL object would resolve the dots in it. */
export interface Target {
  readonly isSecure: boolean;
  /** As one connects to it: an IPv6 address has no brackets. */
  readonly hostname: string;
  readonly port: number;
  readonly origin: string;
  /** For people: with the port, where it is not the usual one. */
  readonly host: string;
  /** Begins with a slash; without query. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
}

const PARTS = /^(https?:\/\/[^/?#\\]+)([^?#]*)(?:\?([^#]*))?/i;

/** Throws a `CallError` where the text is no address of HTTP. It may hold secrets, and is not shown. */
export function targetOf(url: string): Target {
  const [, start = "", path = "", query = ""] = PARTS.exec(url) ?? [];
  const parsed = orElse(() => new URL(start), undefined);
  if (parsed === undefined || parsed.username !== "" || parsed.password !== "") throw noAddress();
  const isSecure = parsed.protocol === "https:";
  return {
    isSecure,
    hostname: parsed.hostname.replace(/^\[|\]$/g, ""),
    port: parsed.port === "" ? (isSecure ? 443 : 80) : Number(parsed.port),
    origin: parsed.origin,
    host: parsed.host,
    path: printable(path.startsWith("/") ? path : `/${path}`),
    query: printable(query),
  };
}

/** Whether the host is an address itself, so that no name is looked up. */
export function isLiteral({ hostname }: Target): boolean {
  return isIP(hostname) !== 0;
}

/** The address as it was written, without anything that only the host may see. */
export function urlOf({ origin, path, query }: Target): string {
  return `${origin}${path}${query === "" ? "" : `?${query}`}`;
}

function noAddress(): CallError {
  return new CallError({
    category: "validation",
    message:
      "The address of the request is not one of HTTP, or holds a user name. Credentials have an option of their own.",
  });
}

/** What HTTP has no room for is percent-encoded; all else stays as it is written. */
function printable(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]+/g, (part) =>
    [...Buffer.from(part)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
  );
}
