import type { Dialect } from "../../dialects/dialect.js";
import { failureStatus, helperOutput, RESERVED_FIELDS } from "../../dialects/helper-output.js";
import { CallError, type CallErrorData } from "../../envelope/call-error.js";
import type { Outcome } from "../../envelope/outcome.js";
import type { Warning } from "../../envelope/warning.js";
import { messageOf } from "../../json/attempt.js";
import { printJson } from "../../json/printable.js";
import { isRecord, presentKeys } from "../../json/value.js";

/** How a helper speaks. */
export interface Manner {
  readonly dialect: Dialect;
  readonly schemaVersion: string;
  readonly agent: string;
  readonly tool: string;
  /** One line for each of many answers. */
  readonly isLine: boolean;
}

export interface HelperDocument {
  readonly text: string;
  readonly exitCode: 0 | 1;
  /** Warnings that the dialect has no place for. */
  readonly untold: readonly Warning[];
}

/** What a helper prints for an outcome. */
export function documentOf(outcome: Outcome, manner: Manner): HelperDocument {
  try {
    return written(outcome, manner);
  } catch (thrown) {
    // Such as a text that is longer than JavaScript can hold.
    const message = `The answer cannot be written: ${messageOf(thrown)}`;
    return written({ ok: false, error: new CallError({ category: "execution", message }), meta: {} }, manner);
  }
}

function written(outcome: Outcome, manner: Manner): HelperDocument {
  const { dialect, isLine, ...options } = manner;
  const { wire, lost } = dialect.write(stamped(outcome, dialect), options);
  const text = isLine && typeof wire !== "string" ? printJson(wire) : dialect.print(wire);
  const untold = lost.some(({ path }) => path.startsWith("/meta/warnings")) ? (outcome.meta.warnings ?? []) : [];
  return {
    text: text.endsWith("\n") ? text : `${text}\n`,
    exitCode: outcome.ok || failureStatus(outcome.error) !== "error" ? 0 : 1,
    // Helper output tells it: what makes an answer partial is its error.
    untold: dialect === plainHelper ? untold.filter(({ code }) => code !== "SOURCES_SKIPPED") : untold,
  };
}

/** With a moment, so that none is marked as added; and a helper that returns nothing has no fields. */
function stamped(outcome: Outcome, dialect: Dialect): Outcome {
  const meta = { ...outcome.meta, timestamp: outcome.meta.timestamp ?? Date.now() };
  if (outcome.ok && outcome.data === undefined && dialect === plainHelper) return { ...outcome, data: {}, meta };
  return { ...outcome, meta };
}

const plainHelper: Dialect = helperOutput as Dialect;

/** The outcome, or a failure where its data has a field that the format keeps for itself. */
export function soundOutcome(outcome: Outcome, { dialect }: Manner): Outcome {
  if (!outcome.ok || dialect !== plainHelper) return outcome;
  const { data, meta } = outcome;
  const reserved = reservedIn(data);
  return reserved === undefined ? outcome : { ok: false, error: reservedField(reserved, data), meta };
}

export function reservedIn(data: unknown): string | undefined {
  return isRecord(data) ? presentKeys(data).find((key) => RESERVED_FIELDS.includes(key)) : undefined;
}

function reservedField(name: string, data: unknown): CallErrorData {
  return new CallError({
    category: "execution",
    code: "RESERVED_FIELD",
    message: `The helper answers with a field \`${name}\`, a name that helper-output keeps for itself. Give the field another name.`,
    details: { reserved: RESERVED_FIELDS },
    data,
  });
}
