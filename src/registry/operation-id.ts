import type { OperationSpec } from "./operation.js";

/** `namespace.name`, by which an operation is called. */
export function operationIdOf({ namespace, name }: Pick<OperationSpec, "namespace" | "name">): string {
  return `${namespace}.${name}`;
}
