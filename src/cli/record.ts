import { resolve } from "node:path";
import { callCommand } from "./call/call.js";
import { type Call, type Command, type Flag, usageError } from "./command.js";
import { serveCommand } from "./serve/serve.js";

/** What is recorded; it has a flag `--record` of its own. */
const RECORDED: Readonly<Record<string, Command>> = { call: callCommand, serve: serveCommand };

export const recordCommand: Command = {
  name: "record",
  usage: "FILE [serve … | call OPERATION …]",
  summary: "Keeps every call and its answer in FILE, to be replayed by `call --replay FILE` or `serve --replay FILE`.",
  takes: "words",
  flags: flagsOfBoth(),
  notes: [
    "`serve` and `call` take their own options here too, as `plico serve --help` and `plico call --help` tell them.",
    "Without a command it serves. A FILE that is a recording is added to; any other that exists is left as it is.",
    "Secrets are taken out: values from variables of plico.json, and fields such as password or token.",
  ],
  async run(call, io) {
    const [file, name = "serve", ...words] = call.words;
    const command = Object.hasOwn(RECORDED, name) ? RECORDED[name] : undefined;
    if (file === undefined || Object.hasOwn(RECORDED, file)) throw usageError(recordCommand, noFile(file));
    if (command === undefined) throw usageError(recordCommand, `call or serve follows the FILE, not "${name}"`);
    const stray = Object.keys(recordCommand.flags).find((flag) => !(flag in command.flags) && isGiven(call, flag));
    if (stray !== undefined) throw usageError(command, `${name} has no flag --${stray}`);
    return command.run(recording(call, resolve(io.cwd(), file), words), io);
  },
};

function flagsOfBoth(): Readonly<Record<string, Flag>> {
  const { record: _, replay: __, ...flags } = { ...callCommand.flags, ...serveCommand.flags };
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, { ...flag, isToldElsewhere: true }]));
}

function noFile(first: string | undefined): string {
  return first === undefined ? "the FILE is missing" : `the FILE comes first; one with the name ${first} is ./${first}`;
}

function isGiven(call: Call, flag: string): boolean {
  return call.flag(flag) || call.values(flag).length > 0;
}

/** The same call, as if it had been made with `--record FILE`. */
function recording(call: Call, file: string, words: readonly string[]): Call {
  return { ...call, words, value: (name) => (name === "record" ? file : call.value(name)) };
}
