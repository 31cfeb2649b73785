import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RESERVED } from "../../../registry/portable-name.js";
import { type Nameable, nameOperations } from "./operation-names.js";

const operation = (method: string, path: string, operationId?: string): Nameable => ({ method, path, operationId });
const namesOf = (...operations: Nameable[]): readonly string[] => nameOperations(operations).names;

describe("the name of an operation", () => {
  test("is its id made portable, or else its method and path", () => {
    expect(
      namesOf(
        operation("GET", "/pets", "listPets"),
        operation("GET", "/repos", "repos/list-for.user"),
        operation("GET", "/pets/{petId}"),
        operation("POST", "/"),
        operation("GET", "/a", "___"),
        operation("GET", "/b", "日本"),
      ),
    ).toEqual(["listPets", "repos_list-for_user", "get_pets_petId", "post", "___", "tool"]);
  });

  test("belongs to the one that is called so, whatever the order", () => {
    const exact = operation("POST", "/z", "a_b");
    const other = operation("GET", "/a", "a/b");
    const third = operation("GET", "/b", "a.b");
    const orders = [
      [exact, other, third],
      [third, other, exact],
      [other, exact, third],
    ];
    const byPath = orders.map((order) => new Map(namesOf(...order).map((name, at) => [order[at]?.path, name])));
    expect(byPath[0]?.get("/z")).toBe("a_b");
    expect(byPath[0]?.get("/a")).toMatch(/^a_b_[0-9a-f]{8}$/);
    expect(byPath[1]).toEqual(new Map([...(byPath[0] ?? [])].reverse()));
    expect([...(byPath[2] ?? [])].sort()).toEqual([...(byPath[0] ?? [])].sort());
  });

  test("of several with the same id ends in a hash, with a warning", () => {
    const { names, warnings } = nameOperations([operation("GET", "/b", "same"), operation("GET", "/a", "same")]);
    expect(names[1]).toBe("same");
    expect(names[0]).toMatch(/^same_[0-9a-f]{8}$/);
    expect(warnings).toMatchObject([{ code: "NONCONFORMING" }]);
  });

  test("is not one that JavaScript uses itself", () => {
    const names = namesOf(...RESERVED.map((id, at) => operation("GET", `/${at}`, id)));
    expect(names.filter((name) => RESERVED.includes(name))).toEqual([]);
  });

  test("is unique, portable and short, and does not depend on the order", () => {
    const word = fc.oneof(fc.constantFrom("a", "a_b", "a/b", "then", "x".repeat(80), ""), fc.string());
    const one = fc.record({
      method: fc.constantFrom("GET", "POST"),
      path: word.map((text) => `/${text}`),
      operationId: fc.option(word, { nil: undefined }),
    });
    const distinct = fc.uniqueArray(one, { selector: ({ method, path }) => `${method} ${path}`, maxLength: 12 });
    fc.assert(
      fc.property(distinct, (operations) => {
        const names = namesOf(...operations);
        expect(new Set(names).size).toBe(names.length);
        for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        for (const name of names) expect(RESERVED).not.toContain(name);
        expect([...namesOf(...operations.toReversed())].reverse()).toEqual(names);
      }),
    );
  });
});
