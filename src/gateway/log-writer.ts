import { messageOf } from "../json/attempt.js";
import { printJson } from "../json/printable.js";
import type { LogConfig } from "./config/config.js";
import type { Log, LogFields } from "./log.js";
import type { Redactor } from "./redact.js";

export interface LogWriterOptions {
  /** @default "info" */
  readonly level?: LogConfig["level"];
  /** @default "text" */
  readonly format?: LogConfig["format"];
  /** Gets whole lines. */
  readonly write: (text: string) => void;
  /** Whether the lines are for a terminal: then they have colours, and the time of the day only. */
  readonly isTTY?: boolean;
  /** Takes secrets out of all that is written. */
  readonly redactor?: Pick<Redactor, "text" | "value">;
  /** @default Date.now */
  readonly now?: () => number;
}

type Level = "debug" | "info" | "warn" | "error";

/** The codes of their colours stand beside them. */
const LEVELS = { debug: 2, info: 32, warn: 33, error: 31 } as const satisfies Record<Level, number>;

const NAMES = Object.keys(LEVELS) as Level[];

/** A log that writes lines: readable ones, or JSON. */
export function createLog(options: LogWriterOptions): Log {
  const { level = "info", format = "text", write, isTTY = false, redactor = PLAIN, now = Date.now } = options;
  const least = level === "silent" ? NAMES.length : NAMES.indexOf(level);
  const lineOf = format === "json" ? jsonLine : isTTY ? terminalLine : textLine;
  const at = (name: Level) => (message: string, fields?: LogFields) => {
    if (NAMES.indexOf(name) < least) return;
    const shown = redactor.value(presentFields(fields)) as LogFields;
    write(`${lineOf({ time: new Date(now()), level: name, message: redactor.text(message), fields: shown })}\n`);
  };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

const PLAIN: Pick<Redactor, "text" | "value"> = { text: (text) => text, value: (value) => value };

interface Line {
  readonly time: Date;
  readonly level: Level;
  readonly message: string;
  readonly fields: LogFields;
}

/** Errors say nothing of themselves in JSON. */
function presentFields(fields: LogFields = {}): LogFields {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [name, value instanceof Error ? messageOf(value) : value]));
}

/** What a caller names like one of ours must not hide it. */
function jsonLine({ time, level, message, fields }: Line): string {
  const own = { time: time.toISOString(), level, message };
  return printJson({ ...own, ...fields, ...own });
}

function textLine({ time, level, message, fields }: Line): string {
  return [time.toISOString(), level.padEnd(5), visible(message), ...unsaid(message, fields).map(fieldText)].join(" ");
}

function terminalLine({ time, level, message, fields }: Line): string {
  const parts = [paint(2, clock(time)), paint(LEVELS[level], level.padEnd(5)), visible(message)];
  return [...parts, ...unsaid(message, fields).map((field) => paint(2, fieldText(field)))].join(" ");
}

/** A source that the message begins with need not be named again to people. */
function unsaid(message: string, fields: LogFields): readonly (readonly [string, unknown])[] {
  return Object.entries(fields).filter(([name, value]) => name !== "source" || !/^[ :]/.test(rest(message, value)));
}

function rest(message: string, start: unknown): string {
  return typeof start === "string" && message.startsWith(start) ? message.slice(start.length) : "";
}

function paint(code: number, text: string): string {
  return `\u001b[${code}m${text}\u001b[0m`;
}

function clock(time: Date): string {
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}

function fieldText([name, value]: readonly [string, unknown]): string {
  const text = typeof value === "string" ? value : printJson(value);
  return `${visible(name)}=${typeof value === "string" && !/^[^\s"=]+$/.test(text) ? visible(printJson(text)) : visible(text)}`;
}

/** On one line, and unable to move the cursor or turn the text around: much of it was said by other programs. */
function visible(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (char) =>
    char === "\n" ? "\\n" : char === "\t" ? " " : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
