import { readFileSync } from "node:fs";
import { CallError } from "../../envelope/call-error.js";
import { messageOf } from "../../json/attempt.js";
import { told } from "../../json/told.js";
import { isRecord } from "../../json/value.js";
import type { InputTexts } from "../input-texts.js";
import type { HelperArguments } from "./arguments.js";
import type { HelperIo } from "./helper-io.js";

/** The input that a command line gives: by `--input`, by flags, or by both, where flags win. */
export async function givenInput(
  { options, fields }: HelperArguments,
  texts: InputTexts,
  io: Pick<HelperIo, "stdin">,
): Promise<unknown> {
  const source = options.get("input");
  const hasFlags = Object.keys(fields).length > 0;
  if (source === undefined) return hasFlags || texts.fields.length > 0 ? fields : undefined;
  const input = parsed(source, await textOf(source, io));
  if (!hasFlags) return input;
  if (!isRecord(input))
    throw refused(`--input is ${told(input)}, to which flags cannot be added; use one or the other`);
  return { ...input, ...fields };
}

async function textOf(source: string, { stdin }: Pick<HelperIo, "stdin">): Promise<string> {
  if (source === "-") return readAll(stdin);
  if (!source.startsWith("@")) return source;
  const file = source.slice(1);
  try {
    // To load the other half of `node:fs` takes longer than to wait for a file.
    return readFileSync(file, "utf8");
  } catch (thrown) {
    throw refused(`--input cannot be read from the file ${JSON.stringify(file)}: ${whyUnread(thrown)}`);
  }
}

function whyUnread(thrown: unknown): string {
  const code = isRecord(thrown) ? String(thrown["code"]) : "";
  return WORDS[code] ?? messageOf(thrown);
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  EISDIR: "it is a folder",
  EACCES: "this user may not read it",
};

async function readAll(stdin: HelperIo["stdin"]): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stdin) text += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

function parsed(source: string, text: string): unknown {
  try {
    // Windows begins files with a mark.
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (thrown) {
    const where =
      source === "-" ? "on standard input" : source.startsWith("@") ? `in ${source.slice(1)}` : "after --input";
    const what = text.trim() === "" ? "there is nothing" : messageOf(thrown);
    throw refused(`JSON is expected ${where}: ${what}`);
  }
}

function refused(message: string): CallError {
  return new CallError({ category: "validation", message: `${message}.`, issues: [{ path: "", message }] });
}
