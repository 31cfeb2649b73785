import type { Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { CallError } from "../envelope/call-error.js";
import { type GuardOptions, isLoopback } from "./http-guard.js";

export interface ListenOptions {
  /** @default 0, one that is free */
  readonly port?: number | undefined;
  /** @default "127.0.0.1" */
  readonly host?: string | undefined;
}

/** A server that listens. */
export interface Listening {
  /** Its address, without a path. */
  readonly origin: string;
  /** Takes no more connections, lets what runs come to its end, then closes every connection. */
  close(finish: () => Promise<void>): Promise<void>;
}

/** Throws where a server could be reached from elsewhere and does not know by which names. */
export function checkReach({ host = "127.0.0.1", allowedHosts }: ListenOptions & GuardOptions): void {
  if (isLoopback(host) || allowedHosts !== undefined) return;
  throw new CallError({
    category: "validation",
    code: "HOSTS_UNNAMED",
    message: `A server on ${host} can be reached from elsewhere: name the hosts that it is called by in allowedHosts.`,
  });
}

export async function listen(server: Server, { port = 0, host = "127.0.0.1" }: ListenOptions): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => reject(listenError(error, host, port));
    server.once("error", onError);
    server.listen(port, host, () => {
      server.off("error", onError);
      resolve();
    });
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const { family, address, port: used } = server.address() as AddressInfo;
  return {
    origin: `http://${family === "IPv6" ? `[${address}]` : address}:${used}`,
    close: async (finish) => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await finish();
      await sent(sockets);
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Why nothing listens, with what to do about it. The code is the system's. */
function listenError(error: NodeJS.ErrnoException, host: string, port: number): CallError {
  const { code = "UNAVAILABLE" } = error;
  const fault = LISTEN_FAULTS[code];
  if (fault === undefined)
    return new CallError({
      category: "unavailable",
      code,
      message: `Nothing can listen on ${host}, port ${port}: ${error.message}.`,
      cause: error,
    });
  const { category, why, suggestedAction } = fault;
  const message = `Nothing can listen on ${host}, port ${port}: ${why}.`;
  return new CallError({ category, code, message, suggestedAction, cause: error });
}

interface ListenFault {
  readonly category: "conflict" | "authorization" | "validation";
  readonly why: string;
  readonly suggestedAction: string;
}

const NO_SUCH_HOST: ListenFault = {
  category: "validation",
  why: "this machine has no such address",
  suggestedAction: "Use 127.0.0.1 for this machine only, or 0.0.0.0 for all of its addresses.",
};

const LISTEN_FAULTS: Readonly<Record<string, ListenFault>> = {
  EADDRINUSE: {
    category: "conflict",
    why: "the port is taken by another program",
    suggestedAction: "End that program, or use another port; 0 takes one that is free.",
  },
  EACCES: {
    category: "authorization",
    why: "the system does not allow it to this user",
    suggestedAction: "Use a port from 1024 on; the lower ones are for administrators.",
  },
  EADDRNOTAVAIL: NO_SUCH_HOST,
  ENOTFOUND: NO_SUCH_HOST,
  EAI_AGAIN: NO_SUCH_HOST,
};

/** How long a client may take to read what it was answered. */
const READ_MS = 2_000;

/** Until nothing waits to be sent any more: an answer may be larger than a connection takes at once. */
async function sent(sockets: ReadonlySet<Socket>): Promise<void> {
  const busy = [...sockets].filter(({ writableLength }) => writableLength > 0);
  if (busy.length === 0) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, READ_MS);
  });
  const each = busy.map(
    (socket) => new Promise<void>((resolve) => socket.once("drain", resolve).once("close", resolve)),
  );
  await Promise.race([late, Promise.all(each)]);
  clearTimeout(timer);
}
