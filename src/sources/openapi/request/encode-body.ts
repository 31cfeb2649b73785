import type { Issue } from "../../../json/issue.js";
import { isRecord, type JsonRecord, setField } from "../../../json/value.js";
import { mediaTypeOf } from "../media-type.js";
import { ownValue } from "../own-value.js";
import type { PlannedBody, PlannedField } from "../plan.js";
import { formFieldOf } from "./encode-form.js";
import { joinParts, type Part, partsOf } from "./encode-multipart.js";
import { fileType, readFileInput } from "./file-input.js";
import { oneLine } from "./header-text.js";
import { jsonOf, textOf, wellFormed } from "./plain-text.js";
import { issueFrom, missing, Refusal } from "./refusal.js";

export interface EncodedBody {
  readonly content: string | Uint8Array;
  readonly contentType: string;
}

/** What a body is made of, and where its faults are told. */
export interface BodySource {
  readonly input: Readonly<Record<string, unknown>>;
  /** Whether something in the plan takes this field of the input. */
  readonly isNamed: (key: string) => boolean;
  readonly issues: Issue[];
}

/** `undefined` where the input has nothing for the body, and it may be left out. */
export function encodeBody(plan: PlannedBody, source: BodySource): EncodedBody | undefined {
  try {
    const body = isForm(plan) ? encodeFields(plan, source) : encodeWhole(plan, source);
    if (body !== undefined) oneLine(body.contentType);
    return body;
  } catch (thrown) {
    source.issues.push(issueFrom(thrown, plan.wholeKey === undefined ? [] : [plan.wholeKey]));
    return undefined;
  }
}

function isForm({ kind }: PlannedBody): boolean {
  return kind === "form" || kind === "multipart";
}

function encodeFields(plan: PlannedBody, source: BodySource): EncodedBody | undefined {
  const fields: string[] = [];
  const parts: Part[] = [];
  const isMultipart = plan.kind === "multipart";
  const isPresent = eachField(plan, source, (name, value, field) => {
    if (isMultipart) parts.push(...partsOf(name, value, field));
    else fields.push(formFieldOf(name, value, field));
  });
  if (!isPresent && !plan.isRequired) return undefined;
  if (isMultipart) return joinParts(parts, plan.mediaType);
  return { content: fields.filter((text) => text !== "").join("&"), contentType: plan.mediaType };
}

function encodeWhole(plan: PlannedBody, source: BodySource): EncodedBody | undefined {
  const value = plan.wholeKey === undefined ? recordOf(plan, source) : ownValue(source.input, plan.wholeKey);
  if (value === undefined) {
    if (plan.isRequired) throw missing();
    return undefined;
  }
  if (plan.kind === "json") return { content: jsonBody(value, plan, source), contentType: plan.mediaType };
  if (plan.kind === "text") return { content: wellFormed(textOf(value)), contentType: withCharset(plan.mediaType) };
  const { content, mediaType } = readFileInput(value);
  return { content, contentType: fileType(plan.mediaType, mediaType) };
}

/** The fields of the body as one object; a body that is required may be an empty one. */
function recordOf(plan: PlannedBody, source: BodySource): JsonRecord | undefined {
  const record: JsonRecord = {};
  const isPresent = eachField(plan, source, (name, value) => setField(record, name, value));
  return isPresent || plan.isRequired ? record : undefined;
}

function jsonBody(value: unknown, plan: PlannedBody, source: BodySource): string {
  try {
    return jsonOf(value);
  } catch (thrown) {
    // Which of the fields is at fault? If none is, it is the whole.
    const known = source.issues.length;
    if (plan.wholeKey === undefined) eachField(plan, source, (_, member) => jsonOf(member));
    if (source.issues.length === known) throw thrown;
    return "";
  }
}

type TakeField = (name: string, value: unknown, field: PlannedField | undefined) => void;

/** Calls for each field that is there, and tells whether there was one. What cannot be taken becomes an issue. */
function eachField(plan: PlannedBody, source: BodySource, take: TakeField): boolean {
  if (plan.wholeKey !== undefined) return eachFieldOfWhole(plan, plan.wholeKey, source, take);
  const { input, isNamed, issues } = source;
  let isPresent = false;
  const visit = (key: string, name: string, field: PlannedField | undefined): void => {
    try {
      const value = ownValue(input, key);
      if (value === undefined) return;
      isPresent = true;
      take(name, value, field);
    } catch (thrown) {
      issues.push(issueFrom(thrown, [key]));
    }
  };
  for (const field of plan.fields) visit(field.key, field.name, field);
  if (plan.isOpen) for (const key of Object.keys(input)) if (!isNamed(key)) visit(key, key, undefined);
  return isPresent;
}

function eachFieldOfWhole(plan: PlannedBody, wholeKey: string, source: BodySource, take: TakeField): boolean {
  const { input, issues } = source;
  const whole = ownValue(input, wholeKey);
  if (whole === undefined && plan.isRequired) throw missing();
  if (whole === undefined) return false;
  if (!isRecord(whole)) throw new Refusal("type", "must be an object: its fields become those of a form");
  for (const name of Object.keys(whole)) {
    try {
      const field = plan.fields.find((planned) => planned.name === name);
      if (whole[name] !== undefined) take(name, whole[name], field);
    } catch (thrown) {
      issues.push(issueFrom(thrown, [wholeKey, name]));
    }
  }
  return true;
}

/** Only texts and XML have a parameter for it. */
function withCharset(mediaType: string): string {
  const { essence, charset } = mediaTypeOf(mediaType);
  const knowsCharset = essence.startsWith("text/") || essence === "application/xml" || essence.endsWith("+xml");
  return knowsCharset && charset === undefined ? `${mediaType}; charset=utf-8` : mediaType;
}
