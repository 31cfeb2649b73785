import { encodeBase64 } from "../../../json/base64.js";
import { told } from "../../../json/told.js";
import { isRecord, isString } from "../../../json/value.js";
import type { SecurityScheme } from "../description.js";
import type { RequestControl, RequestSecrets } from "../http-answer.js";
import { encodeCookieName, isToken, percentEncode } from "../percent-encode.js";
import { type ClientCredentials, createTokens, isClientCredentials, tokenUrlOf } from "./client-credentials.js";
import { noCredential, refusedCredential, unfitCredential } from "./credential-errors.js";
import type { Credential, CredentialsOptions, UserPassword } from "./credentials.js";
import { NO_SECRETS } from "./request-head.js";
import { unlessEnded } from "./unless-ended.js";

/** Makes of one credential what its scheme wants to see. */
export interface SecretMaker {
  secrets(scopes: readonly string[], control: RequestControl): Promise<RequestSecrets>;
  /** Whether the next secrets are others than these. */
  refused(scopes: readonly string[], used: RequestSecrets | undefined): boolean;
}

export interface SecretMakerOptions extends Pick<CredentialsOptions, "documentUrl" | "client"> {
  readonly name: string;
  readonly scheme: SecurityScheme;
  readonly credential: Credential;
}

/** Throws a `CallError` where the scheme has no use for such a credential. */
export function secretMaker(options: SecretMakerOptions): SecretMaker {
  const { name, scheme, credential } = options;
  if (scheme.type === "other" && scheme.name !== "openIdConnect")
    throw refusedCredential(name, `its scheme, ${told(scheme.name)}, is not known here`);
  if (scheme.type === "basic") return basicMaker(name, credential);
  if (scheme.type === "apiKey")
    return textMaker(name, textOf(name, credential, "a text or a function"), keyPlace(name, scheme));
  if (scheme.type !== "bearer" && isClientCredentials(credential)) return clientMaker(options, credential);
  const kinds = scheme.type === "bearer" ? "a text or a function" : "a text, a function or a client's id and secret";
  return textMaker(name, textOf(name, credential, kinds), bearer);
}

type Text = Extract<Credential, string | (() => unknown)>;

function textOf(name: string, credential: Credential, kinds: string): Text {
  if (credential === "") throw refusedCredential(name, "it is empty");
  if (isString(credential) || typeof credential === "function") return credential;
  throw refusedCredential(name, `its scheme needs ${kinds}, and this is ${kindOf(credential)}`);
}

/** Never the value itself: it is a secret, also where it is none that fits. */
function kindOf(value: unknown): string {
  if (value === "") return "an empty text";
  if (value === undefined || value === null) return "nothing";
  return isString(value) ? "a text" : `a value of the type ${typeof value}`;
}

/** Where a text goes. */
type Place = (text: string, name: string) => RequestSecrets;

function textMaker(name: string, text: Text, place: Place): SecretMaker {
  return {
    secrets: async (_scopes, control) => place(isString(text) ? text : await answerOf(name, text, control), name),
    refused: () => false,
  };
}

async function answerOf(name: string, ask: () => unknown, control: RequestControl): Promise<string> {
  const text = await unlessEnded(asked(name, ask), control, `the credential ${told(name)}`);
  if (isString(text) && text !== "") return text;
  throw unfitCredential(name, `came as ${kindOf(text)}, where a text is needed`);
}

async function asked(name: string, ask: () => unknown): Promise<unknown> {
  try {
    return await ask();
  } catch (thrown) {
    throw noCredential(name, thrown);
  }
}

const bearer: Place = (token, name) => inHeader("authorization", `Bearer ${token}`, name);

function keyPlace(name: string, scheme: Extract<SecurityScheme, { readonly type: "apiKey" }>): Place {
  const { in: place, name: field } = scheme;
  if (place === "query") return (key) => ({ ...NO_SECRETS, query: `${percentEncode(field)}=${percentEncode(key)}` });
  if (place === "cookie") return (key) => ({ ...NO_SECRETS, cookie: `${encodeCookieName(field)}=${cookieValue(key)}` });
  if (!isToken(field))
    throw refusedCredential(name, `its scheme wants it in ${told(field)}, which is no name of a header`);
  return (key) => inHeader(field.toLowerCase(), key, name);
}

/** What may not stand in a cookie is encoded; all else stays, because servers compare it as it is. */
function cookieValue(key: string): string {
  return key.replaceAll(/[^!#-+\--:<-[\]-~]+/gu, percentEncode);
}

/** Node writes one byte a character: what is not ASCII goes as UTF-8. */
function inHeader(field: string, text: string, name: string): RequestSecrets {
  if (/\p{Cc}/u.test(text))
    throw unfitCredential(name, "has a line break or another character that no header can hold");
  return { ...NO_SECRETS, headers: { [field]: Buffer.from(text).toString("latin1") } };
}

function basicMaker(name: string, credential: Credential): SecretMaker {
  if (!isUserPassword(credential))
    throw refusedCredential(name, `its scheme needs a username and a password, and this is ${kindOf(credential)}`);
  const { username, password } = credential;
  if (username.includes(":")) throw refusedCredential(name, "a colon in the username would end it");
  const secrets = inHeader("authorization", `Basic ${encodeBase64(`${username}:${password}`)}`, name);
  return { secrets: async () => secrets, refused: () => false };
}

function isUserPassword(value: unknown): value is UserPassword {
  return isRecord(value) && isString(value["username"]) && isString(value["password"]);
}

function clientMaker(options: SecretMakerOptions, credential: ClientCredentials): SecretMaker {
  const { name, scheme, documentUrl, client } = options;
  const described = scheme.type === "oauth2" ? scheme.tokenUrl : undefined;
  const tokens = createTokens({
    name,
    client,
    credential,
    tokenUrl: tokenUrlOf(name, credential, { described, documentUrl }),
  });
  return {
    secrets: async (scopes, control) => bearer(await tokens.get(scopes, control), name),
    refused: (scopes, used) => tokens.refused(scopes, used?.headers["authorization"]?.slice("Bearer ".length)),
  };
}
