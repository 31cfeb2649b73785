import { nameTest } from "../../../registry/name-pattern.js";

/** Which operations of a document are used. What is left out allows all. */
export interface OperationFilter {
  /** Each is matched with the name, the `operationId` and `METHOD /path`; `*` in a text stands for anything. */
  readonly include?: readonly (string | RegExp)[] | undefined;
  readonly exclude?: readonly (string | RegExp)[] | undefined;
  /** Any of them. */
  readonly tags?: readonly string[] | undefined;
  /** In any case. */
  readonly methods?: readonly string[] | undefined;
}

/** What a filter looks at. */
interface Filtered {
  readonly name: string;
  readonly operationId?: string;
  readonly method: string;
  readonly path: string;
  readonly tags: readonly string[];
}

export function filterOf({ include, exclude, tags, methods }: OperationFilter): (operation: Filtered) => boolean {
  const included = include?.map(nameTest);
  const excluded = exclude?.map(nameTest);
  const verbs = methods === undefined ? undefined : new Set(methods.map((method) => method.toUpperCase()));
  return (operation) => {
    const names = [operation.name, operation.operationId ?? operation.name, `${operation.method} ${operation.path}`];
    if (verbs !== undefined && !verbs.has(operation.method.toUpperCase())) return false;
    if (tags !== undefined && !operation.tags.some((tag) => tags.includes(tag))) return false;
    if (included !== undefined && !included.some((test) => names.some(test))) return false;
    return excluded === undefined || !excluded.some((test) => names.some(test));
  };
}
