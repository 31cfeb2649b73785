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

test("a console that someone else has replaced meanwhile is left to them", () => {
  const { log } = console;
  const restore = quietConsole();
  const theirs = (): void => {};
  console.log = theirs;
  restore();
  expect(console.log).toBe(theirs);
  console.log = log;
});
