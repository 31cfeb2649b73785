import { describe, expect, test } from "vitest";
import { variable } from "./schema-words.js";
import { createVariables, variableName } from "./variables.js";

const env = { TOKEN: "s3cr3t-99", EMPTY: "", HOME: "/home/ada", PORT: "4100", LEVEL: "debug", API_KEY: "key" };
const filler = (hasEscapes = true) => createVariables({ env, folder: "/project", hasEscapes });

describe("variables", () => {
  test.each([
    [`Bearer ${variable("TOKEN")}`, "Bearer s3cr3t-99"],
    [variable("env:TOKEN"), "s3cr3t-99"],
    [variable("EMPTY"), ""],
    [variable("EMPTY:-other"), "other"],
    [variable("NOBODY:-"), ""],
    [variable("NOBODY:-a:-b $x"), "a:-b $x"],
    [`${variable("TOKEN")}${variable("PORT")}`, "s3cr3t-994100"],
    ["$HOME and $ and 5$", "$HOME and $ and 5$"],
    [`$${variable("TOKEN")}`, variable("TOKEN")],
    ["$$$$", "$$"],
    [`${variable("workspaceFolder")}/x`, "/project/x"],
    [variable("workspaceFolderBasename"), "project"],
    [variable("userHome"), "/home/ada"],
  ])("%s becomes %s", (text, filled) => {
    const variables = filler();
    expect(variables.fill(text, "")).toBe(filled);
    expect(variables.issues).toEqual([]);
  });

  test.each([variable("NOBODY"), variable("input:key"), variable("not a name"), variable(""), "$" + "{open"])(
    "%s is a fault at its place",
    (text) => {
      const variables = filler();
      variables.fill({ a: [text] }, "/sources/x");
      expect(variables.issues.map(({ path, rule }) => ({ path, rule }))).toEqual([
        { path: "/sources/x/a/0", rule: /NOBODY|input:/.test(text) ? "unset" : "variable" },
      ]);
    },
  );

  test("stand in texts of any depth, but not in names, and leave alone what has none", () => {
    const plain = { a: [1, { b: "c" }] };
    expect(filler().fill(plain, "")).toBe(plain);
    const given = { [variable("TOKEN")]: [variable("PORT"), { deep: variable("PORT") }] };
    expect(filler().fill(given, "")).toEqual({ [variable("TOKEN")]: ["4100", { deep: "4100" }] });
  });

  test("in files of other programs two dollars stay two", () => {
    expect(filler(false).fill("a$$b", "")).toBe("a$$b");
  });

  test("keep in mind which of their values are secrets", () => {
    const variables = filler();
    variables.fill(["TOKEN", "HOME", "PORT", "LEVEL", "API_KEY", "EMPTY"].map(variable), "");
    expect([...variables.secrets]).toEqual(["s3cr3t-99"]);
  });
});

test.each([
  [["github", "token"], "GITHUB_TOKEN"],
  [["my-server", "apiKey"], "MY_SERVER_API_KEY"],
  [["1st"], "VALUE_1ST"],
])("the variable for %j is %s", (words, name) => {
  expect(variableName(...words)).toBe(name);
});
