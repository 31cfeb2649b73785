import { told } from "../../../json/told.js";
import type { ParameterDescription } from "../description.js";
import type { OperationScope } from "./operation-scope.js";

/** The parameters, so that each place of the path has its one. */
export function fitToPath(
  scope: OperationScope,
  parameters: readonly ParameterDescription[],
): readonly ParameterDescription[] {
  const places = placesOf(scope.operation.path);
  const fitting = parameters.filter((parameter) => {
    const isFitting = parameter.in !== "path" || places.has(parameter.name);
    if (!isFitting) scope.warn(`The path has no place for its parameter ${told(parameter.name)}; it is left out.`);
    return isFitting;
  });
  const declared = new Set(fitting.filter((parameter) => parameter.in === "path").map(({ name }) => name));
  const missing = [...places].filter((name) => !declared.has(name));
  for (const name of missing) scope.warn(`The place ${told(name)} of the path is not described; it takes a text.`);
  return [...fitting, ...missing.map((name) => undeclared(name, scope))];
}

function placesOf(path: string): ReadonlySet<string> {
  return new Set([...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name));
}

function undeclared(name: string, { operation }: OperationScope): ParameterDescription {
  return {
    name,
    in: "path",
    required: true,
    style: "simple",
    explode: false,
    allowReserved: false,
    schema: { schema: { type: "string" }, base: operation.raw.base },
  };
}
