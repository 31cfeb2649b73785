import { told } from "../../../json/told.js";
import type { SecurityRequirement, SecurityScheme } from "../description.js";
import type { RequestControl, RequestSecrets } from "../http-answer.js";
import { ownValue } from "../own-value.js";
import type { ClientCredentials } from "./client-credentials.js";
import { refusedCredential } from "./credential-errors.js";
import { type SecretMaker, type SecretMakerOptions, secretMaker } from "./credential-secret.js";
import type { HttpClient } from "./http-client.js";
import { NO_SECRETS } from "./request-head.js";

/** A token or key, or a function that is asked for it each time; a user; or a client that gets its tokens by OAuth. */
export type Credential = string | (() => string | Promise<string>) | UserPassword | ClientCredentials;

export interface UserPassword {
  readonly username: string;
  readonly password: string;
}

export interface CredentialsOptions {
  /** By the names that the document gives them, as those of `credentials`. */
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  readonly credentials: Readonly<Record<string, Credential>>;
  /** Where addresses of token endpoints start. */
  readonly documentUrl: string | undefined;
  readonly client: HttpClient;
}

export interface Credentials {
  /** What a request has to show. Nothing, where nothing fits. */
  for(requirements: readonly SecurityRequirement[], control: RequestControl): Promise<RequestSecrets>;
  /** After a 401: whether new secrets may help. `used` are those that were refused. */
  refused(requirements: readonly SecurityRequirement[], used?: RequestSecrets): boolean;
}

/** Throws a `CallError` where a credential is none for the scheme that it is given for. */
export function createCredentials(options: CredentialsOptions): Credentials {
  const { schemes, credentials } = options;
  const makers = new Map<string, SecretMaker>();
  for (const [name, credential] of Object.entries(credentials))
    makers.set(name, secretMaker({ ...options, name, scheme: schemeOf(name, schemes), credential }));
  return {
    for: async (requirements, control) => {
      const chosen = choose(requirements, makers);
      return merged(await Promise.all(chosen.map(({ maker, scopes }) => maker.secrets(scopes, control))));
    },
    refused: (requirements, used) =>
      choose(requirements, makers).filter(({ maker, scopes }) => maker.refused(scopes, used)).length > 0,
  };
}

interface Chosen {
  readonly maker: SecretMaker;
  readonly scopes: readonly string[];
}

function schemeOf(name: string, schemes: CredentialsOptions["schemes"]): SecretMakerOptions["scheme"] {
  const scheme = ownValue(schemes, name);
  if (scheme !== undefined) return scheme;
  const names = Object.keys(schemes).map(told).join(", ");
  throw refusedCredential(
    name,
    names === "" ? "the document has no security scheme" : `the document has only ${names}`,
  );
}

/** The first alternative of which all is known. To be nobody is the last resort, wherever the document names it. */
function choose(
  requirements: readonly SecurityRequirement[],
  makers: ReadonlyMap<string, SecretMaker>,
): readonly Chosen[] {
  for (const requirement of requirements) {
    const parts = Object.entries(requirement).map(([name, scopes]) => ({ maker: makers.get(name), scopes }));
    if (parts.length > 0 && parts.every(isKnown)) return parts;
  }
  return [];
}

function isKnown(part: {
  readonly maker: SecretMaker | undefined;
  readonly scopes: readonly string[];
}): part is Chosen {
  return part.maker !== undefined;
}

function merged(all: readonly RequestSecrets[]): RequestSecrets {
  if (all.length < 2) return all[0] ?? NO_SECRETS;
  return {
    headers: Object.assign({}, ...all.map(({ headers }) => headers)) as Record<string, string>,
    query: all
      .map(({ query }) => query)
      .filter((part) => part !== "")
      .join("&"),
    cookie: all
      .map(({ cookie }) => cookie)
      .filter((part) => part !== "")
      .join("; "),
  };
}
