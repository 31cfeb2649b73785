import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hostileValues } from "../../../testing/hostile-values.js";
import type { RequestPlan } from "../plan.js";
import { buildRequest } from "./build-request.js";
import { bodyOf, fieldOf, parameterOf, planOf } from "./fixtures/plans.js";

const plan = planOf({
  method: "POST",
  path: "/pets/{petId}",
  parameters: [
    parameterOf({ in: "path", name: "petId" }),
    parameterOf({ name: "limit" }),
    parameterOf({ name: "tags", explode: false }),
    parameterOf({ in: "header", name: "X-Request-ID", key: "requestId" }),
    parameterOf({ in: "cookie", name: "session" }),
    parameterOf({ in: "cookie", name: "theme" }),
  ],
  body: bodyOf({ fields: [fieldOf({ name: "name" })], isOpen: true }),
});

describe("a request", () => {
  test("has each field of the input in its place", () => {
    const input = {
      petId: 7,
      limit: 10,
      tags: ["a", "b"],
      requestId: "r1",
      session: "s;1",
      theme: "dark",
      name: "x",
      y: 1,
    };
    expect(buildRequest(plan, input)).toEqual({
      method: "POST",
      path: "/pets/7",
      query: "limit=10&tags=a,b",
      headers: { "x-request-id": "r1", cookie: "session=s%3B1; theme=dark", "content-type": "application/json" },
      body: '{"name":"x","y":1}',
    });
  });

  test("has nothing of what the input leaves out", () => {
    expect(buildRequest(plan, { petId: 7, limit: undefined })).toEqual({
      method: "POST",
      path: "/pets/7",
      query: "",
      headers: {},
      body: undefined,
    });
  });

  test("is built anew for each input", () => {
    expect(buildRequest(plan, { petId: 1, name: "a" })).not.toEqual(buildRequest(plan, { petId: 2 }));
    expect(buildRequest(plan, { petId: 1 }).headers).not.toBe(buildRequest(plan, { petId: 1 }).headers);
  });

  test("may have a body with any method", () => {
    for (const method of ["GET", "HEAD", "DELETE"])
      expect(buildRequest(planOf({ method, body: bodyOf({ wholeKey: "body" }) }), { body: 1 })).toMatchObject({
        method,
        body: "1",
      });
  });

  test("names its headers in lower case, whatever their names", () => {
    const parameters = ["X-A", "__proto__"].map((name) => parameterOf({ in: "header", name }));
    const { headers } = buildRequest(planOf({ parameters }), JSON.parse('{"X-A": 1, "__proto__": 2}'));
    expect(Object.entries(headers)).toEqual([
      ["x-a", "1"],
      ["__proto__", "2"],
    ]);
  });

  test("has one cookie header, also where a parameter has that name", () => {
    const parameters = [parameterOf({ in: "header", name: "Cookie" }), parameterOf({ in: "cookie", name: "a" })];
    expect(buildRequest(planOf({ parameters }), { Cookie: "b=1", a: 2 }).headers).toEqual({ cookie: "b=1; a=2" });
  });

  test("has the type of its body, whatever a parameter says", () => {
    const parameters = [parameterOf({ in: "header", name: "Content-Type" })];
    const { headers } = buildRequest(planOf({ parameters, body: bodyOf({ wholeKey: "b" }) }), {
      "Content-Type": "x",
      b: 1,
    });
    expect(headers).toEqual({ "content-type": "application/json" });
  });
});

describe("a whole query", () => {
  const whole = (mediaType?: string): RequestPlan =>
    planOf({
      parameters: [parameterOf({ in: "querystring", name: "q", ...(mediaType !== undefined && { mediaType }) })],
    });

  test.each([
    ["application/x-www-form-urlencoded", { foo: "a + b", bar: true }, "foo=a%20%2B%20b&bar=true"],
    [undefined, { foo: ["a", "b"] }, "foo=a&foo=b"],
    ["application/json", { numbers: [1, 2], flag: null }, "%7B%22numbers%22%3A%5B1%2C2%5D%2C%22flag%22%3Anull%7D"],
    ["application/jsonpath", "$.a.b[1:1]", "%24.a.b%5B1%3A1%5D"],
  ])("of the type %s is encoded as the specification does", (mediaType, q, expected) => {
    expect(buildRequest(whole(mediaType), { q }).query).toBe(expected);
  });

  test("of a form is an object", () => {
    expect(() => buildRequest(whole(), { q: "a=1" })).toThrow(expect.objectContaining({ category: "validation" }));
  });
});

