import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { waitingLine } from "./waiting-line.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const terminal = (isTTY = true) => {
  const parts: string[] = [];
  return { parts, output: { isTTY, columns: 20, write: (part: string) => parts.push(part) } };
};

test("says what is waited for once that takes a while, within the terminal, and takes it off", () => {
  const { parts, output } = terminal();
  const stop = waitingLine(output, () => "Starting one, two, three …");
  expect(parts).toEqual([]);
  vi.advanceTimersByTime(1_000);
  stop();
  vi.advanceTimersByTime(5_000);
  expect(parts).toEqual(["\r\u001b[2K", "Starting one, two,…", "\r\u001b[2K"]);
});

test("says nothing of a short wait, and nothing in a pipe", () => {
  const short = terminal();
  waitingLine(short.output, () => "a")();
  const pipe = terminal(false);
  waitingLine(pipe.output, () => "a");
  vi.advanceTimersByTime(5_000);
  expect([...short.parts, ...pipe.parts]).toEqual([]);
});
