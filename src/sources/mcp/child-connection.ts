import { isRecord, isStringArray, type JsonRecord } from "../../json/value.js";
import { type Era, MODERN_VERSION } from "../../mcp/keys.js";
import { startProcessTree } from "../process-tree.js";
import { aboutServer } from "./about-server.js";
import { ChildTransport } from "./child-transport.js";
import { createClient, envelopeOf, listenForTools } from "./client.js";
import type { Connection, ConnectionHooks } from "./connection.js";
import { RequestEncoder } from "./encode.js";
import { errorFromThrown, unavailable } from "./errors.js";
import type { Settings } from "./options.js";

/** Starts a server's process and greets it. `knownEra` spares the question to one that is started again. */
export async function openChild(settings: Settings, hooks: ConnectionHooks, knownEra?: Era): Promise<Connection> {
  const deadline = Date.now() + settings.startTimeout;
  const era = knownEra ?? settings.era;
  const first = await start(settings);
  try {
    if (era === "legacy") return await greet(first, settings, hooks, undefined, deadline);
    const discovery = await discover(first, settings, deadline);
    if (discovery !== "died") return await greet(first, settings, hooks, discovery, deadline);
  } catch (thrown) {
    await first.close();
    throw errorFromThrown(thrown);
  }
  // Some old servers end at a question they do not know.
  return openChild({ ...settings, startTimeout: Math.max(0, deadline - Date.now()) }, hooks, "legacy");
}

interface Child {
  readonly transport: ChildTransport;
  encoder: RequestEncoder;
  close(): Promise<void>;
}

async function start(settings: Settings): Promise<Child> {
  const { command = [], cwd, env, graceMs, onStderr, maxMessageBytes } = settings;
  const tree = await startProcessTree(command, {
    env: { ...inheritedEnvironment(), ...env },
    graceMs,
    ...(cwd !== undefined && { cwd }),
    ...(onStderr !== undefined && { onStderr }),
  });
  const transport = new ChildTransport(tree, maxMessageBytes, (requestId, reason) =>
    child.encoder.notification("notifications/cancelled", { requestId, reason }),
  );
  const encoder = new RequestEncoder("modern", envelopeOf(settings));
  const child: Child = { transport, encoder, close: () => transport.close() };
  return child;
}

/** Of our own variables a server gets only those that every program needs: the rest may hold secrets. */
function inheritedEnvironment(): Record<string, string> {
  return Object.fromEntries(
    INHERITED.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

const INHERITED =
  process.platform === "win32"
    ? "APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES SYSTEMDRIVE SYSTEMROOT TEMP USERNAME USERPROFILE WINDIR".split(
        " ",
      )
    : "HOME LANG LOGNAME PATH SHELL TERM TMPDIR USER".split(" ");

/** Half of the time to be ready, and not so long that an old server that says nothing is a nuisance. */
const LONGEST_PROBE = 5_000;

/**
 * What the server says of itself in the modern era; `undefined` where it does not know the question or says nothing: then
 * it is greeted in the old way.
 */
async function discover(child: Child, settings: Settings, deadline: number): Promise<JsonRecord | "died" | undefined> {
  const timeout = Math.min((deadline - Date.now()) / 2, LONGEST_PROBE);
  const asked = child.transport.lane.request({
    method: "server/discover",
    encode: child.encoder.request("server/discover", {}),
    timeout: settings.era === "modern" ? deadline - Date.now() : timeout,
  });
  const lost = child.transport.lost.then(() => "died" as const);
  const answer = await Promise.race([asked.catch(() => undefined), lost]);
  if (
    isRecord(answer) &&
    isStringArray(answer["supportedVersions"]) &&
    answer["supportedVersions"].includes(MODERN_VERSION)
  )
    return answer;
  const died = answer === "died" || (await Promise.race([lost, Promise.resolve("lives")])) === "died";
  if (settings.era !== "modern") return died ? "died" : undefined;
  throw died
    ? await child.transport.lost
    : unavailable(`The MCP server does not speak the revision ${MODERN_VERSION}; \`era: "auto"\` would fall back`);
}

async function greet(
  child: Child,
  settings: Settings,
  hooks: ConnectionHooks,
  discovery: JsonRecord | undefined,
  deadline: number,
): Promise<Connection> {
  const { transport } = child;
  const client = createClient(settings, hooks);
  const timeout = Math.max(1, deadline - Date.now());
  const prior =
    discovery === undefined ? { kind: "legacy" as const } : { kind: "modern" as const, discover: discovery };
  const lost = transport.lost.then((error) => Promise.reject(error));
  await Promise.race([client.connect(transport, { timeout, prior: prior as never }), lost]);
  lost.catch(() => {});
  const about = aboutServer(client);
  child.encoder = new RequestEncoder(about.era, envelopeOf(settings));
  listenForTools(client, timeout);
  return {
    ...about,
    encoder: child.encoder,
    request: (request) => transport.lane.request(request),
    lost: transport.lost,
    close: () => transport.close(),
  };
}
