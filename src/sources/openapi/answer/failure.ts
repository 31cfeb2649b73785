import { CallError } from "../../../envelope/call-error.js";
import { type Category, categoryFacts, categoryFromCode, categoryFromStatus } from "../../../envelope/category.js";
import type { Warning } from "../../../envelope/warning.js";
import type { Issue } from "../../../json/issue.js";
import { compact, isRecord } from "../../../json/value.js";
import { keepHints } from "../../../registry/failure-hints.js";
import type { HttpAnswer } from "../http-answer.js";
import type { AnswerOptions } from "./answer.js";
import { originOfFailure } from "./answer-origin.js";
import { type FailureBody, readFailureBody } from "./failure-body.js";
import { issuesFrom } from "./failure-issues.js";
import { codeFrom, statusLine, wordsFrom } from "./failure-words.js";
import { isAboutLimit, waitForReset, waitFrom } from "./rate-limit.js";
import { errorFromDocument, isOurProblem, readDocument } from "./unfold.js";

/** What an answer that is no success means: what a document in it says, else what can be made out. */
export async function errorFromAnswer(answer: HttpAnswer, options: AnswerOptions): Promise<CallError> {
  const body = await readFailureBody(answer);
  const { operationId, unfold } = options;
  const { status } = answer;
  const document = unfold ? readDocument(body.value, { mayBeProblem: isOurProblem(body.value) }) : undefined;
  if (document?.kind === "outcome") {
    const { outcome, notes } = document;
    if (!outcome.ok) return errorFromDocument(outcome, originOfFailure(answer), notes, waitOf(answer, status));
    return errorFromBody(answer, body, { operationId, status, warning: VERDICTS_DIFFER, data: outcome.data });
  }
  const warning = document?.kind === "damaged" ? { warning: document.warning } : {};
  return errorFromBody(answer, body, { operationId, status, ...warning });
}

const VERDICTS_DIFFER: Warning = {
  code: "VERDICTS_DIFFER",
  message:
    "The HTTP status says that the call failed, the document in the body that it succeeded; it counts as failed.",
};

export interface FailureOptions extends Pick<AnswerOptions, "operationId"> {
  /** That of the answer, or that which a problem in a success names. */
  readonly status: number;
  readonly warning?: Warning;
  /** What the answer gave although it failed. */
  readonly data?: unknown;
}

/** The error that status, headers and body tell of together. */
export function errorFromBody(answer: HttpAnswer, body: FailureBody, options: FailureOptions): CallError {
  const { status, operationId, warning, data } = options;
  const { headers } = answer;
  const issues = issuesFrom(body.value, status);
  const code = codeFrom(body.value, { headers, status, isAboutFields: issues !== undefined });
  const category = categoryOf(status, headers, code);
  const words = wordsFrom(body.value, body.media, status) ?? wordsOfIssues(issues);
  const error = new CallError(
    compact({
      category,
      code: code ?? (isRedirect(status) ? "REDIRECTED" : undefined),
      message: `HTTP ${statusLine(status)} from ${operationId}${words === undefined ? "." : `: ${words}`}`,
      details: compact({ statusCode: answer.status, headers: { ...headers }, body: body.value, note: body.note }),
      data,
      issues,
      recoverable: recoverableBy(headers),
      suggestedAction: suggestedAction(status, category, headers),
      retryAfterMs: waitOf(answer, status) ?? waitInBody(body.value),
    }),
  );
  return keepHints(error, {
    ...originOfFailure(answer),
    ...(warning !== undefined && { warnings: [warning] }),
    source: "http",
  });
}

function wordsOfIssues(issues: readonly Issue[] = []): string | undefined {
  const [first] = issues;
  if (first === undefined) return undefined;
  const others = issues.length === 1 ? "" : ` (and ${issues.length - 1} more)`;
  return `${first.path} ${first.message.slice(0, 300)}`.trim() + others;
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

type Headers = HttpAnswer["headers"];

/** A code may be finer than the status, but only within what the status says. */
function categoryOf(status: number, headers: Headers, code: string | undefined): Category {
  if (isRedirect(status)) return "execution";
  if (isAboutLimit(status, headers)) return "rate_limit";
  const byCode = code === undefined ? undefined : categoryFromCode(code);
  return byCode !== undefined && categoryFacts(byCode).status === status ? byCode : categoryFromStatus(status);
}

/** Some servers say themselves whether it may help to try again. */
function recoverableBy(headers: Headers): boolean | undefined {
  const said = (headers["stripe-should-retry"] ?? headers["x-should-retry"])?.trim().toLowerCase();
  return said === "false" ? false : said === "true" ? true : undefined;
}

function suggestedAction(status: number, category: Category, headers: Headers): string | undefined {
  if (isRedirect(status)) return `Give the source the address that it redirects to${placeOf(headers["location"])}.`;
  return ACTIONS[category];
}

const ACTIONS: Readonly<Record<string, string>> = {
  authentication: "Give the source credentials that this API accepts, or renew those that it has.",
  authorization: "Use credentials that may do this, or ask whoever runs the API for access.",
  not_found: "Check the ids in the input: the API has nothing by these names.",
  rate_limit: "Wait, then call again, and less often.",
};

/** Without its query, which may repeat secrets of the request. */
function placeOf(location: string | undefined): string {
  const place = location?.split(/[?#]/, 1)[0]?.slice(0, 200) ?? "";
  return place === "" || place.includes("@") ? "" : `, ${place}`;
}

function waitOf({ headers }: HttpAnswer, status: number): number | undefined {
  return waitFrom(headers) ?? (isAboutLimit(status, headers) ? waitForReset(headers) : undefined);
}

/** Discord says how long to wait in the body, and Google in its details. */
function waitInBody(body: unknown): number | undefined {
  if (!isRecord(body)) return undefined;
  const seconds = ["retry_after", "retryAfter", "retry_after_seconds"].map((name) => body[name]).find(isWait);
  if (seconds !== undefined) return Math.ceil(seconds * 1000);
  const details = isRecord(body["error"]) ? body["error"]["details"] : undefined;
  const delays = (Array.isArray(details) ? details : []).map((one) => (isRecord(one) ? one["retryDelay"] : undefined));
  const match = delays.map((delay) => /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(String(delay))).find((found) => found !== null);
  return match?.[1] === undefined ? undefined : Math.ceil(Number(match[1]) * 1000);
}

function isWait(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < 1e9;
}
