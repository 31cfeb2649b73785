import { CallError } from "../envelope/call-error.js";
import { outcomeFromEnvelope } from "../envelope/outcome.js";
import type { ResponseEnvelope } from "../envelope/response-envelope.js";
import { orElse } from "../json/attempt.js";
import { isRecord } from "../json/value.js";
import { normalise } from "../schema/compile.js";
import { inside } from "../schema/inside.js";
import { readSchema } from "../schema/standard-schema.js";
import type { CallOptions } from "./call-options.js";
import { cursorFieldsIn } from "./cursor-field.js";
import type { OperationSpec } from "./operation.js";

export interface PageOptions extends CallOptions {
  /**
   * The field of the input that takes the cursor.
   * @default `cursor`, else the first of the usual names that the input has: `after`, `page_token`, `page` and the like
   */
  readonly cursorField?: string;
  /** @default no limit */
  readonly maxPages?: number;
}

/** One envelope after the other, as long as `meta.pagination.cursor` leads on. Throws the error of a page that failed. */
export async function* pagesOf(
  id: string,
  spec: OperationSpec,
  call: (input: unknown, options: CallOptions) => Promise<ResponseEnvelope>,
  input: unknown,
  { cursorField: given, maxPages = Number.POSITIVE_INFINITY, ...options }: PageOptions = {},
): AsyncGenerator<ResponseEnvelope, void, undefined> {
  const cursorField = given ?? cursorFieldsIn(spec.inputSchema)[0] ?? "cursor";
  const seen = new Set<unknown>(isRecord(input) ? [input[cursorField]] : []);
  let asked = input;
  for (let count = 0; count < maxPages; count++) {
    const page = await call(asked, options);
    dataOf(page);
    yield page;
    const { cursor, hasMore } = page.meta.pagination ?? {};
    if (cursor === undefined || cursor === null || hasMore === false) return;
    if (seen.has(cursor)) throw cursorLoop(id);
    seen.add(cursor);
    asked = { ...(isRecord(input) ? input : {}), [cursorField]: fittingCursor(spec, cursorField, cursor) };
  }
}

/** The data of an envelope. Throws where an MCP tool itself says that it failed. */
export function dataOf(envelope: ResponseEnvelope): unknown {
  const outcome = outcomeFromEnvelope(envelope);
  if (!outcome.ok) throw new CallError(outcome.error);
  return outcome.data;
}

/** The number of a page is a text in the envelope, as every cursor is, and a number in some inputs. */
function fittingCursor({ inputSchema }: OperationSpec, field: string, cursor: string): unknown {
  const part = orElse(() => inside(readSchema(inputSchema, "input").json, field), undefined);
  if (!isRecord(part)) return cursor;
  const { value, isValid } = normalise(part, cursor);
  return isValid ? value : cursor;
}

function cursorLoop(id: string): CallError {
  return new CallError({
    category: "execution",
    code: "CURSOR_LOOP",
    message: `${id} gave a cursor for the second time; its pages would never end.`,
  });
}
