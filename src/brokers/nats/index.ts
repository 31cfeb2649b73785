export { natsBus } from "./bus/nats-bus.js";
export type { NatsBus, NatsBusCounts, NatsBusOptions, NatsBusState } from "./bus/nats-bus-options.js";
export type { IdPatterns } from "./demands.js";
export type { DurableCounts } from "./durable/durable.js";
export type { DurableStreamOptions } from "./durable/streams.js";
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
export type { NatsClient, NatsMessage, NatsSubscribeOptions, NatsSubscription } from "./nats-client.js";
export type { NatsWorkerInfo } from "./source/fleet.js";
export { type NatsHealth, type NatsSource, natsSource } from "./source/nats-source.js";
export type { NatsSourceOptions } from "./source/source-options.js";
export type { OperationStats } from "./worker/endpoint-stats.js";
export { type NatsWorker, type NatsWorkerCounts, serveOnNats } from "./worker/serve-on-nats.js";
export type { Durability, NatsWorkerOptions } from "./worker/worker-options.js";
