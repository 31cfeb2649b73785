import { isRecord, isString, isStringArray, type JsonRecord } from "../../json/value.js";
import type { OperationAnnotations, OperationSpec, OperationType } from "../../registry/operation.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import { uniqueName } from "../../registry/portable-name.js";
import { VERSION } from "../../registry/registration.js";
import type { ApiDocument } from "./document/api-document.js";
import type { IndexedOperation } from "./document/index-operations.js";
import { filterOf } from "./document/operation-filter.js";
import { handlerOf } from "./handler.js";
import { OPENAPI_KEY } from "./openapi-key.js";
import { type OperationPlan, planOperation } from "./operation-plan.js";
import type { Settings } from "./options.js";
import type { Sender } from "./sender.js";

export interface OperationParts {
  readonly settings: Settings;
  readonly document: ApiDocument;
  readonly sender: Sender;
}

/** What a document describes as operations, without those that the filter leaves out. They keep no name from another. */
export function operationsFromIndex(indexed: readonly IndexedOperation[], parts: OperationParts): AnyOperation[] {
  const isWanted = filterOf(parts.settings);
  return formsOf(indexed.filter(({ plico }) => plico?.["route"] !== true))
    .filter(({ name, of }) => isWanted({ ...of, name }))
    .map((form) => operationFrom(form, parts));
}

/** One way to call what a document describes. */
interface OperationForm {
  readonly of: IndexedOperation;
  readonly name: string;
  readonly type: OperationType;
}

/** What can answer at once and in a stream has two. */
function formsOf(indexed: readonly IndexedOperation[]): OperationForm[] {
  const taken = new Set(indexed.map(({ name }) => name));
  return indexed.flatMap((of) => {
    const form = { of, name: of.name, type: typeOf(of) };
    if (of.streams !== "also" || form.type === "subscription" || of.plico !== undefined) return [form];
    const name = uniqueName(`${of.name.slice(0, 57)}_stream`, taken);
    taken.add(name);
    return [form, { of, name, type: "subscription" }];
  });
}

const READING = ["GET", "HEAD", "OPTIONS", "TRACE", "QUERY"];

function typeOf({ method, streams, plico }: IndexedOperation): OperationType {
  const own = plico?.["type"];
  if (own === "query" || own === "mutation" || own === "subscription") return own;
  if (streams === "only") return "subscription";
  return READING.includes(method) ? "query" : "mutation";
}

function operationFrom({ of: indexed, name, type }: OperationForm, parts: OperationParts): AnyOperation {
  const { name: namespace, variables = {}, bodyTypes = [], unfold = true, input, output } = parts.settings;
  const isStream = type === "subscription";
  let known: OperationPlan | undefined;
  const plan = (): OperationPlan => {
    known ??= planOperation(parts.document, indexed, { variables, bodyTypes, unfold, isStream });
    return known;
  };
  const { title, description, tags } = indexed.plico === undefined ? indexed : ownWords(indexed);
  const spec: OperationSpec = {
    namespace,
    name,
    version: versionOf(indexed, parts.document),
    type,
    ...(title !== undefined && { title }),
    description: description === "" ? (title ?? `${indexed.method} ${indexed.path}`) : description,
    ...(tags.length > 0 && { tags }),
    get inputSchema() {
      return plan().inputSchema;
    },
    get outputSchema() {
      return plan().outputSchema;
    },
    annotations: annotationsOf(indexed),
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    _meta: { ...(indexed.isDeprecated && { deprecated: true }), [OPENAPI_KEY]: aboutOf(indexed, plan) },
  };
  return { id: `${namespace}.${name}`, spec, handler: handlerOf({ ...parts, indexed, plan, isStream }) };
}

/** What a server of Plico was told itself: its document has words for others beside. */
function ownWords({
  plico = {},
  description,
}: IndexedOperation): Pick<IndexedOperation, "title" | "description" | "tags"> {
  const { title, tags } = plico;
  return { ...(isString(title) && { title }), description, tags: isStringArray(tags) ? tags : [] };
}

/** What must be looked for is looked for when it is asked for. */
function aboutOf({ method, path, operationId }: IndexedOperation, plan: () => OperationPlan): JsonRecord {
  return {
    method,
    path,
    ...(operationId !== undefined && { operationId }),
    /** Fields of the input that are called something else in the request. */
    get parameters() {
      const { renamed } = plan();
      return Object.keys(renamed).length === 0 ? undefined : renamed;
    },
    get warnings() {
      const { warnings } = plan();
      return warnings.length === 0 ? undefined : warnings;
    },
  };
}

function versionOf({ plico }: IndexedOperation, { root }: ApiDocument): string {
  const info = isRecord(root["info"]) ? root["info"] : {};
  return (
    ([plico?.["version"], info["version"]].find((text) => isString(text) && VERSION.test(text)) as string) ?? "1.0.0"
  );
}

function annotationsOf({ method, plico }: IndexedOperation): OperationAnnotations {
  if (plico !== undefined) return isRecord(plico["annotations"]) ? plico["annotations"] : {};
  const readOnly = READING.includes(method);
  const idempotent = readOnly || method === "PUT" || method === "DELETE";
  return { readOnly, idempotent, ...(!readOnly && { destructive: method !== "POST" }), openWorld: true };
}
