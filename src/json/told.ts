import { orElse } from "./attempt.js";
import { isRecord } from "./value.js";

/** A value as a message shows it: short, and without the contents of what is large. */
export function told(value: unknown): string {
  return orElse(() => toldOf(value), "something that cannot be looked at");
}

function toldOf(value: unknown): string {
  if (value === undefined) return "absent";
  if (Array.isArray(value)) return "a list";
  if (isRecord(value)) return "an object";
  if (typeof value === "number" || value === null) return String(value);
  if (typeof value !== "string" && typeof value !== "boolean") return `a ${typeof value}`;
  const characters = [...JSON.stringify(typeof value === "string" ? value.slice(0, 100) : value)];
  return characters.length > 60 ? `${characters.slice(0, 57).join("")}…` : characters.join("");
}
