import { Agent, type ClientRequest } from "node:http";
import { Agent as TlsAgent } from "node:https";
import type { Duplex } from "node:stream";

export interface KeptConnections {
  readonly plain: Agent;
  readonly secure: TlsAgent;
}

/** Connections that are kept for the next request, as long as the server is silent. */
export function keptConnections(): KeptConnections {
  const options = { keepAlive: true, maxSockets: 256, timeout: KEPT_MS };
  return { plain: closingOnNoise(new Agent(options)), secure: closingOnNoise(new TlsAgent(options)) };
}

/** One that was idle for longer may be gone without a word, or be closed by the server at this moment. */
const KEPT_MS = 4_000;

/** Closes what has been idle for too long: in a process that was busy, the timers that do so ring too late. */
export function closeStale(agent: Agent, now: number = Date.now()): void {
  for (const sockets of Object.values(agent.freeSockets))
    for (const socket of sockets ?? []) if (now - (IDLE_SINCE.get(socket) ?? now) > KEPT_MS) socket.destroy();
}

const IDLE_SINCE = new WeakMap<Duplex, number>();

/** What comes unasked would be taken for the answer to the next request. */
function closingOnNoise<T extends Agent>(agent: T): T {
  const hooks = agent as unknown as Hooks;
  const { keepSocketAlive, reuseSocket } = hooks;
  hooks.keepSocketAlive = function (socket) {
    const isKept = keepSocketAlive.call(this, socket);
    if (isKept) socket.on("data", closeItself);
    IDLE_SINCE.set(socket, Date.now());
    return isKept;
  };
  hooks.reuseSocket = function (socket, request) {
    socket.off("data", closeItself);
    reuseSocket.call(this, socket, request);
  };
  return agent;
}

/** The types do not say that it tells: https://nodejs.org/api/http.html#agentkeepsocketalivesocket */
interface Hooks {
  keepSocketAlive(socket: Duplex): boolean;
  reuseSocket(socket: Duplex, request: ClientRequest): void;
}

function closeItself(this: Duplex): void {
  this.destroy();
}
