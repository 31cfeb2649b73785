import { LOG_FORMATS, LOG_LEVELS } from "../../gateway/config/config-choices.js";
import { type Command, usageError } from "../command.js";
import { SOURCE_FLAGS } from "../sources.js";

const { nats: _, ...SOURCES } = SOURCE_FLAGS;

export const workerCommand: Command = {
  name: "worker",
  usage: "--nats URL [options]",
  summary: `Serves all sources on NATS, so that callers on other machines find and call them: gateways whose sources have
"nats", and programs with natsSource of plico/brokers/nats. Workers that offer the same share the calls.`,
  takes: "words",
  flags: {
    nats: {
      type: "string",
      value: "URL",
      help: "the NATS server, or several with commas between (default servers.nats.url of the file)",
    },
    ...SOURCES,
    "log-format": { type: "string", choices: LOG_FORMATS, help: "how the log is written (default text)" },
    "log-level": { type: "string", value: "LEVEL", choices: LOG_LEVELS, help: "how much the log tells (default info)" },
    "no-watch": { type: "boolean", help: "do not follow changes of the file" },
  },
  notes: [
    "servers.nats of plico.json has the rest: credentials, whom to trust, durable operations, subjects.",
    "Ctrl-C takes no more calls, lets running ones finish, and exits with 0; once more ends it at once.",
    "Exit codes: 0; 2 for a mistake in the call or the file; 67 where NATS does not let us in; 69 where it is not there;",
    "77 where it lets us hear none of our calls; 124 where it does not answer.",
  ],
  async run(call, io) {
    if (call.words.length > 0) throw usageError(workerCommand, `"${call.words.join(" ")}" is one word too many`);
    const [{ workerSettings }, { runWorker }] = await Promise.all([
      import("./worker-settings.js"),
      import("./worker-run.js"),
    ]);
    return runWorker(workerSettings(workerCommand, call), { command: workerCommand, call, io });
  },
};
