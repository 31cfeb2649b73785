import { expect, test } from "vitest";
import { OpenApiPaths } from "./openapi-paths.js";

test("paths that differ only in the names of their places are one, with the names that came first", () => {
  const paths = new OpenApiPaths();
  paths.add("/users/{id}/posts/{post}", "get", { operationId: "a" });
  const placed = paths.place({ method: "DELETE", path: "/users/{userId}/posts/{postId}" });
  expect(placed).toEqual({
    path: "/users/{id}/posts/{post}",
    method: "delete",
    places: [
      { field: "userId", name: "id" },
      { field: "postId", name: "post" },
    ],
    hasBody: false,
  });
});

test("the first of two operations on one way has it", () => {
  const paths = new OpenApiPaths();
  paths.add("/users/{id}", "get", {});
  expect(paths.place({ method: "GET", path: "/users/{other}" })).toBeUndefined();
  expect(paths.place({ method: "PUT", path: "/users/{other}" })?.hasBody).toBe(true);
});

test.each([
  ["GET", "/operations"],
  ["GET", "/openapi.json"],
  ["GET", "/healthz"],
  ["PUT", "/operations/{id}"],
  ["GET", "/twice/{a}/{a}"],
] as const)("%s %s is no way of an operation", (method, path) => {
  expect(new OpenApiPaths().place({ method, path })).toBeUndefined();
});
