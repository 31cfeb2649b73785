import { orElse } from "../json/attempt.js";

export interface GuardOptions {
  /**
   * The names by which the server may be called, with any port, or with the port that is given.
   * @default localhost and the loopback addresses
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * The web pages that may call: whole origins, or names of hosts; `*` for all.
   * @default those of `allowedHosts`
   */
  readonly allowedOrigins?: readonly string[] | "*" | undefined;
}

/** Those of a request that say who is meant. A list is a header that must not be repeated, and was. */
interface GuardedHeaders {
  readonly host?: string | string[] | undefined;
  readonly origin?: string | string[] | undefined;
}

/** How many headers are remembered as good. */
const MOST_KNOWN = 100;

/** Keeps web pages from reaching a server through the browser of someone who may: both headers name who is meant. */
export class HttpGuard {
  readonly #isHost: (url: URL) => boolean;
  readonly #isOrigin: (url: URL) => boolean;
  readonly #isAnyOrigin: boolean;
  readonly #knownHosts = new Set<string>();
  readonly #knownOrigins = new Set<string>();

  constructor({ allowedHosts, allowedOrigins }: GuardOptions) {
    this.#isHost = allowedHosts === undefined ? ({ hostname }) => isLoopback(hostname) : isAmong(allowedHosts);
    this.#isAnyOrigin = allowedOrigins === "*";
    this.#isOrigin = allowedOrigins === undefined ? this.#isHost : isAmong([allowedOrigins].flat());
  }

  /** Why a request must not be answered. */
  problemOf({ host, origin }: GuardedHeaders): string | undefined {
    if (typeof host !== "string" || !(this.#knownHosts.has(host) || this.#accepts(host)))
      return `The Host header ${host === undefined ? "is missing" : "names a host that is not among the allowedHosts of this server"}.`;
    if (origin === undefined) return undefined;
    if (typeof origin === "string" && (this.#knownOrigins.has(origin) || this.#acceptsOrigin(origin))) return undefined;
    return "The Origin header names a page that is not among the allowedOrigins of this server.";
  }

  #accepts(host: string): boolean {
    // Who stands between may speak https, so that a port that is not written can be that of either.
    const urls = ["http", "https"].map((scheme) => urlOf(`${scheme}://${host}`));
    if (!urls.some((url) => url !== undefined && this.#isHost(url))) return false;
    remember(this.#knownHosts, host);
    return true;
  }

  #acceptsOrigin(origin: string): boolean {
    if (this.#isAnyOrigin) return true;
    const url = urlOf(origin);
    if (url === undefined || url.hostname === "" || !this.#isOrigin(url)) return false;
    remember(this.#knownOrigins, origin);
    return true;
  }
}

function isAmong(allowed: readonly string[]): (url: URL) => boolean {
  const names = new Set(allowed.map((one) => (one.includes("://") ? originOf(urlOf(one)) : one.toLowerCase())));
  return (url) => {
    const { hostname, port, protocol } = url;
    const realPort = port === "" ? DEFAULT_PORTS[protocol] : port;
    return names.has(originOf(url)) || names.has(hostname) || names.has(`${hostname}:${realPort}`);
  };
}

/** Of schemes that it does not know, such as those of browsers' extensions, a URL calls every origin "null". */
function originOf(url: URL | undefined): string | undefined {
  return url?.origin === "null" ? `${url.protocol}//${url.host}` : url?.origin;
}

/** Those that a URL leaves out. */
const DEFAULT_PORTS: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

function urlOf(text: string): URL | undefined {
  return orElse(() => new URL(text), undefined);
}

/** Whether a host is this machine itself, as a URL writes it or as one listens on it. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function remember(known: Set<string>, header: string): void {
  if (known.size >= MOST_KNOWN) known.clear();
  known.add(header);
}
