import { realpathSync, renameSync, rmSync, type Stats, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { helperOutput } from "../../dialects/helper-output.js";
import { messageOf } from "../../json/attempt.js";
import { told } from "../../json/told.js";
import { isRecord, type JsonRecord } from "../../json/value.js";
import { Complaint, type Io } from "../io.js";
import { styleFor } from "../terminal/style.js";
import { failureOf, failureText } from "./helper-answer.js";
import { documentOf, readBytes } from "./input.js";
import { isValid, violationsText } from "./violations.js";

/** The captured document to compare with. */
export async function readFixture(file: string, maxBytes: number, io: Io): Promise<JsonRecord> {
  if (statsOf(file) === undefined)
    throw new Complaint(`there is no file ${file}; capture it with --update: ${CAPTURE.replace("FILE", file)}`, 2);
  const document = await fixtureDocument(file, maxBytes);
  const violations = helperOutput.validate(document);
  if (!isValid(violations)) {
    const text = violationsText(file, helperOutput, violations, styleFor(io.stderr, io));
    throw new Complaint(`${text}\n  capture it anew with --update`, 1);
  }
  const error = failureOf(document);
  if (error === undefined) return document;
  const failure = failureText(document, error);
  throw new Complaint(`${file} was captured from a failed run: ${failure}; capture another with --update`, 1);
}

const CAPTURE = "plico check --fixture FILE --update -- COMMAND…";

/**
 * The captured document that is to be replaced, if it can be compared with. What is no captured document is not
 * overwritten: somebody may have named another file by mistake.
 */
export async function readReplaced(file: string, maxBytes: number): Promise<JsonRecord | undefined> {
  const stats = statsOf(file);
  if (stats === undefined) {
    if (statsOf(dirname(file))?.isDirectory() === true) return undefined;
    throw new Complaint(`${file} cannot be written: there is no folder ${dirname(file)}; create it first`, 2);
  }
  if (!stats.isFile()) throw new Complaint(`${file} is no file that can be replaced`, 2);
  if (stats.size === 0) return undefined;
  const document = await fixtureDocument(file, maxBytes).catch((thrown: unknown) => {
    if (!(thrown instanceof Complaint)) throw thrown;
    throw new Complaint(
      `${thrown.message}; it is not overwritten: remove it first, or name another file`,
      thrown.exitCode,
    );
  });
  const isUsable = isValid(helperOutput.validate(document)) && failureOf(document) === undefined;
  return isUsable ? document : undefined;
}

/** Replaces the file at once, so that nobody sees half of it. */
export function writeFixture(file: string, bytes: Buffer): void {
  try {
    // A link stays one.
    const target = statsOf(file) === undefined ? file : realpathSync(file);
    const draft = join(dirname(target), `.plico-${process.pid}.tmp`);
    try {
      writeFileSync(draft, bytes, { flag: "wx" });
      renameSync(draft, target);
    } catch (thrown) {
      rmSync(draft, { force: true });
      throw thrown;
    }
  } catch (thrown) {
    throw new Complaint(`${file} cannot be written: ${messageOf(thrown)}`, 2);
  }
}

async function fixtureDocument(file: string, maxBytes: number): Promise<JsonRecord> {
  const bytes = await readBytes(file, maxBytes);
  if (bytes.length === 0) throw new Complaint(`${file} is empty: a captured document was expected`, 1);
  const document = documentOf(bytes, file);
  if ("fault" in document) throw new Complaint(`${file}: ${document.fault}`, 1);
  const { value } = document;
  if (isRecord(value) && helperOutput.resembles(value)) return value;
  const what = isRecord(value) ? `an object without \`schema_version\`` : told(value);
  throw new Complaint(`${file} is no captured helper output but ${what}`, 1);
}

function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (thrown) {
    throw new Complaint(`${file} cannot be read: ${messageOf(thrown)}`, 2);
  }
}
