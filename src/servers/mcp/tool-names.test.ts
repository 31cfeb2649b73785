import { describe, expect, test } from "vitest";
import { specOf } from "../../registry/fixtures/operations.js";
import { ToolNames, type ToolNaming } from "./tool-names.js";

function nameOf(naming: ToolNaming, name: string, namespace = "files"): string {
  return new ToolNames(naming).nameOf(specOf({ name, namespace }));
}

describe("the name of a tool", () => {
  test("is the operation's, with its namespace or without", () => {
    expect(nameOf("qualified", "read")).toBe("files_read");
    expect(nameOf("bare", "read")).toBe("read");
  });

  test("has only characters that every client takes, and at most 64 of them", () => {
    expect(nameOf("qualified", "a.b/c")).toBe("files_a_b_c");
    const long = nameOf("qualified", "x".repeat(100));
    expect(long).toHaveLength(64);
    expect(long).not.toBe(nameOf("qualified", "x".repeat(101)));
  });

  test("is what a function says, as far as MCP allows it", () => {
    expect(nameOf(({ name }) => `my.${name} tool`, "read")).toBe("my.read_tool");
    expect(nameOf(() => undefined, "read")).toBe("files_read");
  });

  test("is not given twice", () => {
    const names = new ToolNames("qualified");
    expect(names.nameOf(specOf({ namespace: "a_b", name: "c" }))).toBe("a_b_c");
    expect(names.nameOf(specOf({ namespace: "a", name: "b_c" }))).toBe("a_b_c_2");
  });

  test("is forgotten where very many have gone since, and only then", () => {
    const names = new ToolNames("bare");
    const [gone, stays] = [specOf({ namespace: "gone" }), specOf({ namespace: "stays" })];
    names.keepOnly([names.nameOf(gone), names.nameOf(stays)]);
    for (let at = 0; at < 10_001; at++) names.nameOf(specOf({ namespace: "many", name: `n${at}` }));
    names.keepOnly([names.nameOf(stays)]);
    expect(names.nameOf(stays)).toBe("run_2");
    expect(names.nameOf(specOf({ namespace: "new" }))).toBe("run");
    expect(names.nameOf(gone)).toBe("run_3");
  });

  test("stays with its operation, whatever comes and goes", () => {
    const names = new ToolNames("bare");
    const first = specOf({ namespace: "a" });
    const second = specOf({ namespace: "b" });
    expect([names.nameOf(first), names.nameOf(second)]).toEqual(["run", "run_2"]);
    expect(names.nameOf({ ...second })).toBe("run_2");
    expect(names.nameOf(first)).toBe("run");
  });
});
