import { orElse } from "../../../json/attempt.js";
import { encodeBase64 } from "../../../json/base64.js";
import { isRecord, isString, isStringArray, type JsonRecord } from "../../../json/value.js";
import { retryAfterMs } from "../../retry-after.js";
import type { HttpAnswer, OutgoingRequest, RequestControl } from "../http-answer.js";
import { noToken, refusedCredential } from "./credential-errors.js";
import type { HttpClient } from "./http-client.js";
import { isLoopbackHost } from "./private-address.js";
import { NO_SECRETS } from "./request-head.js";
import { unlessEnded } from "./unless-ended.js";

/** A client of OAuth that gets tokens for itself. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Instead of that of the document. */
  readonly tokenUrl?: string;
  /** Instead of those that the operation needs. */
  readonly scopes?: readonly string[];
  /**
   * How the client says who it is: in the header, or in the body of the request.
   * @default "basic"
   */
  readonly style?: "basic" | "body";
}

export function isClientCredentials(value: unknown): value is ClientCredentials {
  if (!isRecord(value) || !isString(value["clientId"]) || !isString(value["clientSecret"])) return false;
  const { tokenUrl = "", scopes = [], style = "basic" } = value;
  return isString(tokenUrl) && isStringArray(scopes) && (style === "basic" || style === "body");
}

export interface TokenAddress {
  /** As the document has it. */
  readonly described: string | undefined;
  readonly documentUrl: string | undefined;
}

/** Throws a `CallError` where there is none that a secret may be sent to. */
export function tokenUrlOf(
  name: string,
  credential: ClientCredentials,
  { described, documentUrl }: TokenAddress,
): string {
  const written = credential.tokenUrl ?? described;
  if (written === undefined)
    throw refusedCredential(name, "its scheme names no token endpoint for clients; give a `tokenUrl`");
  const url = orElse(() => new URL(written, documentUrl), undefined);
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw refusedCredential(name, "the address of its token endpoint is none; give a whole one as `tokenUrl`");
  const isSafe = url.protocol === "https:" || credential.tokenUrl !== undefined || isLoopbackHost(url.hostname);
  if (!isSafe)
    throw refusedCredential(
      name,
      `its token endpoint, ${url.origin}, is not reached by https; a \`tokenUrl\` decides otherwise`,
    );
  url.hash = "";
  return url.href;
}

export interface TokensOptions {
  /** Of the credential, for messages. */
  readonly name: string;
  readonly client: HttpClient;
  readonly credential: ClientCredentials;
  readonly tokenUrl: string;
}

export interface Tokens {
  get(scopes: readonly string[], control: RequestControl): Promise<string>;
  /** A server does not take this one. Whether the next is another. */
  refused(scopes: readonly string[], token: string | undefined): boolean;
}

/** Tokens are kept while they live, and asked for once, however many callers wait. */
export function createTokens(options: TokensOptions): Tokens {
  const kept = new Map<string, Token>();
  const asked = new Map<string, Promise<string>>();
  const scopeOf = (scopes: readonly string[]): string => [...(options.credential.scopes ?? scopes)].sort().join(" ");

  const ask = async (scope: string, timeout: number): Promise<string> => {
    try {
      const token = await askForToken(options, scope, timeout);
      kept.set(scope, token);
      return token.text;
    } finally {
      asked.delete(scope);
    }
  };
  const askOnce = (scope: string, timeout: number): Promise<string> => {
    const running = asked.get(scope) ?? ask(scope, timeout);
    asked.set(scope, running);
    return running;
  };
  return {
    get: async (scopes, control) => {
      const scope = scopeOf(scopes);
      const token = kept.get(scope);
      if (token !== undefined && token.until > performance.now()) return token.text;
      return unlessEnded(askOnce(scope, control.timeout), control, "the token endpoint");
    },
    refused: (scopes, used) => {
      const scope = scopeOf(scopes);
      // Another caller may have a new one by now.
      if (used === undefined || kept.get(scope)?.text === used) kept.delete(scope);
      return true;
    },
  };
}

interface Token {
  readonly text: string;
  /** By the clock of `performance`. */
  readonly until: number;
}

/** It serves all callers, so that no single one of them ends it. */
async function askForToken(options: TokensOptions, scope: string, timeout: number): Promise<Token> {
  const control: RequestControl = { timeout, deadline: Date.now() + timeout, watchEnd: () => () => {} };
  const begun = performance.now();
  const answer = await options.client.send(tokenRequest(options, scope), control, { followsRedirect: () => false });
  const bytes = await answer.bytes();
  const body = orElse<unknown>(() => JSON.parse(new TextDecoder().decode(bytes)), undefined);
  const {
    access_token: text,
    token_type: type = "bearer",
    expires_in: life,
  } = isRecord(body) ? body : ({} as JsonRecord);
  if (answer.status !== 200 || !isString(text) || text === "") throw refusal(options, answer, body);
  if (!isString(type) || !/^bearer/i.test(type))
    throw refusal(options, answer, { error: "its tokens are of another type than Bearer" });
  return { text, until: begun + lifeOf(life) };
}

function tokenRequest({ credential, tokenUrl }: TokensOptions, scope: string): OutgoingRequest {
  const { clientId, clientSecret, style = "basic" } = credential;
  const inBody = { client_id: clientId, client_secret: clientSecret };
  const form = { grant_type: "client_credentials", ...(scope !== "" && { scope }), ...(style === "body" && inBody) };
  const authorization = `Basic ${encodeBase64(`${formEncode(clientId)}:${formEncode(clientSecret)}`)}`;
  return {
    method: "POST",
    url: tokenUrl,
    headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(form).toString(),
    secrets: { ...NO_SECRETS, headers: style === "basic" ? { authorization } : {} },
  };
}

/** RFC 6749, 2.3.1: the colon between the two is not the only one that would be misread. */
function formEncode(text: string): string {
  return new URLSearchParams({ "": text }).toString().slice(1);
}

const UNTOLD_LIFE = 300;

/** In milliseconds; ends early, so that a token does not end on its way. */
function lifeOf(told: unknown): number {
  const seconds = isString(told) && /^\d+$/.test(told) ? Number(told) : told;
  const life = typeof seconds === "number" && seconds >= 0 ? seconds : UNTOLD_LIFE;
  return Math.max(life - 30, life / 2) * 1000;
}

function refusal({ name, credential, tokenUrl }: TokensOptions, answer: HttpAnswer, body: unknown): Error {
  const { error, error_description: words } = isRecord(body) ? body : ({} as JsonRecord);
  const said = [error, words]
    .filter(isString)
    .map((part) => part.replaceAll(credential.clientSecret, "…").slice(0, 300));
  return noToken(name, {
    host: new URL(tokenUrl).host,
    what: `answered with the status ${answer.status}${said.length === 0 ? " and no token" : `: ${said.join(": ")}`}`,
    status: answer.status,
    error: said[0],
    retryAfterMs: retryAfterMs(answer.headers["retry-after"]),
  });
}