describe("an input that cannot be sent", () => {
  test("has an issue for each field that is wrong", () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    const input = { limit: Number.NaN, tags: [cycle], requestId: "a\nb", theme: "\ud800", name: cycle, "x~y": cycle };
    expect(() => buildRequest(plan, input)).toThrow(
      expect.objectContaining({
        category: "validation",
        code: "VALIDATION_ERROR",
        recoverable: true,
        issues: [
          expect.objectContaining({ path: "/petId", rule: "required" }),
          expect.objectContaining({ path: "/limit", rule: "type" }),
          expect.objectContaining({ path: "/tags", rule: "readable" }),
          expect.objectContaining({ path: "/requestId", rule: "pattern" }),
          expect.objectContaining({ path: "/theme", rule: "encoding" }),
          expect.objectContaining({ path: "/name", rule: "readable" }),
          expect.objectContaining({ path: "/x~0y", rule: "readable" }),
        ],
      }),
    );
  });

  test("does not tell what its getters throw", () => {
    const input = {
      petId: 1,
      get limit(): number {
        throw new Error("secret");
      },
    };
    expect(() => buildRequest(plan, input)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("secret") }),
    );
  });

  test("is refused or sent, and nothing else, however hostile", () => {
    const plans = [
      ...(["simple", "label", "matrix"] as const).map((style) => parameterOf({ in: "path", name: "v", style })),
      ...(["form", "deepObject", "pipeDelimited"] as const).map((style) => parameterOf({ name: "v", style })),
      ...(["header", "cookie", "querystring"] as const).map((place) => parameterOf({ in: place, name: "v" })),
    ].map((parameter) => planOf({ path: parameter.in === "path" ? "/a{v}z" : "/", parameters: [parameter] }));
    const bodies = (["json", "form", "multipart", "text", "binary"] as const).flatMap((kind) => [
      planOf({ body: bodyOf({ kind, wholeKey: "v" }) }),
      planOf({ body: bodyOf({ kind, isOpen: true }) }),
    ]);
    for (const value of hostileValues()) {
      for (const each of [...plans, ...bodies]) {
        attempt(each, { v: value });
        attempt(each, value as Record<string, unknown>);
      }
    }
  });
});

test("any JSON becomes a request of printable ASCII, or is refused", () => {
  const open = planOf({
    path: "/{a}/{b}",
    parameters: [
      parameterOf({ in: "path", name: "a" }),
      parameterOf({ in: "path", name: "b", style: "matrix", explode: true }),
      parameterOf({ name: "c", style: "deepObject" }),
      parameterOf({ name: "d", allowReserved: true }),
      parameterOf({ in: "cookie", name: "e" }),
    ],
    body: bodyOf({ kind: "form", mediaType: "application/x-www-form-urlencoded", isOpen: true }),
  });
  const value = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(fc.record({ a: value, b: value, c: value, d: value, e: value, f: value }), (input) => {
      const built = attempt(open, input);
      if (built === undefined) return true;
      expect(built.path.split("/")).toHaveLength(3);
      expect(`${built.path}${built.query}${built.body ?? ""}`).not.toMatch(/[^!-~]|[#[\]]/);
      return /^[ -~]*$/.test(built.headers["cookie"] ?? "");
    }),
  );
});

function attempt(each: RequestPlan, input: Record<string, unknown>): ReturnType<typeof buildRequest> | undefined {
  try {
    return buildRequest(each, input);
  } catch (thrown) {
    expect(thrown).toMatchObject({ name: "CallError", category: "validation" });
    return undefined;
  }
}
