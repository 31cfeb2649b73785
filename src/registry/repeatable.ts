import type { OperationSpec } from "./operation.js";

/** Whether to do it twice is the same as to do it once. */
export function isRepeatable({ type, annotations }: Pick<OperationSpec, "type" | "annotations">): boolean {
  if (type === "subscription") return false;
  return type === "query" || annotations?.readOnly === true || annotations?.idempotent === true;
}
