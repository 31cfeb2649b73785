import { describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { unwrap } from "../envelope/response-envelope.js";
import type { AccessControl, Identity } from "./access.js";
import type { CallOptions } from "./call-options.js";
import { failureOf, operation, registryOf } from "./fixtures/operations.js";

const NONE = undefined;
const scoped = (...scopes: string[]): Identity => ({ id: "ada", scopes });
const owner = (resources: Identity["resources"]): Identity => ({
  id: "ada",
  scopes: [],
  ...(resources && { resources }),
});

const ALL: AccessControl = { requiredScopes: ["read", "write"] };
const ANY: AccessControl = { requiredScopesAny: ["read", "admin"] };
const DOC: AccessControl = { resourceType: "doc", resourceAction: "edit", resourceIdField: "id" };
const SOME_DOC: AccessControl = { resourceType: "doc", resourceAction: "edit" };

type Verdict = "allowed" | "authentication" | "authorization";
type Row = readonly [what: string, access: AccessControl, identity: Identity | undefined, input: unknown, Verdict];

// biome-ignore format: a table is read by its columns
const TABLE: readonly Row[] = [
  ["asks for nothing",                    {},                                        NONE,                                    {},             "allowed"],
  ["asks for no scope",                   { requiredScopes: [] },                    NONE,                                    {},             "allowed"],
  ["all scopes: stranger",                ALL,                                       NONE,                                    {},             "authentication"],
  ["all scopes: has none",                ALL,                                       scoped(),                                {},             "authorization"],
  ["all scopes: has one",                 ALL,                                       scoped("read"),                          {},             "authorization"],
  ["all scopes: has them",                ALL,                                       scoped("write", "read", "x"),            {},             "allowed"],
  ["all scopes: other case",              ALL,                                       scoped("READ", "WRITE"),                 {},             "authorization"],
  ["all scopes: a longer name",           ALL,                                       scoped("read", "writer"),                {},             "authorization"],
  ["all scopes: a star is no scope",      ALL,                                       scoped("*"),                             {},             "authorization"],
  ["any scope: stranger",                 ANY,                                       NONE,                                    {},             "authentication"],
  ["any scope: has another",              ANY,                                       scoped("write"),                         {},             "authorization"],
  ["any scope: has one",                  ANY,                                       scoped("admin"),                         {},             "allowed"],
  ["both: has all but none of the any",   { ...ALL, requiredScopesAny: ["x"] },      scoped("read", "write"),                 {},             "authorization"],
  ["both: has both",                      { ...ALL, requiredScopesAny: ["x"] },      scoped("read", "write", "x"),            {},             "allowed"],
  ["resource: stranger",                  DOC,                                       NONE,                                    { id: "1" },    "authentication"],
  ["resource: has none",                  DOC,                                       owner(undefined),                        { id: "1" },    "authorization"],
  ["resource: has the action",            DOC,                                       owner({ "doc:1": ["view", "edit"] }),    { id: "1" },    "allowed"],
  ["resource: has another action",        DOC,                                       owner({ "doc:1": ["view"] }),            { id: "1" },    "authorization"],
  ["resource: has another id",            DOC,                                       owner({ "doc:2": ["edit"] }),            { id: "1" },    "authorization"],
  ["resource: has another type",          DOC,                                       owner({ "file:1": ["edit"] }),           { id: "1" },    "authorization"],
  ["resource: the id begins alike",       DOC,                                       owner({ "doc:1": ["edit"] }),            { id: "11" },   "authorization"],
  ["resource: all of the type",           DOC,                                       owner({ "doc:*": ["edit"] }),            { id: "1" },    "allowed"],
  ["resource: all of the type, not this", DOC,                                       owner({ "doc:*": ["view"] }),            { id: "1" },    "authorization"],
  ["resource: asks for the star",         DOC,                                       owner({ "doc:1": ["edit"] }),            { id: "*" },    "authorization"],
  ["resource: a number as id",            DOC,                                       owner({ "doc:0": ["edit"] }),            { id: 0 },      "allowed"],
  ["resource: no id",                     DOC,                                       owner({ "doc:1": ["edit"] }),            {},             "authorization"],
  ["resource: no id, all of the type",    DOC,                                       owner({ "doc:*": ["edit"] }),            {},             "authorization"],
  ["resource: an id that is a list",      DOC,                                       owner({ "doc:1": ["edit"] }),            { id: ["1"] },  "authorization"],
  ["resource: an id that is null",        DOC,                                       owner({ "doc:null": ["edit"] }),         { id: null },   "authorization"],
  ["resource: an input that is none",     DOC,                                       owner({ "doc:1": ["edit"] }),            "1",            "authorization"],
  ["resource: an inherited id",           DOC,                                       owner({ "doc:1": ["edit"] }),            Object.create({ id: "1" }), "authorization"],
  ["resource: a name of Object",          { ...DOC, resourceType: "constructor" },   owner({}),                               { id: "1" },    "authorization"],
  ["some resource: has one",              SOME_DOC,                                  owner({ "doc:7": ["edit"] }),            {},             "allowed"],
  ["some resource: has none of the type", SOME_DOC,                                  owner({ "docs:7": ["edit"] }),           {},             "authorization"],
  ["some resource: has another action",   SOME_DOC,                                  owner({ "doc:7": ["view"] }),            {},             "authorization"],
  ["scope and resource: only the scope",  { ...DOC, requiredScopes: ["read"] },      scoped("read"),                          { id: "1" },    "authorization"],
  ["scope and resource: only the latter", { ...DOC, requiredScopes: ["read"] },      owner({ "doc:1": ["edit"] }),            { id: "1" },    "authorization"],
];

describe("access control", () => {
  test.each(TABLE)("%s", async (_, accessControl, identity, input, verdict) => {
    const handler = vi.fn(() => "ran");
    const registry = registryOf(handler, { accessControl });
    const call = registry.execute("test.run", input, identity === undefined ? {} : { identity });
    if (verdict === "allowed") {
      expect(unwrap(await call)).toBe("ran");
      return;
    }
    expect(await failureOf(call)).toMatchObject({ code: "ACCESS_DENIED", category: verdict, recoverable: false });
    expect(handler).not.toHaveBeenCalled();
  });

  test("asks nothing of anyone where there is none", async () => {
    expect(unwrap(await registryOf(() => 1).execute("test.run"))).toBe(1);
  });

  test.each([
    ["null", null],
    ["without scopes", { id: "ada" }],
    ["whose scopes are one text, of which a scope is a part", { id: "ada", scopes: "readwrite" }],
    ["whose scopes are an object", { id: "ada", scopes: { read: true, write: true } }],
  ])("denies an identity %s, which no one has checked", async (_, identity) => {
    const registry = registryOf(() => 1, { accessControl: ALL });
    const options = { identity } as unknown as CallOptions;
    expect(await failureOf(registry.execute("test.run", {}, options))).toMatchObject({ code: "ACCESS_DENIED" });
  });

  test.each([
    ["null", null],
    ["with a text in place of the actions", { "doc:1": "editor" }],
    ["with a number in place of the actions", { "doc:1": 5 }],
  ])("denies an identity whose resources are %s", async (_, resources) => {
    const registry = registryOf(() => 1, { accessControl: DOC });
    const options = { identity: { id: "ada", scopes: [], resources } } as unknown as CallOptions;
    expect(await failureOf(registry.execute("test.run", { id: "1" }, options))).toMatchObject({
      code: "ACCESS_DENIED",
    });
  });

  test("is about the id that the handler gets, not about the one from which a schema makes it", async () => {
    const inputSchema = z.object({ id: z.string().overwrite((id) => id.trim()) });
    const registry = registryOf(() => 1, { accessControl: DOC, inputSchema });
    const identity = owner({ "doc:1 ": ["edit"] });
    expect(await failureOf(registry.execute("test.run", { id: "1 " }, { identity }))).toMatchObject({
      code: "ACCESS_DENIED",
    });
  });

  test("is asked for by attempt too", async () => {
    const outcome = await registryOf(() => 1, { accessControl: ALL }).attempt("test.run");
    expect(outcome).toMatchObject({ ok: false, error: { code: "ACCESS_DENIED", category: "authentication" } });
  });
});

describe("trust", () => {
  const inner = operation((_, { identity, parentRequestId }) => ({ identity, parentRequestId }), {
    name: "inner",
    accessControl: ALL,
  });

  test("is given to a nested call, which carries identity and parentRequestId", async () => {
    const registry = registryOf((_, { env }) => env["test"]?.["inner"]?.()).register(inner);
    const identity = scoped();
    const { data } = await registry.execute("test.run", {}, { identity, requestId: "r1" });
    expect(data).toEqual({ identity, parentRequestId: "r1" });
  });

  test("is given to a nested call of a caller without an identity", async () => {
    const registry = registryOf((_, { env }) => env["test"]?.["inner"]?.()).register(inner);
    const { data } = await registry.execute("test.run");
    expect(data).toMatchObject({ identity: undefined, parentRequestId: expect.stringMatching(/^req_/) });
  });

  test("does not keep a nested call from being checked otherwise", async () => {
    const strict = operation(() => 1, { name: "strict", inputSchema: { type: "integer" } });
    const registry = registryOf((_, { env }) => env["test"]?.["strict"]?.("x")).register(strict);
    expect(await failureOf(registry.execute("test.run"))).toMatchObject({ code: "VALIDATION_ERROR" });
  });

  test.each([
    { isTrusted: true },
    { trusted: true },
    { metadata: { isTrusted: true, trusted: true, scopes: ["read", "write"], identity: scoped("read", "write") } },
    { parentRequestId: "r0", requestId: "r1" },
    { context: { identity: scoped("read", "write") } },
    { env: {} },
  ])("cannot be had by saying %j", async (options) => {
    const registry = registryOf(() => 1, { accessControl: ALL });
    for (const input of [{}, options]) {
      expect(await failureOf(registry.execute("test.run", input, options as CallOptions))).toMatchObject({
        code: "ACCESS_DENIED",
        category: "authentication",
      });
    }
  });

  test("does not let a nested call take another identity than its caller's", async () => {
    const other = { identity: { id: "root", scopes: ["all"] } } as CallOptions;
    const registry = registryOf((_, { env }) => env["test"]?.["inner"]?.({}, other)).register(inner);
    expect((await registry.execute("test.run", {}, { identity: scoped() })).data).toMatchObject({
      identity: { id: "ada" },
    });
    expect((await registry.execute("test.run")).data).toMatchObject({ identity: undefined });
  });
});
