import type { JsonSchemaObject } from "../../json/json-schema.js";
import type { CommonConfig, NatsConfig } from "./config.js";
import type {
  JetStreamConfig,
  NatsAccessConfig,
  NatsServerConfig,
  NatsTlsConfig,
  NatsTrustConfig,
  SigningKeyConfig,
} from "./nats-config.js";
import { AS_VARIABLE, count, either, group, named, type Properties, text, texts, variable } from "./schema-words.js";

/** One or several, told apart by commas where it is one text. */
function addresses(description: string): JsonSchemaObject {
  return either(description, [{ type: "string", minLength: 1 }, ADDRESS_LIST], {
    examples: ["nats://127.0.0.1:4222", ["nats://n1.example:4222", "nats://n2.example:4222"]],
  });
}

const ADDRESS_LIST: JsonSchemaObject = { type: "array", items: { type: "string", minLength: 1 }, minItems: 1 };

const TLS: Properties<NatsTlsConfig> = {
  ca: text("A file with the certificates that are trusted."),
  cert: text("A file with our own certificate."),
  key: text("A file with its key."),
};

const ACCESS: Properties<NatsAccessConfig> = {
  user: text("Our name at the server."),
  password: text(AS_VARIABLE),
  token: text(`In place of a user. ${AS_VARIABLE}`),
  credentials: text("A file with a JWT and its key, such as `nsc` makes. It is read again at each connection."),
  nkey: text(`The seed of an NKey, as \`${variable("NAME")}\`; or a file with it.`),
  tls: group("For servers with certificates of their own. Where the server wants TLS, it is used in any case.", TLS),
  startTimeout: count("Milliseconds until the server must have answered.", { default: 10_000 }),
};

/** A word of a subject. */
const TOKEN = "^[A-Za-z0-9_-]{1,64}$";
const PREFIX = "^[A-Za-z0-9_-]{1,64}(\\.[A-Za-z0-9_-]{1,64})*$";

const SIGNING_KEY: Properties<SigningKeyConfig> = {
  id: text("What workers know the key by.", { pattern: TOKEN }),
  privateKey: text("Ed25519: a file with it as PEM, or the PEM itself."),
};

/** What a source of this kind says, beside what every source may. */
export const NATS_SOURCE: Omit<Properties<NatsConfig>, "nats" | keyof CommonConfig> = {
  subjects: text("What the subjects begin with: the `prefix` of the workers.", { default: "plico", pattern: PREFIX }),
  caller: text(
    "Our name in subjects, by which permissions of the server can tell callers apart. By default `user`, else `anyone`.",
    { pattern: TOKEN },
  ),
  sign: text(
    `The secret that the workers trust: without it, or a \`signingKey\`, they take our callers for nobody in particular. ${AS_VARIABLE}`,
  ),
  signingKey: group("A key in place of a secret, of which the workers know the public half.", SIGNING_KEY, [
    "id",
    "privateKey",
  ]),
  majors: named(
    "Which major version is called, by operation. By default the highest that is there.",
    { type: "integer", minimum: 0 },
    { examples: [{ "orders.*": 1 }] },
  ),
  heartbeat: count("Milliseconds between signs of life of a call that runs; a worker is lost after three without.", {
    default: 1_000,
    minimum: 10,
  }),
  ...ACCESS,
};

export const NATS_ADDRESS: JsonSchemaObject = addresses(
  "Whatever the workers on NATS offer, under the operations' own ids: the address of a server, or of several of a cluster.",
);

const TRUST: Properties<NatsTrustConfig> = {
  secret: text(`The secret that callers sign with, their \`sign\`. ${AS_VARIABLE}`),
  previous: texts("Secrets that were used before, and are still good."),
  keys: named("Public keys by their ids: Ed25519, a file with it as PEM, or the PEM itself.", { type: "string" }),
  callers: named(
    "Who a caller is by its name in the subject alone. Only where the permissions of the server confine each user to its own name.",
    group("A caller.", { scopes: texts("What the caller is allowed.") }),
  ),
};

const JETSTREAM: Properties<JetStreamConfig> = {
  replicas: count("On how many servers of a cluster durable calls are kept.", { default: 1, minimum: 1, maximum: 5 }),
};

/** What a worker says. */
export const NATS_SERVER: Properties<NatsServerConfig> = {
  url: addresses("The address of the server, or of several of a cluster. `--nats` counts before it."),
  name: text("The name of the service, as `nats micro ls` shows it.", { default: "plico", pattern: TOKEN }),
  description: text("What the service is, for people."),
  prefix: text("What all subjects begin with: the `subjects` of those who call.", {
    default: "plico",
    pattern: PREFIX,
  }),
  ...ACCESS,
  trust: group("Whose word is taken for who the caller is. By default nobody's.", TRUST),
  durable: texts("Operations whose calls are kept by JetStream until they are answered; `*` stands for anything.", {
    examples: [["orders.*"]],
  }),
  maxRunning: count("Calls at one time; others are told to try another worker.", { default: 1_000, minimum: 1 }),
  drainMs: count("Milliseconds that running calls have when the worker is ended.", { default: 25_000 }),
  jetstream: group("How durable calls are kept.", JETSTREAM),
};
