import { told } from "../../../json/told.js";
import { isRecord, isString } from "../../../json/value.js";
import type { MediaDescription, ResponseDescription } from "../description.js";
import { bodyKindOf, isStreamType } from "./body-kind.js";
import { typesOf } from "./describe-body-v2.js";
import type { OperationScope, RecordPlace } from "./operation-scope.js";

export function responsesOf(scope: OperationScope): ResponseDescription[] {
  const { operation, base } = scope.operation.raw;
  const responses = scope.records({ value: operation["responses"], base }, "The response");
  const read = scope.document.version === "2.0" ? contentOfV2 : contentOfV3;
  return responses.flatMap(([key, response]) => {
    if (key.startsWith("x-")) return [];
    const status = key === "default" ? key : key.toUpperCase();
    if (!/^([1-5]\d\d|[1-5]XX|default)$/.test(status)) {
      scope.warn(`A response has the status ${told(key)}, which does not exist; it is left out.`);
      return [];
    }
    const { description } = response.value;
    return [{ status, description: isString(description) ? description : "", content: read(scope, response) }];
  });
}

function contentOfV3(scope: OperationScope, { value, base }: RecordPlace): MediaDescription[] {
  return scope.records({ value: value["content"], base }, "The content of a response").map(([mediaType, media]) => {
    const { schema, itemSchema } = media.value;
    const used = isStreamType(mediaType) && itemSchema !== undefined ? itemSchema : schema;
    return { mediaType, schema: used === undefined ? undefined : { schema: used, base: media.base } };
  });
}

function contentOfV2(scope: OperationScope, { value, base }: RecordPlace): MediaDescription[] {
  const { schema } = value;
  if (schema === undefined) return [];
  const produced = typesOf(scope, "produces");
  const types = isFile(scope, schema, base) ? bytesTypes(produced) : produced;
  const mediaTypes = types.length === 0 ? ["application/json"] : types;
  return mediaTypes.map((mediaType) => ({ mediaType, schema: { schema, base } }));
}

function isFile({ document }: OperationScope, schema: unknown, base: string): boolean {
  const found = document.resolve({ value: schema, base })?.value;
  return isRecord(found) && found["type"] === "file";
}

/** A file is never JSON, though the document may produce nothing else in general. */
function bytesTypes(produced: readonly string[]): readonly string[] {
  const others = produced.filter((type) => bodyKindOf(type) !== "json");
  return others.length === 0 ? ["application/octet-stream"] : others;
}
