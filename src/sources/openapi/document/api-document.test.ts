import { describe, expect, test } from "vitest";
import { documentOf } from "./fixtures/documents.js";

const at = (reference: string, base: string): { value: unknown; base: string } => ({
  value: { $ref: reference },
  base,
});

describe("a reference", () => {
  const document = documentOf({
    openapi: "3.1.0",
    "a/b": { "c~d": [{ found: 1 }] },
    "with space": { é: 2 },
    chain: { $ref: "#/chain2" },
    chain2: { $ref: "#/end" },
    end: { inner: { deep: 3 } },
    circle: { $ref: "#/circle2" },
    circle2: { $ref: "#/circle" },
    self: { $ref: "#/self" },
    falsy: { zero: 0, no: false, empty: "", nothing: null },
  });
  const resolve = (reference: string): unknown => document.resolve(at(reference, document.address))?.value;

  test.each([
    ["#/a~1b/c~0d/0/found", 1],
    ["#/a~1b/c~0d/0", { found: 1 }],
    ["#/with%20space/%C3%A9", 2],
    ["#/a%7E1b/c~0d/0/found", 1],
    ["#/chain", { inner: { deep: 3 } }],
    ["#/chain/inner/deep", 3],
    ["#/falsy/zero", 0],
    ["#/falsy/no", false],
    ["#/falsy/empty", ""],
    ["#/falsy/nothing", null],
  ])("%s is found", (reference, value) => {
    expect(resolve(reference)).toEqual(value);
  });

  test.each([
    ["#/nowhere"],
    ["#/end/inner/deep/deeper"],
    ["#/circle"],
    ["#/self"],
    ["#/self/x"],
    ["#anchor"],
    ["#/toString"],
    ["#/__proto__/toString"],
    ["other.json"],
    ["http://[broken"],
    ["#/%zz"],
  ])("%s leads nowhere", (reference) => {
    expect(resolve(reference)).toBeUndefined();
  });

  test("a value that is none is itself", () => {
    expect(document.resolve({ value: 5, base: "x" })).toEqual({ value: 5, base: "x" });
    expect(document.resolve({ value: { $ref: { type: "string" } }, base: "x" })?.value).toEqual({
      $ref: { type: "string" },
    });
  });

  test("leads to other documents, and from there on", () => {
    const files = documentOf(
      { openapi: "3.1.0", here: 1 },
      {
        "pet.json": { type: "object", owner: { $ref: "people/owner.json#/it" } },
        "people/owner.json": { it: { name: { $ref: "../openapi.json#/here" } } },
      },
    );
    const pet = files.resolve(at("pet.json", files.address));
    expect(pet?.base).toBe("https://api.test/docs/pet.json");
    expect(files.resolve(at("./pet.json#/owner/name", files.address))?.value).toBe(1);
    expect(files.resolve(at("gone.json", files.address))).toBeUndefined();
  });

  test("of a chain that is longer than any real one leads nowhere", () => {
    const links = Array.from({ length: 200 }, (_, index) => [`l${index}`, { $ref: `#/l${index + 1}` }]);
    const long = documentOf({ openapi: "3.1.0", ...Object.fromEntries(links), l200: 1 });
    expect(long.resolve(at("#/l0", long.address))).toBeUndefined();
    expect(long.resolve(at("#/l190", long.address))?.value).toBe(1);
  });
});

describe("the security schemes of a document", () => {
  test("of 3.x", () => {
    const securitySchemes = {
      token: { type: "http", scheme: "Bearer", bearerFormat: "JWT" },
      login: { type: "http", scheme: "basic" },
      digest: { type: "http", scheme: "digest" },
      key: { $ref: "#/components/securitySchemes/realKey" },
      realKey: { type: "apiKey", in: "cookie", name: "session" },
      machine: {
        type: "oauth2",
        flows: {
          clientCredentials: { tokenUrl: "/token", scopes: { read: "", write: "" } },
          implicit: { authorizationUrl: "/auth", scopes: { admin: "" } },
        },
      },
      people: {
        type: "oauth2",
        flows: { implicit: { scopes: { a: "" } }, authorizationCode: { scopes: { a: "", b: "" } } },
      },
      open: { type: "openIdConnect", openIdConnectUrl: "https://api.test/id" },
      broken: { type: "apiKey", in: "body", name: "x" },
      nothing: null,
      lost: { $ref: "#/nowhere" },
      __proto__x: { type: "http", scheme: "basic" },
    };
    expect(documentOf({ openapi: "3.1.0", components: { securitySchemes } }).securitySchemes()).toEqual({
      token: { type: "bearer" },
      login: { type: "basic" },
      digest: { type: "other", name: "http digest" },
      key: { type: "apiKey", in: "cookie", name: "session" },
      realKey: { type: "apiKey", in: "cookie", name: "session" },
      machine: { type: "oauth2", tokenUrl: "/token", scopes: ["read", "write"] },
      people: { type: "oauth2", scopes: ["a", "b"] },
      open: { type: "other", name: "openIdConnect" },
      __proto__x: { type: "basic" },
    });
  });

  test("of 2.0", () => {
    const securityDefinitions = {
      login: { type: "basic" },
      key: { type: "apiKey", in: "query", name: "api_key" },
      machine: { type: "oauth2", flow: "application", tokenUrl: "https://api.test/token", scopes: { read: "" } },
      people: { type: "oauth2", flow: "accessCode", tokenUrl: "https://api.test/token", scopes: {} },
    };
    expect(documentOf({ swagger: "2.0", securityDefinitions }).securitySchemes()).toEqual({
      login: { type: "basic" },
      key: { type: "apiKey", in: "query", name: "api_key" },
      machine: { type: "oauth2", tokenUrl: "https://api.test/token", scopes: ["read"] },
      people: { type: "oauth2", scopes: [] },
    });
  });

  test("are none where there is nothing of the kind", () => {
    for (const components of [undefined, null, 5, { securitySchemes: "x" }])
      expect(documentOf({ openapi: "3.0.0", components }).securitySchemes()).toEqual({});
  });
});
