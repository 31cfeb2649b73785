import { connect } from "node:net";
import { isRecord } from "../../json/value.js";
import type { ServerFacts } from "./server-findings.js";

/** A program that takes longer to say who it is, is another one. */
const PATIENCE_MS = 1_000;

/** Asks whoever listens at a port of this machine who it is. */
export async function whoListens(host: string, port: number): Promise<ServerFacts["listener"]> {
  const target = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.replaceAll(/[[\]]/g, "");
  if (!(await isOpen(target, port))) return "none";
  const url = `http://${target.includes(":") ? `[${target}]` : target}:${port}/healthz`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS), redirect: "manual" });
    const health: unknown = await response.json();
    return isRecord(health) && "status" in health && "operations" in health ? "plico" : "other";
  } catch {
    return "other";
  }
}

function isOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: PATIENCE_MS });
    const end = (answer: boolean) => (): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", end(true)).once("error", end(false)).once("timeout", end(false));
  });
}
