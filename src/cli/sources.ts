import type { LoadedConfig } from "../gateway/config/loaded-config.js";
import type { Gateway, GatewayOptions } from "../gateway/gateway.js";
import type { Call, Command, Flag } from "./command.js";
import type { Io } from "./io.js";

/** The flags by which a command is told its sources. */
export const SOURCE_FLAGS: Readonly<Record<string, Flag>> = {
  config: {
    type: "string",
    value: "FILE",
    help: "the plico.json, or a file with mcpServers (default the nearest plico.json)",
  },
  mcp: { type: "string", value: "COMMAND|URL", help: "an MCP server, in place of a file", multiple: true },
  openapi: { type: "string", value: "FILE|URL", help: "an HTTP API, in place of a file", multiple: true },
  script: { type: "string", value: "FILE", help: "a script, or a folder of them, in place of a file", multiple: true },
  module: { type: "string", value: "FILE", help: "a module with operations, in place of a file", multiple: true },
};

/** What the flags say: a file, or sources of their own. */
export function configOf(_command: Command, _call: Call, _io: Io): Promise<LoadedConfig> {
  throw new Error("not built yet");
}

/** Opens the sources, waits for each to be up or to have failed, and closes them in the end, whatever happens. */
export function withGateway<Result>(
  _options: GatewayOptions,
  _use: (gateway: Gateway) => Promise<Result>,
): Promise<Result> {
  throw new Error("not built yet");
}
