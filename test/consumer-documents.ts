import { DIALECTS, type DialectName } from "../src/dialects/all.js";
import { consumeHelperOutput } from "../src/dialects/consume-helper-output.js";
import { read } from "../src/dialects/convert.js";
import type { WriteOptions } from "../src/dialects/dialect.js";
import { prefixOf } from "../src/dialects/envelope-block.js";
import { callErrorData } from "../src/envelope/call-error.js";
import type { SkippedSource } from "../src/envelope/hints.js";
import type { Outcome } from "../src/envelope/outcome.js";
import { orElse } from "../src/json/attempt.js";
import { printJson } from "../src/json/printable.js";
import { sampleOutcomes } from "../src/testing/outcomes.js";

/** What a program printed. */
export interface Printed {
  readonly label: string;
  readonly text: string;
}

const FORMS: Partial<Record<DialectName, readonly string[]>> = {
  "tool-envelope-v1": ["block"],
  "tool-response": ["bare"],
};

/** What a shell would make something of. */
const SHELLISH = "\"$(reboot)\" `reboot` 'it''s' \\n \\\\ %s $HOME; * ? ~ \t\r\n  -n __ENVELOPE_V1__: Zoë 東京 🎉";

/** Every outcome in every form of every dialect. */
export const WRITTEN: readonly Printed[] = DIALECTS.flatMap(({ name, write, print }) => {
  const layouts = [undefined, ...(FORMS[name as DialectName] ?? [])];
  return layouts.flatMap((form) =>
    [...outcomes(), ...sampleOutcomes].map(({ label, outcome }) => {
      const options: WriteOptions = form === undefined ? {} : { layout: { form } };
      return { label: `${name} ${form ?? ""}: ${label}`, text: print(write(outcome, options).wire) };
    }),
  );
});

function outcomes(): { label: string; outcome: Outcome }[] {
  const partial = { skippedSources: ["journal", { source: "calendar", reason: "offline" }] };
  const warnings = [{ code: "SOURCES_SKIPPED", message: "2 sources were skipped" }];
  const missing = { category: "unavailable", code: "TOOL_MISSING", message: "git is not there", recoverable: false };
  return [
    { label: "partial", outcome: { ok: true, data: { open: [1] }, meta: { ...partial, warnings } } },
    { label: "partial, a number", outcome: { ok: true, data: 0, meta: partial } },
    { label: "nothing skipped after all", outcome: { ok: true, data: {}, meta: { skippedSources: [] } } },
    { label: "a missing tool", outcome: { ok: false, error: callErrorData(missing), meta: {} } },
    {
      label: "a missing tool with a hint",
      outcome: { ok: false, error: callErrorData({ ...missing, suggestedAction: "apt install git" }), meta: {} },
    },
    { label: "text to escape", outcome: { ok: true, data: { [SHELLISH]: SHELLISH }, meta: {} } },
    {
      label: "an error to escape",
      outcome: { ok: false, error: callErrorData({ category: "execution", code: "E_X", message: SHELLISH }), meta: {} },
    },
    { label: "large", outcome: { ok: true, data: { rows: Array.from({ length: 3_000 }, row) }, meta: {} } },
  ];
}

function row(_: unknown, at: number): unknown {
  return { id: at, name: `Zoë ${at} 東京 🎉`, tags: ["a", "b"] };
}

