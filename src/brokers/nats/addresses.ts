/**
 * Where callers and workers meet, as addresses of a `natsBus`, which puts its prefix before them. The namespace stands
 * first and the caller last, so that a server's permissions can confine a caller to namespaces and to its own name.
 */

/** Requests for one major version of an operation; `*` stands for every caller. */
export function callAddress(operationId: string, major: number, caller: string): string {
  return `call.${operationPath(operationId)}.v${major}.${caller}`;
}

/** The same, of one worker. */
export function workerCallAddress(operationId: string, major: number, caller: string, worker: string): string {
  return `${callAddress(operationId, major, caller)}.${worker}`;
}

/** Where one worker hears what callers have to say of their requests. */
export function controlAddress(worker: string): string {
  return `control.${worker}`;
}

/** Where every worker hears it. */
export const EVERY_WORKER = "control.all";

export function catalogAddress(worker: string): string {
  return `catalog.${worker}`;
}

/** Where workers tell that they come, change and go. */
export const NEWS = "news";

/** Where a caller hears its answers. */
export function replyAddress(caller: string, inbox: string): string {
  return `reply.${caller}.${inbox}`;
}

/** The operation in a subject: a point in its name would part it. */
export function operationPath(operationId: string): string {
  const at = operationId.indexOf(".");
  return `${operationId.slice(0, at)}.${operationId.slice(at + 1).replaceAll(".", "%2E")}`;
}

export function majorOf(version: string): number {
  return Number.parseInt(version, 10);
}
