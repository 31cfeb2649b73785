import { noToken } from "./errors.js";
import type { Settings } from "./options.js";

type AuthProvider = NonNullable<Settings["authProvider"]>;

/** The bearer token that the user gave, or gives when asked. */
export async function givenToken(token: Settings["token"]): Promise<string | undefined> {
  try {
    return typeof token === "function" ? await token() : token;
  } catch (thrown) {
    throw noToken(thrown);
  }
}

/** A provider of the SDK has its tokens in a record, or gives the one to use. */
export async function tokenOf(provider: AuthProvider): Promise<string | undefined> {
  if ("token" in provider && typeof provider.token === "function") return provider.token();
  return (await provider.tokens())?.access_token;
}