/** What no dialect's writer would print. */
export const STRANGE: readonly Printed[] = Object.entries({
  nothing: "",
  "a blank line": " \n",
  "a text": "Segmentation fault",
  "a number": "7",
  null: "null",
  "a list": "[]",
  "an empty object": "{}",
  "plain JSON": '{"open":[1]}',
  "half a document": '{"schema_version":"1.0.0","status":"ok","error":null,"agent":"x","ts"',
  "two documents": '{"schema_version":"1.0.0","status":"ok","error":null}{"schema_version":"1.0.0","status":"ok"}',
  "a document after a text": 'Warning: old\n{"schema_version":"1.0.0","status":"ok","error":null}',
  "another major": '{"schema_version":"2.0.0","status":"ok","error":null,"agent":"x","ts":"2026-01-01T00:00:00Z"}',
  "another major that failed": '{"schema_version":"2.1.0","status":"error","error":{"code":"E","message":"m"}}',
  "another minor": '{"schema_version":"1.9.3","status":"ok","error":null,"agent":"x","ts":"2026-01-01T00:00:00Z"}',
  "a version that is none": '{"schema_version":"one","status":"ok","error":null}',
  "a version that is a number": '{"schema_version":1,"status":"ok","error":null}',
  "a status that is none": '{"schema_version":"1.0.0","status":"done","error":null}',
  "an ok with an error": '{"schema_version":"1.0.0","status":"ok","error":{"code":"E","message":"m"}}',
  "a field of its own called plico": '{"schema_version":"1.0.0","status":"ok","error":null,"plico":"mine"}',
  "a partial that names nothing":
    '{"schema_version":"1.0.0","status":"partial","error":{"code":"SOURCES_SKIPPED","message":"m"},"skipped_sources":[]}',
  "response-v3": '{"success":true,"data":{},"error":null,"meta":{"version":"response-v3"}}',
  "response-v2 with a list": '{"success":true,"data":[],"error":null,"meta":{"version":"response-v2"}}',
  "response-v2 that contradicts itself": '{"success":true,"data":{},"error":"no","meta":{"version":"response-v2"}}',
  "an envelope of version 2": "__ENVELOPE_V2__:e30=",
  "a block that is no base64": "__ENVELOPE_V1__:e30",
  "a block with strays": '__ENVELOPE_V1__:e3"0= {"schema_version":"1.0.0","status":"ok","error":null}',
  "a block that is no JSON": "__ENVELOPE_V1__:YWJj",
  "a block without a payload": "__ENVELOPE_V1__:e30=",
  "a status nobody knows": '{"meta":{"status":"fine","summary":"s"},"data":1}',
  "an MCP result without content": '{"content":[]}',
  "a problem": '{"status":404,"title":"Not here","code":"NO_PET"}',
  "a record with a status": '{"status":7,"title":"a film"}',
}).map(([label, text]) => ({ label, text }));

/** What a consumer should do. */
export interface Advice {
  readonly action: string;
  readonly data?: unknown;
  readonly footer?: string;
  readonly hint?: string;
  readonly code?: string;
  readonly message?: string;
}

/** The advice, by what Plico itself reads; there are no words for what it cannot read. */
export function adviceOf(text: string, major: number): Advice {
  const reading = read(documentIn(text));
  if (reading.dialect === "helper-output") return helperAdviceOf(text, major);
  if (reading.kind === "stranger") return { action: "fall-back" };
  if (reading.kind === "outcome") return outcomeAdvice(reading.outcome);
  const isVersion = reading.issues.some(({ rule }) => rule === "UNSUPPORTED_VERSION");
  return { action: "fall-back", ...(isVersion && { code: "UNSUPPORTED_VERSION" }) };
}

/** The same of those who know helper-output only. */
export function helperAdviceOf(text: string, major: number): Advice {
  const advice = consumeHelperOutput(documentIn(text), { major });
  if (advice.action === "use") return { action: "use", data: advice.data };
  if (advice.action === "use-with-footer") return { action: advice.action, data: advice.data, footer: advice.footer };
  if (advice.action === "fall-back") {
    const { action, code, reason, outcome } = advice;
    return { action, code, ...(outcome !== undefined && { message: reason }) };
  }
  const { action, hint, error } = advice;
  return { action, hint, code: error.code, message: error.message };
}

function documentIn(text: string): unknown {
  const block = text.trim();
  return prefixOf(block) === undefined ? orElse<unknown>(() => JSON.parse(text), undefined) : block;
}

function outcomeAdvice(outcome: Outcome): Advice {
  if (outcome.ok) {
    const skipped = outcome.meta.skippedSources;
    if (skipped === undefined) return { action: "use", data: outcome.data };
    return { action: "use-with-footer", data: outcome.data, footer: footerOf(skipped) };
  }
  const { code, message, suggestedAction } = outcome.error;
  if (code !== "TOOL_MISSING") return { action: "fall-back", code, message };
  return { action: "install-hint", hint: suggestedAction ?? message, code, message };
}

function footerOf(skipped: readonly SkippedSource[]): string {
  const names = skipped.map((source) => (typeof source === "string" ? source : printJson(source))).join(", ");
  return `Sources skipped: ${names === "" ? "the helper did not say which" : names}`;
}
