import { describe, expect, test } from "vitest";
import { kinOf } from "./process-family.js";
import type { ProcessRow } from "./process-table.js";

function row(pid: number, parent: number, session: number, started = "1"): ProcessRow {
  return { pid, parent, group: session, session, started };
}

const init = row(1, 0, 1);
const stranger = row(50, 1, 50);

function pidsOf(rows: readonly ProcessRow[]): number[] {
  return rows.map(({ pid }) => pid).sort((a, b) => a - b);
}

describe("the kin of a process", () => {
  test("is who is in its session, also where the parent has gone", () => {
    const table = [init, stranger, row(100, 10, 100), row(101, 100, 100), row(102, 1, 100)];
    expect(pidsOf(kinOf(table, [], [100]))).toEqual([100, 101, 102]);
  });

  test("is also who left for a session of their own, with all whom they started, in whatever order they are listed", () => {
    const table = [row(90, 95, 95), row(91, 1, 95), row(95, 101, 95), row(101, 100, 100), row(100, 10, 100), init];
    expect(pidsOf(kinOf([...table, stranger], [], [100]))).toEqual([90, 91, 95, 100, 101]);
  });

  test("is still known when those between have gone", () => {
    const runaway = row(95, 100, 95);
    const orphan = { ...runaway, parent: 1 };
    expect(pidsOf(kinOf([init, stranger, orphan], [row(100, 10, 100), runaway], []))).toEqual([95]);
  });

  test("is not whoever got the number of one of them later", () => {
    const known = [row(100, 10, 100), row(101, 100, 100, "5")];
    expect(kinOf([init, stranger, row(101, 50, 50, "9")], known, [])).toEqual([]);
  });

  test("is never the first process or the kernel", () => {
    const table = [row(0, 0, 0), init, row(2, 0, 0), stranger, row(100, 1, 0)];
    expect(kinOf(table, [row(100, 1, 0), row(1, 0, 1)], [0, 1])).toEqual([]);
  });

  test("is nobody when all have gone", () => {
    expect(kinOf([init, stranger], [row(100, 10, 100)], [])).toEqual([]);
  });
});
