import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { OperationSpec } from "../../../registry/operation.js";
import { Departed } from "./departed.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const NOTHING: ReadonlySet<string> = new Set();

function spec(name: string, given: Partial<OperationSpec> = {}): OperationSpec {
  const all = { namespace: "m", name, version: "1.0.0", type: "query", description: "" } as const;
  return { ...all, inputSchema: {}, outputSchema: {}, ...given };
}

function names(departed: Departed, offered = NOTHING): readonly string[] {
  return departed.beside(offered).map(({ name, version }) => `${name}@${version}`);
}

test("what has gone stays for its time, and what is durable for ever", () => {
  const departed = new Departed(1000);
  departed.add([spec("plain"), spec("kept", { delivery: "durable" })]);
  vi.advanceTimersByTime(999);
  expect(names(departed)).toEqual(["plain@1.0.0", "kept@1.0.0"]);
  vi.advanceTimersByTime(1);
  expect(names(departed)).toEqual(["kept@1.0.0"]);
  vi.advanceTimersByTime(1e9);
  expect(names(departed)).toEqual(["kept@1.0.0"]);
});

test("what is offered again has not gone, also when it is taken back then; other majors have", () => {
  const departed = new Departed(1000);
  departed.add([spec("a"), spec("a", { version: "2.0.0" })]);
  expect(names(departed, new Set(["m.a 2"]))).toEqual(["a@1.0.0"]);
  expect(names(departed)).toEqual(["a@1.0.0"]);
});
