import { describe, expect, test } from "vitest";
import { createLog, type LogWriterOptions } from "./log-writer.js";
import { createRedactor } from "./redact.js";

const NOON = Date.UTC(2026, 0, 1, 12);

function written(options: Partial<LogWriterOptions> = {}) {
  const lines: string[] = [];
  const log = createLog({ write: (text) => void lines.push(text), now: () => NOON, ...options });
  return { log, lines };
}

describe("a log", () => {
  test("has a line for each message, with its fields", () => {
    const { log, lines } = written();
    log.warn("files is down", { source: "files", code: "EXIT", why: "it ended", ms: 0, none: undefined, list: [1] });
    expect(lines).toEqual(['2026-01-01T12:00:00.000Z warn  files is down code=EXIT why="it ended" ms=0 list=[1]\n']);
  });

  test("leaves out what is below its level", () => {
    for (const [level, count] of [
      ["debug", 4],
      ["info", 3],
      ["warn", 2],
      ["error", 1],
      ["silent", 0],
    ] as const) {
      const { log, lines } = written({ level });
      for (const name of ["debug", "info", "warn", "error"] as const) log[name]("said");
      expect(lines).toHaveLength(count);
    }
  });

  test("is JSON where that is wanted, whatever the fields are called", () => {
    const { log, lines } = written({ format: "json" });
    log.info("up", { level: "mine", cause: new Error("why"), big: 1n });
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { time: "2026-01-01T12:00:00.000Z", level: "info", message: "up", cause: "why", big: "1" },
    ]);
  });

  test("is short and coloured on a terminal", () => {
    const { log, lines } = written({ isTTY: true });
    log.error("broken");
    expect(lines[0]).toMatch(/\d\d:\d\d:\d\d/);
    expect(lines[0]).toContain("\u001b[31merror\u001b[0m broken");
  });

  test("stays on one line and leaves the terminal alone", () => {
    const { log, lines } = written();
    log.info("a\nb\u001b[2J", { text: "c\u202ed" });
    expect(lines).toEqual(["2026-01-01T12:00:00.000Z info  a\\nb\\u001b[2J text=c\\u202ed\n"]);
  });

  test.each(["text", "json"] as const)("tells no secret as %s", (format) => {
    const { log, lines } = written({ format, redactor: createRedactor(["hunter2secret"]) });
    log.info("with hunter2secret", { url: "http://x?key=hunter2secret" });
    expect(lines.join("")).not.toContain("hunter2secret");
  });
});
