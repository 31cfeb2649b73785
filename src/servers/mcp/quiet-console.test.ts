import { afterEach, expect, test, vi } from "vitest";
import { quietConsole } from "./quiet-console.js";

afterEach(() => {
  vi.restoreAllMocks();
});

test("what is logged while a server uses standard output goes to standard error", () => {
  const written: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  const stdout = vi.spyOn(process.stdout, "write").mockImplementation(() => true);
  const { log } = console;
  const restore = quietConsole();
  console.log("a", 1);
  console.info("b");
  console.table([{ c: 1 }]);
  restore();
  expect(written.join("")).toContain("a 1\nb\n");
  expect(stdout).not.toHaveBeenCalled();
  expect(console.log).toBe(log);
});

test("what begins and ends with a call of its own does so at the same place", () => {
  const written: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  const warned: unknown[] = [];
  const onWarning = (warning: Error): void => void warned.push(warning);
  process.on("warning", onWarning);
  const restore = quietConsole();
  console.group("a");
  console.groupEnd();
  console.log("b");
  console.count("c");
  console.countReset("c");
  console.count("c");
  console.time("d");
  console.timeEnd("d");
  restore();
  process.off("warning", onWarning);
  expect(written.slice(0, 4)).toEqual(["a\n", "b\n", "c: 1\n", "c: 1\n"]);
  expect(written[4]).toMatch(/^d: /);
  expect(warned).toEqual([]);
});

test("a console that someone else has replaced meanwhile is left to them", () => {
  const { log } = console;
  const restore = quietConsole();
  const theirs = (): void => {};
  console.log = theirs;
  restore();
  expect(console.log).toBe(theirs);
  console.log = log;
});
