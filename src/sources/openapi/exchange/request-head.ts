import type { IncomingHttpHeaders } from "node:http";
import { isString } from "../../../json/value.js";
import type { OutgoingRequest, RequestSecrets } from "../http-answer.js";
import { ACCEPTED_ENCODINGS } from "./decompress.js";
import type { Target } from "./raw-url.js";

export const NO_SECRETS: RequestSecrets = { headers: {}, query: "", cookie: "" };

/** The path as it is sent: with the query, and what of it is secret. */
export function pathOf({ path, query }: Target, { secrets }: OutgoingRequest): string {
  const whole = [query, secrets.query].filter((part) => part !== "").join("&");
  return whole === "" ? path : `${path}?${whole}`;
}

export function headersOf({ method, headers, body, secrets }: OutgoingRequest): Record<string, string> {
  const all: Record<string, string> = { "accept-encoding": ACCEPTED_ENCODINGS };
  const cookies: string[] = [];
  for (const [name, value] of [...Object.entries(headers), ...Object.entries(secrets.headers)]) {
    const key = name.toLowerCase();
    if (key === "cookie") cookies.push(value);
    else if (!OF_CONNECTION.has(key)) all[key] = value;
  }
  const cookie = [...cookies, secrets.cookie].filter((part) => part !== "").join("; ");
  if (cookie !== "") all["cookie"] = cookie;
  if (body !== undefined || MEANS_BODY.has(method)) all["content-length"] = String(Buffer.byteLength(body ?? ""));
  return all;
}

/** Said by this side only: a value from elsewhere could make the server see another request than was sent. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Methods of which a server wants to know that there is no body. */
const MEANS_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

/**
 * What came back, without secrets of the query: servers often repeat it in the addresses of `Location` and `Link`. There
 * it must not be seen, nor be sent to another host.
 */
export function withoutSecrets(headers: IncomingHttpHeaders, { query }: RequestSecrets): IncomingHttpHeaders {
  if (query === "") return headers;
  const pairs = query.split("&").map(pairPattern);
  const cleaned = Object.entries(headers).map(([name, value]) => [
    name,
    isString(value) ? without(pairs, value) : value,
  ]);
  return Object.fromEntries(cleaned);
}

const END = "(?=[#>\\s\"',;]|$)";
const DANGLING = new RegExp(`[?&]+${END}`, "g");

function pairPattern(pair: string): RegExp {
  return new RegExp(`(?<=[?&])${pair.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?:&|${END})`, "g");
}

function without(pairs: readonly RegExp[], text: string): string {
  const rest = pairs.reduce((left, pair) => left.replace(pair, ""), text);
  return rest === text ? text : rest.replace(DANGLING, "");
}
