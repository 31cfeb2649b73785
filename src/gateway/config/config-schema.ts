import type { JsonSchemaObject } from "../../json/json-schema.js";
import type {
  AuthConfig,
  GatewayConfig,
  HttpConfig,
  LimitsConfig,
  LogConfig,
  McpServerConfig,
  ResultsConfig,
  ServersConfig,
  TokenConfig,
} from "./config.js";
import { LOG_FORMATS, LOG_LEVELS, SEARCH_MODES } from "./config-choices.js";
import { NATS_SERVER } from "./nats-schemas.js";
import {
  AS_VARIABLE,
  choice,
  count,
  either,
  flag,
  group,
  named,
  type Properties,
  text,
  texts,
} from "./schema-words.js";
import { rateLimit } from "./source-schemas.js";

const ANY_ORIGIN: readonly JsonSchemaObject[] = [{ type: "array", items: { type: "string" } }, { const: "*" }];

const HTTP: Properties<HttpConfig> = {
  host: text("Where the server listens. What is not this machine itself needs `allowedHosts`.", {
    default: "127.0.0.1",
    minLength: 1,
  }),
  port: count("The port; 0 takes any that is free.", { default: 4100, maximum: 65_535 }),
  allowedHosts: texts("The names by which the server may be called. By default localhost and the loopback addresses."),
  allowedOrigins: either(
    'The web pages that may call: whole origins or names of hosts, `"*"` for all. By default those of `allowedHosts`.',
    ANY_ORIGIN,
  ),
  cors: group(
    "Web pages of other origins that may read the answers.",
    {
      origins: either('Each as a browser names it, such as `https://app.example`; `"*"` for all.', ANY_ORIGIN),
      credentials: flag("Whether browsers send cookies and other credentials.", false),
    },
    ["origins"],
  ),
  maxBodyBytes: count("Bytes that a request may have.", { default: 4_194_304 }),
  timeout: count("Milliseconds that a call may take.", { default: 60_000 }),
  operations: flag("Whether there is `/operations` and `/openapi.json`.", true),
};

const MCP: Properties<McpServerConfig> = {
  path: text("Where MCP is served.", { default: "/mcp", pattern: "^/" }),
  layout: choice(
    "How a result is laid out: MCP's own way, or in one of the two dialects for tools.",
    ["plain", "tool-response", "tool-envelope-v1"],
    "plain",
  ),
  channels: choice(
    "Whether a result is sent as text for a model, as structure for a program, or as both.",
    ["both", "model", "program"],
    "both",
  ),
  toolNames: choice(
    "`qualified` is `namespace_name`; `bare` the name alone. A name that is taken gets a number.",
    ["qualified", "bare"],
    "qualified",
  ),
  instructions: text("For the model that uses the tools."),
  budget: either(
    "Bytes of a result that a client sees at once; the rest is behind a link. `false` for all.",
    [{ type: "integer", minimum: 0 }, { const: false }],
    { default: 24_000 },
  ),
  search: choice(
    "Whether clients get three tools to find and call operations by, in place of all of them; `auto` where there are many.",
    SEARCH_MODES,
    "auto",
  ),
  searchAbove: count("With `auto`: more operations than this are searched.", { default: 60 }),
  startWaitMs: count("Milliseconds that the list over stdio, and a call to a source that is starting, wait for it.", {
    default: 2_000,
  }),
};

const TOKEN: Properties<TokenConfig> = {
  token: text(`What the caller sends as \`Authorization: Bearer …\`. ${AS_VARIABLE}`, { minLength: 1 }),
  scopes: texts("What the caller is allowed."),
};

const AUTH: Properties<AuthConfig> = {
  tokens: named(
    "Who may call, by name. Without any, everybody may, as nobody in particular.",
    group("A caller.", TOKEN, ["token"]),
  ),
  anonymous: flag("Whether requests without a token are answered too, as far as nothing asks for scopes.", false),
  stdio: text("Who calls over stdio: a name of `tokens`."),
};

const SERVERS: Properties<ServersConfig> = {
  http: group("Where all is served that is served over HTTP, MCP too.", HTTP),
  mcp: either("How operations are served as MCP tools; `false` for not at all.", [
    group("As tools of one MCP server.", MCP),
    { const: false },
  ]),
  nats: group("How operations are served on NATS by `plico worker`.", NATS_SERVER),
  auth: group("Who may call.", AUTH, ["tokens"]),
};

const LIMITS: Properties<LimitsConfig> = {
  perIdentity: rateLimit("Each caller for itself; those without a token share one."),
};

const RESULTS: Properties<ResultsConfig> = {
  maxMemoryBytes: count("What is kept in memory; older results go to files.", { default: 8_388_608 }),
  maxBytes: count("Memory and files together; older results are dropped.", { default: 268_435_456 }),
  maxEntryBytes: count("A larger result is not kept at all.", { default: 67_108_864 }),
  maxEntries: count("How many results are kept.", { default: 1_000 }),
  ttlMs: count("Milliseconds that a result is kept.", { default: 900_000 }),
  directory: text("For the files. By default a folder below the system's one for temporary files."),
};

const LOG: Properties<LogConfig> = {
  level: choice("What is told.", LOG_LEVELS, "info"),
  format: choice("For people, or JSON lines for programs.", LOG_FORMATS, "text"),
  audit: either(
    "Who called what, when, and how it ended: a file that gets JSON lines; `true` puts it into the log.",
    [{ type: "boolean" }, { type: "string", minLength: 1 }],
    { default: false },
  ),
  payloads: flag("Whether the audit log has inputs and answers, secrets taken out.", false),
};

const ROOT: Properties<GatewayConfig> & Readonly<Record<"mcpServers", JsonSchemaObject>> = {
  $schema: text("For editors: where the schema of this file is."),
  sources: { description: "Where operations come from, by names that you choose.", type: "object" },
  mcpServers: {
    description:
      "MCP servers as Claude, Cursor and others write them, beside `sources`: what a README says can be pasted here.",
    type: "object",
  },
  servers: group("How the operations are served by `plico serve` and `plico worker`.", SERVERS),
  limits: group("How much callers may ask for.", LIMITS),
  results: group("Large results, which are kept for a while for those who want all of them.", RESULTS),
  log: group("What `plico serve` and `plico worker` tell.", LOG),
};

/** All but what sources say, which is looked at by their kinds. */
export const CONFIG_SCHEMA: JsonSchemaObject = group("The configuration of Plico.", ROOT);
