import { type ProcessRow, processTable } from "./process-table.js";

/** Short enough that no number of a process comes back in the meantime. */
const LATER_MS = 200;

type Look = (table: readonly ProcessRow[] | undefined) => void;

let waiting: Look[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

/** Looks at the table of all processes in a moment, at the same one as all who ask meanwhile: to read it is slow. */
export function lookLater<T>(look: (table: readonly ProcessRow[] | undefined) => T): Promise<T> {
  if (waiting.length === 0) timer = setTimeout(lookNow, LATER_MS).unref();
  return new Promise((resolve) => {
    waiting.push((table) => resolve(look(table)));
  });
}

/** Those who wait look now. */
export function lookNow(): void {
  if (waiting.length === 0) return;
  clearTimeout(timer);
  const all = waiting;
  waiting = [];
  const table = processTable();
  for (const look of all) look(table);
}
