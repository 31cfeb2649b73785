import { afterEach, describe, expect, test } from "vitest";
import { CallError } from "../../envelope/call-error.js";
import type { Outcome } from "../../envelope/outcome.js";
import type { CallOptions } from "../../registry/call-options.js";
import { defineOperation } from "../../registry/operation.js";
import { OperationRegistry } from "../../registry/registry.js";
import { mountSource, type OperationSource } from "../../registry/source.js";
import { serveHttp } from "../../servers/http/index.js";
import { serveMcpHttp } from "../../servers/mcp/index.js";
import { mcpSource } from "../mcp/index.js";
import { type Arrived, httpServer } from "./exchange/fixtures/exchange-servers.js";
import { documentWith, mounted, ok, query, sendJson, tidyUp } from "./fixtures/mounted.js";
import { openapiSource } from "./index.js";

tidyUp();

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const PROBLEM = {
  title: "Invalid",
  detail: "The age is wrong",
  code: "AGE_WRONG",
  errors: [{ pointer: "#/age", detail: "must be positive" }],
};

/** An API of somebody else. */
function answer({ path }: Arrived, response: Parameters<typeof sendJson>[0]): void {
  if (path.startsWith("/found")) sendJson(response, { id: "5", tags: ["a"] }, 200, { "x-total-count": "9" });
  else if (path.startsWith("/invalid"))
    sendJson(response, PROBLEM, 422, { "content-type": "application/problem+json" });
  else if (path.startsWith("/limited")) sendJson(response, { message: "slowly" }, 429, { "retry-after": "7" });
  else if (path.startsWith("/image"))
    response.writeHead(200, { "content-type": "image/png" }).end(Buffer.from([0, 255]));
  else if (path.startsWith("/events"))
    response.writeHead(200, { "content-type": "text/event-stream" }).end('data: {"n":1}\n\ndata: {"n":2}\n\n');
  else sendJson(response, { message: "gone" }, 404);
}

const DOCUMENT = documentWith({
  "GET /found": {
    operationId: "found",
    parameters: [query("q")],
    responses: { 200: ok({ properties: { id: { type: "integer" } } }) },
  },
  "GET /invalid": { operationId: "invalid" },
  "GET /limited": { operationId: "limited" },
  "GET /missing": { operationId: "missing" },
  "GET /image": { operationId: "image", responses: { 200: ok({ type: "string", format: "binary" }, "image/png") } },
  "GET /events": { operationId: "events", responses: { 200: ok({}, "text/event-stream") } },
});

type Attempt = (name: string, input?: unknown, options?: CallOptions) => Promise<Outcome>;

interface Gateway {
  /** At the API itself, and through the gateway. */
  readonly near: Attempt;
  readonly far: Attempt;
  readonly names: readonly string[];
  readonly registry: OperationRegistry;
}

const byHttp = async (registry: OperationRegistry): Promise<OperationSource> => {
  const server = await serveHttp({ registry });
  closing.push(() => server.close());
  return openapiSource({ name: "far", url: `${server.url}/openapi.json`, retries: 0 });
};

const byMcp = async (registry: OperationRegistry): Promise<OperationSource> => {
  const server = await serveMcpHttp({ registry });
  closing.push(() => server.close());
  return mcpSource({ name: "far", url: server.url, throwOnToolError: true });
};

async function gateway(serve: (registry: OperationRegistry) => Promise<OperationSource>): Promise<Gateway> {
  const { url } = await httpServer(answer);
  const { registry } = await mounted({ document: DOCUMENT, baseUrl: url, retries: 0 });
  const source = await serve(registry);
  closing.push(() => source.close());
  const farRegistry = new OperationRegistry();
  mountSource(farRegistry, source);
  return {
    near: (name, input, options) => registry.attempt(`api.${name}`, input, options),
    far: (name, input, options) => farRegistry.attempt(`far.api_${name}`, input, options),
    names: source.operations.map(({ spec }) => spec.name),
    registry: farRegistry,
  };
}

