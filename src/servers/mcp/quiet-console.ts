import { Console } from "node:console";

const METHODS = [
  ...["log", "info", "debug", "dir", "dirxml", "table"],
  // What belongs together shares a state, so that none of it may be left out.
  ...["group", "groupCollapsed", "groupEnd", "count", "countReset", "time", "timeLog", "timeEnd"],
] as const;

/** Sends what would be written to standard output to standard error instead. Returns what takes it back. */
export function quietConsole(): () => void {
  const aside = new Console(process.stderr, process.stderr) as unknown as Record<string, unknown>;
  const own = console as unknown as Record<string, unknown>;
  const before = METHODS.map((name) => [name, own[name]] as const);
  const after = METHODS.map((name) => [name, (aside[name] as () => void).bind(aside)] as const);
  for (const [name, write] of after) own[name] = write;
  return () => {
    // One that someone else has replaced meanwhile is theirs.
    for (const [at, [name, write]] of before.entries()) if (own[name] === after[at]?.[1]) own[name] = write;
  };
}
