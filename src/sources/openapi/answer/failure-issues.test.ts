import { describe, expect, test } from "vitest";
import { issuesFrom } from "./failure-issues.js";

describe("issuesFrom", () => {
  test.each<[string, unknown, unknown]>([
    ["a pointer", { errors: [{ pointer: "#/a~1b/0", detail: "no" }] }, [{ path: "/a~1b/0", message: "no" }]],
    ["the whole", { errors: [{ pointer: "", detail: "no" }] }, [{ path: "", message: "no" }]],
    ["a path with dots", { errors: [{ field: "a.b.0.c", message: "no" }] }, [{ path: "/a/b/0/c", message: "no" }]],
    [
      "a path with brackets",
      { errors: [{ field: "a[0]['b/c']", message: "no" }] },
      [{ path: "/a/0/b~1c", message: "no" }],
    ],
    [
      "express-validator",
      { errors: [{ type: "field", msg: "Invalid value", path: "email", location: "body" }] },
      [{ path: "/email", message: "Invalid value" }],
    ],
    [
      "ajv",
      { errors: [{ instancePath: "/age", keyword: "type", message: "must be integer", params: {} }] },
      [{ path: "/age", message: "must be integer", rule: "type" }],
    ],
    [
      "Symfony",
      { title: "An error occurred", violations: [{ propertyPath: "user.email", message: "This is no email." }] },
      [{ path: "/user/email", message: "This is no email." }],
    ],
    [
      "messages that are objects",
      { errors: { email: { message: "is taken", kind: "unique" } } },
      [{ path: "/email", message: "is taken" }],
    ],
    ["one message a field", { errors: { email: "is taken" } }, [{ path: "/email", message: "is taken" }]],
    ["Rails' base", { errors: { base: ["is locked"] } }, [{ path: "", message: "is locked" }]],
    [
      "FastAPI's whole body",
      { detail: [{ loc: ["body"], msg: "JSON decode error", type: "json_invalid" }] },
      [{ path: "", message: "JSON decode error", rule: "json_invalid" }],
    ],
    [
      "OpenAI",
      { error: { message: "too long", param: "messages.0.content" } },
      [{ path: "/messages/0/content", message: "too long" }],
    ],
  ])("reads %s", (_, body, issues) => {
    expect(issuesFrom(body, 422)).toEqual(issues);
  });

  test.each<[string, unknown]>([
    ["words", { errors: ["Name can't be blank"] }],
    ["errors about no field", { errors: [{ message: "The server is tired" }] }],
    ["a sentence for a path", { errors: [{ path: "somewhere in there", message: "no" }] }],
    ["a field without a message", { errors: [{ field: "a" }] }],
    ["the name of an exception", { errors: [{ name: "TypeError", message: "x is undefined" }] }],
    ["an error of GraphQL", { errors: [{ message: "no", path: ["user"], locations: [] }] }],
    ["steps that are none", { issues: [{ path: [{}], message: "no" }] }],
    ["a plain message", { message: "no", detail: "no" }],
    ["no object", [["a"]]],
    ["nothing", null],
  ])("finds none in %s", (_, body) => {
    expect(issuesFrom(body, 422)).toBeUndefined();
  });

  test("takes bare lists of messages for fields only where the status says that the input is wrong", () => {
    expect(issuesFrom({ name: ["is short"] }, 400)).toHaveLength(1);
    expect(issuesFrom({ name: ["is short"] }, 500)).toBeUndefined();
    expect(issuesFrom({ name: ["is short"], request_id: "7" }, 400)).toBeUndefined();
  });

  test("keeps fields of the prototype's names apart", () => {
    const body = JSON.parse('{"errors":{"__proto__":["no"],"constructor":["no"]}}');
    expect(issuesFrom(body, 400)?.map(({ path }) => path)).toEqual(["/__proto__", "/constructor"]);
  });

  test("is bounded in number and depth", () => {
    const many = { errors: Array.from({ length: 5000 }, () => ({ field: "a", message: "no" })) };
    expect(issuesFrom(many, 400)).toHaveLength(100);
    let deep: unknown = ["no"];
    for (let depth = 0; depth < 5000; depth++) deep = { a: deep };
    expect(issuesFrom({ errors: deep }, 400)).toBeUndefined();
  });
});
