import { LOG_FORMATS, LOG_LEVELS, SEARCH_MODES } from "../../gateway/config/config-choices.js";
import { type Command, usageError } from "../command.js";
import { SOURCE_FLAGS } from "../sources.js";

export const serveCommand: Command = {
  name: "serve",
  usage: "[--stdio | --port N] [options]",
  summary: "Serves all sources in one place: as MCP at /mcp or over stdio, as an HTTP API, and their health.",
  takes: "words",
  flags: {
    stdio: { type: "boolean", help: "serve MCP over standard input and output, and nothing over HTTP" },
    port: { type: "string", value: "N", help: "the port (default 4100); 0 takes one that is free" },
    host: { type: "string", value: "HOST", help: "the address to listen on (default 127.0.0.1, this machine only)" },
    "allow-host": {
      type: "string",
      value: "NAME",
      help: "a name by which it may be called from elsewhere",
      multiple: true,
    },
    ...SOURCE_FLAGS,
    search: {
      type: "string",
      choices: SEARCH_MODES,
      help: "three tools to find and call operations by, in place of all of them (default auto: above 60)",
    },
    "log-format": { type: "string", choices: LOG_FORMATS, help: "how the log is written (default text)" },
    "log-level": { type: "string", value: "LEVEL", choices: LOG_LEVELS, help: "how much the log tells (default info)" },
    "no-watch": { type: "boolean", help: "do not follow changes of the file" },
    record: { type: "string", value: "FILE", help: "keep every call and its answer in FILE" },
    replay: { type: "string", value: "FILE", help: "answer from what was recorded in FILE; no source is started" },
  },
  notes: [
    "/mcp  /operations  /openapi.json  /healthz  /readyz",
    "Ctrl-C lets running calls finish, ends what was started, and exits with 0.",
  ],
  async run(call, io) {
    if (call.words.length > 0) throw usageError(serveCommand, `"${call.words.join(" ")}" is one word too many`);
    const [{ serveSettings }, { runServe }] = await Promise.all([
      import("./serve-settings.js"),
      import("./serve-run.js"),
    ]);
    return runServe(serveSettings(serveCommand, call, io), { command: serveCommand, call, io });
  },
};
