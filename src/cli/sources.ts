import { CallError } from "../envelope/call-error.js";
import type { SourceKind } from "../gateway/config/config.js";
import type { LoadedConfig } from "../gateway/config/loaded-config.js";
import type { Gateway, GatewayOptions } from "../gateway/gateway.js";
import { nearestOf } from "../registry/refusals.js";
import { type Call, type Command, type Flag, usageError } from "./command.js";
import { complaintFrom } from "./complaint-from.js";
import { Complaint, type Io } from "./io.js";
import { tellLine } from "./terminal/tell.js";
import { waitingLine } from "./terminal/waiting-line.js";

/** The flags by which a command is told its sources. */
export const SOURCE_FLAGS: Readonly<Record<string, Flag>> = {
  config: {
    type: "string",
    value: "FILE",
    help: "the plico.json, or a file with mcpServers (default the nearest plico.json)",
  },
  mcp: {
    type: "string",
    value: '"COMMAND"|URL',
    help: "an MCP server in place of a file: what starts it, or its address",
    multiple: true,
  },
  openapi: {
    type: "string",
    value: "FILE|URL",
    help: "an HTTP API in place of a file, by its OpenAPI document",
    multiple: true,
  },
  script: {
    type: "string",
    value: "FILE",
    help: "a program in place of a file, or a folder of programs; each runs once a call",
    multiple: true,
  },
  module: {
    type: "string",
    value: "FILE",
    help: "a JavaScript or TypeScript module in place of a file",
    multiple: true,
  },
  nats: {
    type: "string",
    value: "URL",
    help: "in place of a file, whatever workers on this NATS server offer",
    multiple: true,
  },
};

const AD_HOC = ["mcp", "openapi", "script", "module", "nats"] as const;

/** What the flags say: a file, or sources of their own. */
export async function configOf(command: Command, call: Call, io: Io): Promise<LoadedConfig> {
  // A command that means something else by a flag of this name tells its sources by the others.
  const kinds = AD_HOC.filter((kind) => command.flags[kind] === SOURCE_FLAGS[kind]);
  const given = kinds.filter((kind) => call.values(kind).length > 0);
  const file = call.value("config");
  if (file !== undefined && given.length > 0)
    throw usageError(command, `--config and --${given[0]} are both given; sources come from a file or from flags`);
  const loading = given.length > 0 ? adHoc(kinds, call, io) : fromFile(file, io);
  const loaded = await loading.catch((thrown) => {
    throw complaintFrom(thrown, 2);
  });
  for (const note of loaded.notes) tellLine(io.stderr, `plico: note: ${note}`);
  return loaded;
}

async function adHoc(kinds: readonly SourceKind[], call: Call, io: Io): Promise<LoadedConfig> {
  const { adHocConfig } = await import("../gateway/config/ad-hoc-config.js");
  const given = Object.fromEntries(kinds.map((kind) => [kind, call.values(kind)]));
  return adHocConfig({ ...given, cwd: io.cwd() });
}

async function fromFile(file: string | undefined, io: Io): Promise<LoadedConfig> {
  const { loadConfig } = await import("../gateway/config/load-config.js");
  return loadConfig({ cwd: io.cwd(), env: io.env, file });
}

/** The flags that named the sources, as they were typed. */
export function sourceWords(call: Call): readonly string[] {
  return Object.keys(SOURCE_FLAGS).flatMap((name) => call.values(name).flatMap((value) => [`--${name}`, value]));
}

/** The sources that were asked for by name; `undefined` stands for all. */
export function namedSources({ config }: LoadedConfig, names: readonly string[]): readonly string[] | undefined {
  for (const name of names) {
    const source = Object.hasOwn(config.sources, name) ? config.sources[name] : undefined;
    if (source === undefined) throw new Complaint(unknownSource(name, Object.keys(config.sources)), 2);
    if (source.disabled === true) throw new Complaint(`the source ${name} is disabled; take \`disabled\` out`, 2);
  }
  return names.length === 0 ? undefined : [...new Set(names)];
}

function unknownSource(name: string, known: readonly string[]): string {
  const nearest = nearestOf(name, known);
  if (nearest !== undefined) return `there is no source "${name}"; did you mean ${nearest}?`;
  return `there is no source "${name}"; ${known.length === 0 ? "there are none" : `there are ${known.join(", ")}`}`;
}

export interface WithGatewayOptions extends GatewayOptions {
  readonly io: Io;
  /** Ends the wait for sources that are not up yet. */
  readonly signal?: AbortSignal;
}

/**
 * Opens the sources, waits for each to be up or to have failed, and closes them in the end, whatever happens. Throws a
 * `CallError` where the wait is aborted.
 */
export async function withGateway<Result>(
  { signal, io, ...options }: WithGatewayOptions,
  use: (gateway: Gateway) => Promise<Result>,
): Promise<Result> {
  const { openGateway } = await import("../gateway/gateway.js");
  const gateway = openGateway(options);
  const stopTelling = waitingLine(io.stderr, () => `Starting ${startingIn(gateway).join(", ")} …`);
  try {
    await Promise.race([gateway.settled(), ...(signal === undefined ? [] : [whenAborted(signal)])]);
    stopTelling();
    if (signal?.aborted === true) throw notInTime(signal, startingIn(gateway));
    return await use(gateway);
  } finally {
    stopTelling();
    await gateway.close();
  }
}

function startingIn(gateway: Gateway): readonly string[] {
  return gateway.health().sources.flatMap(({ name, status }) => (status === "connecting" ? [name] : []));
}

/** Somebody did not want to wait any longer, or a clock did not. */
function notInTime({ reason }: AbortSignal, starting: readonly string[]): CallError {
  if (!(reason instanceof Error) || reason.name !== "TimeoutError")
    return new CallError({ category: "aborted", message: "Aborted." });
  const message = `The time was over before ${starting.join(", ")} had started.`;
  return new CallError({ category: "timeout", message, suggestedAction: "Give it more time with --timeout." });
}

function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
