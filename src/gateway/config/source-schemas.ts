import type { JsonSchemaObject } from "../../json/json-schema.js";
import type {
  BreakerConfig,
  CommonConfig,
  McpConfig,
  ModuleConfig,
  NatsConfig,
  OpenApiConfig,
  RateLimitConfig,
  ScriptConfig,
  SourceKind,
} from "./config.js";
import { NATS_ADDRESS, NATS_SOURCE } from "./nats-schemas.js";
import {
  AS_VARIABLE,
  COMMAND,
  choice,
  count,
  either,
  flag,
  group,
  named,
  type Properties,
  text,
  texts,
  variable,
} from "./schema-words.js";

const SOURCE_NAME = "^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$";

const RATE_LIMIT: Properties<RateLimitConfig> = {
  perSecond: { description: "Calls a second, over time.", type: "number", exclusiveMinimum: 0 },
  burst: count("Calls at once, before the rate counts. By default `perSecond`, but at least 1.", { minimum: 1 }),
};

export function rateLimit(description: string): JsonSchemaObject {
  return group(description, RATE_LIMIT, ["perSecond"]);
}

const BREAKER: Properties<BreakerConfig> = {
  failures: count("Failures of the source, one after the other, until it is left alone.", { default: 5, minimum: 1 }),
  cooldownMs: count("Milliseconds for which it is.", { default: 10_000 }),
};

const COMMON: Properties<CommonConfig> = {
  namespace: text(
    "The namespace of the operations, in place of the name of the source, or of the namespaces that the operations of a module or a fleet say themselves.",
    { pattern: SOURCE_NAME },
  ),
  prefix: text("Comes before the name of each operation: with `fs_`, `files.read` is `files.fs_read`.", {
    pattern: "^[A-Za-z0-9_][A-Za-z0-9_-]{0,31}$",
  }),
  include: texts("Only these operations, by their names without namespace and prefix; `*` stands for anything.", {
    examples: [["read_*", "list_*"]],
  }),
  exclude: texts("Not these operations; counts before `include`.", { examples: [["delete_*"]] }),
  scopes: texts("What callers must be allowed, each of them; see `servers.auth`."),
  input: choice("Whether an input that does not match its schema is refused.", ["check", "off"], "check"),
  output: choice(
    "What is done with data that does not match its schema: `normalise` strips, fills defaults and converts without loss; `cast` also replaces what does not match by empty values; `check` only tells; `strict` fails the call; `off` does not look.",
    ["normalise", "cast", "check", "strict", "off"],
    "normalise",
  ),
  timeout: count("Milliseconds for one call. By default what the kind of source has, which is 60000."),
  budget: either(
    "Bytes of a result that an MCP client sees at once; the rest is behind a link. `false` for all. By default that of `servers.mcp`.",
    [{ type: "integer", minimum: 0 }, { const: false }],
  ),
  retries: count(
    "How often at most a call is made again that may be: queries, and what is idempotent. By default 2 for `openapi` and `nats`, else 0.",
  ),
  concurrency: count(
    "Calls at one time; the others wait. By default the number of processors for `script`, else any number.",
    { minimum: 1 },
  ),
  maxQueue: count("Calls that may wait; more fail at once.", { default: 1_000 }),
  limit: rateLimit("How many calls the source gets; more fail with the time to wait."),
  breaker: either("When a source that fails is left alone for a while; `false` for never.", [
    group("After so many failures, for so long.", BREAKER),
    { const: false },
  ]),
  disabled: flag("Left out, as if it were not there.", false),
};

const CHILD = {
  cwd: text("Where the program runs. By default the folder of this file."),
  env: named(`Variables that the program gets beside the few basic ones. Write secrets as \`${variable("NAME")}\`.`, {
    type: "string",
  }),
} as const;

const HEADERS = { examples: [{ authorization: `Bearer ${variable("TOKEN")}` }] } as const;

const UNFOLD: JsonSchemaObject = flag(
  "Whether a document of another format inside an answer is read as what it says.",
  true,
);

