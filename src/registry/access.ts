import { CallError } from "../envelope/call-error.js";
import { isRecord, isStringArray } from "../json/value.js";

/** What a caller must be allowed to do. Nothing is asked for where it is absent. */
export interface AccessControl {
  /** All of them. */
  readonly requiredScopes?: readonly string[];
  /** At least one of them. */
  readonly requiredScopesAny?: readonly string[];
  /** The kind of resource on which `resourceAction` must be allowed. */
  readonly resourceType?: string;
  readonly resourceAction?: string;
  /** The input field with the resource's id. Without it the action must be allowed on some resource of the kind. */
  readonly resourceIdField?: string;
}

/** Who calls, as whoever authenticated them says. */
export interface Identity {
  readonly id: string;
  readonly scopes: readonly string[];
  /** The actions that are allowed on a resource, by `type:id`; `type:*` stands for all of the type. */
  readonly resources?: Readonly<Record<string, readonly string[]>>;
}

/** The reason to refuse the call, if there is one. Without an identity all that asks for anything is refused. */
export function denial(
  access: AccessControl,
  identity: Identity | undefined,
  input: unknown,
  operationId: string,
): CallError | undefined {
  const lacking = lackOf(access, identity, input);
  if (lacking === undefined) return undefined;
  const category = isRecord(identity) ? "authorization" : "authentication";
  return new CallError({ category, code: "ACCESS_DENIED", message: `${operationId} is not allowed: ${lacking}.` });
}

/** Whether there is an input with which this caller is not refused: then the operation may be shown to it. */
export function isShownTo(
  access: AccessControl | undefined,
  identity: Identity | undefined,
  operationId: string,
): boolean {
  if (access === undefined) return true;
  const { resourceIdField: _, ...others } = access;
  return denial(others, identity, undefined, operationId) === undefined;
}

function lackOf(access: AccessControl, identity: Identity | undefined, input: unknown): string | undefined {
  const { requiredScopes = [], requiredScopesAny = [], resourceType, resourceAction = "", resourceIdField } = access;
  const asks = requiredScopes.length > 0 || requiredScopesAny.length > 0 || resourceType !== undefined;
  if (!asks) return undefined;
  if (!isRecord(identity)) return "the caller is not known";
  // An identity may come from a wire: a text would hold parts of itself.
  const scopes = isStringArray(identity.scopes) ? identity.scopes : [];
  const missing = requiredScopes.filter((scope) => !scopes.includes(scope));
  if (missing.length > 0) return `the scope ${missing.join(", ")} is missing`;
  if (requiredScopesAny.length > 0 && !requiredScopesAny.some((scope) => scopes.includes(scope)))
    return `one of the scopes ${requiredScopesAny.join(", ")} is missing`;
  if (resourceType === undefined) return undefined;
  const id = resourceIdField === undefined ? undefined : resourceId(input, resourceIdField);
  if (resourceIdField !== undefined && id === undefined) return `the input has no ${resourceIdField}`;
  return mayDo(identity, resourceType, id, resourceAction)
    ? undefined
    : `${resourceAction} on ${resourceType} is missing`;
}

function resourceId(input: unknown, field: string): string | undefined {
  const id = isRecord(input) && Object.hasOwn(input, field) ? input[field] : undefined;
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}

function mayDo({ resources }: Identity, type: string, id: string | undefined, action: string): boolean {
  if (!isRecord(resources)) return false;
  const isMeant = (name: string): boolean =>
    id === undefined ? name.startsWith(`${type}:`) : name === `${type}:${id}` || name === `${type}:*`;
  return Object.entries(resources).some(
    ([name, allowed]) => isMeant(name) && isStringArray(allowed) && allowed.includes(action),
  );
}
