import {
  auth,
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  DpopSession,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  PrivateKeyJwtProvider,
  requestJwtAuthorizationGrant,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from "@modelcontextprotocol/client";

/** What the suite says about a scenario. */
export type ScenarioContext = Readonly<Record<string, string>>;

/** A provider, and how to end what it began. */
export interface Authorisation {
  readonly provider: OAuthClientProvider;
  /** Exchanges the code that the authorisation server gave, if there is one. Whether there was one. */
  finish(serverUrl: string): Promise<boolean>;
}

const MACHINES: Readonly<Record<string, (context: ScenarioContext) => OAuthClientProvider>> = {
  "auth/client-credentials-basic": ({ client_id = "", client_secret = "" }) =>
    new ClientCredentialsProvider({ clientId: client_id, clientSecret: client_secret }),
  "auth/client-credentials-jwt": ({ client_id = "", private_key_pem = "", signing_algorithm = "ES256" }) =>
    new PrivateKeyJwtProvider({ clientId: client_id, privateKey: private_key_pem, algorithm: signing_algorithm }),
  "auth/enterprise-managed-authorization": crossAppAccess,
  "auth/wif-jwt-bearer": workloadIdentity,
};

/** The provider for a scenario: a machine's where no user is asked, else one whose user always agrees. */
export function authorisationFor(scenario: string, context: ScenarioContext): Authorisation {
  const machine = MACHINES[scenario];
  if (machine !== undefined) return { provider: machine(context), finish: () => Promise.resolve(false) };
  return consentingUser(scenario.startsWith("auth/dpop"), context);
}

function consentingUser(withDpop: boolean, { client_id, client_secret }: ScenarioContext): Authorisation {
  const redirectUrl = "http://localhost:3000/callback";
  let client: StoredOAuthClientInformation | undefined =
    client_id === undefined ? undefined : { client_id, ...(client_secret !== undefined && { client_secret }) };
  let tokens: StoredOAuthTokens | undefined;
  let discovered: OAuthDiscoveryState | undefined;
  let verifier = "";
  let callback: URLSearchParams | undefined;
  const session = withDpop ? DpopSession.create() : undefined;
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: "plico",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
    },
    clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
    clientInformation: () => client,
    saveClientInformation: (given) => {
      client = given;
    },
    tokens: () => tokens,
    saveTokens: (given) => {
      tokens = given;
    },
    discoveryState: () => discovered,
    saveDiscoveryState: (state) => {
      discovered = state;
    },
    codeVerifier: () => verifier,
    saveCodeVerifier: (given) => {
      verifier = given;
    },
    redirectToAuthorization: async (url) => {
      const { headers } = await fetch(url, { redirect: "manual" });
      callback = new URL(headers.get("location") ?? "").searchParams;
    },
    invalidateCredentials: (what) => {
      if (what === "all" || what === "client") client = undefined;
      if (what === "all" || what === "tokens") tokens = undefined;
      if (what === "all" || what === "discovery") discovered = undefined;
    },
    ...(session !== undefined && { dpop: () => session }),
  };
  return {
    provider,
    finish: async (serverUrl) => {
      const given = callback;
      callback = undefined;
      const authorizationCode = given?.get("code") ?? undefined;
      if (authorizationCode === undefined) return false;
      const iss = given?.get("iss") ?? undefined;
      const result = await auth(provider, { serverUrl, authorizationCode, ...(iss !== undefined && { iss }) });
      // The server may name another authorisation server the next time: the SDK looks only when it knows of none.
      discovered = undefined;
      return result === "AUTHORIZED";
    },
  };
}

function crossAppAccess(context: ScenarioContext): OAuthClientProvider {
  const {
    client_id = "",
    client_secret = "",
    idp_token_endpoint = "",
    idp_id_token = "",
    idp_client_id = "",
  } = context;
  return new CrossAppAccessProvider({
    clientId: client_id,
    clientSecret: client_secret,
    assertion: async ({ authorizationServerUrl, resourceUrl, fetchFn }) => {
      const grant = await requestJwtAuthorizationGrant({
        tokenEndpoint: idp_token_endpoint,
        audience: authorizationServerUrl,
        resource: resourceUrl,
        idToken: idp_id_token,
        clientId: idp_client_id,
        fetchFn,
      });
      return grant.jwtAuthGrant;
    },
  });
}

/** A workload that has a token of its own platform and trades it (RFC 7523). */
function workloadIdentity({ client_id = "", valid_jwt = "" }: ScenarioContext): OAuthClientProvider {
  let tokens: StoredOAuthTokens | undefined;
  const grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer";
  return {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [], grant_types: [grantType], token_endpoint_auth_method: "none" },
    clientInformation: () => ({ client_id }),
    tokens: () => tokens,
    saveTokens: (given) => {
      tokens = given;
    },
    redirectToAuthorization: () => {
      throw new Error("A workload has no user to redirect.");
    },
    saveCodeVerifier: () => {},
    codeVerifier: () => "",
    prepareTokenRequest: (scope) =>
      new URLSearchParams({ grant_type: grantType, assertion: valid_jwt, ...(scope !== undefined && { scope }) }),
  };
}
