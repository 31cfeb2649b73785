import { type CallErrorData, callErrorData, callErrorFrom } from "../../envelope/call-error.js";
import type { Outcome, OutcomeMeta } from "../../envelope/outcome.js";
import type { Warning } from "../../envelope/warning.js";
import { printJson } from "../../json/printable.js";
import type { ExecuteOptions } from "../../registry/call-options.js";
import { hintsOfFailure } from "../../registry/failure-hints.js";
import type { ServedRegistry } from "../../registry/served-registry.js";
import { ClientCall } from "../client-call.js";
import { hintsOf } from "./hints.js";

const MOST_VALUES = 10_000;
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_WARNINGS = 50;
const MESSAGE_LENGTH = 2_000;

/** A subscription as one call: each value is told as progress, and all of them are the result. */
export async function collectValues(
  registry: ServedRegistry,
  id: string,
  input: unknown,
  call: ExecuteOptions,
): Promise<Outcome> {
  const values: unknown[] = [];
  const warnings: Warning[] = [];
  let meta: OutcomeMeta = {};
  let left = MOST_BYTES;
  try {
    for await (const envelope of registry.subscribe(id, input, quietOptions(call))) {
      const text = printJson(envelope.data);
      left -= text.length;
      // The first is kept whatever its size: a budget may cut it.
      if (values.length === MOST_VALUES || (left < 0 && values.length > 0)) {
        warnings.push(cut(values.length));
        meta = { ...meta, truncated: true };
        break;
      }
      values.push(envelope.data);
      meta = hintsOf(envelope.meta);
      warnings.push(...(meta.warnings ?? []).slice(0, MOST_WARNINGS - warnings.length));
      call.onProgress?.({ progress: values.length, message: text.slice(0, MESSAGE_LENGTH) });
    }
    return { ok: true, data: values, meta: withWarnings(meta, warnings) };
  } catch (thrown) {
    const error = callErrorFrom(thrown);
    const { warnings: last = [], ...hints } = hintsOfFailure(error) ?? {};
    return {
      ok: false,
      error: withValues(callErrorData(error), values),
      meta: withWarnings({ ...meta, ...hints }, [...warnings, ...last]),
    };
  }
}

/** Progress is what was said of the values, and not what the operation says of itself. */
function quietOptions(call: ExecuteOptions): ExecuteOptions {
  if (call instanceof ClientCall) return call.options();
  const { onProgress: _, ...options } = call;
  return options;
}

function withWarnings(meta: OutcomeMeta, warnings: readonly Warning[]): OutcomeMeta {
  return warnings.length === 0 ? meta : { ...meta, warnings };
}

function withValues(error: CallErrorData, values: readonly unknown[]): CallErrorData {
  return error.data !== undefined || values.length === 0 ? error : { ...error, data: values };
}

function cut(count: number): Warning {
  return { code: "TRUNCATED", message: `shows the first ${count} values; the subscription was ended there`, path: "" };
}
