import { isRecord } from "../../json/value.js";
import type { ServerFacts } from "./server-findings.js";

/** A program that takes longer to say who it is, is another one. */
const PATIENCE_MS = 1_000;

/** Asks whoever listens at a port of this machine who it is. */
export async function whoListens(host: string, port: number): Promise<ServerFacts["listener"]> {
  const url = `http://${asTarget(host)}:${port}/healthz`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS), redirect: "manual" });
    const health: unknown = await response.json();
    return isRecord(health) && "status" in health && "operations" in health ? "plico" : "other";
  } catch (thrown) {
    return isRefused(thrown) ? "none" : "other";
  }
}

/** Who listens on all addresses listens on this one too. */
function asTarget(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

function isRefused(thrown: unknown): boolean {
  const { cause } = thrown as { readonly cause?: { readonly code?: unknown } };
  return cause?.code === "ECONNREFUSED";
}
