import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Authenticator, ConnectionOptions } from "@nats-io/transport-node";
import { orElse } from "../../json/attempt.js";
import { isNkeySeed, type NatsAddress } from "../config/nats-address.js";
import type { NatsAccessConfig, NatsTlsConfig } from "../config/nats-config.js";
import { readNatsFile, unusableOption } from "./nats-files.js";
import type { NatsTransport } from "./nats-transport.js";

export interface AccessOptions {
  readonly access: NatsAccessConfig;
  readonly addresses: readonly NatsAddress[];
  /** Where paths start. */
  readonly folder: string;
  readonly transport: Pick<NatsTransport, "credsAuthenticator" | "nkeyAuthenticator">;
}

/** Who we are, as the client of NATS is told. Throws a `CallError` where a file is missing or is not what it should be. */
export function accessOptions({ access, addresses, folder, transport }: AccessOptions): ConnectionOptions {
  const { credentials, nkey, tls } = access;
  const inAddress = addresses.find(({ user, token }) => user !== undefined || token !== undefined);
  const isSaid = [access.user, access.token, credentials, nkey].some((way) => way !== undefined);
  const { user, password, token } = isSaid ? access : (inAddress ?? {});
  const isTls = tls !== undefined || addresses.some((address) => address.isTls);
  return {
    ...(user !== undefined && { user, pass: password ?? "" }),
    ...(token !== undefined && { token }),
    ...(credentials !== undefined && { authenticator: byCredentials(resolve(folder, credentials), transport) }),
    ...(nkey !== undefined && { authenticator: byNkey(nkey, folder, transport) }),
    ...(isTls && { tls: tlsFiles(tls ?? {}, folder) }),
  };
}

/** The file is read at each connection, because others may have renewed it; while it is not there, the last one counts. */
function byCredentials(file: string, { credsAuthenticator }: AccessOptions["transport"]): Authenticator {
  let known = readNatsFile("credentials", file);
  const authenticator = credsAuthenticator(() => {
    known = orElse(() => readFileSync(file), known);
    return known;
  });
  return checked(authenticator, "credentials", `${file} has no JWT and key as NATS wants them`);
}

function byNkey(nkey: string, folder: string, { nkeyAuthenticator }: AccessOptions["transport"]): Authenticator {
  const text = isNkeySeed(nkey) ? nkey : readNatsFile("nkey", resolve(folder, nkey)).toString("utf8");
  // A file with a seed may have words around it.
  const [seed = ""] = /\bS[A-Z2-7]{50,}\b/.exec(text) ?? [];
  return checked(nkeyAuthenticator(new TextEncoder().encode(seed)), "nkey", "it is no seed of an NKey");
}

/** What the client would find only when it greets the server, and tell nobody. */
function checked(authenticator: Authenticator, option: string, fault: string): Authenticator {
  try {
    authenticator("nonce");
    return authenticator;
  } catch {
    throw unusableOption(option, fault);
  }
}

function tlsFiles({ ca, cert, key }: NatsTlsConfig, folder: string): NonNullable<ConnectionOptions["tls"]> {
  const path = (option: string, file: string): string => {
    readNatsFile(`tls.${option}`, resolve(folder, file));
    return resolve(folder, file);
  };
  return {
    ...(ca !== undefined && { caFile: path("ca", ca) }),
    ...(cert !== undefined && { certFile: path("cert", cert) }),
    ...(key !== undefined && { keyFile: path("key", key) }),
  };
}
