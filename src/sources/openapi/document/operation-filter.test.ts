import { describe, expect, test } from "vitest";
import { filterOf, type OperationFilter } from "./operation-filter.js";

const pets = { name: "listPets", operationId: "list pets", method: "GET", path: "/pets", tags: ["pets", "public"] };
const admin = { name: "delete_pet", method: "DELETE", path: "/pets/{id}", tags: [] };

const kept = (filter: OperationFilter): string[] => [pets, admin].filter(filterOf(filter)).map(({ name }) => name);

describe("a filter", () => {
  test.each<[string, OperationFilter, string[]]>([
    ["nothing said", {}, ["listPets", "delete_pet"]],
    ["a name", { include: ["listPets"] }, ["listPets"]],
    ["an operationId", { include: ["list pets"] }, ["listPets"]],
    ["method and path", { include: ["DELETE /pets/{id}"] }, ["delete_pet"]],
    ["a star at the end", { include: ["GET *"] }, ["listPets"]],
    ["stars around", { include: ["*pet*"] }, ["listPets", "delete_pet"]],
    ["stars between", { include: ["D*/pets/*}"] }, ["delete_pet"]],
    ["a text is no part", { include: ["Pets"] }, []],
    ["what a star stands for does not overlap", { include: ["listPets*listPets"] }, []],
    ["an expression", { include: [/^list/] }, ["listPets"]],
    ["an expression that remembers", { include: [/pet/gi] }, ["listPets", "delete_pet"]],
    ["characters of expressions in a text", { include: ["listPet."] }, []],
    ["exclude", { exclude: ["DELETE *"] }, ["listPets"]],
    ["exclude wins", { include: ["*"], exclude: [/./] }, []],
    ["a tag", { tags: ["public", "other"] }, ["listPets"]],
    ["methods in any case", { methods: ["delete"] }, ["delete_pet"]],
    ["all must agree", { tags: ["pets"], methods: ["DELETE"] }, []],
    ["an empty list takes nothing", { include: [] }, []],
  ])("%s", (_, filter, names) => {
    expect(kept(filter)).toEqual(names);
  });
});
