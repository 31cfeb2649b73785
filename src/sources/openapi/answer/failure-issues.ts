import type { Issue } from "../../../json/issue.js";
import { pointerTo } from "../../../json/pointer.js";
import { isRecord, isString, type JsonRecord } from "../../../json/value.js";
import { ownValue } from "../own-value.js";
import { recordsIn } from "./own-fields.js";

/** The body is kept whole beside them. */
const MOST_ISSUES = 100;

/** The fields that a refusal finds fault with, in whichever of the usual ways; `undefined` where it names none. */
export function issuesFrom(body: unknown, status: number): Issue[] | undefined {
  if (!isRecord(body)) return undefined;
  for (const value of listsIn(body)) {
    const issues = Array.isArray(value) ? value.slice(0, MOST_ISSUES).flatMap(issueOf) : [];
    if (issues.length > 0) return issues;
  }
  for (const value of mapsIn(body, status)) {
    const issues = isRecord(value) ? issuesByField(value, []).slice(0, MOST_ISSUES) : [];
    if (issues.length > 0) return issues;
  }
  return parameterIssue(body);
}

const LISTS = [
  ...["errors", "invalid-params", "invalid_params", "invalidParams", "detail", "issues", "violations", "details"],
  ...["validation_errors", "validationErrors", "fieldErrors", "field_errors"],
];

/** Where lists of wrong fields stand: in the body, in its error, in Kubernetes' causes, in Google's violations. */
function listsIn(body: JsonRecord): unknown[] {
  const errors = recordsIn(body, ["error"]);
  const details = errors.flatMap((error) => ownValue(error, "details") ?? []).filter(isRecord);
  return [
    ...LISTS.map((name) => ownValue(body, name)),
    ...recordsIn(body, ["details"]).map((one) => ownValue(one, "causes")),
    ...details.map((one) => ownValue(one, "fieldViolations")),
    ...errors.flatMap((error) => LISTS.map((name) => ownValue(error, name))),
  ];
}

const PATHS = [
  ...["pointer", "path", "field", "loc", "propertyPath", "instancePath", "parameter", "param", "property"],
  ...["attribute", "fieldPath", "name", "key"],
];
const MESSAGES = ["detail", "message", "reason", "msg", "defaultMessage", "description", "title", "error", "code"];

function issueOf(item: unknown): Issue[] {
  // GraphQL's paths lead into its answer, not into the input.
  if (!isRecord(item) || "extensions" in item || "locations" in item) return [];
  const [source = {}] = recordsIn(item, ["source"]);
  const named = [...namedPlaces(source, ["pointer", "parameter", "header"]), ...namedPlaces(item, PATHS)];
  const path = named.map(([name, value]) => pathFrom(value, name)).find((pointer) => pointer !== undefined);
  const message = MESSAGES.map((name) => ownValue(item, name)).find((words) => isString(words) && words !== "");
  if (path === undefined || !isString(message)) return [];
  const rule = ["code", "keyword", "rule", ...(Array.isArray(item["loc"]) ? ["type"] : [])]
    .map((name) => ownValue(item, name))
    .find((word) => isString(word) && word !== "" && word !== message);
  return [{ path, message, ...(isString(rule) && { rule }) }];
}

function namedPlaces(record: JsonRecord, names: readonly string[]): [string, unknown][] {
  return names
    .map((name): [string, unknown] => [name, ownValue(record, name)])
    .filter(([, value]) => value !== undefined);
}

const LOCATIONS = ["body", "query", "path", "header", "cookie"];

/** A JSON Pointer, a path with dots and brackets, a list of steps, or the name of a parameter. */
function pathFrom(value: unknown, name: string): string | undefined {
  if (Array.isArray(value)) return pointerFromSteps(value);
  if (!isString(value)) return undefined;
  if (name === "parameter" || name === "header") return pointerTo(value);
  if (name === "name" && /(Error|Exception)$/.test(value)) return undefined;
  const text = value.replace(/^#/, "");
  if (text === "" || text.startsWith("/")) return text;
  // A sentence is no path.
  if (/\s/.test(text.trim()) || text.length > 500) return undefined;
  return pointerTo(...(text.replace(/^\$\.?/, "").match(/[^.[\]"']+/g) ?? []));
}

/** FastAPI's first step says which part of the request it is; an input has all of them side by side. */
function pointerFromSteps(steps: readonly unknown[]): string | undefined {
  const known = steps.filter((step) => isString(step) || typeof step === "number") as (string | number)[];
  if (known.length !== steps.length) return undefined;
  return pointerTo(...(LOCATIONS.includes(String(known[0])) ? known.slice(1) : known));
}

/** Messages by field: Rails', Laravel's, ASP.NET's, and Django's, which has nothing around them. */
function mapsIn(body: JsonRecord, status: number): unknown[] {
  const isBare = (status === 400 || status === 422) && isMapOfMessages(body);
  const named = ["errors", "message", "fieldErrors", "field_errors", "validation_errors"];
  return [
    ...named.map((name) => ownValue(body, name)),
    ...recordsIn(body, ["error"]).flatMap((error) => named.map((name) => ownValue(error, name))),
    ...(isBare ? [body] : []),
  ];
}

function isMapOfMessages(body: JsonRecord): boolean {
  const values = Object.values(body);
  if (GENERAL.some((name) => Object.hasOwn(body, name))) return false;
  const isMessages = (value: unknown) => Array.isArray(value) && value.length > 0 && value.every(isString);
  return values.some(isMessages) && values.every((value) => isMessages(value) || isRecord(value));
}

/** No names of fields, but of lists of words. */
const GENERAL = ["errors", "error", "messages", "message", "detail", "details"];

const MOST_DEPTH = 8;

function issuesByField(map: JsonRecord, above: readonly string[]): Issue[] {
  return Object.entries(map).flatMap(([field, value]) => {
    const steps = [...above, ...stepsOf(field)];
    const words = isRecord(value) && isString(value["message"]) ? value["message"] : value;
    const messages = (Array.isArray(words) ? words : [words]).filter(isString);
    if (messages.length > 0) return messages.map((message) => ({ path: pointerTo(...steps), message }));
    return isRecord(value) && steps.length < MOST_DEPTH ? issuesByField(value, steps) : [];
  });
}

/** What belongs to no field belongs to the whole. */
function stepsOf(field: string): string[] {
  if (["non_field_errors", "base", "_", "$", ""].includes(field)) return [];
  return field.replace(/^\$\./, "").match(/[^.[\]"']+/g) ?? [field];
}

/** Stripe and OpenAI name one parameter beside the message. */
function parameterIssue(body: JsonRecord): Issue[] | undefined {
  const [error] = recordsIn(body, ["error"]);
  const { param, message } = error ?? {};
  const path = isString(param) && param !== "" ? pathFrom(param, "param") : undefined;
  return path === undefined || !isString(message) ? undefined : [{ path, message }];
}
