import { describe, expect, test } from "vitest";
import { parseRow, processTable } from "./process-table.js";

function stat(name: string, state: string): string {
  return `42 (${name}) ${state} 7 40 39 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 987654 100 1 18446744073709551615\n`;
}

describe("a row of the process table", () => {
  test("has parent, group, session and start", () => {
    expect(parseRow(42, stat("node", "S"))).toEqual({ pid: 42, parent: 7, group: 40, session: 39, started: "987654" });
  });

  test("is read behind a name with brackets, spaces and line ends", () => {
    for (const name of [") Z 1 1 1 (", "a b", "x)\n(y", ""]) expect(parseRow(42, stat(name, "R"))?.parent).toBe(7);
  });

  test("is not given for the dead, nor for half a line", () => {
    for (const state of ["Z", "X", "x"]) expect(parseRow(42, stat("node", state))).toBeUndefined();
    for (const text of ["", "42 (node) S 7", "garbage"]) expect(parseRow(42, text)).toBeUndefined();
  });

  test("is there for this process and its parent", () => {
    const rows = processTable() ?? [];
    expect(rows.find(({ pid }) => pid === process.pid)?.parent).toBe(process.ppid);
  });
});
