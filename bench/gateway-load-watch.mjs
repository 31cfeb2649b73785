// What the system tells of a process: its memory, and all that it has started.
import { readdirSync, readFileSync } from "node:fs";
import { median } from "./ratio.mjs";

const MARK = "PLICO_LOAD_MARK";

/** Follows a process and its descendants, which are found again also when they have another parent by then. */
export function watchProcess(pid, mark, everyMs = 250) {
  const memory = [];
  const family = new Map();
  const look = () => {
    const now = memoryOf(pid);
    if (now !== undefined) memory.push(now);
    for (const [id, start] of descendantsOf(pid)) family.set(id, start);
  };
  const timer = setInterval(look, everyMs);
  return {
    look,
    stop: () => clearInterval(timer),
    started: () => family.size,
    /** Those that are still there. */
    left: () => [
      ...new Set([
        ...marked(mark),
        ...[...family].filter(([id, start]) => statOf(id)?.start === start).map(([id]) => id),
      ]),
    ],
    /** The medians of eight parts of the time one after the other, and the most, in MB. */
    memory() {
      const part = Math.max(1, Math.ceil(memory.length / 8));
      const parts = Array.from({ length: 8 }, (_, at) => median(memory.slice(at * part, (at + 1) * part)));
      return { parts: parts.filter((value) => value !== undefined), most: Math.max(...memory) };
    },
  };
}

/** The variable by which programs are found that have it, or inherited it. */
export const markOf = (value) => ({ [MARK]: value });

/** Processes with the mark whose command line has this in it. */
export function marked(mark, words = "") {
  const wanted = `${MARK}=${mark}`;
  return processes().filter(
    (id) => textOf(`/proc/${id}/environ`).includes(wanted) && textOf(`/proc/${id}/cmdline`).includes(words),
  );
}

function descendantsOf(pid) {
  const all = processes().flatMap((id) => statOf(id) ?? []);
  const found = new Map();
  const add = (parent) => {
    for (const { id, parent: of, start } of all) {
      if (of !== parent || found.has(id)) continue;
      found.set(id, start);
      add(id);
    }
  };
  add(pid);
  return found;
}

/** A zombie has ended; it waits for its parent only. */
function statOf(id) {
  const text = textOf(`/proc/${id}/stat`);
  const [state, parent, ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return text === "" || state === "Z" ? undefined : { id, parent: Number(parent), start: rest[17] };
}

function memoryOf(id) {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(textOf(`/proc/${id}/status`)) ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}

function processes() {
  return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

function textOf(file) {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
