import { messageOf } from "../json/attempt.js";
import type { Command } from "./command.js";
import { Complaint, type ExitCode, type Io } from "./io.js";
import { tell } from "./terminal/tell.js";
import { ownVersion } from "./version.js";

interface Entry {
  readonly summary: string;
  /** Commands are loaded when they are called, so that the others cost nothing. */
  readonly load: () => Promise<Command>;
}

type Entries = Readonly<Record<string, Entry>>;

const OF_TOOLS: Entries = {
  ls: {
    summary: "list operations, with the health of their sources",
    load: async () => (await import("./ls.js")).lsCommand,
  },
  describe: {
    summary: "show what an operation takes, gives and fails with",
    load: async () => (await import("./describe.js")).describeCommand,
  },
  call: { summary: "call an operation", load: async () => (await import("./call/call.js")).callCommand },
  serve: {
    summary: "serve all sources as MCP and HTTP",
    load: async () => (await import("./serve/serve.js")).serveCommand,
  },
  worker: {
    summary: "serve all sources on NATS, for other machines",
    load: async () => (await import("./worker/worker.js")).workerCommand,
  },
  record: {
    summary: "keep every call of `call` or `serve`, to be replayed",
    load: async () => (await import("./record.js")).recordCommand,
  },
  types: {
    summary: "write TypeScript declarations of operations",
    load: async () => (await import("./types.js")).typesCommand,
  },
  init: {
    summary: "write a plico.json from what other programs use",
    load: async () => (await import("./init/init.js")).initCommand,
  },
  doctor: { summary: "find what is wrong, and the fix", load: async () => (await import("./doctor.js")).doctorCommand },
  completion: {
    summary: "print the completion of a shell",
    load: async () => (await import("./completion/completion.js")).completionCommand,
  },
};

const OF_DOCUMENTS: Entries = {
  detect: {
    summary: "tell the dialect of a document",
    load: async () => (await import("./documents/detect.js")).detectCommand,
  },
  read: { summary: "show what a document says", load: async () => (await import("./documents/read.js")).readCommand },
  convert: {
    summary: "write a document in another dialect",
    load: async () => (await import("./documents/convert.js")).convertCommand,
  },
  check: {
    summary: "find what is wrong with a document, or what changed in a helper's",
    load: async () => (await import("./documents/check.js")).checkCommand,
  },
};

export const COMMANDS: Entries = { ...OF_TOOLS, ...OF_DOCUMENTS };

/** Runs one call of the command line and gives its exit code. */
export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  try {
    return await dispatch(argv, io);
  } catch (thrown) {
    const { complaintFrom } = await import("./complaint-from.js");
    return complain(complaintFrom(thrown), io);
  }
}

function complain(thrown: unknown, io: Io): ExitCode {
  if (thrown instanceof Complaint) {
    tell(io.stderr, `plico: ${thrown.message}\n`);
    return thrown.exitCode;
  }
  const stack = io.env["PLICO_DEBUG"] !== undefined && thrown instanceof Error ? `\n${thrown.stack}` : "";
  tell(io.stderr, `plico: this is a fault of Plico itself: ${messageOf(thrown)}; PLICO_DEBUG=1 shows more${stack}\n`);
  return 2;
}

async function dispatch([name, ...rest]: readonly string[], io: Io): Promise<ExitCode> {
  if (name === undefined) {
    io.stderr.write(overview());
    return 2;
  }
  const options = rest.includes("--") ? rest.slice(0, rest.indexOf("--")) : rest;
  if (name === "--version" || name === "-v" || options.includes("--version")) return print(io, `${ownVersion()}\n`);
  if (name === "help" && rest[0] !== undefined) return dispatch([rest[0], "--help"], io);
  if (name === "--help" || name === "help" || name === "-h") return print(io, overview());
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (entry === undefined)
    throw new Complaint(`there is no command "${name}"${await suggestion(name)}\n${overview()}`.trimEnd(), 2);
  const [command, { helpOf, parseCall }] = await Promise.all([entry.load(), import("./command.js")]);
  if (options.includes("--help") || options.includes("-h")) return print(io, helpOf(command));
  return await command.run(parseCall(command, rest), io);
}

function print(io: Io, text: string): ExitCode {
  io.stdout.write(text);
  return 0;
}

function overview(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const rows = (entries: Entries): string[] =>
    Object.entries(entries).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return [
    "Usage: plico COMMAND [options]",
    "",
    "Calls any tool, whatever it is, and serves them all in one place:",
    ...rows(OF_TOOLS),
    "",
    "Reads the formats that tools answer in, whichever it is:",
    ...rows(OF_DOCUMENTS),
    "",
    '  plico ls --mcp "COMMAND"  shows what an MCP server has, without any file',
    "  plico COMMAND --help      shows a command's options",
    "  plico --version           shows the version",
    "",
  ].join("\n");
}

async function suggestion(name: string): Promise<string> {
  const { nearestOf } = await import("../registry/refusals.js");
  const names = Object.keys(COMMANDS);
  const close = nearestOf(name, names) ?? names.find((known) => known.startsWith(name));
  return close === undefined ? "" : `; did you mean "${close}"?`;
}
