import { isEqual } from "../../json/value.js";
import type { AccessControl } from "../../registry/access.js";
import type { AnyHandler, OperationSpec } from "../../registry/operation.js";
import { operationIdOf } from "../../registry/operation-id.js";
import type { AnyOperation } from "../../registry/operation-map.js";
import type { CommonConfig } from "../config/config.js";

export interface FittingOptions {
  /** What is done around the operations of the source; see `fittingOf`. */
  readonly fitting: CommonConfig;
  readonly handlerOf: (operation: AnyOperation) => AnyHandler;
}

/**
 * Makes the operations of a source what its configuration says of them. One that stays the same object becomes the same
 * object each time, so that whoever knows it already has nothing to do.
 */
export function fitOperations({ fitting, handlerOf }: FittingOptions): (operation: AnyOperation) => AnyOperation {
  const known = new WeakMap<AnyOperation, AnyOperation>();
  return (operation) => {
    const done = known.get(operation) ?? fitted(operation, fitting, handlerOf);
    known.set(operation, done);
    return done;
  };
}

function fitted(operation: AnyOperation, fitting: CommonConfig, handlerOf: FittingOptions["handlerOf"]): AnyOperation {
  const spec = withFields(operation.spec, fieldsOf(operation.spec, fitting));
  const id = operationIdOf(spec);
  return { id, spec, handler: handlerOf({ id, spec, handler: operation.handler }) };
}

function fieldsOf(spec: OperationSpec, fitting: CommonConfig): Partial<OperationSpec> {
  const { namespace = spec.namespace, prefix = "", scopes = [], input, output } = fitting;
  return {
    namespace,
    name: `${prefix}${spec.name}`,
    ...(scopes.length > 0 && { accessControl: withScopes(spec.accessControl, scopes) }),
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
  };
}

function withScopes(access: AccessControl | undefined, scopes: readonly string[]): AccessControl {
  return { ...access, requiredScopes: [...new Set([...(access?.requiredScopes ?? []), ...scopes])] };
}

/** The spec itself where nothing changes; else a copy that asks no getter: schemas may be made when they are first needed. */
function withFields(spec: OperationSpec, fields: Partial<OperationSpec>): OperationSpec {
  const changed = Object.entries(fields).filter(([name, value]) => !isEqual(spec[name as keyof OperationSpec], value));
  if (changed.length === 0) return spec;
  const changes = Object.fromEntries(changed.map(([name, value]) => [name, { value, enumerable: true }]));
  return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(spec), ...changes }) as OperationSpec;
}
