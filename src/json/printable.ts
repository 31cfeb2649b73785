import { orElse } from "./attempt.js";

/** JSON of any value. What JSON cannot hold is shown in words instead of throwing, and no nesting is too deep. */
export function printJson(value: unknown, indent = 0): string {
  try {
    return JSON.stringify(value, null, indent) ?? "null";
  } catch {
    return printSlowly(value, indent);
  }
}

/**
 * JSON of an object of which some values are at hand as JSON already. Strings are only added to each other, never
 * sliced or joined: V8 would copy them.
 */
export function printObject(record: object, known: (value: unknown) => string | undefined): string {
  let text = "";
  for (const [key, value] of Object.entries(record)) {
    // What JSON leaves out, and nothing else, is left out.
    const silent = value === undefined || typeof value === "function" || typeof value === "symbol";
    const json = silent ? undefined : (known(value) ?? printJson(value));
    if (json !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${json}`;
  }
  return `{${text}}`;
}

interface Frame {
  readonly value: object;
  readonly entries: readonly (readonly [key: string | undefined, value: unknown])[];
  readonly close: string;
  at: number;
}

/** As `JSON.stringify`, but a loop with a stack of its own; a cycle, a BigInt or a getter that throws becomes a text. */
function printSlowly(root: unknown, indent: number): string {
  const stack: Frame[] = [];
  const above = new Set<object>();
  // Past what anyone reads, indenting would only square the size.
  const lineBreak = () => (indent === 0 || stack.length > 100 ? "" : `\n${" ".repeat(indent * stack.length)}`);
  let text = "";

  const begin = (given: unknown): void => {
    const value = plain(given);
    if (typeof value !== "object" || value === null) text += JSON.stringify(value) ?? "null";
    else if (above.has(value)) text += '"[circular]"';
    else {
      const list = Array.isArray(value);
      const entries = list ? itemsOf(value) : entriesOf(value);
      text += list ? "[" : "{";
      stack.push({ value, entries, close: list ? "]" : "}", at: 0 });
      above.add(value);
    }
  };

  begin(root);
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const entry = frame.entries[frame.at];
    if (entry === undefined) {
      stack.pop();
      above.delete(frame.value);
      text += `${frame.entries.length === 0 ? "" : lineBreak()}${frame.close}`;
      continue;
    }
    const [key, value] = entry;
    text += `${frame.at === 0 ? "" : ","}${lineBreak()}`;
    if (key !== undefined) text += `${JSON.stringify(key)}:${indent === 0 ? "" : " "}`;
    frame.at += 1;
    begin(value);
  }
  return text;
}

function plain(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  return guarded(() =>
    typeof (value as { toJSON?: unknown }).toJSON === "function" ? JSON.parse(JSON.stringify(value)) : value,
  );
}

function itemsOf(list: readonly unknown[]): [undefined, unknown][] {
  return Array.from({ length: list.length }, (_, at) => [undefined, guarded(() => list[at])]);
}

/** The members that JSON would write. */
function entriesOf(value: object): [string, unknown][] {
  const keys = guarded(() => Object.keys(value));
  if (!Array.isArray(keys)) return [["", keys]];
  return keys.flatMap((key): [string, unknown][] => {
    const member = guarded(() => (value as Record<string, unknown>)[key]);
    return member === undefined || typeof member === "function" || typeof member === "symbol" ? [] : [[key, member]];
  });
}

/** What is said instead must not tell what went wrong inside: it may go anywhere. */
function guarded(look: () => unknown): unknown {
  return orElse(look, "[unreadable]");
}
