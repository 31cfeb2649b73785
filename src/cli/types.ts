import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { DeclarationChanges } from "../contract/type-changes.js";
import { shellWord } from "../gateway/config/command-line.js";
import type { LoadedConfig } from "../gateway/config/loaded-config.js";
import type { Gateway } from "../gateway/gateway.js";
import { messageOf } from "../json/attempt.js";
import { type Call, type Command, usageError } from "./command.js";
import { Complaint, type ExitCode, type Io } from "./io.js";
import { configOf, namedSources, SOURCE_FLAGS, sourceWords, withGateway } from "./sources.js";
import { interruptible } from "./terminal/interruption.js";
import { tellLine } from "./terminal/tell.js";

export const typesCommand: Command = {
  name: "types",
  usage: "[SOURCE…] [--out FILE] [--check] [source options]",
  summary: `Writes TypeScript: what each operation takes, gives and fails with, and a typed client for \`plico serve\` that needs
no other package. Without --out it goes to standard output.`,
  takes: "words",
  flags: {
    out: { type: "string", value: "FILE", help: "write to this file, where that changes it" },
    check: { type: "boolean", help: "with --out: write nothing, and exit with 1 where FILE is not up to date" },
    ...SOURCE_FLAGS,
  },
  notes: [
    'import { createClient } from "./FILE";',
    'const client = createClient({ url: "http://127.0.0.1:4100" });',
    "",
    "Exit codes: 0; 1 where a source is not up, which writes nothing, or where --check finds a difference.",
  ],
  async run(call, io) {
    const out = call.value("out");
    if (call.flag("check") && out === undefined) throw usageError(typesCommand, "--check goes with --out");
    const loaded = await configOf(typesCommand, call, io);
    const only = namedSources(loaded, call.words);
    const command = await commandText(call, loaded);
    const text = await interruptible(io, (signal) =>
      withGateway({ loaded, signal, io, ...(only !== undefined && { only }) }, (gateway) => textOf(gateway, command)),
    );
    if (out !== undefined) return await (call.flag("check") ? compare : keep)({ out, text, command }, io);
    io.stdout.write(text);
    return 0;
  },
};

async function textOf(gateway: Gateway, command: string): Promise<string> {
  demandAll(gateway);
  const { declarations } = await import("../contract/declarations.js");
  return declarations(gateway.served.list(), { command });
}

/** Types that lack a source would break whoever uses it, and only because it was not up for a moment. */
function demandAll(gateway: Gateway): void {
  const down = gateway.health().sources.filter(({ status }) => status !== "ready");
  if (down.length === 0) return;
  const told = down.map(({ name, status, error }) => `  ${name}: ${error?.message ?? status}`);
  const message = ["nothing is written, because not all sources are up:", ...told];
  throw new Complaint([...message, "name those that you want, or see `plico doctor`"].join("\n"), 1);
}

/** How the text is made again, whatever becomes of it. */
async function commandText(call: Call, { secrets }: LoadedConfig): Promise<string> {
  const { createRedactor } = await import("../gateway/redact.js");
  const words = ["plico", "types", ...call.words, ...sourceWords(call)];
  const { text: redacted } = createRedactor(secrets);
  return words.map((word) => shellWord(redacted(word))).join(" ");
}

interface Made {
  readonly out: string;
  readonly text: string;
  readonly command: string;
}

async function keep({ out, text }: Made, io: Io): Promise<ExitCode> {
  const isSame = (await textIn(out, io)) === text;
  if (!isSame) await writeFile(resolve(io.cwd(), out), text).catch((thrown) => refuse(out, thrown));
  tellLine(io.stderr, `${out} ${isSame ? "is up to date" : "is written"}`);
  return 0;
}

async function compare({ out, text, command }: Made, io: Io): Promise<ExitCode> {
  const before = await textIn(out, io);
  if (before === text) {
    tellLine(io.stderr, `${out} is up to date`);
    return 0;
  }
  const state = before === undefined ? "is not there; make it" : "is not up to date; make it again";
  tellLine(io.stderr, `plico: ${out} ${state} with ${command} --out ${out}`);
  const { declarationChanges } = await import("../contract/type-changes.js");
  const changes = before === undefined ? [] : changeLines(declarationChanges(before, text));
  for (const line of changes) tellLine(io.stderr, `  ${line}`);
  return 1;
}

/** Whatever ends its lines. */
async function textIn(out: string, io: Io): Promise<string | undefined> {
  const text = await readFile(resolve(io.cwd(), out), "utf8").catch(() => undefined);
  return text?.replaceAll("\r\n", "\n");
}

function refuse(out: string, thrown: unknown): never {
  throw new Complaint(`${out} cannot be written: ${messageOf(thrown)}`, 2);
}

const MOST_TOLD = 20;

function changeLines({ added, removed, changed }: DeclarationChanges): string[] {
  const lines = [
    ...removed.map((name) => `- ${name}`),
    ...added.map((name) => `+ ${name}`),
    ...changed.map((name) => `~ ${name}`),
  ];
  const more = lines.length - MOST_TOLD;
  return more > 0 ? [...lines.slice(0, MOST_TOLD), `and ${more} more`] : lines;
}
