import { told } from "../../../json/told.js";
import { isString, type JsonRecord } from "../../../json/value.js";
import type { OperationScope } from "./operation-scope.js";

/** A parameter as it stands in the document. */
export interface DeclaredParameter {
  readonly name: string;
  /** What `in` says. */
  readonly location: string;
  readonly value: JsonRecord;
  readonly base: string;
}

/** The parameters of a path and of its operation, which may replace the former. */
export function declaredParameters(scope: OperationScope): DeclaredParameter[] {
  const { operation, base, pathItem, pathBase } = scope.operation.raw;
  const ofPath = listed(scope, pathItem["parameters"], pathBase);
  const own = listed(scope, operation["parameters"], base);
  return [...new Map([...ofPath, ...own].map((parameter) => [keyOf(parameter), parameter])).values()];
}

function listed(scope: OperationScope, list: unknown, base: string): DeclaredParameter[] {
  if (list === undefined) return [];
  if (!Array.isArray(list)) {
    scope.warn(`\`parameters\` is ${told(list)}, not a list; it is left out.`);
    return [];
  }
  return list.flatMap((value, at) => {
    const found = scope.record({ value, base }, `The parameter ${at}`);
    if (found === undefined) return [];
    const { name, in: location } = found.value;
    if (isString(name) && isString(location)) return [{ name, location, ...found }];
    scope.warn(`The parameter ${at} has the name ${told(name)} and stands in ${told(location)}; it is left out.`);
    return [];
  });
}

/** The names of headers are the same in any case. */
function keyOf({ name, location }: DeclaredParameter): string {
  return `${location} ${location === "header" ? name.toLowerCase() : name}`;
}

/** What the specification says of these headers: they are described elsewhere. */
export function isIgnoredHeader({ name, location }: DeclaredParameter): boolean {
  return location === "header" && /^(accept|content-type|authorization)$/i.test(name);
}

/** What parameters of all versions say of themselves. */
export function commonFacts({ value }: DeclaredParameter): { description?: string; deprecated?: boolean } {
  const { description, deprecated } = value;
  return {
    ...(isString(description) && description !== "" && { description }),
    ...(deprecated === true && { deprecated }),
  };
}
