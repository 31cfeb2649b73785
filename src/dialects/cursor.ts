import { CallError } from "../envelope/call-error.js";
import { decodeBase64, encodeBase64 } from "../json/base64.js";
import { told } from "../json/told.js";
import { isRecord, type JsonRecord, omit } from "../json/value.js";

const CURSOR_VERSION = 1;
const MOST_CHARACTERS = 8192;

/** A page cursor of response-v2: url-safe base64 of compact JSON with its version. */
export function encodeCursor(position: Readonly<Record<string, unknown>>): string {
  if ("version" in position) throw refusal("the position has a field `version`, which is the cursor's own");
  const json = JSON.stringify({ ...position, version: CURSOR_VERSION });
  return encodeBase64(json).replaceAll("+", "-").replaceAll("/", "_");
}

/** Where a cursor points. Throws a `CallError` of category `validation` for one that we did not make. */
export function decodeCursor(cursor: string): JsonRecord {
  const position = parseCursor(cursor);
  if (position === undefined) throw refusal("it is no base64 of a JSON object");
  if (position["version"] !== CURSOR_VERSION)
    throw refusal(`its version is ${told(position["version"])}, not ${CURSOR_VERSION}`);
  return omit(position, ["version"]);
}

function parseCursor(cursor: string): JsonRecord | undefined {
  if (cursor.length > MOST_CHARACTERS) return undefined;
  const standard = cursor.replaceAll("-", "+").replaceAll("_", "/").replaceAll("=", "");
  const decoded = decodeBase64(standard.padEnd(Math.ceil(standard.length / 4) * 4, "="));
  try {
    const parsed: unknown = "text" in decoded ? JSON.parse(decoded.text) : undefined;
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function refusal(fault: string): CallError {
  return new CallError({
    category: "validation",
    code: "INVALID_CURSOR",
    message: `The cursor cannot be used: ${fault}.`,
    suggestedAction: "Start again without a cursor, or pass the cursor of the last page unchanged.",
  });
}
