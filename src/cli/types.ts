import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { DeclarationChanges } from "../contract/type-changes.js";
import type { LoadedConfig } from "../gateway/config/loaded-config.js";
import type { Gateway } from "../gateway/gateway.js";
import { messageOf } from "../json/attempt.js";
import { type Call, type Command, usageError } from "./command.js";
import { interruptible } from "./interruption.js";
import { Complaint, type ExitCode, type Io } from "./io.js";
import { configOf, namedSources, SOURCE_FLAGS, withGateway } from "./sources.js";
import { tellLine } from "./tell.js";

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
    const text = await interruptible(io, (signal) =>
      withGateway({ loaded, signal, ...(only !== undefined && { only }) }, (gateway) => textOf(gateway, call, signal)),
    );
    if (out !== undefined) return await keep(out, text, call, io);
    io.stdout.write(text);
    return 0;
  },
};

async function textOf(gateway: Gateway, call: Call, signal: AbortSignal): Promise<string> {
  if (signal.aborted) throw new Complaint("aborted; nothing is written", 130);
  demandAll(gateway);
  const { declarations } = await import("../contract/declarations.js");
  return declarations(gateway.served.list(), { command: await commandText(call, gateway.loaded) });
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
  const flags = Object.keys(SOURCE_FLAGS).flatMap((flag) =>
    (flag === "config" ? [call.value(flag) ?? []].flat() : call.values(flag)).flatMap((value) => [`--${flag}`, value]),
  );
  const words = ["plico", "types", ...call.words, ...flags];
  return createRedactor(secrets).text(words.map((word) => (/\s/.test(word) ? JSON.stringify(word) : word)).join(" "));
}

async function keep(out: string, text: string, call: Call, io: Io): Promise<ExitCode> {
  const file = resolve(io.cwd(), out);
  const before = await readFile(file, "utf8").catch(() => undefined);
  const isSame = before?.replaceAll("\r\n", "\n") === text;
  if (call.flag("check") && !isSame) return tellDifference(out, before, text, io);
  if (!isSame) await writeFile(file, text).catch((thrown) => refuse(out, thrown));
  tellLine(io.stderr, `${out} ${isSame ? "is up to date" : "is written"}`);
  return 0;
}

function refuse(out: string, thrown: unknown): never {
  throw new Complaint(`${out} cannot be written: ${messageOf(thrown)}`, 2);
}

async function tellDifference(out: string, before: string | undefined, text: string, io: Io): Promise<ExitCode> {
  if (before === undefined) tellLine(io.stderr, `plico: ${out} is not there; make it with plico types --out ${out}`);
  else {
    const { declarationChanges } = await import("../contract/type-changes.js");
    tellLine(io.stderr, `plico: ${out} is not up to date; make it again with plico types --out ${out}`);
    for (const line of changeLines(declarationChanges(before, text))) tellLine(io.stderr, `  ${line}`);
  }
  return 1;
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
