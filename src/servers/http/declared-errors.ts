import { callErrorData } from "../../envelope/call-error.js";
import { type Category, categoryFromCode } from "../../envelope/category.js";
import type { OperationSpec } from "../../registry/operation.js";
import type { AnySchema } from "../../schema/standard-schema.js";
import { refused, statusOf } from "./status.js";

/** An error that an operation is known to fail with, with all that follows from what is said of it. */
export interface DeclaredError {
  readonly code: string;
  readonly description: string | undefined;
  readonly category: Category;
  readonly recoverable: boolean;
  /** Of HTTP. */
  readonly status: number;
  readonly details: AnySchema | undefined;
}

export function declaredErrors({ errorSchemas = {} }: OperationSpec): readonly DeclaredError[] {
  return Object.entries(errorSchemas).map(([code, { description, category: said, recoverable: saidSo, details }]) => {
    const category = said ?? categoryFromCode(code) ?? "execution";
    const error = callErrorData({ category, code, message: description ?? code });
    const recoverable = saidSo ?? error.recoverable;
    return { code, description, category, recoverable, status: statusOf(refused(error)), details };
  });
}
