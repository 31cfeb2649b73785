import { type CallErrorData, callErrorData, isCallErrorField } from "../../envelope/call-error.js";
import { HINT_NAMES, isHint } from "../../envelope/hints.js";
import type { Outcome, OutcomeMeta } from "../../envelope/outcome.js";
import type { Warning } from "../../envelope/warning.js";
import { orElse } from "../../json/attempt.js";
import { printJson } from "../../json/printable.js";
import { isRecord } from "../../json/value.js";

/**
 * An outcome that every format can say: of what a handler has put into it by hand, such as hints that are none or data
 * that cannot be looked at, only that which can be printed. What was left out is named.
 */
export function soundOutcome(outcome: Outcome): Outcome {
  const meta = soundMeta(printable(outcome.meta));
  if (outcome.ok) return { ok: true, data: printable(outcome.data), meta };
  // One that was thrown is printed by words of its own, which fail where a part of it cannot be printed.
  const error = orElse<unknown>(() => callErrorData(outcome.error), outcome.error);
  return { ok: false, error: soundError(printable(error)), meta };
}

function printable(value: unknown): unknown {
  return JSON.parse(printJson(value));
}

function soundMeta(given: unknown): OutcomeMeta {
  const entries = Object.entries(isRecord(given) ? given : {});
  const isBroken = ([name, value]: [string, unknown]): boolean =>
    HINT_NAMES.some((hint) => hint === name) && !isHint(name, value);
  const meta = Object.fromEntries(entries.filter((entry) => !isBroken(entry))) as OutcomeMeta;
  const left = entries.filter(isBroken).map(([name]): Warning => {
    return { code: "NONCONFORMING", message: `The hint ${name} is not what it must be, and is left out.` };
  });
  return left.length === 0 ? meta : { ...meta, warnings: [...(meta.warnings ?? []), ...left] };
}

function soundError(given: unknown): CallErrorData {
  const entries = Object.entries(isRecord(given) ? given : {});
  const fields = Object.fromEntries(entries.filter(([name, value]) => isCallErrorField(name, value)));
  return callErrorData({ category: "internal", message: "The operation failed.", ...fields });
}
