import { type CallErrorData, callErrorData } from "../envelope/call-error.js";
import { categoryFacts, categoryFromCode, categoryFromStatus } from "../envelope/category.js";
import type { Issue } from "../json/issue.js";
import { objectSchema } from "../json/json-schema.js";
import { told } from "../json/told.js";
import { compact, isRecord, isString, type JsonRecord, omit, orNull } from "../json/value.js";
import type { Dialect, Rules } from "./dialect.js";
import { defineDialect } from "./frame.js";
import type { Broken, Draft, DraftOptions } from "./grammar.js";
import { errorDataFromFields, errorDataToFields, reproduces } from "./payload-fields.js";

/** RFC 9457: the errors of HTTP APIs, `application/problem+json`. */
export interface ProblemDetails {
  type?: string;
  title?: string;
  status?: number;
  detail?: string;
  instance?: string;
  [extension: string]: unknown;
}

const RULES: Rules = {
  status: { level: "fatal", demand: "`status`, where it is, is an HTTP status from 100 to 599" },
  "member-type": { level: "violation", demand: "`type`, `title`, `detail` and `instance` are strings" },
};

const TEXTS = ["type", "title", "detail", "instance"];
const OWN = [...TEXTS, "status", "code", "errors", "plico"];

export const problemDetails: Dialect<ProblemDetails> = defineDialect<ProblemDetails>({
  name: "problem-details",
  marker: "a numeric `status` with `title` or `type`",
  schema: objectSchema(
    {
      type: { type: "string" },
      title: { type: "string" },
      status: { type: "integer", minimum: 100, maximum: 599 },
      detail: { type: "string" },
      instance: { type: "string" },
    },
    ["type", "title", "detail", "instance"],
  ),
  rules: RULES,
  carrier: "/plico",
  // Below 400 it is no problem, unless Plico wrote a success this way: any record may have a number called status.
  claims: (value) =>
    isRecord(value) &&
    typeof value["status"] === "number" &&
    (isString(value["title"]) || isString(value["type"])) &&
    (value["status"] >= 400 || "data" in value || !Number.isInteger(value["status"])),
  check: checkProblem,
  fromBody(body) {
    if ((body["status"] as number) < 400) return { ok: true, data: body["data"], meta: {} };
    return { ok: false, error: readError(body), meta: {} };
  },
  toBody: (outcome, options) => (outcome.ok ? writeSuccess(outcome.data) : writeFailure(outcome.error, options)),
});

function readError(body: JsonRecord): CallErrorData {
  const status = body["status"] as number;
  const code = isString(body["code"]) ? body["code"] : undefined;
  const byStatus = categoryFromStatus(status);
  const byCode = code === undefined ? undefined : categoryFromCode(code);
  return callErrorData(
    compact({
      // The code may be finer than the status, but only within what the status says.
      category: byCode !== undefined && categoryFacts(byCode).status === status ? byCode : byStatus,
      code,
      message: [body["detail"], body["title"]].find(isString) ?? `HTTP ${status}`,
      data: errorDataFromFields(body, readableKeys(body)),
      issues: readIssues(body["errors"]),
    }),
  );
}

/** Our members, but those whose value is not ours to read: they stay with the data. */
function readableKeys(body: JsonRecord): string[] {
  const readable: Record<string, boolean> = {
    code: isString(body["code"]),
    errors: readIssues(body["errors"]) !== undefined,
  };
  return ["status", ...TEXTS, ...Object.keys(readable).filter((key) => readable[key])];
}

function readIssues(value: unknown): Issue[] | undefined {
  const listed =
    Array.isArray(value) &&
    value.every((item) => isRecord(item) && isString(item["detail"]) && isString(item["pointer"]));
  if (!listed) return undefined;
  return value.map((item: JsonRecord) => ({
    path: String(item["pointer"]).replace(/^#/, ""),
    message: String(item["detail"]),
  }));
}

/** The RFC has no answer but a problem. The data still travels, as an extension of one that is none. */
function writeSuccess(data: unknown): Draft {
  return { body: { type: "about:blank", title: "OK", status: 200, data: orNull(data) } };
}

function writeFailure(error: CallErrorData, { layout }: DraftOptions): Draft {
  const facts = categoryFacts(error.category);
  const same = reproduces(layout) && isRecord(error.data) ? error.data : undefined;
  const all = compact({
    type: "about:blank",
    title: facts.label,
    status: facts.status,
    detail: error.message,
    code: error.code === "TOOL_ERROR" ? undefined : error.code,
    errors: error.issues?.map(({ path, message }) => ({ detail: message, pointer: `#${path}` })),
  });
  const own = same === undefined ? all : omit(all, Object.keys(same));
  const taken = same === undefined ? OWN : readableKeys(same);
  const { fields, carried } = errorDataToFields(error.data, taken);
  return { body: { ...own, ...fields }, carried };
}

function checkProblem(body: JsonRecord): Broken[] {
  const { status } = body;
  const texts = TEXTS.filter((key) => body[key] !== undefined && !isString(body[key]));
  const broken: Broken[] = texts.map((key) => ["member-type", `/${key}`, `it is ${told(body[key])}`]);
  const valid =
    status === undefined || (Number.isInteger(status) && (status as number) >= 100 && (status as number) <= 599);
  return valid ? broken : [["status", "/status", `it is ${told(status)}`], ...broken];
}
