import { openSync, writeSync } from "node:fs";

/**
 * Appends what a process does to its history, a JSON line each. A line is with the operating system when this returns, so
 * that SIGKILL takes nothing back of what was done after it.
 */
export function historyRecorder(file, by) {
  const descriptor = openSync(file, "a");
  return (event) => void writeSync(descriptor, `${JSON.stringify({ ...event, at: event.at ?? Date.now(), by })}\n`);
}

/** A process that got no time from its machine was disturbed, as by a fault. */
export function recordStalls(record, on, longest = 200) {
  const every = 50;
  let before = Date.now();
  const look = () => {
    const now = Date.now();
    if (now - before > every + longest) record({ is: "fault", fault: "stall", on, at: before, until: now });
    before = now;
  };
  setInterval(look, every).unref();
}
