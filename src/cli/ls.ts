import { printJson } from "../json/printable.js";
import type { Command } from "./command.js";
import { keepOperations } from "./completion/completion-cache.js";
import type { ExitCode, Io } from "./io.js";
import { type ListedOperation, type ListedSource, type Listing, listingOf } from "./listing.js";
import { configOf, namedSources, SOURCE_FLAGS, withGateway } from "./sources.js";
import { firstSentence } from "./terminal/first-sentence.js";
import { interruptible } from "./terminal/interruption.js";
import { type Style, styleFor } from "./terminal/style.js";
import { type Column, table } from "./terminal/table.js";
import { tell } from "./terminal/tell.js";
import { columnsOf, textWidth } from "./terminal/text-width.js";

export const lsCommand: Command = {
  name: "ls",
  usage: "[SOURCE…] [--json] [source options]",
  summary: "Lists the operations of all sources, or of those that are named, and tells which sources are not up.",
  takes: "words",
  flags: {
    json: { type: "boolean", help: 'print { "sources": [{ name, kind, status, operations: […] }] }' },
    ...SOURCE_FLAGS,
  },
  notes: [
    "SCHEMA tells what is known of an operation: in, its input; out, its answer; none; or broken, of which parts accept",
    "anything (`plico doctor` tells which). A narrow terminal leaves INPUT out; `plico describe` tells all of it.",
    "",
    "  plico ls",
    '  plico ls --mcp "npx -y @modelcontextprotocol/server-everything"',
    "",
    "Exit codes: 0; 1 where a source is not up.",
  ],
  async run(call, io) {
    const loaded = await configOf(lsCommand, call, io);
    const only = namedSources(loaded, call.words);
    return interruptible(io, (signal) =>
      withGateway({ loaded, signal, io, ...(only !== undefined && { only }) }, async (gateway) => {
        const listing = listingOf(gateway);
        if (call.flag("json")) io.stdout.write(`${printJson(listing, 2)}\n`);
        else tell(io.stdout, listingText(listing, io));
        keepOperations(gateway, io, () => true);
        return exitCodeOf(listing);
      }),
    );
  },
};

function exitCodeOf({ sources }: Listing): ExitCode {
  return sources.every(({ status }) => status === "ready") ? 0 : 1;
}

function listingText({ sources }: Listing, io: Io): string {
  if (sources.length === 0) return "There are no sources.\n";
  const style = styleFor(io.stdout, io);
  const width = io.stdout.isTTY === true ? columnsOf(io.stdout) : Number.POSITIVE_INFINITY;
  // One table for all, so that the columns of all sources stand below each other.
  const rows = sources.flatMap(({ operations }) => operations.map(rowOf));
  const [heads = "", ...lines] = fittingTable([HEADS, ...rows], columnsFor(style), width - INDENT.length);
  const parts = sources.map((source) => {
    const own = lines.splice(0, source.operations.length);
    return [...sourceText(source, style), ...own.map((line) => INDENT + line)];
  });
  const head = rows.length === 0 ? [] : [[INDENT + heads]];
  return [...head, ...parts].map((part) => `${part.join("\n")}\n`).join("\n");
}

/** In a narrow terminal the descriptions are worth more than the inputs, of which `plico describe` tells all. */
function fittingTable(rows: readonly (readonly string[])[], columns: readonly Column[], width: number): string[] {
  const ids = Math.max(...rows.map(([id = ""]) => textWidth(id)));
  if (width - ids >= ROOM_FOR_INPUT) return table(rows, columns, width);
  const isKept = (_: unknown, at: number): boolean => at !== INPUT_AT;
  return table(
    rows.map((row) => row.filter(isKept)),
    columns.filter(isKept),
    width,
  );
}

const INDENT = "  ";
const HEADS = ["OPERATION", "TYPE", "SCHEMA", "INPUT", "DESCRIPTION"];
const INPUT_AT = HEADS.indexOf("INPUT");
/** Beside the ids. */
const ROOM_FOR_INPUT = 80;

/** What stands above the operations of a source, or in place of them. */
function sourceText(source: ListedSource, style: Style): string[] {
  const { error, warnings } = source;
  return [
    headline(source, style),
    ...(error === undefined ? [] : [INDENT + style.red(oneLine(error.message))]),
    ...(error?.suggestedAction === undefined ? [] : [INDENT + oneLine(error.suggestedAction)]),
    ...warnings.map((warning) => INDENT + style.yellow(oneLine(warning))),
  ];
}

/** Name, kind, state, and what else is known. */
function headline({ name, kind, status, era, server, openedInMs, operations }: ListedSource, style: Style): string {
  const state = status === "ready" ? style.green(status) : style.red(status);
  const about = [
    server === undefined ? undefined : `${server.name} ${server.version}`,
    era === undefined ? undefined : `${era} era`,
    status === "ready" ? `${operations.length} operation${operations.length === 1 ? "" : "s"}` : undefined,
    openedInMs === undefined ? undefined : `${Math.round(openedInMs)} ms`,
  ];
  const facts = about.filter((fact) => fact !== undefined).join(", ");
  return `${style.bold(name)}  ${kind}  ${state}${facts === "" ? "" : `  ${style.dim(oneLine(facts))}`}`;
}

function rowOf(operation: ListedOperation): string[] {
  const { id, type, input, description, annotations } = operation;
  const mark = annotations?.destructive === true ? "destructive! " : "";
  return [id, type, schemaWord(operation), input, `${mark}${firstSentence(description)}`].map(oneLine);
}

function columnsFor({ bold, dim, yellow }: Style): readonly Column[] {
  const warned = (text: string): string => (text === "broken" ? yellow(text) : text);
  return [{ least: 48, paint: bold }, {}, { paint: warned }, { most: 60, least: 12, paint: dim }, { least: 16 }];
}

function schemaWord({ schemas: { input, output, problems } }: ListedOperation): string {
  if (problems.length > 0) return "broken";
  const known = [...(input ? ["in"] : []), ...(output ? ["out"] : [])];
  return known.length === 0 ? "none" : known.join("+");
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
