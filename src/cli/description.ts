import { type Category, categoryFacts, categoryFromCode } from "../envelope/category.js";
import type { SourceKind } from "../gateway/config/config.js";
import type { GatewaySource } from "../gateway/gateway.js";
import type { AccessControl } from "../registry/access.js";
import type { OperationSpec } from "../registry/operation.js";
import { jsonSchemaOf } from "../schema/standard-schema.js";
import { exampleCommand } from "./example-command.js";
import { type ListedOperation, listedOperation } from "./listing.js";

/** What `plico describe --json` prints: fields are added to it, and none is taken away. */
export interface DescribedOperation extends ListedOperation {
  readonly source?: { readonly name: string; readonly kind: SourceKind };
  readonly access?: AccessControl;
  /** How its calls travel, where that is said. */
  readonly delivery?: "durable";
  readonly errors: readonly DescribedError[];
  /** A command line that calls it. */
  readonly example: string;
}

export interface DescribedError {
  readonly code: string;
  readonly category: Category;
  readonly recoverable: boolean;
  readonly exitCode: number;
  readonly description?: string;
  readonly details?: unknown;
}

export function describedOperation(
  spec: OperationSpec,
  source: GatewaySource | undefined,
  sourceWords: readonly string[],
): DescribedOperation {
  const { accessControl, delivery } = spec;
  return {
    ...listedOperation(spec),
    ...(source !== undefined && { source: { name: source.name, kind: source.kind } }),
    ...(accessControl !== undefined && { access: accessControl }),
    ...(delivery === "durable" && { delivery }),
    errors: errorsOf(spec),
    example: exampleCommand(spec, sourceWords),
  };
}

function errorsOf({ errorSchemas = {} }: OperationSpec): DescribedError[] {
  return Object.entries(errorSchemas).map(([code, { description, category: given, recoverable, details }]) => {
    const category = given ?? categoryFromCode(code) ?? "execution";
    const facts = categoryFacts(category);
    return {
      ...{ code, category, recoverable: recoverable ?? facts.recoverable, exitCode: facts.exitCode },
      ...(description !== undefined && { description }),
      ...(details !== undefined && { details: jsonSchemaOf(() => details, "output") }),
    };
  });
}
