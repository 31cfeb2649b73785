import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  KeyObject,
  sign,
  timingSafeEqual,
  verify,
} from "node:crypto";
import { CallError } from "../../envelope/call-error.js";
import type { Identity } from "../../registry/access.js";

/** Says for whom a caller speaks, so that a worker can believe it. */
export interface IdentitySigner {
  /** The signature of a request, as letters, digits and `._-`. */
  sign(text: string): string;
}

/** What a request says of its caller. */
export interface IdentityClaim {
  /** As the request has it; not to be believed as it is. */
  readonly identity: Identity | undefined;
  /** The caller's name in the subject, which the permissions of a NATS server may vouch for. */
  readonly caller: string;
  /** What was signed: the whole request. */
  readonly text: string;
  readonly signature: string | undefined;
}

/** Whom a worker takes the caller for; nobody where it does not believe the claim. */
export type IdentityTrust = (claim: IdentityClaim) => Identity | undefined;

export interface SharedSecretOptions {
  /** At least 16 characters, or bytes, that only callers and workers know. */
  readonly secret: string | Uint8Array;
  /** Tells this secret from others. @default "shared" */
  readonly id?: string;
  /** Earlier secrets that are still believed, while callers change to the new one. */
  readonly previous?: readonly (string | Uint8Array)[];
}

/** Callers and workers know one secret; whoever knows it can speak for anyone. */
export function sharedSecret({
  secret,
  id = "shared",
  previous = [],
}: SharedSecretOptions): IdentitySigner & { readonly trust: IdentityTrust } {
  checkId(id);
  const own = secretKey(secret);
  const keys = [own, ...previous.map(secretKey)];
  return {
    sign: (text) => `${id}.${macOf(own, text).toString("base64url")}`,
    trust: ({ identity, text, signature }) => {
      const claimed = partsOf(signature);
      if (claimed === undefined || claimed.id !== id) return undefined;
      return keys.some((key) => isSame(macOf(key, text), claimed.bytes)) ? identity : undefined;
    },
  };
}

/** PEM, or a key of `node:crypto`. */
export type KeyInput = string | KeyObject;

export interface SigningKeyOptions {
  /** Of Ed25519. */
  readonly privateKey: KeyInput;
  /** Under which workers know the public key. */
  readonly id: string;
}

/** Signs with a key that only this caller has. */
export function signingKey({ privateKey, id }: SigningKeyOptions): IdentitySigner {
  checkId(id);
  const key = ed25519(id, "private", () =>
    privateKey instanceof KeyObject ? privateKey : createPrivateKey(privateKey),
  );
  return { sign: (text) => `${id}.${sign(null, Buffer.from(text), key).toString("base64url")}` };
}

/** Believes those whose public keys are known here. Each of them can speak for anyone. */
export function trustedKeys(publicKeys: Readonly<Record<string, KeyInput>>): IdentityTrust {
  const keys = new Map<string, KeyObject>();
  for (const [id, given] of Object.entries(publicKeys)) {
    checkId(id);
    keys.set(
      id,
      ed25519(id, "public", () => (given instanceof KeyObject ? given : createPublicKey(given))),
    );
  }
  return ({ identity, text, signature }) => {
    const claimed = partsOf(signature);
    const key = claimed && keys.get(claimed.id);
    if (claimed === undefined || key === undefined) return undefined;
    return verify(null, Buffer.from(text), key, claimed.bytes) ? identity : undefined;
  };
}

/**
 * Takes the name in the subject for the caller's. Only for servers whose permissions confine each user to its own name:
 * elsewhere anyone can take any name.
 */
export function identityOfCaller(identityOf: (caller: string) => Identity | undefined): IdentityTrust {
  return ({ caller }) => (caller === "" ? undefined : identityOf(caller));
}

function macOf(key: KeyObject, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

/** In a time that does not tell where they differ. */
function isSame(expected: Buffer, given: Buffer): boolean {
  return expected.length === given.length && timingSafeEqual(expected, given);
}

const SIGNATURE = /^([\w-]+)\.([\w-]+)$/;

function partsOf(signature: string | undefined): { readonly id: string; readonly bytes: Buffer } | undefined {
  const [, id, digits] = SIGNATURE.exec(signature ?? "") ?? [];
  return id === undefined || digits === undefined ? undefined : { id, bytes: Buffer.from(digits, "base64url") };
}

const ID = /^[\w-]{1,64}$/;

function checkId(id: string): void {
  if (!ID.test(id)) throw mistake("The `id` of a key must be letters, digits, _ and -, at most 64.");
}

const SHORTEST_SECRET = 16;

/** The secret is not shown. */
function secretKey(secret: unknown): KeyObject {
  const isOne = typeof secret === "string" || secret instanceof Uint8Array;
  if (isOne && secret.length >= SHORTEST_SECRET) return createSecretKey(Buffer.from(secret as string));
  throw mistake(
    `A shared secret must be a text or bytes, at least ${SHORTEST_SECRET} long.`,
    "Make one by `openssl rand -hex 32`.",
  );
}

function ed25519(id: string, kind: "private" | "public", load: () => KeyObject): KeyObject {
  const wanted = `The key ${JSON.stringify(id)} must be a ${kind} key of Ed25519, as PEM or a KeyObject`;
  let key: KeyObject;
  try {
    key = load();
  } catch (cause) {
    throw mistake(`${wanted}; it cannot be read.`, undefined, cause);
  }
  if (key.asymmetricKeyType === "ed25519" && key.type === kind) return key;
  throw mistake(`${wanted}, not a ${key.type} key of ${key.asymmetricKeyType ?? "another kind"}.`);
}

function mistake(message: string, suggestedAction?: string, cause?: unknown): CallError {
  return new CallError({
    category: "validation",
    message,
    ...(suggestedAction !== undefined && { suggestedAction }),
    ...(cause !== undefined && { cause }),
  });
}
