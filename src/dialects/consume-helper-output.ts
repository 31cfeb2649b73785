import type { CallErrorData } from "../envelope/call-error.js";
import type { SkippedSource } from "../envelope/hints.js";
import type { Outcome, Success } from "../envelope/outcome.js";
import { orElse } from "../json/attempt.js";
import { printJson } from "../json/printable.js";
import { isRecord } from "../json/value.js";
import type { Violation } from "./dialect.js";
import { helperOutput } from "./helper-output.js";
import { majorOf } from "./helper-output-rules.js";

export interface ConsumeOptions {
  /** The major of `schema_version` that the consumer was written for. @default any */
  readonly major?: number;
}

/** What to do with a helper's answer. */
export type HelperAdvice =
  | { readonly action: "use"; readonly data: unknown; readonly outcome: Outcome }
  | {
      readonly action: "use-with-footer";
      readonly data: unknown;
      readonly skippedSources: readonly SkippedSource[];
      readonly footer: string;
      readonly outcome: Outcome;
    }
  | { readonly action: "install-hint"; readonly hint: string; readonly error: CallErrorData; readonly outcome: Outcome }
  | {
      readonly action: "fall-back";
      readonly code: string;
      readonly reason: string;
      readonly issues: readonly Violation[];
      readonly outcome?: Outcome;
    };

/** Branches on version and status as the specification of helper-output tells its consumers to. */
export function consumeHelperOutput(document: unknown, { major }: ConsumeOptions = {}): HelperAdvice {
  const found = fieldOf(document, "schema_version");
  if (major !== undefined && majorOf(found) !== undefined && majorOf(found) !== major) {
    return fallBack("UNSUPPORTED_VERSION", `The helper speaks version ${String(found)}, this consumer major ${major}.`);
  }
  const reading = helperOutput.read(document);
  if (reading.kind === "stranger") return fallBack("NOT_AN_ENVELOPE", "The document is no helper output.");
  if (reading.kind === "malformed")
    return { ...fallBack("MALFORMED", "The document breaks the format."), issues: reading.issues };
  return advise(fieldOf(document, "status"), reading.outcome);
}

function fieldOf(document: unknown, name: string): unknown {
  return orElse(() => (isRecord(document) ? document[name] : undefined), undefined);
}

function advise(status: unknown, outcome: Outcome): HelperAdvice {
  if (outcome.ok) return status === "partial" ? useWithFooter(outcome) : { action: "use", data: outcome.data, outcome };
  const { error } = outcome;
  if (status !== "tool-missing") return { ...fallBack(error.code, error.message), outcome };
  return { action: "install-hint", hint: error.suggestedAction ?? error.message, error, outcome };
}

function useWithFooter(outcome: Success): HelperAdvice {
  const skippedSources = outcome.meta.skippedSources ?? [];
  const names = skippedSources.map((source) => (typeof source === "string" ? source : printJson(source)));
  const footer = `Sources skipped: ${names.length === 0 ? "the helper did not say which" : names.join(", ")}`;
  return { action: "use-with-footer", data: outcome.data, skippedSources, footer, outcome };
}

function fallBack(code: string, reason: string): HelperAdvice & { action: "fall-back" } {
  return { action: "fall-back", code, reason, issues: [] };
}
