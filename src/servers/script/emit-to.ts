import { detectAgent } from "../../dialects/agent.js";
import { DIALECTS, dialectNamed } from "../../dialects/all.js";
import { type HelperOutput, helperOutput } from "../../dialects/helper-output.js";
import { HELPER_STATUSES, majorOf } from "../../dialects/helper-output-rules.js";
import { type Demands, oneOf, TEXT, unmetDemand } from "../../json/demands.js";
import { told } from "../../json/told.js";
import { isRecord, isString, type JsonRecord } from "../../json/value.js";
import { documentOf, reservedIn } from "./document.js";
import type { EmitOptions } from "./emit.js";
import type { HelperIo } from "./helper-io.js";
import { skippedWarning } from "./run-as-handler.js";
import { leave, writeAnswer } from "./stream-out.js";

/** Checks first: the process is taken only where there is something to write. */
export function emitTo(open: () => HelperIo, content: Readonly<JsonRecord>, options: EmitOptions): Promise<void> {
  const problem = problemOf(content, options);
  if (problem !== undefined) throw new TypeError(`This cannot be emitted: ${problem}.`);
  const io = open();
  return print(helperDocument(content, options, io), options, io);
}

async function print(document: HelperOutput, { envelope = "helper-output" }: EmitOptions, io: HelperIo): Promise<void> {
  const written = await writeAnswer(io, textOf(document, envelope), "helper");
  await leave(io, document.status === "error" || written === "failed" ? 1 : 0);
}

function helperDocument(content: Readonly<JsonRecord>, options: EmitOptions, { env }: HelperIo): HelperOutput {
  const { status = "ok", schemaVersion = "1.0.0", skippedSources: skipped, agent = detectAgent(env) } = options;
  const error = options.error ?? (status === "partial" ? { ...skippedWarning(skipped ?? []) } : null);
  return {
    schema_version: schemaVersion,
    status,
    error: error === null ? null : ordered(error),
    agent,
    ts: new Date().toISOString(),
    ...(skipped !== undefined && { skipped_sources: skipped }),
    ...content,
  };
}

function ordered({ code, message, ...rest }: NonNullable<HelperOutput["error"]>): HelperOutput["error"] {
  return { code, message, ...rest };
}

function textOf(document: HelperOutput, envelope: string): string {
  const dialect = dialectNamed(envelope);
  const reading = helperOutput.read(document);
  if (envelope === "helper-output" || dialect === undefined || reading.kind !== "outcome")
    return helperOutput.print(document);
  const { schema_version: schemaVersion, agent } = document;
  return documentOf(reading.outcome, { dialect, schemaVersion, agent, tool: "helper", isLine: false }).text;
}

const DEMANDS: Demands = {
  status: oneOf(HELPER_STATUSES),
  error: {
    what: "{ code, message } or null",
    isMet: (value) => value === null || (isRecord(value) && isName(value["code"]) && isString(value["message"])),
  },
  schemaVersion: { what: "a semantic version such as 1.0.0", isMet: (value) => majorOf(value) !== undefined },
  skippedSources: {
    what: "a list of names or objects",
    isMet: (value) => Array.isArray(value) && value.every((item) => isString(item) || isRecord(item)),
  },
  agent: { ...TEXT, isMet: isName },
  envelope: oneOf(DIALECTS.map(({ name }) => name)),
};

function isName(value: unknown): boolean {
  return isString(value) && value !== "";
}

function problemOf(content: unknown, options: unknown): string | undefined {
  if (!isRecord(content)) return `the content must be an object of fields, not ${told(content)}`;
  if (!isRecord(options)) return `the options are ${told(options)}`;
  return unmetDemand(options, DEMANDS) ?? contradiction(options as EmitOptions) ?? misnamed(content, options);
}

function contradiction({ status = "ok", error = null, skippedSources }: EmitOptions): string | undefined {
  const isSkipping = skippedSources !== undefined && skippedSources.length > 0;
  if (status === "ok" && error !== null) return "the status is ok, and there is an error";
  if (status === "ok" && isSkipping) return "the status is ok, and sources were skipped; that is partial";
  if (status === "partial" && !isSkipping) return "a partial answer must name its `skippedSources`";
  if (status !== "ok" && status !== "partial" && error === null)
    return `the status is ${status}, and there is no error`;
  return undefined;
}

function misnamed(content: JsonRecord, { envelope = "helper-output" }: EmitOptions): string | undefined {
  const reserved = envelope === "helper-output" ? reservedIn(content) : undefined;
  if (reserved !== undefined) return `the field \`${reserved}\` has a name that helper-output keeps for itself`;
  const number = Object.keys(content).find((key) => /^\d+$/.test(key));
  return number === undefined
    ? undefined
    : `JavaScript would put the field \`${number}\` before the fixed ones; give it another name`;
}
