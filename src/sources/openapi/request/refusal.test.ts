import { expect, test } from "vitest";
import { invalidRequest, issueFrom, missing, Refusal } from "./refusal.js";

test("a refusal is told of its place", () => {
  expect(issueFrom(new Refusal("type", "must be a text", ["b/c", 0]), ["a"])).toEqual({
    path: "/a/b~1c/0",
    message: "must be a text",
    rule: "type",
  });
  expect(issueFrom(missing(), [])).toMatchObject({ path: "", rule: "required" });
});

test("what a stranger throws is not repeated", () => {
  const issue = issueFrom(new Error("secret"), ["a"]);
  expect(issue).toMatchObject({ path: "/a", rule: "readable" });
  expect(issue.message).not.toContain("secret");
});

test("a request is refused with one issue a field", () => {
  const issues = [
    issueFrom(missing(), ["a"]),
    issueFrom(new Refusal("type", "is wrong"), ["a"]),
    issueFrom(missing(), ["b"]),
  ];
  const error = invalidRequest(issues);
  expect(error).toMatchObject({ category: "validation", code: "VALIDATION_ERROR", recoverable: true });
  expect(error.issues).toEqual([issues[0], issues[2]]);
});
