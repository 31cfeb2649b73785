import { describe, expect, test } from "vitest";
import { linksIn, targetOf } from "./link-header.js";

describe("linksIn", () => {
  test("reads the links of GitHub", () => {
    const header =
      '<https://api.github.com/repositories/1/issues?page=2>; rel="next", <https://api.github.com/repositories/1/issues?page=9>; rel="last"';
    const links = linksIn(header);
    expect(targetOf(links, "next")).toBe("https://api.github.com/repositories/1/issues?page=2");
    expect(targetOf(links, "last")).toBe("https://api.github.com/repositories/1/issues?page=9");
    expect(targetOf(links, "prev")).toBeUndefined();
  });

  test.each([
    ["several relations", '</a>; rel="prev  NEXT"', "/a"],
    ["no quotes", "</a>; rel=next", "/a"],
    ["no spaces", '</a>;rel="next",</b>;rel="last"', "/a"],
    ["other parameters before", '</a>; title="a; rel=\\"prev\\", <b>"; rel="next"', "/a"],
    ["commas and semicolons in the address", '</a?x=1,2;3>; rel="next"', "/a?x=1,2;3"],
    ["a parameter without a value", '</a>; crossorigin; rel="next"', "/a"],
    ["another case", '</a>; REL="Next"', "/a"],
    ["a second rel, which does not count", '</b>; rel="last"; rel="next", </a>; rel="next"', "/a"],
    ["spaces around the equals sign", '</a> ; rel = "next"', "/a"],
    ["garbage before", 'garbage, </a>; rel="next"', "/a"],
  ])("reads a header with %s", (_, header, next) => {
    expect(targetOf(linksIn(header), "next")).toBe(next);
  });

  test.each([undefined, "", "<", "<a", "a>", '"', ";;;,,,", "<>".repeat(5000), '<a>; rel="'])(
    "survives %j",
    (header) => {
      expect(targetOf(linksIn(header), "next")).toBeUndefined();
    },
  );
});
