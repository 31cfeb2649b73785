import { decodeBase64 } from "../../../json/base64.js";
import { isRecord, isString } from "../../../json/value.js";
import { ownValue } from "../own-value.js";
import { wellFormed } from "./plain-text.js";
import { Refusal } from "./refusal.js";

/** A `FileInput` that is what it should be. */
export interface FileContent {
  readonly content: string | Uint8Array;
  readonly filename?: string;
  readonly mediaType?: string;
}

/** One file, or a list of them. */
export function readFileInputs(value: unknown, isList: boolean): FileContent[] {
  if (!isList) return [readFileInput(value)];
  if (!Array.isArray(value)) throw new Refusal("type", "must be a list of files");
  return value.map((item, at) => inPlace(at, () => readFileInput(item)));
}

/** Says of a refused member where in the list it stands. */
function inPlace<T>(at: number, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw thrown instanceof Refusal ? new Refusal(thrown.rule, thrown.message, [at, ...thrown.place]) : thrown;
  }
}

export function readFileInput(value: unknown): FileContent {
  if (isString(value)) return { content: wellFormed(value) };
  if (!isRecord(value)) throw notAFile();
  const filename = optionalText(value, "filename");
  const mediaType = optionalText(value, "mediaType");
  if (mediaType !== undefined && !MEDIA_TYPE.test(mediaType))
    throw new Refusal("pattern", "must be a media type such as image/png", ["mediaType"]);
  return {
    content: contentOf(value),
    ...(filename !== undefined && { filename: wellFormed(filename) }),
    ...(mediaType !== undefined && { mediaType }),
  };
}

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[ -~]*)?$/;

function contentOf(file: Readonly<Record<string, unknown>>): string | Uint8Array {
  const text = optionalText(file, "text");
  const base64 = optionalText(file, "base64");
  if ((text === undefined) === (base64 === undefined)) throw notAFile();
  return base64 === undefined ? wellFormed(text ?? "") : bytesOf(base64);
}

function optionalText(file: Readonly<Record<string, unknown>>, key: string): string | undefined {
  const value = ownValue(file, key);
  if (value !== undefined && !isString(value)) throw new Refusal("type", "must be a text", [key]);
  return value;
}

function bytesOf(base64: string): Uint8Array {
  const decoded = decodeBase64(base64);
  if ("fault" in decoded && decoded.fault === "base64")
    throw new Refusal("contentEncoding", "must be base64: the standard alphabet, padded, without spaces", ["base64"]);
  return Buffer.from(base64, "base64");
}

function notAFile(): Refusal {
  return new Refusal("type", "must be a text, or an object with either `text` or `base64`");
}

const OCTETS = "application/octet-stream";

/** The type of a file: that of the document where it names one, else that of the caller. */
export function fileType(planned: string | undefined, own: string | undefined): string {
  const single = singleType(planned);
  return single === undefined || single.startsWith(OCTETS) ? (own ?? single ?? OCTETS) : single;
}

/** A planned type that is one type, and neither a range nor a choice of several. */
export function singleType(planned: string | undefined): string | undefined {
  return planned === undefined || planned.includes("*") || planned.includes(",") ? undefined : planned;
}
