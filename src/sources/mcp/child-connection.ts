import type { Client } from "@modelcontextprotocol/client";
import type { CallError } from "../../envelope/call-error.js";
import { isRecord, isStringArray, type JsonRecord } from "../../json/value.js";
import { type Era, MODERN_VERSION } from "../../mcp/keys.js";
import { inheritedEnvironment } from "../inherited-environment.js";
import { startProcessTree } from "../process-tree.js";
import { aboutServer } from "./about-server.js";
import { ChildTransport } from "./child-transport.js";
import { createClient, envelopeOf, listenForTools } from "./client.js";
import type { Connection, ConnectionHooks } from "./connection.js";
import { RequestEncoder } from "./encode.js";
import { errorFromThrown, notReady, unavailable } from "./errors.js";
import type { Settings } from "./options.js";
import { soundGreeting } from "./sound-greeting.js";

/** Starts a server's process and greets it. `knownEra` spares the question to one that is started again. */
export async function openChild(settings: Settings, hooks: ConnectionHooks, knownEra?: Era): Promise<Connection> {
  const deadline = Date.now() + settings.startTimeout;
  const era = knownEra ?? settings.era;
  const child = await start(settings);
  const stop = (): void => void child.close();
  hooks.signal.addEventListener("abort", stop, { once: true });
  try {
    hooks.signal.throwIfAborted();
    const discovery = era === "legacy" ? OLD : await discover(child, era === "modern", deadline);
    if (discovery.kind !== "died") return await greet(child, settings, hooks, discovery, deadline);
  } catch (thrown) {
    await child.close();
    throw errorFromThrown(notReady(thrown, settings.startTimeout));
  } finally {
    hooks.signal.removeEventListener("abort", stop);
  }
  // Some old servers end at a question they do not know.
  const rest = Math.max(1, deadline - Date.now());
  return openChild({ ...settings, startTimeout: rest }, hooks, "legacy");
}

/** What a server says to the question of the modern era, or how it takes it. */
type Discovery =
  | { readonly kind: "modern"; readonly result: JsonRecord }
  | { readonly kind: "legacy"; readonly offered?: readonly string[] }
  | { readonly kind: "died" };

const OLD: Discovery = { kind: "legacy" };

interface Child {
  readonly transport: ChildTransport;
  encoder: RequestEncoder;
  close(): Promise<void>;
}

async function start(settings: Settings): Promise<Child> {
  const { command = [], cwd, env, graceMs, onStderr, maxMessageLength } = settings;
  const tree = await startProcessTree(command, {
    env: { ...inheritedEnvironment(), ...env },
    graceMs,
    ...(cwd !== undefined && { cwd }),
    ...(onStderr !== undefined && { onStderr }),
  });
  const transport = new ChildTransport(tree, maxMessageLength, (requestId, reason) =>
    child.encoder.notification("notifications/cancelled", { requestId, reason }),
  );
  const encoder = new RequestEncoder("modern", envelopeOf(settings));
  const child: Child = { transport, encoder, close: () => transport.close() };
  return child;
}

/** An old server that says nothing to what it does not know is greeted in the old way after this time at the latest. */
const LONGEST_PROBE = 5_000;

async function discover({ transport, encoder }: Child, isRequired: boolean, deadline: number): Promise<Discovery> {
  const rest = deadline - Date.now();
  const asked = transport.lane.request({
    method: "server/discover",
    encode: encoder.request("server/discover", {}),
    timeout: isRequired ? rest : Math.min(rest / 2, LONGEST_PROBE),
  });
  const result = await asked.catch((error: CallError) => {
    if (isRequired && error.category === "timeout") throw error;
  });
  if (transport.isLost) {
    if (isRequired) throw await transport.lost;
    return { kind: "died" };
  }
  const offered = isRecord(result) && isStringArray(result["supportedVersions"]) ? result["supportedVersions"] : [];
  if (isRecord(result) && offered.includes(MODERN_VERSION)) return { kind: "modern", result };
  if (isRequired) throw unavailable(`The MCP server does not speak the revision ${MODERN_VERSION}`, { offered });
  return { kind: "legacy", offered };
}

async function greet(
  child: Child,
  settings: Settings,
  hooks: ConnectionHooks,
  discovery: Exclude<Discovery, { kind: "died" }>,
  deadline: number,
): Promise<Connection> {
  const { transport } = child;
  const client = createClient(settings, hooks);
  transport.onmessage = soundGreeting;
  const timeout = Math.max(1, deadline - Date.now());
  await Promise.race([
    client.connect(transport, { timeout, prior: priorOf(discovery) }).catch((thrown) => {
      throw notUnderstood(discovery, thrown);
    }),
    transport.lost.then((error) => Promise.reject(error)),
  ]);
  const about = aboutServer(client);
  child.encoder = new RequestEncoder(about.era, envelopeOf(settings));
  listenForTools(client, timeout);
  return {
    ...about,
    encoder: child.encoder,
    request: (request) => transport.lane.request(request),
    lost: transport.lost,
    retire: () => transport.close(),
    close: () => transport.close(),
  };
}

type Prior = NonNullable<NonNullable<Parameters<Client["connect"]>[1]>["prior"]>;

/** The answer as the SDK wants it, which looks at it again. */
function priorOf(discovery: Discovery): Prior {
  if (discovery.kind !== "modern") return { kind: "legacy" };
  soundGreeting(discovery);
  return { kind: "modern", discover: discovery.result } as unknown as Prior;
}

/** A server that has told which revisions it speaks, and does not speak the old ones either. */
function notUnderstood(discovery: Discovery, thrown: unknown): unknown {
  const offered = discovery.kind === "legacy" ? (discovery.offered ?? []) : [];
  if (offered.length === 0) return thrown;
  return unavailable(
    `The MCP server speaks only revisions that Plico does not: ${offered.join(", ")}`,
    { offered },
    thrown,
  );
}
