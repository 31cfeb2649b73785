import { createRequire } from "node:module";
import { join } from "node:path";
import { CallError } from "../../envelope/call-error.js";
import { messageOf } from "../../json/attempt.js";
import { isRecord } from "../../json/value.js";

export type NatsTransport = typeof import("@nats-io/transport-node");

const PACKAGE = "@nats-io/transport-node";

/** The client of NATS, where it is installed: beside Plico or beside the configuration. */
export async function natsTransport(folder: string): Promise<NatsTransport> {
  try {
    return await import("@nats-io/transport-node");
  } catch (thrown) {
    if (!isNotInstalled(thrown)) throw unusable(thrown);
  }
  try {
    return createRequire(join(folder, "plico.json"))(PACKAGE) as NatsTransport;
  } catch (thrown) {
    throw isNotInstalled(thrown) ? notInstalled() : unusable(thrown);
  }
}

/** Not one that it needs itself, whose absence is another fault. */
function isNotInstalled(thrown: unknown): boolean {
  const code = isRecord(thrown) ? thrown["code"] : undefined;
  const isMissing = code === "MODULE_NOT_FOUND" || code === "ERR_MODULE_NOT_FOUND";
  return isMissing && messageOf(thrown).includes(PACKAGE);
}

function notInstalled(): CallError {
  return new CallError({
    category: "unavailable",
    code: "TOOL_MISSING",
    message: `NATS needs the package ${PACKAGE}, which is not installed.`,
    recoverable: false,
    suggestedAction: `Install it beside Plico: npm install ${PACKAGE}`,
  });
}

function unusable(thrown: unknown): CallError {
  const message = `The package ${PACKAGE} cannot be loaded: ${messageOf(thrown)}`;
  return new CallError({ category: "unavailable", message, recoverable: false, cause: thrown });
}
