import { describe, expect, test } from "vitest";
import { thrownBy } from "../../registry/fixtures/operations.js";
import { bearerTokens, stdioIdentity } from "./bearer-tokens.js";

const tokens = { ada: { token: "tok-ada", scopes: ["read"] }, bob: { token: "tok-bob" } };

function identityFor(authorization: string | string[] | undefined, anonymous = false) {
  return bearerTokens({ tokens, anonymous })({ headers: { authorization } });
}

describe("a bearer token", () => {
  test.each(["Bearer tok-ada", "bearer tok-ada", "Bearer  tok-ada "])("tells by %j who calls", (header) => {
    expect(identityFor(header)).toEqual({ id: "ada", scopes: ["read"] });
  });

  test("may have no scopes", () => {
    expect(identityFor("Bearer tok-bob")).toEqual({ id: "bob", scopes: [] });
  });

  test.each([
    undefined,
    "",
    "Bearer",
    "Bearer tok-ad",
    "Bearer tok-ada2",
    "Basic tok-ada",
    "tok-ada",
    "Bearer tok ada",
    ["Bearer tok-ada", "Bearer tok-bob"],
  ])("is not %j", (header) => {
    expect(thrownBy(() => identityFor(header))).toMatchObject({ category: "authentication" });
  });

  test("may be left out where anybody may call, but not be wrong", () => {
    expect(identityFor(undefined, true)).toBeUndefined();
    expect(thrownBy(() => identityFor("Bearer wrong", true))).toMatchObject({ category: "authentication" });
  });
});

test("who calls over stdio is one of them, or nobody in particular", () => {
  expect(stdioIdentity({ tokens, stdio: "ada" })).toEqual({ id: "ada", scopes: ["read"] });
  expect(stdioIdentity({ tokens })).toBeUndefined();
  expect(stdioIdentity({ tokens, stdio: "toString" })).toBeUndefined();
});
