/** JSON of any value. What JSON cannot hold is shown in words instead of throwing or vanishing. */
export function printJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent) ?? "null";
  } catch {
    return JSON.stringify(printable(value, []), null, indent) ?? "null";
  }
}

/**
 * JSON of an object of which some values are at hand as JSON already. Strings are only added to each other, never
 * sliced or joined: V8 would copy them.
 */
export function printObject(record: object, known: (value: unknown) => string | undefined): string {
  let text = "";
  for (const [key, value] of Object.entries(record)) {
    const json = known(value) ?? JSON.stringify(value);
    if (json !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${json}`;
  }
  return `{${text}}`;
}

function printable(value: unknown, above: readonly unknown[]): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (above.includes(value)) return "[circular]";
  if (above.length > 200) return "[too deep]";
  try {
    const path = [...above, value];
    if (Array.isArray(value)) return value.map((item) => printable(item, path));
    if ("toJSON" in value) return JSON.parse(JSON.stringify(value));
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, printable(item, path)]));
  } catch (thrown) {
    return `[unreadable: ${thrown instanceof Error ? thrown.message : String(thrown)}]`;
  }
}
