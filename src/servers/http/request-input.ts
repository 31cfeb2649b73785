import { CallError } from "../../envelope/call-error.js";
import { pointerTo } from "../../json/pointer.js";
import { isEqual, isRecord, type JsonRecord, setField } from "../../json/value.js";
import type { OperationSpec } from "../../registry/operation.js";
import { inputTextsOf } from "../input-texts.js";

/** The input of an operation that is reached by a path of its own: from the path, the query and the body. */
export function inputFromRequest(
  spec: OperationSpec,
  places: Readonly<Record<string, string>>,
  query: string,
  body: unknown,
): unknown {
  const inPath = Object.entries(places);
  const inQuery = textsIn(query);
  const known = inputTextsOf(spec);
  if (inPath.length === 0 && inQuery.size === 0) return body === undefined && known.fields.length > 0 ? {} : body;
  if (body !== undefined && !isRecord(body))
    throw new CallError({
      category: "validation",
      message: "The body must be a JSON object, because fields of the input stand in the path or the query too.",
    });
  const input: JsonRecord = { ...(body as JsonRecord | undefined) };
  const put = (name: string, value: unknown): void => {
    if (Object.hasOwn(input, name) && !isEqual(input[name], value)) throw contradiction(name);
    setField(input, name, value);
  };
  for (const [name, texts] of inQuery) put(name, known.valueOf(name, texts, true));
  for (const [name, text] of inPath) put(name, known.valueOf(name, [text], false));
  return input;
}

function contradiction(name: string): CallError {
  const issues = [{ path: pointerTo(name), message: "is given twice, with different values" }];
  const message = `The request says ${JSON.stringify(name)} in two places, and not the same.`;
  return new CallError({ category: "validation", message, issues });
}

function textsIn(query: string): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  for (const [name, text] of new URLSearchParams(query)) {
    const known = texts.get(name);
    if (known === undefined) texts.set(name, [text]);
    else known.push(text);
  }
  return texts;
}
