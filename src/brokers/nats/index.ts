export type { IdPatterns } from "./demands.js";
export type { DurableCounts } from "./durable.js";
export type { DurableStreamOptions } from "./durable-streams.js";
export type { OperationStats } from "./endpoint-stats.js";
export type { NatsWorkerInfo } from "./fleet.js";
export {
  type IdentityClaim,
  type IdentitySigner,
  type IdentityTrust,
  identityOfCaller,
  type KeyInput,
  type SharedSecretOptions,
  type SigningKeyOptions,
  sharedSecret,
  signingKey,
  trustedKeys,
} from "./identity.js";
export { importedFrom } from "./imported-mark.js";
export { natsBus } from "./nats-bus.js";
export type { NatsBus, NatsBusCounts, NatsBusOptions, NatsBusState } from "./nats-bus-options.js";
export type { NatsClient, NatsMessage, NatsSubscribeOptions, NatsSubscription } from "./nats-client.js";
export { type NatsHealth, type NatsSource, natsSource } from "./nats-source.js";
export { type NatsWorker, type NatsWorkerCounts, serveOnNats } from "./serve-on-nats.js";
export type { NatsSourceOptions } from "./source-options.js";
export type { Durability, NatsWorkerOptions } from "./worker-options.js";