const MCP: Properties<McpConfig> = {
  mcp: either(
    "An MCP server: the program and its arguments as a list, or the address of one that runs.",
    [COMMAND, { type: "string", pattern: "^(https?://|\\$\\{)" }],
    { examples: [["npx", "-y", "@modelcontextprotocol/server-filesystem", "."], "https://example.com/mcp"] },
  ),
  ...COMMON,
  ...CHILD,
  headers: named("Sent with every request, where `mcp` is an address.", { type: "string" }, HEADERS),
  token: text(`Sent as a bearer token, where \`mcp\` is an address. ${AS_VARIABLE}`),
  era: choice(
    "Which protocol is spoken: `modern` from 2026-07-28 on, `legacy` before; `auto` asks the server.",
    ["auto", "legacy", "modern"],
    "auto",
  ),
  recoverJson: flag("Whether JSON in the text of a result becomes its data, where that is safe.", true),
  unfold: UNFOLD,
  throwOnToolError: flag("Whether a tool that says it failed makes the call fail.", false),
  startTimeout: count("Milliseconds until the server must be ready.", { default: 60_000 }),
  maxMessageLength: count("Characters that an answer may have.", { default: 33_554_432 }),
  graceMs: count("Milliseconds between the steps that end the program: end of its input, TERM, KILL.", {
    default: 2_000,
  }),
};

const CREDENTIAL: JsonSchemaObject = {
  anyOf: [
    text("A token or a key."),
    group("A user.", { username: text("The name."), password: text(AS_VARIABLE) }, ["username", "password"]),
    group(
      "A client that gets its tokens by OAuth.",
      {
        clientId: text("The id of the client."),
        clientSecret: text(AS_VARIABLE),
        tokenUrl: text("In place of that of the document."),
        scopes: texts("In place of those that the operation needs."),
        style: choice("How the client says who it is.", ["basic", "body"], "basic"),
      },
      ["clientId", "clientSecret"],
    ),
  ],
};

const OPENAPI: Properties<OpenApiConfig> = {
  openapi: text("An HTTP API by its OpenAPI document, JSON or YAML: a file or an address.", {
    minLength: 1,
    examples: ["./petstore.yaml", "https://example.com/openapi.json"],
  }),
  ...COMMON,
  baseUrl: text("Where the API is, in place of the `servers` of the document.", { pattern: "^(https?://|\\$\\{)" }),
  variables: named("For the variables in the addresses of `servers`.", { type: "string" }),
  bodyTypes: texts("Media types, the dearest first, for operations that take their body in several."),
  credentials: named(
    "By the names of the document's security schemes: a token or key; `{ username, password }`; or `{ clientId, clientSecret }` for OAuth.",
    CREDENTIAL,
  ),
  headers: named("Sent with every request to the hosts of the document.", { type: "string" }, HEADERS),
  allowPrivate: flag("Whether a document that came from an address may lead to private and loopback addresses.", false),
  idempotencyKeys: flag(
    "Whether mutations are sent with an `Idempotency-Key`, so that they may be tried again.",
    false,
  ),
  unfold: UNFOLD,
  tags: texts("Only operations with one of these tags."),
  methods: texts("Only operations with one of these methods.", { examples: [["GET"]] }),
  maxResponseBytes: count("Bytes that an answer may have.", { default: 33_554_432 }),
  maxDocumentBytes: count("Bytes that the document may have with all its files.", { default: 67_108_864 }),
  maxRetryWaitMs: count("A server that wants a longer wait than these milliseconds is not asked again.", {
    default: 30_000,
  }),
  inlineBytes: count("Binary answers up to this size are base64; larger ones are a link.", { default: 32_768 }),
};

const ANYTHING = (description: string): JsonSchemaObject => ({ description, type: ["object", "boolean"] });

