import { compact, isRecord, setField } from "../../../json/value.js";
import { ownValue } from "../own-value.js";
import { percentEncode } from "../percent-encode.js";
import type { BuiltRequest, PlannedParameter, RequestPlan } from "../plan.js";
import { cookieTextOf } from "./cookie-text.js";
import { type BodySource, encodeBody } from "./encode-body.js";
import { formOf } from "./encode-form.js";
import { fillPath, fillPieces, type PathTemplate, parsePath } from "./fill-path.js";
import { bodyBeside, headerTextOf } from "./header-text.js";
import { documentOf } from "./plain-text.js";
import { invalidRequest, issueFrom, Refusal } from "./refusal.js";
import { queryOf } from "./serialise-parameter.js";

/** Throws a `CallError` with one issue a field where the input cannot be sent. */
export function buildRequest(plan: RequestPlan, given: Readonly<Record<string, unknown>>): BuiltRequest {
  const prepared = preparedOf(plan);
  const input = prepared.hasFallbacks ? { ...plan.fallbacks, ...compact({ ...given }) } : given;
  const source: BodySource = { input, isNamed: prepared.isNamed, issues: [] };
  const path = fillPath(prepared.template, input, source.issues);
  const query = buildQuery(prepared, source);
  const headers = buildHeaders(prepared, source);
  const body = plan.body === undefined ? undefined : encodeBody(plan.body, source);
  if (source.issues.length > 0) throw invalidRequest(source.issues);
  if (body !== undefined) headers["content-type"] = body.contentType;
  return { method: plan.method, path, query, headers, body: bodyBeside(headers, body?.content) };
}

interface PreparedPlan {
  readonly template: PathTemplate;
  readonly query: readonly PlannedParameter[];
  readonly headers: readonly PlannedParameter[];
  readonly cookies: readonly PlannedParameter[];
  readonly isNamed: (key: string) => boolean;
  readonly hasFallbacks: boolean;
}

const prepared = new WeakMap<RequestPlan, PreparedPlan>();

function preparedOf(plan: RequestPlan): PreparedPlan {
  const known = prepared.get(plan);
  if (known !== undefined) return known;
  const made = prepare(plan);
  prepared.set(plan, made);
  return made;
}

function prepare({ path, parameters, body, fallbacks }: RequestPlan): PreparedPlan {
  const named = new Set([...parameters, ...(body?.fields ?? [])].map(({ key }) => key));
  return {
    template: parsePath(path, parameters),
    query: parameters.filter((parameter) => parameter.in === "query" || parameter.in === "querystring"),
    headers: parameters.filter((parameter) => parameter.in === "header"),
    cookies: parameters.filter((parameter) => parameter.in === "cookie"),
    isNamed: (key) => named.has(key),
    hasFallbacks: Object.keys(fallbacks).length > 0,
  };
}

/** Calls for each parameter that the input has. What cannot be written becomes an issue. */
function eachGiven(
  parameters: readonly PlannedParameter[],
  { input, issues }: BodySource,
  write: (parameter: PlannedParameter, value: unknown) => void,
): void {
  for (const parameter of parameters) {
    try {
      const value = ownValue(input, parameter.key);
      if (value !== undefined) write(parameter, value);
    } catch (thrown) {
      issues.push(issueFrom(thrown, [parameter.key]));
    }
  }
}

function buildQuery({ template, query }: PreparedPlan, source: BodySource): string {
  let text = fillPieces(template.query, source.input, source.issues);
  eachGiven(query, source, (parameter, value) => {
    const added = parameter.in === "query" ? queryOf(parameter.name, value, parameter) : wholeQueryOf(parameter, value);
    if (added !== "") text += text === "" ? added : `&${added}`;
  });
  return text;
}

/** The value is all of the query, and has no name there. */
function wholeQueryOf({ mediaType = "application/x-www-form-urlencoded" }: PlannedParameter, value: unknown): string {
  if (!mediaType.startsWith("application/x-www-form-urlencoded")) return percentEncode(documentOf(value, mediaType));
  if (!isRecord(value)) throw new Refusal("type", "must be an object: its fields become the query");
  return formOf(value);
}

function buildHeaders({ headers, cookies }: PreparedPlan, source: BodySource): Record<string, string> {
  const built: Record<string, string> = {};
  eachGiven(headers, source, (parameter, value) => {
    const text = headerTextOf(parameter, value);
    if (text !== undefined) setField(built, parameter.name.toLowerCase(), text);
  });
  eachGiven(cookies, source, (parameter, value) => {
    const text = cookieTextOf(parameter, value);
    if (text !== "") built["cookie"] = built["cookie"] === undefined ? text : `${built["cookie"]}; ${text}`;
  });
  return built;
}
