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