describe.each([
  ["HTTP", byHttp],
  ["MCP", byMcp],
])("an API that is served again over %s", (how, serve) => {
  test("has the same operations", async () => {
    const { names } = await gateway(serve);
    const expected = ["found", "invalid", "limited", "missing", "image", "events"].map((name) => `api_${name}`);
    expect([...names].sort()).toEqual(expect.arrayContaining(how === "MCP" ? expected.slice(0, 5) : expected));
  });

  test("gives the same data and hints", async () => {
    const { near, far } = await gateway(serve);
    const [here, there] = [await near("found", { q: "a" }), await far("found", { q: "a" })];
    expect(here).toMatchObject({ ok: true, data: { id: 5 }, meta: { pagination: { totalCount: 9 } } });
    expect(there.ok && there.data).toEqual(here.ok && here.data);
    expect(there.meta.pagination).toEqual(here.meta.pagination);
    expect(there.meta.warnings).toEqual(here.meta.warnings);
  });

  test("gives the same bytes", async () => {
    const { near, far } = await gateway(serve);
    const [here, there] = [await near("image"), await far("image")];
    expect(there.ok && there.data).toEqual(here.ok && here.data);
    expect(here).toMatchObject({ data: { mediaType: "image/png", bytes: 2, base64: "AP8=" } });
  });

  test.each(["invalid", "limited", "missing"])("fails in the same way: %s", async (name) => {
    const { near, far } = await gateway(serve);
    const [here, there] = [await near(name), await far(name)];
    if (here.ok || there.ok) throw new Error("it does not fail");
    const { category, code, message, issues, recoverable, retryAfterMs, suggestedAction } = here.error;
    expect(there.error).toMatchObject({ category, code, message, recoverable });
    expect(there.error.issues).toEqual(issues);
    expect(there.error.retryAfterMs).toEqual(retryAfterMs);
    expect(there.error.suggestedAction).toEqual(suggestedAction);
  });

  test("refuses the same inputs", async () => {
    const { near, far } = await gateway(serve);
    const [here, there] = [await near("found", { other: 1 }), await far("found", { other: 1 })];
    if (here.ok || there.ok) throw new Error("it does not fail");
    expect(there.error.category).toBe("validation");
    expect(there.error.issues?.map(({ path }) => path)).toEqual(here.error.issues?.map(({ path }) => path));
  });
});

test("a subscription that is served again over HTTP gives the same values", async () => {
  const { registry } = await gateway(byHttp);
  const values: unknown[] = [];
  for await (const { data } of registry.subscribe("far.api_events")) values.push(data);
  expect(values).toEqual([{ n: 1 }, { n: 2 }]);
});

describe("a server of Plico behind a source", () => {
  const registry = new OperationRegistry().register(
    defineOperation({
      namespace: "app",
      name: "who",
      version: "1.0.0",
      type: "query",
      description: "Says who calls.",
      inputSchema: { type: "object", properties: { age: { type: "integer", minimum: 0 } }, required: ["age"] },
      outputSchema: { type: "object" },
      accessControl: { requiredScopes: ["read"] },
      handler: (_, { identity, metadata }) => ({ id: identity?.id, trace: metadata?.["traceparent"] }),
    }),
  ) as OperationRegistry;

  async function served(token: string): Promise<Attempt> {
    const server = await serveHttp({
      registry,
      authorize: ({ headers }) => {
        if (headers["authorization"] === "Bearer bad")
          throw new CallError({ category: "authentication", message: "This token is none." });
        return {
          id: String(headers["authorization"]),
          scopes: headers["authorization"] === "Bearer ada" ? ["read"] : [],
        };
      },
    });
    closing.push(() => server.close());
    // Whoever may call an operation may see it in the document.
    const document = await (
      await fetch(`${server.url}/openapi.json`, { headers: { authorization: "Bearer ada" } })
    ).text();
    const api = await mounted({ document, baseUrl: server.url, credentials: { bearer: token } });
    return (_, input, options) => api.registry.attempt("api.app_who", input, options);
  }

  test("knows the caller by its credential", async () => {
    const attempt = await served("ada");
    expect(await attempt("who", { age: 1 })).toMatchObject({ ok: true, data: { id: "Bearer ada" } });
  });

  test.each([
    ["bad", "authentication"],
    ["bob", "authorization"],
  ])("refuses %s", async (token, category) => {
    const attempt = await served(token);
    expect(await attempt("who", { age: 1 })).toMatchObject({ ok: false, error: { category } });
  });

  test("is told the trace of the call", async () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const outcome = await (await served("ada"))("who", { age: 1 }, { metadata: { traceparent } });
    expect(outcome.ok && (outcome.data as { trace: string }).trace).toContain("0af7651916cd43dd8448eb211c80319c");
  });

  test("finds fault with an input that the source lets pass", async () => {
    const server = await serveHttp({ registry, authorize: () => ({ id: "a", scopes: ["read"] }) });
    closing.push(() => server.close());
    const api = await mounted({ url: `${server.url}/openapi.json`, input: "off" });
    expect(await api.fail("app_who", { age: -1 })).toMatchObject({
      category: "validation",
      issues: [{ path: "/age" }],
    });
    expect(await api.fail("app_who", {})).toMatchObject({ category: "validation", issues: [{ path: "/age" }] });
  });
});
