import type { IncomingHttpHeaders } from "node:http";
import { orElse } from "../../json/attempt.js";

export interface GuardOptions {
  /**
   * The names by which the server may be called, with any port, or with the port that is given.
   * @default localhost and the loopback addresses
   */
  readonly allowedHosts?: readonly string[];
  /**
   * The web pages that may call: whole origins, or names of hosts.
   * @default those of `allowedHosts`
   */
  readonly allowedOrigins?: readonly string[];
}

/** How many headers are remembered as good. */
const MOST_KNOWN = 100;

/** Keeps web pages from reaching a server through the browser of someone who may: both headers name who is meant. */
export class HttpGuard {
  readonly #isHost: (host: string, name: string) => boolean;
  readonly #isOrigin: (origin: string, name: string) => boolean;
  readonly #knownHosts = new Set<string>();
  readonly #knownOrigins = new Set<string>();

  constructor({ allowedHosts, allowedOrigins }: GuardOptions) {
    this.#isHost = allowedHosts === undefined ? (_host, name) => isLoopback(name) : isAmong(allowedHosts);
    this.#isOrigin = allowedOrigins === undefined ? this.#isHost : isAmong(allowedOrigins);
  }

  /** Why a request must not be answered. */
  problemOf({ host, origin }: IncomingHttpHeaders): string | undefined {
    if (host === undefined || !(this.#knownHosts.has(host) || this.#accepts(host)))
      return `The Host header ${host === undefined ? "is missing" : "names a host that this server is not"}.`;
    if (origin === undefined || this.#knownOrigins.has(origin) || this.#acceptsOrigin(origin)) return undefined;
    return "The Origin header names a page that may not use this server.";
  }

  #accepts(host: string): boolean {
    const url = orElse(() => new URL(`http://${host}`), undefined);
    if (url === undefined || !this.#isHost(url.host, url.hostname)) return false;
    remember(this.#knownHosts, host);
    return true;
  }

  #acceptsOrigin(origin: string): boolean {
    const url = orElse(() => new URL(origin), undefined);
    if (url === undefined || url.hostname === "") return false;
    if (!this.#isOrigin(url.origin, url.hostname) && !this.#isOrigin(url.host, url.hostname)) return false;
    remember(this.#knownOrigins, origin);
    return true;
  }
}

function isAmong(allowed: readonly string[]): (whole: string, name: string) => boolean {
  const names = new Set(allowed.map((one) => one.toLowerCase().replace(/\/$/, "")));
  return (whole, name) => names.has(whole) || names.has(name);
}

/** Whether a host is this machine itself, as a URL writes it or as one listens on it. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function remember(known: Set<string>, header: string): void {
  if (known.size >= MOST_KNOWN) known.clear();
  known.add(header);
}
