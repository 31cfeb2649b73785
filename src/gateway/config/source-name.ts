import { portableName, RESERVED, uniqueName } from "../../registry/portable-name.js";
import { NAMESPACE } from "../../registry/registration.js";

/** Whether a source may be called so: its name is the namespace of its operations. */
export function isSourceName(name: string): boolean {
  return NAMESPACE.test(name) && !RESERVED.includes(name);
}

/** The name, or the nearest one that a source can have and that is not taken. */
export function sourceNameFrom(name: string, taken: { has(name: string): boolean }): string {
  if (isSourceName(name) && !taken.has(name)) return name;
  const portable = portableName(name.replace(/^[^A-Za-z0-9_]+|[^A-Za-z0-9_]+$/g, ""));
  return uniqueName(isSourceName(portable) ? portable : `${portable}_`, taken);
}
