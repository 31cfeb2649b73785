import { type Client, type JSONRPCMessage, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { CallError } from "../../envelope/call-error.js";
import { orElse } from "../../json/attempt.js";
import { aboutServer } from "./about-server.js";
import { createClient, envelopeOf, listenForTools } from "./client.js";
import type { Connection, ConnectionHooks } from "./connection.js";
import { RequestEncoder } from "./encode.js";
import { errorFromThrown, isReset, notReady } from "./errors.js";
import { HttpLane } from "./http-lane.js";
import type { Settings } from "./options.js";
import { soundGreeting } from "./sound-greeting.js";
import { givenToken } from "./token.js";
import { unlessAborted } from "./unless-aborted.js";

/** Greets a server over HTTP. The SDK does all that is not a call: versions, sessions, sign-in, changes, questions. */
export async function openHttp(given: Settings, hooks: ConnectionHooks): Promise<Connection> {
  const { url, settings } = withoutPassword(given);
  const { client, transport } = await greet(url, settings, hooks).catch((thrown) => {
    // A greeting may be said twice.
    if (!isReset(thrown)) throw thrown;
    return greet(url, settings, hooks);
  });
  const about = aboutServer(client);
  let lose: (error: CallError) => void = () => {};
  const lost = new Promise<CallError>((resolve) => {
    lose = resolve;
  });
  const lane = new HttpLane({ settings, url, transport, era: about.era, onSessionLost: (error) => lose(error) });
  const toSdk = transport.onmessage;
  transport.onmessage = (message: JSONRPCMessage): void => {
    if (!lane.take(message)) toSdk?.call(transport, message);
  };
  listenForTools(client, settings.startTimeout);
  const close = async (): Promise<void> => {
    lane.close();
    await endSession(transport);
    await client.close().catch(() => {});
  };
  return {
    ...about,
    encoder: new RequestEncoder(about.era, envelopeOf(settings)),
    request: (request) => lane.request(request),
    lost,
    async retire() {
      await lane.idle();
      await close();
    },
    close,
  };
}

interface Greeted {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
}

async function greet(url: URL, settings: Settings, hooks: ConnectionHooks): Promise<Greeted> {
  const requestInit = { headers: { ...settings.headers } };
  const transport = new StreamableHTTPClientTransport(url, { requestInit, ...authOf(settings) });
  const client = createClient(settings, hooks);
  transport.onmessage = soundGreeting;
  try {
    await unlessAborted(client.connect(transport, { timeout: settings.startTimeout }), hooks.signal);
    return { client, transport };
  } catch (thrown) {
    await client.close().catch(() => {});
    throw errorFromThrown(notReady(thrown, settings.startTimeout));
  }
}

/** A name and a password in the address are sent as a header; `fetch` would refuse them and print them. */
function withoutPassword(settings: Settings): { readonly url: URL; readonly settings: Settings } {
  const url = new URL(settings.url ?? "");
  const { username, password } = url;
  if (username === "" && password === "") return { url, settings };
  url.username = "";
  url.password = "";
  const [name, word] = [username, password].map((part) => orElse(() => decodeURIComponent(part), part));
  const basic = Buffer.from(`${name}:${word}`).toString("base64");
  return { url, settings: { ...settings, headers: { authorization: `Basic ${basic}`, ...settings.headers } } };
}

function authOf({ token, authProvider }: Settings): { authProvider?: NonNullable<Settings["authProvider"]> } {
  if (authProvider !== undefined) return { authProvider };
  if (token === undefined) return {};
  const provider = { token: () => givenToken(token) };
  return { authProvider: provider as unknown as NonNullable<Settings["authProvider"]> };
}

/** Politeness: a server that does not answer is not waited for. */
async function endSession(transport: StreamableHTTPClientTransport): Promise<void> {
  if (transport.sessionId === undefined) return;
  const patience = new Promise<void>((resolve) => {
    setTimeout(resolve, 500).unref();
  });
  await Promise.race([transport.terminateSession().catch(() => {}), patience]);
}
