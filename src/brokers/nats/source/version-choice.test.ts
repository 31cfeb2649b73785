import { describe, expect, test } from "vitest";
import type { OperationSpec } from "../../../registry/operation.js";
import type { ReadCatalog } from "./read-catalog.js";
import { chooseVersions, compareVersions } from "./version-choice.js";

function catalog(...ids: readonly string[]): ReadCatalog {
  const specs = ids.map((id): OperationSpec => {
    const [name = "", version = ""] = id.split("@");
    return { namespace: "m", name, version, type: "query", description: "", inputSchema: {}, outputSchema: {} };
  });
  return { digest: ids.join(), specs, keys: new Set(), warnings: [] };
}

function chosen(catalogs: readonly ReadCatalog[], majors: Record<string, number> = {}): readonly string[] {
  const { specs } = chooseVersions(catalogs, { isChosen: () => true, majors });
  return specs.map(({ name, version }) => `${name}@${version}`);
}

describe("the versions that are called", () => {
  const offered = [catalog("a@1.9.0", "b@1.0.0"), catalog("a@2.0.0"), catalog("a@1.10.0", "b@1.0.0-rc.1")];

  test("are the highest, where nobody says", () => {
    expect(chosen(offered)).toEqual(["a@2.0.0", "b@1.0.0"]);
  });

  test("are of the major that is asked for, by id or pattern, the id first", () => {
    expect(chosen(offered, { "m.*": 1 })).toEqual(["a@1.10.0", "b@1.0.0"]);
    expect(chosen(offered, { "m.*": 1, "m.a": 2 })).toEqual(["b@1.0.0", "a@2.0.0"]);
  });

  test("are none, with a warning, where the major is not offered", () => {
    const { specs, warnings } = chooseVersions(offered, { isChosen: () => true, majors: { "m.b": 3 } });
    expect(specs.map(({ name }) => name)).toEqual(["a"]);
    expect(warnings).toMatchObject([{ code: "OPERATION_SKIPPED" }]);
  });

  test("are told of a pattern that fits nothing, once something is offered", () => {
    const warned = (catalogs: readonly ReadCatalog[]) =>
      chooseVersions(catalogs, { isChosen: () => true, majors: { "n.*": 1, "m.a": 1, "m.*": 1 } }).warnings;
    expect(warned(offered)).toMatchObject([{ message: expect.stringContaining("n.*") }]);
    expect(warned([])).toEqual([]);
  });

  test("are the same in whichever order catalogs came", () => {
    const [one, other] = [catalog("a@1.0.0"), catalog("a@1.0.0")];
    const differing = { ...other, specs: other.specs.map((spec) => ({ ...spec, description: "another" })) };
    const choose = (catalogs: ReadCatalog[]) => chooseVersions(catalogs, { isChosen: () => true, majors: {} }).specs;
    expect(choose([one, differing])).toEqual(choose([differing, one]));
  });

  test("are ordered as semantic versioning says", () => {
    const ordered = ["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1"];
    const all = [...ordered, "1.0.0", "1.0.1", "1.2.0", "1.10.0", "2.0.0"];
    expect([...all].reverse().sort(compareVersions)).toEqual(all);
    expect(compareVersions("1.0.0+a", "1.0.0+b")).toBe(0);
  });
});