const ONE_SCRIPT = {
  operation: text("The name of the operation. By default that of the file, without its extension.", {
    pattern: "^[A-Za-z0-9_][A-Za-z0-9_./-]{0,127}$",
  }),
  title: text("For people."),
  description: text("What the operation does, for people and models."),
  type: choice("What the operation is. By default `subscription` for JSON lines, else `mutation`.", [
    "query",
    "mutation",
    "subscription",
  ]),
  version: text("Of the operation, such as 1.0.0.", { pattern: "^\\d+\\.\\d+\\.\\d+([-+][0-9A-Za-z.+-]+)?$" }),
  tags: texts("Words to find the operation by."),
  inputSchema: ANYTHING("The JSON Schema of the input."),
  outputSchema: ANYTHING("The JSON Schema of the data that it answers with."),
  errorSchemas: named(
    "The errors by their codes, each with `description`, `category`, `recoverable` and the schema of its `details`.",
    {
      type: "object",
    },
  ),
  annotations: group("What callers may rely on.", {
    readOnly: flag("It changes nothing."),
    idempotent: flag("Called twice it does no more than once."),
    destructive: flag("It may destroy something."),
    openWorld: flag("It reaches things outside."),
  }),
  inputAs: choice(
    "How the script gets its input: `argument` is `--input JSON`, `stdin` the JSON on its standard input, `flags` one flag a field. By default what the script says itself, else `argument`; with `flags`, `flags`.",
    ["argument", "stdin", "flags"],
  ),
  flags: named(
    'The flags of fields that do not have the usual one: text that ends in `=` is joined with the value, `""` makes it a positional argument, `"--"` one after a `--` at the end.',
    { type: "string" },
    { examples: [{ count: "-n" }] },
  ),
  outputAs: choice(
    "What the script prints. By default `helper-output` for a helper, `json-lines` for a subscription, else `auto`.",
    [
      "auto",
      "json",
      "json-lines",
      "text",
      "tool-envelope-v1",
      "response-envelope",
      "tool-response",
      "helper-output",
      "response-v2",
      "mcp-result",
      "problem-details",
    ],
  ),
  major: count("The major of a helper's `schema_version` that is expected; another one is an error."),
  exitCodes: {
    description: "The exit codes that do not mean failure.",
    type: "array",
    items: { type: "integer" },
    minItems: 1,
    default: [0],
  },
  describe: flag(
    "Whether the script is asked for its schemas by `--schema`. By default where its text shows that it knows the flag.",
  ),
} as const;

const SCRIPT: Properties<ScriptConfig> = {
  script: either(
    "A program that runs once a call: the program and its arguments as a list; or a file; or a folder, of which each executable is an operation.",
    [COMMAND, { type: "string", minLength: 1 }],
    { examples: [["node", "triage.js"], "./scripts"] },
  ),
  ...COMMON,
  ...CHILD,
  passEnv: texts("Names of our own variables that the program gets too; `AWS_*` stands for all that begin so."),
  ...ONE_SCRIPT,
  scripts: named(
    "Of a folder: what is said of single files, by file name; the options from `operation` to `describe`, `input` and `output`.",
    group("Of one file.", { ...ONE_SCRIPT, input: COMMON.input, output: COMMON.output }),
  ),
  startTimeout: count("Milliseconds that a script may take to tell its schemas.", { default: 10_000 }),
  graceMs: count("Milliseconds between TERM and KILL.", { default: 2_000 }),
  maxOutputBytes: count("Bytes that an answer may have, of a subscription one line.", { default: 67_108_864 }),
  maxStderrBytes: count("How many of the last bytes of standard error are kept.", { default: 8_192 }),
};

const MODULE: Properties<ModuleConfig> = {
  module: text("A TypeScript or JavaScript module that exports operations: a path, or the name of a package.", {
    minLength: 1,
    examples: ["./math.ts"],
  }),
  ...COMMON,
  watch: flag("Whether it is loaded again when it changes, or a file that it imports. By default `serve` does."),
  startTimeout: count("Milliseconds until the module must be loaded.", { default: 60_000 }),
};

const NATS: Properties<NatsConfig> = { nats: NATS_ADDRESS, ...COMMON, ...NATS_SOURCE };

/** What a source of each kind may say. */
export const SOURCE_SCHEMAS: Readonly<Record<SourceKind, JsonSchemaObject>> = {
  mcp: group("An MCP server.", MCP, ["mcp"]),
  openapi: group("An HTTP API with an OpenAPI document.", OPENAPI, ["openapi"]),
  script: group("A program, a script or a folder of them.", SCRIPT, ["script"]),
  module: group("A module that exports operations.", MODULE, ["module"]),
  nats: group("A fleet of workers on NATS.", NATS, ["nats"]),
};

/** The options that every source has. */
export const COMMON_OPTIONS: readonly string[] = Object.keys(COMMON);
