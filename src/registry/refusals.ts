import { CallError } from "../envelope/call-error.js";
import type { Issue } from "../json/issue.js";
import { told } from "../json/told.js";

export function operationNotFound(id: unknown, known: Iterable<string>): CallError {
  const nearest = typeof id === "string" ? nearestOf(id, known) : undefined;
  const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  return new CallError({
    category: "not_found",
    code: "OPERATION_NOT_FOUND",
    message: `There is no operation ${told(id)}.${hint}`,
    ...(nearest !== undefined && { nextTool: nearest }),
  });
}

export function mustSubscribe(id: string): CallError {
  return new CallError({
    category: "validation",
    code: "IS_SUBSCRIPTION",
    message: `${id} is a subscription and answers many times. Use subscribe.`,
  });
}

export function invalid(id: string, issues: readonly Issue[]): CallError {
  const [first] = issues;
  const what = first === undefined ? "it does not match its schema" : toldIssue(first);
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  return new CallError({ category: "validation", message: `The input of ${id} is not valid: ${what}${more}.`, issues });
}

export function unreadable(id: string, cause: unknown): CallError {
  return new CallError({ category: "validation", message: `The input of ${id} cannot be looked at.`, cause });
}

export function withoutHandler(id: string): CallError {
  return new CallError({ category: "unavailable", message: `${id} is known but has no handler here.` });
}

/** Our own messages go on after the place; those of other libraries are sentences of their own. */
function toldIssue({ path, message, rule }: Issue): string {
  if (rule === undefined) return path === "" ? message : `${path}: ${message}`;
  return `${path === "" ? "it" : path} ${message}`;
}

/** The known name that differs by the fewest letters, if they are few. */
export function nearestOf(name: string, known: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  // Not all letters of a short name: then any other one would do.
  let least = Math.min(4, Math.ceil(name.length / 3) + 1, name.length);
  for (const other of known) {
    const distance = distanceBetween(name, other, least);
    if (distance >= least) continue;
    least = distance;
    nearest = other;
  }
  return nearest;
}

/** How many letters are to be changed, left out or put in. Long names are passed over, so that no one makes it slow. */
function distanceBetween(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit || a.length > 200) return limit;
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? limit;
}
