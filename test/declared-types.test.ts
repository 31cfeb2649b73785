import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { declarations } from "../src/contract/declarations.js";
import { asJavaScript, compileFiles } from "../src/contract/fixtures/compile-files.js";
import { CallError } from "../src/envelope/call-error.js";
import { defineOperation, type OperationSpec } from "../src/registry/operation.js";
import { OperationRegistry } from "../src/registry/registry.js";
import type { OperationSource } from "../src/registry/source.js";
import { serveHttp } from "../src/servers/http/index.js";
import { mcpSource } from "../src/sources/mcp/index.js";
import { openapiSource } from "../src/sources/openapi/index.js";
import { scriptSource } from "../src/sources/script/index.js";
import { installNpmFolder } from "./npm-folder.js";
import { corpus } from "./openapi-documents.js";

const user = {
  type: "object",
  properties: { id: { type: "integer" }, name: { type: "string" } },
  required: ["id", "name"],
} as const;
const idInput = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] } as const;
const common = { namespace: "users", version: "1.0.0", inputSchema: idInput, outputSchema: user } as const;

let created = 0;

const registry = new OperationRegistry().registerAll([
  defineOperation({
    ...common,
    name: "get",
    type: "query",
    description: "A user by id.",
    errorSchemas: { GONE: { category: "not_found", details: idInput } },
    handler({ id }) {
      if (id === 0) throw new CallError({ category: "not_found", code: "GONE", message: "Gone.", details: { id } });
      return { id, name: "Ada" };
    },
  }),
  defineOperation({
    ...common,
    name: "count",
    type: "query",
    description: "A number alone.",
    outputSchema: { type: "integer" },
    handler: ({ id }) => id,
  }),
  defineOperation({
    ...common,
    name: "create",
    type: "mutation",
    description: "Makes one.",
    handler(_, { progress }) {
      progress(1, 2);
      created++;
      return { id: created, name: "New" };
    },
  }),
  defineOperation({
    ...common,
    name: "wait",
    type: "query",
    description: "Answers never.",
    handler: (_, { signal }) =>
      new Promise<never>((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
  }),
  defineOperation({
    ...common,
    name: "watch",
    type: "subscription",
    description: "Users as they come.",
    async *handler({ id }) {
      for (let at = 1; at <= id; at++) yield { id: at, name: `User\n${at}` };
      if (id === 3) throw new CallError({ category: "conflict", code: "CONFLICT", message: "Enough." });
    },
  }),
]);

interface Calls {
  (input: unknown, options?: object): Promise<unknown>;
  attempt(input: unknown, options?: object): Promise<{ ok: boolean; data?: unknown; error?: Record<string, unknown> }>;
  envelope(input: unknown, options?: object): Promise<{ data: unknown; meta: Record<string, unknown> }>;
}

interface Module {
  createClient(to: object): { users: Record<string, Calls> & { watch: (input: unknown) => AsyncGenerator<unknown> } };
}

/** The client that the declarations have, at work. */
async function clientTo(to: object): Promise<ReturnType<Module["createClient"]>["users"]> {
  const text = asJavaScript(declarations(registry.list()));
  const { createClient } = (await import(`data:text/javascript,${encodeURIComponent(text)}`)) as Module;
  return createClient(to).users;
}

async function served(): Promise<{ url: string }> {
  const server = await serveHttp({ registry });
  onTestFinished(() => server.close());
  return { url: server.url };
}

async function taken(values: AsyncGenerator<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const value of values) all.push(value);
  return all;
}

describe.each([
  ["over HTTP", served],
  ["of a registry in the same process", async () => registry],
])("a typed client %s", (_, target) => {
  test("gives data, whatever its type", async () => {
    const users = await clientTo(await target());
    await expect(users["get"]?.({ id: 7 })).resolves.toEqual({ id: 7, name: "Ada" });
    await expect(users["count"]?.({ id: 7 })).resolves.toBe(7);
  });

  test("gives the envelope to who asks", async () => {
    const users = await clientTo(await target());
    const envelope = await users["get"]?.envelope({ id: 7 });
    expect(envelope).toMatchObject({ data: { id: 7 }, meta: { source: "local", operationId: "users.get" } });
  });

  test("tells a failure as an outcome, or throws it", async () => {
    const users = await clientTo(await target());
    const error = { category: "not_found", code: "GONE", details: { id: 0 } };
    await expect(users["get"]?.attempt({ id: 0 })).resolves.toMatchObject({ ok: false, error });
    await expect(users["get"]?.({ id: 0 })).rejects.toMatchObject({
      name: "OperationError",
      ...{ code: "GONE", error },
    });
    await expect(users["get"]?.attempt({ id: "x" })).resolves.toMatchObject({ error: { code: "VALIDATION_ERROR" } });
  });

  test("ends a call that is aborted, or takes too long", async () => {
    const users = await clientTo(await target());
    const aborted = AbortSignal.abort();
    await expect(users["wait"]?.attempt({ id: 1 }, { signal: aborted })).resolves.toMatchObject({
      error: { code: "ABORTED" },
    });
    const late = users["wait"]?.attempt({ id: 1 }, { signal: AbortSignal.timeout(20) });
    await expect(late).resolves.toMatchObject({ ok: false });
  });

  test("hears of progress", async () => {
    const users = await clientTo(await target());
    const heard: unknown[] = [];
    await users["create"]?.({ id: 1 }, { onProgress: (progress: unknown) => heard.push(progress) });
    expect(heard).toEqual([{ progress: 1, total: 2 }]);
  });

  test("iterates over a subscription, up to its end or its failure", async () => {
    const users = await clientTo(await target());
    await expect(taken(users.watch({ id: 2 }))).resolves.toEqual([1, 2].map((id) => ({ id, name: `User\n${id}` })));
    await expect(taken(users.watch({ id: 3 }))).rejects.toMatchObject({ code: "CONFLICT" });
    for await (const value of users.watch({ id: 1_000_000 })) {
      expect(value).toMatchObject({ id: 1 });
      break;
    }
  });
});

describe("a typed client over HTTP", () => {
  test("runs a mutation with a key once", async () => {
    const users = await clientTo(await served());
    const first = await users["create"]?.({ id: 1 }, { idempotencyKey: "k" });
    await expect(users["create"]?.({ id: 1 }, { idempotencyKey: "k" })).resolves.toEqual(first);
  });

  test("says that nobody answers, or that no envelope came", async () => {
    const users = await clientTo({ url: "http://127.0.0.1:1" });
    await expect(users["get"]?.attempt({ id: 1 })).resolves.toMatchObject({ error: { category: "network" } });
    const odd = await clientTo({ url: "http://x", fetch: async () => new Response("<html>", { status: 502 }) });
    await expect(odd["get"]?.attempt({ id: 1 })).resolves.toMatchObject({ error: { code: "INVALID_ANSWER" } });
  });
});

describe("declarations of real sources", () => {
  const opened: OperationSource[] = [];
  afterAll(() => Promise.all(opened.map((source) => source.close())));

  async function specsOf(source: Promise<OperationSource>): Promise<OperationSpec[]> {
    const one = await source;
    opened.push(one);
    return one.operations.map(({ spec }) => spec);
  }

  test("compile, and are the same each time", { timeout: 90_000 }, async () => {
    const texts: Record<string, string> = { "module.mts": declarations(registry.list()) };
    const servers = installNpmFolder("mcp-servers");
    if (typeof servers === "string") {
      const file = join(servers, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
      const specs = await specsOf(mcpSource({ name: "everything", command: [process.execPath, file, "stdio"] }));
      expect(specs.length).toBeGreaterThan(5);
      texts["everything.mts"] = declarations(specs);
    }
    const document = join(corpus, "openai.yaml");
    if (existsSync(document)) {
      const specs = await specsOf(openapiSource({ name: "openai", file: document }));
      texts["openapi.mts"] = declarations(specs);
      expect(declarations([...specs].reverse())).toBe(texts["openapi.mts"]);
    }
    const directory = fileURLToPath(new URL("fixtures/scripts", import.meta.url));
    texts["scripts.mts"] = declarations(await specsOf(scriptSource({ name: "scripts", directory })));
    expect(compileFiles(texts)).toEqual([]);
  });
});
