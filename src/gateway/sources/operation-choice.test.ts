import { describe, expect, test } from "vitest";
import { TOOL_KEY } from "../../mcp/keys.js";
import { OPENAPI_KEY } from "../../sources/openapi/openapi-key.js";
import { madeOperation } from "./fixtures/made-source.js";
import { type Choice, chooseOperations } from "./operation-choice.js";

const operations = [
  madeOperation("read_file", { _meta: { [TOOL_KEY]: { name: "read file" } } }),
  madeOperation("write_file"),
  madeOperation("deletePet", {
    _meta: { [OPENAPI_KEY]: { method: "DELETE", path: "/pets/{id}", operationId: "delete pet" } },
  }),
];

const chosen = (choice: Choice): string[] =>
  chooseOperations(operations, choice).operations.map(({ spec }) => spec.name);

describe("the choice among the operations of a source", () => {
  test.each<[string, Choice, string[]]>([
    ["nothing said", {}, ["read_file", "write_file", "deletePet"]],
    ["a name", { include: ["read_file"] }, ["read_file"]],
    ["a star", { include: ["*_file"] }, ["read_file", "write_file"]],
    ["exclude", { exclude: ["*_file"] }, ["deletePet"]],
    ["exclude wins", { include: ["*"], exclude: ["read_*"] }, ["write_file", "deletePet"]],
    ["an id", { include: ["far.write_file"] }, ["write_file"]],
    ["the name that a server has for it", { include: ["read file"] }, ["read_file"]],
    ["method and path", { include: ["DELETE *"] }, ["deletePet"]],
    ["an operationId", { include: ["delete pet"] }, ["deletePet"]],
    ["an empty list takes nothing", { include: [] }, []],
  ])("%s", (_, choice, names) => {
    expect(chosen(choice)).toEqual(names);
  });

  test("warns of a pattern that fits nothing, with the nearest name", () => {
    const { warnings } = chooseOperations(operations, { include: ["read_fil", "*"], exclude: ["zzz*"] });
    expect(warnings.map(({ code }) => code)).toEqual(["FILTER_UNMATCHED", "FILTER_UNMATCHED"]);
    expect(warnings[0]?.message).toContain("read_file");
  });
});
