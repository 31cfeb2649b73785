import type { MCPResourceLink } from "../../../envelope/content-block.js";
import type { Warning } from "../../../envelope/warning.js";
import { orElse } from "../../../json/attempt.js";
import { isRecord } from "../../../json/value.js";
import { decodeText } from "../decode-text.js";
import type { HttpAnswer } from "../http-answer.js";
import { type MediaType, mediaTypeOf } from "../media-type.js";
import type { AnswerOptions } from "./answer.js";
import { brokenJson } from "./answer-errors.js";

/** A whole body, read by what it is said to be. */
export interface BodyData {
  readonly data: unknown;
  /** It was JSON, and may be a document of another format. */
  readonly isJson: boolean;
  readonly warnings: readonly Warning[];
  readonly links: readonly MCPResourceLink[];
}

/** What bytes become. Those that are kept elsewhere are named by `uri`. */
type BinaryData =
  | { readonly mediaType: string; readonly bytes: number; readonly base64: string }
  | { readonly mediaType: string; readonly bytes: number; readonly uri: string };

export async function bodyData(answer: HttpAnswer, options: AnswerOptions): Promise<BodyData> {
  const bytes = await answer.bytes();
  if (bytes.length === 0) return { data: null, isJson: false, warnings: [], links: [] };
  const media = mediaTypeOf(answer.contentType);
  if (media.kind === "json") return jsonBody(bytes, media, options);
  const { expectsJson } = options;
  if (expectsJson && SNIFFED.has(media.essence)) {
    const guessed = guessedJson(bytes, media);
    if (guessed !== undefined) return guessed;
  }
  if (media.kind === "binary" || (media.kind === "unsaid" && !isPlainText(bytes)))
    return await binaryBody(bytes, media, answer, options);
  const { text, warning } = decodeText(bytes, media.charset);
  return { data: text, isJson: false, warnings: listed(warning), links: [] };
}

/** Types that say nothing against JSON: servers give them to whatever they do not know. */
const SNIFFED = new Set([
  "",
  "text/plain",
  "text/javascript",
  "application/javascript",
  "application/x-javascript",
  "application/octet-stream",
  "binary/octet-stream",
]);

function jsonBody(bytes: Uint8Array, { charset }: MediaType, { operationId }: AnswerOptions): BodyData {
  const { text, warning } = decodeText(bytes, charset);
  if (text.trim() === "") return { data: null, isJson: false, warnings: listed(warning), links: [] };
  try {
    return { data: JSON.parse(text) as unknown, isJson: true, warnings: listed(warning), links: [] };
  } catch (thrown) {
    const lines = jsonLines(text);
    if (lines === undefined) throw brokenJson(operationId, text, thrown);
    return { data: lines, isJson: false, warnings: [...listed(warning), LINES_AS_JSON], links: [] };
  }
}

const LINES_AS_JSON: Warning = {
  code: "NONCONFORMING",
  message: "the body is called JSON and holds several documents, one a line; the data is the list of them",
  path: "",
};

/** Some servers call a stream of lines plain JSON. */
function jsonLines(text: string): unknown[] | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length < 2 || !lines.every((line) => /^\s*[[{]/.test(line))) return undefined;
  return orElse<unknown[] | undefined>(() => lines.map((line) => JSON.parse(line) as unknown), undefined);
}

function guessedJson(bytes: Uint8Array, { essence, charset }: MediaType): BodyData | undefined {
  const { text, warning } = decodeText(bytes, charset);
  if (!/^\s*[[{]/.test(text)) return undefined;
  const value = orElse<unknown>(() => JSON.parse(text), undefined);
  if (!isRecord(value) && !Array.isArray(value)) return undefined;
  const called = essence === "" ? "without a content type" : `as ${essence}`;
  const message = `JSON that was sent ${called} is read as what it is`;
  return {
    data: value,
    isJson: true,
    warnings: [{ code: "OUTPUT_CONVERTED", message, path: "" }, ...listed(warning)],
    links: [],
  };
}

/** Whether bytes of which nothing is said are UTF-8 that people could read. */
function isPlainText(bytes: Uint8Array): boolean {
  const { text, warning } = decodeText(bytes, undefined);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those that no text has
  return warning === undefined && !/[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(text);
}

async function binaryBody(
  bytes: Uint8Array,
  { essence }: MediaType,
  answer: HttpAnswer,
  options: AnswerOptions,
): Promise<BodyData> {
  const mediaType = essence === "" ? "application/octet-stream" : essence;
  const about = { mediaType, bytes: bytes.length };
  const inline = { ...about, base64: base64Of(bytes) };
  const uri = bytes.length > options.inlineBytes ? await keptAt(inline, options) : undefined;
  const data: BinaryData = uri === undefined ? inline : { ...about, uri };
  const name = fileName(answer) ?? options.operationId;
  const links: MCPResourceLink[] = uri === undefined ? [] : [{ type: "resource_link", uri, name, mimeType: mediaType }];
  return { data, isJson: false, warnings: [], links };
}

/** A store that fails is no reason to lose the answer: it then comes as base64. */
async function keptAt(inline: BinaryData, { keepJson }: AnswerOptions): Promise<string | undefined> {
  try {
    return keepJson === undefined ? undefined : (await keepJson(JSON.stringify(inline)))?.uri;
  } catch {
    return undefined;
  }
}

function base64Of({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString("base64");
}

function fileName({ headers }: HttpAnswer): string | undefined {
  const match = /filename\s*=\s*(?:"([^"]+)"|([^\s";]+))/i.exec(headers["content-disposition"] ?? "");
  return match?.[1] ?? match?.[2];
}

function listed(warning: Warning | undefined): Warning[] {
  return warning === undefined ? [] : [warning];
}
