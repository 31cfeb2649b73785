import type { CallErrorData } from "../envelope/call-error.js";
import { categoryFacts } from "../envelope/category.js";
import { printJson } from "../json/printable.js";

/** An error for people and models, line by line. */
export function errorText(error: CallErrorData): string {
  const { emoji, label } = categoryFacts(error.category);
  return [
    `${emoji} ${label} [${error.code}]: ${error.message}`,
    ...line("Details", error.details === undefined ? undefined : detailsText(error.details)),
    ...(error.issues ?? []).map(({ path, message }) => `- ${path === "" ? "(root)" : path}: ${message}`),
    ...line("Suggestion", error.suggestedAction),
    ...line("Next tool", error.nextTool),
    ...(error.retryAfterMs === undefined ? [] : [`Wait ${error.retryAfterMs / 1000} s before the next try.`]),
    ...(error.recoverable ? ["Trying again is safe."] : []),
  ].join("\n");
}

export function detailsText(details: unknown): string {
  return typeof details === "string" ? details : printJson(details);
}

function line(label: string, text: string | undefined): string[] {
  return text === undefined || text === "" ? [] : [`${label}: ${text}`];
}
