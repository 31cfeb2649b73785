import { callErrorFrom } from "../../envelope/call-error.js";
import { envelopeFromOutcome, type Failure, type Outcome, outcomeFromEnvelope } from "../../envelope/outcome.js";
import type { ResponseEnvelope } from "../../envelope/response-envelope.js";
import { isRecord, type JsonRecord } from "../../json/value.js";
import type { ExecuteOptions } from "../../registry/call-options.js";
import { hintsOfFailure } from "../../registry/failure-hints.js";
import type { OperationSpec } from "../../registry/operation.js";
import { operationIdOf } from "../../registry/operation-id.js";
import { pagesOf } from "../../registry/pages.js";
import type { ServedRegistry } from "../../registry/served-registry.js";
import type { ExitCode } from "../io.js";

/** A call that is ready to be made. */
export interface PreparedCall {
  readonly served: ServedRegistry;
  readonly spec: OperationSpec;
  readonly input: unknown;
  readonly options: ExecuteOptions;
}

/** Writes an outcome; with `lines` it is one of several. */
export type Write = (outcome: Outcome, lines: boolean) => ExitCode;

export async function callOnce({ served, spec, input, options }: PreparedCall, write: Write): Promise<ExitCode> {
  return write(await served.attempt(operationIdOf(spec), input, options), false);
}

/** Writes each value as it comes, until the source ends or one says that it failed. */
export async function callStream({ served, spec, input, options }: PreparedCall, write: Write): Promise<ExitCode> {
  try {
    for await (const envelope of served.subscribe(operationIdOf(spec), input, options)) {
      const code = write(outcomeFromEnvelope(envelope), true);
      if (code !== 0) return code;
    }
    return 0;
  } catch (thrown) {
    return write(failureFrom(thrown), true);
  }
}

export interface PageChoice {
  readonly maxPages: number;
  /** Whether they are shown as one when all are there, and not each when it is. */
  readonly merges: boolean;
}

/** Follows the cursor from page to page. Each page is a call of its own, which the layers of a gateway see. */
export async function callPages(call: PreparedCall, choice: PageChoice, write: Write): Promise<ExitCode> {
  const { served, spec, input, options } = call;
  let failure: Failure | undefined;
  const one = async (asked: unknown): Promise<ResponseEnvelope> => {
    const outcome = await served.attempt(operationIdOf(spec), asked, options);
    if (!outcome.ok) failure = outcome;
    return envelopeFromOutcome(outcome);
  };
  const pages: ResponseEnvelope[] = [];
  const showAll = (): ExitCode => (pages.length === 0 ? 0 : write({ ok: true, ...merged(pages) }, false));
  try {
    for await (const page of pagesOf(operationIdOf(spec), spec, one, input, { maxPages: choice.maxPages })) {
      if (choice.merges) pages.push(page);
      else write({ ok: true, ...page }, true);
    }
    return showAll();
  } catch (thrown) {
    showAll();
    return write(failure ?? failureFrom(thrown), !choice.merges);
  }
}

/** With what was said before it failed, and where. */
function failureFrom(thrown: unknown): Failure {
  const error = callErrorFrom(thrown);
  return { ok: false, error, meta: hintsOfFailure(error) ?? {} };
}

/** All pages as one: lists one after the other, also where each page holds its list in one field of the same name. */
function merged(pages: readonly ResponseEnvelope[]): ResponseEnvelope {
  const last = pages.at(-1) as ResponseEnvelope;
  if (pages.length === 1) return last;
  const data = pages.map((page) => page.data);
  if (data.every(Array.isArray)) return { ...last, data: data.flat() };
  const field = data.every(isRecord) ? listField(data) : undefined;
  if (field === undefined) return { ...last, data };
  const lists = data as JsonRecord[];
  return { ...last, data: { ...lists.at(-1), [field]: lists.flatMap((page) => page[field]) } };
}

function listField(pages: readonly JsonRecord[]): string | undefined {
  const names = Object.keys(pages[0] ?? {}).filter((name) => pages.every((page) => Array.isArray(page[name])));
  return names.length === 1 ? names[0] : undefined;
}
