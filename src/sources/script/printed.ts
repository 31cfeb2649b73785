import { dialectNamed } from "../../dialects/all.js";
import { isCarried } from "../../dialects/carried.js";
import { isContent } from "../../dialects/content.js";
import { type FoundReading, read } from "../../dialects/convert.js";
import type { Dialect, Reading } from "../../dialects/dialect.js";
import { helperOutput } from "../../dialects/helper-output.js";
import { majorOf } from "../../dialects/helper-output-rules.js";
import { mcpResult } from "../../dialects/mcp-result.js";
import { problemDetails } from "../../dialects/problem-details.js";
import { responseEnvelope } from "../../dialects/response-envelope.js";
import { responseV2 } from "../../dialects/response-v2.js";
import { toolEnvelopeV1 } from "../../dialects/tool-envelope-v1.js";
import { toolResponse } from "../../dialects/tool-response.js";
import type { Outcome } from "../../envelope/outcome.js";
import type { Warning } from "../../envelope/warning.js";
import { messageOf } from "../../json/attempt.js";
import { isRecord } from "../../json/value.js";
import type { Unread } from "./failure.js";
import type { OutputForm } from "./options.js";

/** What a program printed. A document of a dialect says itself how the call went. */
export type Printed =
  | { readonly kind: "data"; readonly data: unknown; readonly warnings: readonly Warning[] }
  | {
      readonly kind: "document";
      readonly document: unknown;
      readonly outcome: Outcome;
      readonly notes: readonly Warning[];
    }
  | Unreadable;

interface Unreadable extends Unread {
  readonly kind: "unreadable";
  /** As far as it could be read. */
  readonly document?: unknown;
}

export function readPrinted(text: string, form: OutputForm): Printed {
  if (form === "text") return plain(text);
  if (form === "auto") return readAnything(text);
  const parsed = parse(text);
  if (form === "json") return "value" in parsed ? plain(parsed.value) : parsed;
  return form === "json-lines" ? readLine(parsed) : readAs(form, text, parsed);
}

function plain(data: unknown, ...warnings: readonly Warning[]): Printed {
  return { kind: "data", data, warnings };
}

type Parsed = { readonly value: unknown } | Unreadable;

function parse(text: string): Parsed {
  try {
    return { value: JSON.parse(withoutMark(text)) as unknown };
  } catch (cause) {
    const what = text.trim() === "" ? "is nothing, and not JSON" : `is no JSON: ${messageOf(cause)}`;
    return { kind: "unreadable", what, suggestedAction: NO_JSON, cause };
  }
}

const NO_JSON = 'Look at data. If it is not meant to be JSON, give the source outputAs: "text".';

/** Some programs begin with a mark of the byte order, which JSON does not have. */
function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function readAnything(text: string): Printed {
  if (text === "") return plain(null);
  const trimmed = withoutMark(text).trim();
  if (toolEnvelopeV1.claims(trimmed)) return fromReading(trimmed, read(trimmed, { dialects: BLOCK }), text);
  // It saves the attempt with most texts, and the digits of numbers that are too long for JavaScript.
  if (!/^[[{"]/.test(trimmed)) return plain(isSameNumberOrWord(trimmed) ? JSON.parse(trimmed) : text);
  const parsed = parse(text);
  if ("value" in parsed) return readLine(parsed);
  return trimmed.startsWith('"')
    ? plain(text)
    : plain(text, { code: "OUTPUT_NOT_JSON", message: `The output ${parsed.what}` });
}

const BLOCK = [toolEnvelopeV1] as readonly Dialect[];

function isSameNumberOrWord(text: string): boolean {
  return /^(true|false|null)$/.test(text) || (/^-?\d/.test(text) && String(Number(text)) === text);
}

/** A JSON value that may be a document of some dialect. */
function readLine(parsed: Parsed): Printed {
  if (!("value" in parsed)) return parsed;
  const { value } = parsed;
  return isRecord(value)
    ? fromReading(value, read(value, { deep: true, dialects: dialectsFor(value) }), value)
    : plain(value);
}

const DOCUMENTS = [toolEnvelopeV1, responseEnvelope, toolResponse, responseV2] as readonly Dialect[];

/** Any data may have a list called `content`, a status, or some version of a schema: these three must be surer. */
function dialectsFor(value: Readonly<Record<string, unknown>>): readonly Dialect[] {
  const { _meta, plico, content, structuredContent, schema_version: version } = value;
  const isOurs = isRecord(_meta) && isCarried(_meta["plico"]);
  const isResult = isOurs || structuredContent !== undefined || isContent(content);
  return [
    ...DOCUMENTS,
    ...(majorOf(version) === undefined ? [] : [helperOutput as Dialect]),
    ...(isResult ? [mcpResult as Dialect] : []),
    ...(isCarried(plico) ? [problemDetails as Dialect] : []),
  ];
}

/** A document that is broken may tell of a failure, so it is not taken for data. */
function fromReading(document: unknown, reading: FoundReading, data: unknown): Printed {
  if (reading.kind === "stranger") return plain(data);
  if (reading.kind === "outcome") return { kind: "document", document, outcome: reading.outcome, notes: reading.notes };
  return { ...broken(document, reading, reading.dialect ?? ""), suggestedAction: TAKE_AS_DATA };
}

const TAKE_AS_DATA = 'Mend what prints it. If it is data of another kind, give the source outputAs: "json".';

function readAs(form: string, text: string, parsed: Parsed): Printed {
  const dialect = dialectNamed(form) as Dialect;
  const isBlock = !("value" in parsed) && dialect.claims(withoutMark(text).trim());
  if (!isBlock && !("value" in parsed)) return parsed;
  const document = isBlock ? withoutMark(text).trim() : (parsed as { readonly value: unknown }).value;
  const reading = dialect.read(document);
  if (reading.kind === "outcome") return { kind: "document", document, outcome: reading.outcome, notes: reading.notes };
  if (reading.kind === "stranger")
    return { kind: "unreadable", document, what: `is not ${form}, which has ${dialect.marker}` };
  return broken(document, reading, form);
}

function broken(document: unknown, { issues }: Reading & { kind: "malformed" }, dialect: string): Unreadable {
  const told = issues.map(({ path, message }) => `${path} ${message}`.trim()).join("; ");
  return { kind: "unreadable", document, what: `breaks the format ${dialect}: ${told}`, issues };
}
