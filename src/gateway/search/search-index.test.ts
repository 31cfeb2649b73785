import { describe, expect, test } from "vitest";
import { computedWithin } from "../../../test/own-time.js";
import { specOf } from "../../registry/fixtures/operations.js";
import { SearchIndex } from "./search-index.js";

const SPECS = [
  specOf({ namespace: "github", name: "create_issue", description: "Creates an issue in a repository." }),
  specOf({ namespace: "github", name: "list_issues", description: "Lists issues of a repository, newest first." }),
  specOf({ namespace: "github", name: "get_user", description: "Tells about a user who creates issues." }),
  specOf({ namespace: "files", name: "readFile", description: "The contents of a file.", tags: ["storage"] }),
  specOf({ namespace: "files", name: "remove", title: "Delete a file", description: "" }),
];
const index = new SearchIndex(SPECS);

function found(query: string): string[] {
  return index.find(query).map(({ namespace, name }) => `${namespace}.${name}`);
}

describe("a search", () => {
  test("puts names before descriptions, and more words before fewer", () => {
    expect(found("create issue")).toEqual(["github.create_issue", "github.get_user", "github.list_issues"]);
  });

  test.each([
    ["delete", "files.remove"],
    ["storage", "files.readFile"],
    ["ISSUES of a REPOSITORY list", "github.list_issues"],
    ["repo issue create", "github.create_issue"],
    ["read file", "files.readFile"],
  ])("finds by %j first %s", (query, first) => {
    expect(found(query)[0]).toBe(first);
  });

  test("understands a word with a slip in it", () => {
    expect(found("delte")[0]).toBe("files.remove");
  });

  test.each(["", "  ", "quantum", "…"])("finds nothing by %j", (query) => {
    expect(found(query)).toEqual([]);
  });

  test("finds nothing where there is nothing", () => {
    expect(new SearchIndex([]).find("issue")).toEqual([]);
  });

  test("takes no longer for a whole book than for a few words of it", () => {
    const many = Array.from({ length: 500 }, (_, at) => specOf({ name: `word${at}`, description: "" }));
    const book = Array.from({ length: 20_000 }, (_, at) => `term${at}`).join(" ");
    computedWithin(1_000, () => new SearchIndex(many).find(book));
  });

  test("is quick among thousands", () => {
    const many = Array.from({ length: 5_000 }, (_, at) =>
      specOf({ name: `op${at}`, description: `Does thing ${at}.` }),
    );
    const large = new SearchIndex(many);
    computedWithin(4_000, () => {
      for (let at = 0; at < 20; at++) large.find(`thing ${at} op`);
    });
  });
});
