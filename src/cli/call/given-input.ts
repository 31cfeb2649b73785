import { resolve } from "node:path";
import type { OperationSpec } from "../../registry/operation.js";
import { collect, type Document, documentOf, MAX_BYTES, readBytes } from "../documents/input.js";
import { Complaint, type Io } from "../io.js";
import { tellLine } from "../terminal/tell.js";
import { inputFromWords } from "./call-input.js";
import type { CallRequest } from "./call-request.js";

/** The input of a call: what `--input` holds, or what the words say. */
export async function givenInput(spec: OperationSpec, { input, words }: CallRequest, io: Io): Promise<unknown> {
  if (input === undefined) return inputFromWords({ spec, words, cwd: io.cwd() });
  const document = await readDocument(input, io);
  if ("fault" in document) throw new Complaint(`${document.label}: ${document.fault}`, 2);
  for (const { path, written, held } of document.inexact())
    tellLine(io.stderr, `plico: ${document.label}: ${path}: ${written} is no exact number and is sent as ${held}`);
  return document.value;
}

async function readDocument(input: string, io: Io): Promise<Document> {
  if (input === "-") return documentOf(await collect(io.stdin, MAX_BYTES, "standard input", NO_MORE), "standard input");
  if (!input.startsWith("@")) return documentOf(Buffer.from(input), "--input");
  const file = input.slice(1);
  return documentOf(await readBytes(resolve(io.cwd(), file), MAX_BYTES, file, NO_MORE), file);
}

const NO_MORE = ", and no call takes a larger input: send less at a time";
