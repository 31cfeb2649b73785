import { resolve } from "node:path";
import {
  type IdentitySigner,
  type IdentityTrust,
  identityOfCaller,
  sharedSecret,
  signingKey,
  trustedKeys,
} from "../../brokers/nats/identity.js";
import type { NatsConfig } from "../config/config.js";
import { isPem } from "../config/nats-address.js";
import type { NatsTrustConfig } from "../config/nats-config.js";
import { readNatsFile } from "./nats-files.js";

/** What says for whom a source's calls are made. */
export function signerOf(
  { sign, signingKey: key }: Pick<NatsConfig, "sign" | "signingKey">,
  folder: string,
): IdentitySigner | undefined {
  if (sign !== undefined) return sharedSecret({ secret: sign });
  if (key === undefined) return undefined;
  return signingKey({ id: key.id, privateKey: pemOf("signingKey.privateKey", key.privateKey, folder) });
}

/** Whose word is taken for who the caller is. The first that believes a request decides. */
export function trustOf(config: NatsTrustConfig, folder: string): IdentityTrust | undefined {
  const { secret, previous = [], keys = {}, callers = {} } = config;
  const pems = Object.entries(keys).map(([id, key]) => [id, pemOf(`trust.keys.${id}`, key, folder)]);
  const ways = [
    ...(secret === undefined ? [] : [sharedSecret({ secret, previous }).trust]),
    ...(pems.length === 0 ? [] : [trustedKeys(Object.fromEntries(pems))]),
    ...(Object.keys(callers).length === 0 ? [] : [byName(callers)]),
  ];
  if (ways.length === 0) return undefined;
  return (claim) => {
    for (const trust of ways) {
      const identity = trust(claim);
      if (identity !== undefined) return identity;
    }
    return undefined;
  };
}

function byName(callers: NonNullable<NatsTrustConfig["callers"]>): IdentityTrust {
  return identityOfCaller((caller) =>
    Object.hasOwn(callers, caller) ? { id: caller, scopes: callers[caller]?.scopes ?? [] } : undefined,
  );
}

/** A key itself, or what the file has. */
function pemOf(option: string, given: string, folder: string): string {
  return isPem(given) ? given : readNatsFile(option, resolve(folder, given)).toString("utf8");
}
