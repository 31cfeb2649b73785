import { describe, expect, test } from "vitest";
import { CallError } from "../../envelope/call-error.js";
import type { Identity } from "../../registry/access.js";
import { operation } from "../../registry/fixtures/operations.js";
import { namedHeaders, SERVERS } from "./fixtures/served.js";
import type { RequestHead } from "./options.js";

const OPEN = operation((_, { identity }) => ({ caller: identity?.id ?? "nobody" }), { name: "open" });
const SECRET = operation(() => "told", {
  name: "secret",
  accessControl: { requiredScopes: ["secrets"] },
  http: { method: "GET", path: "/secret" },
});
const OWN = operation((_, { identity }) => identity, {
  name: "own",
  inputSchema: { type: "object", properties: { id: { type: "string" } } },
  accessControl: { resourceType: "row", resourceAction: "read", resourceIdField: "id" },
  http: { method: "GET", path: "/rows/{id}" },
});
const TICKS = operation(
  async function* () {
    yield 1;
  },
  { name: "ticks", type: "subscription", accessControl: { requiredScopes: ["secrets"] } },
);
const ALL = [OPEN, SECRET, OWN, TICKS];

const IDENTITIES: Readonly<Record<string, Identity>> = {
  "Bearer ada": { id: "ada", scopes: ["secrets"], resources: { "row:1": ["read"] } },
  "Bearer bob": { id: "bob", scopes: [] },
};

function authorize({ headers }: RequestHead): Identity | undefined {
  const { authorization } = headers;
  if (authorization === "Bearer bad")
    throw new CallError({ category: "authentication", message: "This token is none." });
  if (authorization === "Bearer banned") throw new CallError({ category: "authorization", message: "Not you." });
  if (authorization === "Bearer busy")
    throw new CallError({ category: "rate_limit", message: "Not now.", retryAfterMs: 1500 });
  return typeof authorization === "string" ? IDENTITIES[authorization] : undefined;
}

const as = (who: string): { authorization: string } => ({ authorization: `Bearer ${who}` });

describe.each(SERVERS)("who calls, by %s", (_, serve) => {
  test("is known to the operation", async () => {
    const { call } = await serve(ALL, { authorize });
    expect((await call("test.open", {}, as("ada"))).body).toMatchObject({ data: { caller: "ada" } });
    expect((await call("test.open", {})).body).toMatchObject({ data: { caller: "nobody" } });
  });

  test.each([
    ["POST", "/operations/test.secret", "ada", 200],
    ["POST", "/operations/test.secret", "bob", 403],
    ["POST", "/operations/test.secret", "", 401],
    ["GET", "/secret", "ada", 200],
    ["GET", "/secret", "bob", 403],
    ["GET", "/secret", "", 401],
    ["GET", "/rows/1", "ada", 200],
    ["GET", "/rows/2", "ada", 403],
    ["GET", "/rows/1", "bob", 403],
    ["POST", "/operations/test.ticks", "ada", 200],
    ["POST", "/operations/test.ticks", "bob", 403],
    ["POST", "/operations/test.ticks", "", 401],
    ["POST", "/operations/test.open", "bad", 401],
    ["POST", "/operations/test.open", "banned", 403],
    ["GET", "/operations", "bad", 401],
    ["GET", "/openapi.json", "banned", 403],
    ["GET", "/operations/test.open", "busy", 429],
    ["GET", "/nowhere", "bad", 401],
    ["GET", "/healthz", "bad", 200],
  ])("may %s %s as %j with the answer %d", async (method, path, who, status) => {
    const { send } = await serve(ALL, { authorize });
    const answer = await send(method, path, undefined, who === "" ? {} : as(who));
    expect(answer.status).toBe(status);
    expect(answer.headers.get("www-authenticate")).toBe(status === 401 ? "Bearer" : null);
    expect(answer.headers.get("retry-after")).toBe(status === 429 ? "2" : null);
  });

  test.each(["", "bob"])("sees nothing of what it may not call, as %j", async (who) => {
    const { get, call } = await serve(ALL, { authorize });
    const headers = who === "" ? {} : as(who);
    for (const path of ["/operations", "/openapi.json"]) {
      const { text } = await get(path, headers);
      expect(text).toContain("test.open");
      expect(text).not.toContain("secret");
      expect(text).not.toContain("ticks");
    }
    for (const id of ["secret", "ticks"]) {
      const shown = await get(`/operations/test.${id}`, headers);
      expect(shown.status).toBe(404);
      expect(shown.body).toEqual({
        ...((await get("/operations/test.xxxxxxxxx", headers)).body as object),
        data: expect.anything(),
        error: expect.anything(),
        meta: expect.anything(),
      });
    }
    expect((await call("test.secrex", {}, headers)).text).not.toContain("test.secret");
    expect((await call("test.secrex", {}, as("ada"))).text).toContain("test.secret");
  });

  test("sees all that it may call", async () => {
    const { get } = await serve(ALL, { authorize });
    for (const path of ["/operations", "/openapi.json"])
      for (const id of ["open", "secret", "own", "ticks"])
        expect((await get(path, as("ada"))).text).toContain(`test.${id}`);
    expect((await get("/operations/test.secret", as("ada"))).status).toBe(200);
    // What one was shown is not shown to the next.
    expect((await get("/openapi.json", as("bob"))).text).not.toContain("secret");
    expect((await get("/openapi.json", as("ada"))).text).toContain("secret");
  });

  test("is asked with all that is known before the body", async () => {
    const heads: RequestHead[] = [];
    const { send } = await serve(ALL, {
      authorize: async (head) => {
        heads.push({ method: head.method, url: head.url, headers: { ...head.headers } });
        return undefined;
      },
    });
    await send("POST", "/operations/test.open?a=1", {}, { "X-Own": "b" });
    expect(heads).toEqual([
      { method: "POST", url: "/operations/test.open?a=1", headers: expect.objectContaining({ "x-own": "b" }) },
    ]);
    expect(heads[0]?.headers).toHaveProperty("host");
  });

  test("is told nothing of what goes wrong inside", async () => {
    const heard: unknown[] = [];
    const trouble = new TypeError("the password is hunter2");
    const options = { authorize: () => Promise.reject(trouble), onError: (error: unknown) => heard.push(error) };
    const { call } = await serve(ALL, options);
    const answer = await call("test.open", {});
    expect(answer.status).toBe(500);
    expect(answer.text + JSON.stringify(namedHeaders(answer.headers))).not.toContain("hunter2");
    expect(heard).toEqual([trouble]);
  });

  test("is nobody where that is what it is said to be", async () => {
    const odd = [null, true, "ada", {}] as unknown as Identity[];
    for (const identity of odd) {
      const { call } = await serve(ALL, { authorize: () => identity });
      expect([401, 403]).toContain((await call("test.secret", {})).status);
      expect((await call("test.open", {})).status).toBe(200);
    }
  });

  test("is nobody without the hook", async () => {
    const { call, get } = await serve(ALL);
    expect((await call("test.secret", {}, as("ada"))).status).toBe(401);
    expect((await get("/operations", as("ada"))).text).not.toContain("secret");
  });
});
