import { createHash, timingSafeEqual } from "node:crypto";
import { CallError } from "../../envelope/call-error.js";
import type { Identity } from "../../registry/access.js";
import type { AuthConfig, TokenConfig } from "../config/config.js";

/** The least of a request that says who makes it. */
export interface BearerRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Who makes a request, by the token that it brings. Throws where that is nobody who may. */
export function bearerTokens({
  tokens,
  anonymous = false,
}: AuthConfig): (request: BearerRequest) => Identity | undefined {
  const known = Object.entries(tokens).map(([name, config]) => ({
    digest: digestOf(config.token),
    identity: identityOf(name, config),
  }));
  return ({ headers }) => {
    const { authorization } = headers;
    if (authorization === undefined && anonymous) return undefined;
    const token = typeof authorization === "string" ? /^Bearer +(\S+) *$/i.exec(authorization)?.[1] : undefined;
    if (token === undefined) throw refused("A bearer token is needed");
    const digest = digestOf(token);
    // Each is compared, whether one was found or not: the time it takes is not to tell which.
    const found = known.filter((one) => timingSafeEqual(one.digest, digest));
    if (found[0] === undefined) throw refused("The bearer token is not known here");
    return found[0].identity;
  };
}

/** Whoever started the process. */
export function stdioIdentity({ tokens, stdio }: AuthConfig): Identity | undefined {
  const config = stdio === undefined || !Object.hasOwn(tokens, stdio) ? undefined : tokens[stdio];
  return stdio === undefined || config === undefined ? undefined : identityOf(stdio, config);
}

function identityOf(name: string, { scopes = [] }: TokenConfig): Identity {
  return { id: name, scopes };
}

/** Of one length, as the comparison wants it. */
function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

function refused(message: string): CallError {
  return new CallError({
    category: "authentication",
    message: `${message}.`,
    suggestedAction: "Send the header `authorization: Bearer TOKEN` with one of the tokens of servers.auth.",
  });
}
