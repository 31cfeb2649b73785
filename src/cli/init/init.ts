import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { shownPath } from "../../gateway/config/config-errors.js";
import { messageOf } from "../../json/attempt.js";
import { type Call, type Command, usageError } from "../command.js";
import { Complaint, type ExitCode, type Io } from "../io.js";
import { canAsk, confirm } from "../terminal/prompt.js";
import { tell, tellLine } from "../terminal/tell.js";
import { findKnownFiles } from "./init-files.js";
import { type FoundFile, type GatheredSources, gatherSources, readKnownFile } from "./init-sources.js";
import { configText, starterText } from "./init-text.js";

export const initCommand: Command = {
  name: "init",
  usage: "[--from FILE…] [--yes] [--force] [--print]",
  summary:
    "Writes a plico.json from the MCP servers that Claude, Cursor, VS Code, Windsurf, Zed and Gemini know here, and asks first.",
  takes: "words",
  flags: {
    from: {
      type: "string",
      value: "FILE",
      help: "take the servers of this file only",
      multiple: true,
    },
    yes: { type: "boolean", help: "write without asking" },
    force: { type: "boolean", help: "replace a plico.json that is there" },
    print: { type: "boolean", help: "print it and write nothing" },
  },
  notes: ["Secrets are not copied: they become variables, and the command tells which to set."],
  run,
};

async function run(call: Call, io: Io): Promise<ExitCode> {
  if (call.words.length > 0)
    throw usageError(initCommand, `"${call.words.join(" ")}" is not expected; a file to take from goes with --from`);
  const cwd = io.cwd();
  const target = targetOf(call, cwd);
  const files = call.values("from").length > 0 ? await filesFrom(call.values("from"), cwd) : await filesFound(io);
  const gathered = gatherSources(files);
  const isStarter = Object.keys(gathered.sources).length === 0;
  const text = isStarter ? starterText(cwd) : configText(gathered.sources, cwd);
  tellFound(files, gathered, io);
  if (call.flag("print")) {
    io.stdout.write(text);
    return 0;
  }
  if (!(await isWanted(call, io, shownPath(target, cwd), isStarter ? undefined : gathered))) return 2;
  await write(target, text, call.flag("force"));
  tellNext(shownPath(target, cwd), gathered, io);
  return 0;
}

/** One that is there is not replaced unless that is wanted. */
function targetOf(call: Call, cwd: string): string {
  const known = ["plico.json", "plico.jsonc"].map((name) => join(cwd, name)).find((file) => existsSync(file));
  if (known === undefined) return join(cwd, "plico.json");
  if (call.flag("force") || call.flag("print")) return known;
  throw new Complaint(
    `there is a ${shownPath(known, cwd)} already; --force replaces it, --print only shows the new one`,
    2,
  );
}

async function filesFrom(names: readonly string[], cwd: string): Promise<readonly FoundFile[]> {
  const known = names.map((name) => ({ file: resolve(cwd, name), program: "", isUsers: false }));
  const files = await Promise.all(known.map((one) => readKnownFile(one, cwd).catch(asComplaint)));
  const empty = files.find(({ servers }) => servers.length === 0);
  if (empty === undefined) return files;
  const why = empty.notes.map((note) => `\n  ${note}`).join("");
  throw new Complaint(`there is no MCP server in ${shownPath(empty.file, cwd)}${why}`, 1);
}

/** One that is broken is told, and keeps no other one back. */
async function filesFound(io: Io): Promise<readonly FoundFile[]> {
  const files = await Promise.all(
    findKnownFiles(io).map((known) =>
      readKnownFile(known, io.cwd()).catch((thrown: unknown) => {
        tellLine(io.stderr, `plico: ${messageOf(thrown)}; the file is passed over`);
        return { ...known, servers: [], notes: [] };
      }),
    ),
  );
  return files.filter(({ servers, notes }) => servers.length > 0 || notes.length > 0);
}

function asComplaint(thrown: unknown): never {
  throw thrown instanceof Complaint ? thrown : new Complaint(messageOf(thrown), 2);
}

function tellFound(files: readonly FoundFile[], { notes }: GatheredSources, io: Io): void {
  const lines = files.map(({ file, program, servers }) => {
    const names = servers.map(({ name }) => name).join(", ");
    return `  ${shownPath(file, io.cwd())}${program === "" ? "" : ` (${program})`}: ${names === "" ? "none that can be used" : names}`;
  });
  tell(
    io.stderr,
    lines.length === 0 ? "No MCP servers of other programs were found here.\n" : `Found:\n${lines.join("\n")}\n`,
  );
  for (const note of [...files.flatMap((file) => file.notes), ...notes]) tellLine(io.stderr, `  note: ${note}`);
}

async function isWanted(call: Call, io: Io, target: string, gathered: GatheredSources | undefined): Promise<boolean> {
  if (call.flag("yes")) return true;
  const count = Object.keys(gathered?.sources ?? {}).length;
  const what = gathered === undefined ? "a small example" : `${count} source${count === 1 ? "" : "s"}`;
  if (canAsk(io)) {
    if (await confirm(`Write ${target} with ${what}?`, io)) return true;
    tellLine(io.stderr, "Nothing was written.");
    return false;
  }
  tellLine(io.stderr, `plico: this would write ${target} with ${what}; --yes does it, --print shows it`);
  return false;
}

async function write(file: string, text: string, force: boolean): Promise<void> {
  try {
    await writeFile(file, text, { flag: force ? "w" : "wx" });
  } catch (thrown) {
    throw new Complaint(`${file} cannot be written: ${messageOf(thrown)}`, 2);
  }
}

function tellNext(target: string, { variables, sources }: GatheredSources, io: Io): void {
  const width = Math.max(0, ...[...variables.keys()].map((name) => name.length));
  const needed = [...variables].map(([name, users]) => `  ${name.padEnd(width)}  for ${users.join(", ")}`);
  const isStarter = Object.keys(sources).length === 0;
  const lines = [
    `Wrote ${target}.`,
    ...(needed.length === 0
      ? []
      : ["", "Set these variables before you go on; their values were not copied:", ...needed]),
    "",
    "Next:",
    "  plico ls                           what there is",
    ...(isStarter
      ? ["  plico call hello.greet name=Ada    call it"]
      : ["  plico describe OPERATION           what one takes and gives"]),
    "  plico serve                        all of it as MCP and HTTP",
    "",
  ];
  tell(io.stdout, lines.join("\n"));
}
