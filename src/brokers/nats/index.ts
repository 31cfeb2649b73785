export type { IdentityClaim, IdentitySigner, IdentityTrust } from "./identity.js";
export type { NatsClient, NatsMessage, NatsSubscribeOptions, NatsSubscription } from "./nats-client.js";
