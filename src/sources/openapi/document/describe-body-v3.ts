import { told } from "../../../json/told.js";
import { isRecord, isString, type JsonRecord, setField } from "../../../json/value.js";
import type { BodyDescription, FieldEncoding } from "../description.js";
import { bodyKindOf, definiteType } from "./body-kind.js";
import { chooseMediaType } from "./choose-media-type.js";
import { fieldStyle } from "./describe-parameter-v3.js";
import type { OperationScope, RecordPlace } from "./operation-scope.js";

export function bodyOfV3(scope: OperationScope, bodyTypes: readonly string[]): BodyDescription | undefined {
  const { operation, base } = scope.operation.raw;
  const body = scope.record({ value: operation["requestBody"], base }, "`requestBody`");
  if (body === undefined) return undefined;
  const content = scope.records({ value: body.value["content"], base: body.base }, "The body's content");
  const chosen = chooseMediaType(
    content.map(([type]) => type),
    bodyTypes,
  );
  const media = content.find(([type]) => type === chosen)?.[1];
  if (chosen === undefined || media === undefined) {
    scope.warn("The body has no media type; none is sent.");
    return undefined;
  }
  return bodyOf(scope, body, chosen, media);
}

function bodyOf(scope: OperationScope, body: RecordPlace, type: string, media: RecordPlace): BodyDescription {
  const { required, description } = body.value;
  const schema = media.value["schema"] ?? {};
  const isAnyBytes = type.includes("*") && isBytes(scope, schema, media.base);
  return {
    required: required === true,
    ...(isString(description) && description !== "" && { description }),
    mediaType: isAnyBytes ? "application/octet-stream" : definiteType(type),
    kind: isAnyBytes ? "binary" : bodyKindOf(type),
    schema: { schema, base: media.base },
    encoding: encodingsOf(scope, media),
  };
}

function isBytes(scope: OperationScope, schema: unknown, base: string): boolean {
  const found = scope.document.resolve({ value: schema, base })?.value;
  return isRecord(found) && found["format"] === "binary";
}

function encodingsOf(scope: OperationScope, { value, base }: RecordPlace): Readonly<Record<string, FieldEncoding>> {
  const encodings: JsonRecord = {};
  for (const [name, found] of scope.records({ value: value["encoding"], base }, "The body's encoding")) {
    const { contentType, headers } = found.value;
    const fixed = fixedHeaders(scope, headers, found.base);
    setField(encodings, name, {
      ...fieldStyle(found.value),
      ...(isStyled(scope, found.value) && { isStyled: true }),
      ...(isString(contentType) && contentType !== "" && { contentType }),
      ...(Object.keys(fixed).length > 0 && { headers: fixed }),
    });
  }
  return encodings as Record<string, FieldEncoding>;
}

/** Version 3.0 ignores the style of a part; what differs from the default is followed all the same, as servers want it. */
function isStyled({ document }: OperationScope, encoding: JsonRecord): boolean {
  const { style, explode } = fieldStyle(encoding);
  if (document.version === "3.0") return style !== "form" || !explode;
  return ["style", "explode", "allowReserved"].some((word) => encoding[word] !== undefined);
}

/** The headers of a part whose value the document says: nobody else can. */
function fixedHeaders(scope: OperationScope, headers: unknown, base: string): Readonly<Record<string, string>> {
  const fixed: JsonRecord = {};
  for (const [name, header] of scope.records({ value: headers, base }, "The headers of a part")) {
    const schema = scope.document.resolve({ value: header.value["schema"], base: header.base })?.value;
    const text = isRecord(schema) ? fixedValue(schema) : undefined;
    if (text !== undefined && !/^content-type$/i.test(name)) setField(fixed, name, text);
    else if (header.value["required"] === true) scope.warn(`The header ${told(name)} of a part has no fixed value.`);
  }
  return fixed as Record<string, string>;
}

function fixedValue({ const: constant, default: fallback, enum: values }: JsonRecord): string | undefined {
  const only = Array.isArray(values) && values.length === 1 ? values[0] : undefined;
  const value = constant ?? fallback ?? only;
  return isString(value) || typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}
