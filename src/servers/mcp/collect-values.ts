import { callErrorData, callErrorFrom } from "../../envelope/call-error.js";
import type { Outcome, OutcomeMeta } from "../../envelope/outcome.js";
import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import type { Warning } from "../../envelope/warning.js";
import { printJson } from "../../json/printable.js";
import { hintsOf } from "./hints.js";
import type { ServedRegistry } from "./options.js";
import type { ToolCall } from "./tool-call.js";

const MOST_VALUES = 10_000;
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_WARNINGS = 50;
const MESSAGE_LENGTH = 2_000;

/** A subscription as one call: each value is told as progress, and all of them are the result. */
export async function collectValues(
  registry: ServedRegistry,
  id: string,
  input: unknown,
  call: ToolCall,
): Promise<Outcome> {
  const values: unknown[] = [];
  const warnings: Warning[] = [];
  let meta: OutcomeMeta = {};
  let left = MOST_BYTES;
  let source: AsyncGenerator<ResponseEnvelope> | undefined;
  try {
    source = registry.subscribe(id, input, call.options());
    for await (const envelope of source) {
      const text = printJson(envelope.data);
      left -= text.length;
      if (values.length === MOST_VALUES || left < 0) {
        warnings.push(cut(values.length));
        meta = { ...meta, truncated: true };
        break;
      }
      values.push(envelope.data);
      meta = hintsOf(envelope.meta);
      warnings.push(...(meta.warnings ?? []).slice(0, MOST_WARNINGS - warnings.length));
      call.onProgress({ progress: values.length, message: text.slice(0, MESSAGE_LENGTH) });
    }
    return { ok: true, data: values, meta: { ...meta, ...(warnings.length > 0 && { warnings }) } };
  } catch (thrown) {
    const error = callErrorData(callErrorFrom(thrown));
    const data = error.data === undefined && values.length > 0 ? values : error.data;
    return { ok: false, error: { ...error, ...(data !== undefined && { data }) }, meta };
  }
}

function cut(count: number): Warning {
  return { code: "TRUNCATED", message: `shows the first ${count} values; the subscription was ended there`, path: "" };
}
