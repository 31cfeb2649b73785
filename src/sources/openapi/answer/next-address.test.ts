import { describe, expect, test } from "vitest";
import { cursorFromAddress } from "./next-address.js";

describe("cursorFromAddress", () => {
  test.each([
    ["the page that is new", "https://api.example.com/a?per_page=30&page=2", "", "2"],
    ["the page that changed", "/a?q=x&page=3", "q=x&page=2", "3"],
    ["the cursor before the page", "/a?page=2&cursor=abc%3D", "", "abc="],
    ["GitHub's after", "/a?per_page=1&after=Y3Vyc29y", "per_page=1", "Y3Vyc29y"],
    ["GitHub's since", "/users?since=135", "since=46", "135"],
    ["the offset", "/a?offset=40&limit=20", "offset=20&limit=20", "40"],
    ["JSON:API's page number", "/a?page%5Bnumber%5D=4&page%5Bsize%5D=10", "page[number]=3&page[size]=10", "4"],
    ["OData's token", "https://graph.example.com/users?$skiptoken=X%27", "", "X'"],
    ["names in another case", "/a?PageToken=t", "", "t"],
    ["what stands before a fragment", "/a?page=2#page=9", "", "2"],
  ])("finds %s", (_, address, query, cursor) => {
    expect(cursorFromAddress(address, query)).toBe(cursor);
  });

  test.each([
    ["has no query", "https://api.example.com/pages/2", ""],
    ["has only parameters that mean other things", "/a?sort=name", ""],
    ["has the page that was asked for", "/a?page=2&x=1", "page=2"],
    ["has an empty page", "/a?page=", ""],
    ["has a name of the prototype", "/a?__proto__=1&constructor=2", ""],
    ["is no address", "%%%", "%%%=%"],
  ])("gives the address itself where it %s", (_, address, query) => {
    expect(cursorFromAddress(address, query)).toBe(address);
  });
});
