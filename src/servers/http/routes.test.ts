import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { computedWithin } from "../../../test/own-time.js";
import { operation } from "../../registry/fixtures/operations.js";
import type { HttpRoute } from "../../registry/operation.js";
import { Routes } from "./routes.js";

/** Operations that are named by their routes. */
function routes(declared: readonly string[], prefix = ""): Routes {
  const operations = declared.map((line) => {
    const [method, path] = line.split(" ") as [HttpRoute["method"], string];
    return { id: line, spec: operation(() => 1, { http: { method, path } }).spec };
  });
  return new Routes([...operations, { id: "none", spec: operation(() => 1).spec }], prefix);
}

function find(all: Routes, line: string): [id: string, places: object] | undefined {
  const [method = "", path = ""] = line.split(" ");
  const found = all.find(method, path);
  return found === undefined ? undefined : [found.operation.id, found.places];
}

describe("a path", () => {
  const all = routes([
    "GET /users/{id}",
    "DELETE /users/{id}",
    "GET /users/me",
    "POST /users",
    "GET /files/{name}.{ending}",
    "GET /a.b/(c)+$",
    "PUT /users/{id}/posts/{post}",
    "GET /",
  ]);

  test.each<[string, string, object]>([
    ["GET /users/7", "GET /users/{id}", { id: "7" }],
    ["DELETE /users/me", "DELETE /users/{id}", { id: "me" }],
    ["GET /users/me", "GET /users/me", {}],
    ["GET /users/mee", "GET /users/{id}", { id: "mee" }],
    ["POST /users", "POST /users", {}],
    ["GET /users/a%2Fb", "GET /users/{id}", { id: "a/b" }],
    ["GET /users/%E6%9D%B1%20", "GET /users/{id}", { id: "東 " }],
    ["GET /users/a+b", "GET /users/{id}", { id: "a+b" }],
    ["GET /users/..", "GET /users/{id}", { id: ".." }],
    ["GET /users/{id}", "GET /users/{id}", { id: "{id}" }],
    ["GET /files/a.b.txt", "GET /files/{name}.{ending}", { name: "a.b", ending: "txt" }],
    ["GET /a.b/(c)+$", "GET /a.b/(c)+$", {}],
    ["PUT /users/1/posts/2", "PUT /users/{id}/posts/{post}", { id: "1", post: "2" }],
    ["GET /", "GET /", {}],
  ])("%s leads to %s", (asked, id, places) => {
    expect(find(all, asked)).toEqual([id, places]);
  });

  test.each([
    "GET /users",
    "GET /users/",
    "GET /users//",
    "GET /users/1/",
    "GET /users/1/2",
    "GET /Users/1",
    "GET /users/%zz",
    "GET /users/%",
    "GET /users/%ff",
    "GET /aXb/(c)+$",
    "GET /a.b/c",
    "GET /x/users/1",
    "get /users/1",
    "GET ",
  ])("%s leads nowhere", (asked) => {
    expect(find(all, asked)).toBeUndefined();
  });

  test("has the methods of all operations that it leads to", () => {
    expect(all.methodsOf("/users/me")).toEqual(["GET", "DELETE"]);
    expect(all.methodsOf("/users")).toEqual(["POST"]);
    expect(all.methodsOf("/nowhere")).toEqual([]);
    // Otherwise one would be told to use the method that was used.
    expect(all.methodsOf("/users/%zz")).toEqual([]);
  });

  test("stands behind the prefix", () => {
    const behind = routes(["GET /users/{id}"], "/api/v1");
    expect(find(behind, "GET /api/v1/users/7")).toEqual(["GET /users/{id}", { id: "7" }]);
    expect(find(behind, "GET /users/7")).toBeUndefined();
    expect(find(behind, "GET /apixv1/users/7")).toBeUndefined();
  });
});

test("what is definite counts more than a place, in whatever order they were declared", () => {
  const declared = ["GET /{a}/{b}", "GET /{a}/list", "GET /users/{b}", "GET /users/list"];
  for (const order of [declared, declared.toReversed()]) {
    const all = routes(order);
    expect(find(all, "GET /users/list")?.[0]).toBe("GET /users/list");
    expect(find(all, "GET /users/1")?.[0]).toBe("GET /users/{b}");
    expect(find(all, "GET /x/list")?.[0]).toBe("GET /{a}/list");
    expect(find(all, "GET /x/1")?.[0]).toBe("GET /{a}/{b}");
  }
});

test("of two with the same route the first is the one", () => {
  const spec = operation(() => 1, { http: { method: "GET", path: "/a" } }).spec;
  const all = new Routes(
    [
      { id: "first", spec },
      { id: "second", spec },
    ],
    "",
  );
  expect(all.find("GET", "/a")?.operation.id).toBe("first");
});

test("a place may have the name of what every object has", () => {
  const all = routes(["GET /x/{__proto__}/{constructor}"]);
  const places = all.find("GET", "/x/1/2")?.places ?? {};
  expect(Object.entries(places)).toEqual([
    ["__proto__", "1"],
    ["constructor", "2"],
  ]);
});

test("a long path does not take long, however many places there are", () => {
  const all = routes(["GET /{a}.{b}.{c}/end", "GET /{a}{b}{c}{d}/end"]);
  expect(computedWithin(500, () => find(all, `GET /${".".repeat(16_000)}`))).toBeUndefined();
});

test("places in one step are found as a regular expression finds them", () => {
  const letter = fc.constantFrom("a", "b", ".", "-");
  const text = fc.string({ unit: letter, maxLength: 3 });
  const template = fc.array(text, { minLength: 2, maxLength: 4 });
  fc.assert(
    fc.property(template, fc.string({ unit: letter, maxLength: 12 }), (texts, given) => {
      const path = texts.reduce((before, next, at) => `${before}{p${at}}${next}`);
      const pattern = texts.map((part) => part.replaceAll(".", "\\.")).join("([^/]+)");
      const found = new RegExp(`^/${pattern}$`).exec(`/${given}`);
      const places = find(routes([`GET /${path}`]), `GET /${given}`)?.[1];
      expect(places === undefined ? undefined : Object.values(places)).toEqual(found?.slice(1));
    }),
    { numRuns: 500 },
  );
});
