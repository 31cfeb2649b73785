import { expect, test, vi } from "vitest";
import { progressBar, progressText } from "./progress-bar.js";
import { textWidth } from "./text-width.js";

function terminal({ isTTY = true, columns = 40 } = {}) {
  const parts: string[] = [];
  let now = 0;
  const bar = progressBar({ output: { isTTY, columns, write: (part) => parts.push(part) }, now: () => now });
  const later = (ms: number): void => {
    now += ms;
  };
  return { parts, bar, later };
}

test("a part of a whole is a bar and a percentage, more than all of it is all", () => {
  expect(progressText({ progress: 1, total: 4, message: "a\nb" })).toBe(`${"█".repeat(6)}${"░".repeat(18)}  25% a b`);
  expect(progressText({ progress: 9, total: 4 })).toBe(`${"█".repeat(24)} 100%`);
});

test("without a whole there is only how far it is", () => {
  expect(progressText({ progress: 7, message: "rows" })).toBe("7 rows");
  expect(progressText({ progress: 7, total: 0 })).toBe("7");
});

test("is drawn in its place, never wider than the terminal, and cleared", () => {
  const { parts, bar } = terminal();
  bar.update({ progress: 1, total: 2, message: "日本語".repeat(20) });
  expect(parts[0]).toBe("\r\u001b[2K");
  expect(textWidth(parts[1] ?? "")).toBeLessThan(40);
  bar.clear();
  bar.clear();
  expect(parts.slice(2)).toEqual(["\r\u001b[2K"]);
});

test("is drawn no more often than it can be seen, but always when all is done", () => {
  const { parts, bar, later } = terminal();
  bar.update({ progress: 1, total: 100 });
  bar.update({ progress: 2, total: 100 });
  expect(parts).toHaveLength(2);
  later(60);
  bar.update({ progress: 3, total: 100 });
  bar.update({ progress: 100, total: 100 });
  expect(parts).toHaveLength(6);
});

test("what a message says cannot move the cursor", () => {
  const { parts, bar } = terminal();
  bar.update({ progress: 1, message: "\u001b[2Jx" });
  expect(parts[1]).toBe("1 \\u001b[2Jx");
});

test("nothing is drawn in a pipe", () => {
  const { parts, bar } = terminal({ isTTY: false });
  bar.update({ progress: 1, total: 2 });
  bar.clear();
  expect(parts).toEqual([]);
});

test("shows the last of many, also where nothing follows it", () => {
  vi.useFakeTimers();
  const { parts, bar } = terminal();
  for (const progress of [1, 2, 3]) bar.update({ progress });
  vi.runAllTimers();
  expect(parts.filter((part) => !part.startsWith("\r"))).toEqual(["1", "3"]);
  bar.update({ progress: 4 });
  bar.clear();
  vi.runAllTimers();
  expect(parts.at(-1)).toBe("\r\u001b[2K");
  vi.useRealTimers();
});
