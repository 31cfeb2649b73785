import { CallError } from "../../envelope/call-error.js";
import { told } from "../../json/told.js";
import type { OperationSpec } from "../../registry/operation.js";
import { operationIdOf } from "../../registry/operation-id.js";
import { nearestOf } from "../../registry/refusals.js";

/** Names only operations that the caller may call. */
export function operationUnknown(id: string, shown: readonly OperationSpec[]): CallError {
  const meant = shown.find((spec) => id === spec.name || id === `${spec.namespace}_${spec.name}`);
  const nearest = meant === undefined ? nearestOf(id, shown.map(operationIdOf)) : operationIdOf(meant);
  return new CallError({
    category: "not_found",
    code: "OPERATION_NOT_FOUND",
    message: `There is no operation ${told(id)}.${nearest === undefined ? "" : ` Did you mean ${nearest}?`}`,
    suggestedAction: "Look for it with search_operations.",
    nextTool: "search_operations",
  });
}
