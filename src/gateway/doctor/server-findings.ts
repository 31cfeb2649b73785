import type { ServersConfig } from "../config/config.js";
import { isOpenToAll, SHORTEST_TOKEN, shortTokens } from "../config/config-rules.js";
import { type Finding, someOf } from "./finding.js";

export interface ServerFacts {
  readonly servers: ServersConfig;
  readonly host: string;
  readonly port: number;
  /** Who listens there now; `other` is not Plico. */
  readonly listener: "none" | "plico" | "other";
}

/** Whether `plico serve` can start, and who could use it. */
export function serverFindings({ servers, host, port, listener }: ServerFacts): readonly Finding[] {
  return [portFinding(host, port, listener), ...tokenFindings(servers), ...openDoor(servers, host)];
}

function portFinding(host: string, port: number, listener: ServerFacts["listener"]): Finding {
  const place = `${host}:${port}`;
  if (listener === "none") return { level: "ok", about: "server", message: `${place} is free` };
  if (listener === "plico") return { level: "ok", about: "server", message: `Plico serves at ${place} already` };
  return {
    level: "warn",
    about: "server",
    message: `another program listens at ${place}`,
    fix: "End it, or give another port: servers.http.port, or `plico serve --port N`.",
  };
}

function tokenFindings(servers: ServersConfig): Finding[] {
  const short = shortTokens(servers);
  if (short.length === 0) return [];
  const message = `tokens of less than ${SHORTEST_TOKEN} characters: ${someOf(short)}`;
  return [{ level: "warn", about: "server", message, fix: "Make longer ones: openssl rand -hex 24" }];
}

function openDoor(servers: ServersConfig, host: string): Finding[] {
  if (!isOpenToAll(servers)) return [];
  return [
    {
      level: "warn",
      about: "server",
      message: `whoever reaches ${host} can call everything`,
      fix: "Give servers.auth.tokens, or serve on 127.0.0.1.",
    },
  ];
}
