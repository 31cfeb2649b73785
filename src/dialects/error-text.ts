import type { CallErrorData } from "../envelope/call-error.js";
import { categoryFacts } from "../envelope/category.js";
import { printJson } from "../json/printable.js";

/** An error for people and models, line by line. */
export function errorText(error: CallErrorData): string {
  const { emoji, label } = categoryFacts(error.category);
  return [
    `${emoji} ${label} [${error.code}]: ${error.message}`,
    ...line("Details", error.details === undefined ? undefined : detailsText(error.details)),
    ...issueLines(error),
    ...line("Suggestion", error.suggestedAction),
    ...line("Next tool", error.nextTool),
    ...(error.retryAfterMs === undefined ? [] : [`Wait ${error.retryAfterMs / 1000} s before the next try.`]),
    ...(error.recoverable ? ["Trying again is safe."] : []),
  ].join("\n");
}

/** Those that the message does not tell already. */
function issueLines({ issues = [], message: told }: CallErrorData): string[] {
  return issues
    .filter(({ path, message }) => !told.includes(message) || !told.includes(path))
    .map(({ path, message }) => `- ${path === "" ? "(root)" : path}: ${message}`);
}

export function detailsText(details: unknown): string {
  return typeof details === "string" ? details : printJson(details);
}

function line(label: string, text: string | undefined): string[] {
  return text === undefined || text === "" ? [] : [`${label}: ${text}`];
}
