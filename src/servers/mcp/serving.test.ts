import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, test } from "vitest";
import { mcpResult } from "../../dialects/mcp-result.js";
import { CallError } from "../../envelope/call-error.js";
import { ABOUT_PLICO } from "../../mcp/about-plico.js";
import type { HandlerContext } from "../../registry/context.js";
import { operation, registryOf } from "../../registry/fixtures/operations.js";
import type { AnyHandler, OperationSpec } from "../../registry/operation.js";
import { OperationRegistry } from "../../registry/registry.js";
import { type ClientOptions, type Connection, connect, deferred, WAYS } from "./fixtures/clients.js";
import { ROWS } from "./fixtures/tools.js";
import type { McpServerOptions } from "./options.js";

const open: Connection[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
});

const ELICITS = { elicitation: { form: {} } };

describe.each(WAYS)("a registry over $carrier in the $era era", (way) => {
  async function serve(options: McpServerOptions, more: Partial<ClientOptions> = {}): Promise<Client> {
    const connection = await connect(options, { ...way, ...more });
    open.push(connection);
    return connection.client;
  }

  function serveOne(handler: AnyHandler, over: Partial<OperationSpec> = {}, more: Partial<ClientOptions> = {}) {
    return serve({ registry: registryOf(handler, over) }, more);
  }

  test("says who it is and what it can do", async () => {
    const info = { name: "demo", version: "1.2.3", title: "Demo" };
    const client = await serve({ registry: new OperationRegistry(), info, instructions: "Be kind." });
    expect(client.getServerVersion()).toMatchObject(info);
    expect(client.getInstructions()).toBe("Be kind.");
    expect(client.getServerCapabilities()).toMatchObject({ tools: { listChanged: true }, resources: {} });
  });

  test("is Plico, unless it is told who it is", async () => {
    const client = await serve({ registry: new OperationRegistry() });
    expect(client.getServerVersion()).toMatchObject(ABOUT_PLICO);
  });

  test("lists its operations as tools, and calls them", async () => {
    const client = await serveOne(({ count }) => ({ rows: Array.from({ length: count }, (_, at) => at) }), {
      inputSchema: { type: "object", properties: { count: { type: "integer" } }, required: ["count"] },
      outputSchema: ROWS,
    });
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([{ name: "test_run", outputSchema: ROWS }]);
    const result = await client.callTool({ name: "test_run", arguments: { count: 2 } });
    expect(result.structuredContent).toEqual({ rows: [0, 1] });
  });

  test("takes an input that is no object as the argument input", async () => {
    const client = await serveOne((input) => ({ rows: input }), { inputSchema: { type: "array" } });
    const result = await client.callTool({ name: "test_run", arguments: { input: [1] } });
    expect(result.structuredContent).toEqual({ rows: [1] });
  });

  test("answers a call of a tool that it does not have as MCP wants it", async () => {
    const client = await serveOne(() => 1);
    await expect(client.callTool({ name: "nope" })).rejects.toMatchObject({ code: -32602 });
  });

  test("tells what is wrong with an input", async () => {
    const client = await serveOne(() => 1, { inputSchema: { type: "object", required: ["a"] } });
    const outcome = await attempt(client);
    expect(outcome).toMatchObject({ ok: false, error: { code: "VALIDATION_ERROR", issues: [{ path: "/a" }] } });
  });

  test("keeps an error whole", async () => {
    const error = { category: "conflict", code: "LOCKED", message: "locked", details: { by: "bob" }, retryAfterMs: 5 };
    const client = await serveOne(() => {
      throw new CallError(error);
    });
    expect(await attempt(client)).toMatchObject({ ok: false, error: { ...error, recoverable: false } });
  });

  test("does not tell the words of an exception", async () => {
    const client = await serveOne(() => {
      throw new Error("private");
    });
    expect(JSON.stringify(await client.callTool({ name: "test_run" }))).not.toContain("private");
  });

  test("gives data that does not match its schema to a client that would throw it away", async () => {
    const client = await serveOne(() => ({ rows: "none" }), { outputSchema: ROWS });
    await client.listTools();
    expect(await attempt(client)).toMatchObject({
      ok: true,
      data: { rows: "none" },
      meta: { warnings: [{ code: "OUTPUT_MISMATCH" }] },
    });
  });

  test.each([{}, ELICITS])("reports progress that grows, to a client with %j", async (capabilities) => {
    const reports: unknown[] = [];
    const client = await serveOne(
      (_input, { progress }: HandlerContext) => {
        progress(1, 3, "one");
        progress(1);
        progress(0.5);
        progress(3, 3);
        return "done";
      },
      {},
      { capabilities },
    );
    const result = await client.callTool({ name: "test_run" }, { onprogress: (report) => reports.push(report) });
    expect(reports).toEqual([
      { progress: 1, total: 3, message: "one" },
      { progress: 3, total: 3 },
    ]);
    expect(result.structuredContent).toEqual({ result: "done" });
  });

  test.each([{}, ELICITS])("lets a client with %j cancel a call, and goes on serving", async (capabilities) => {
    const started = deferred();
    const ended = deferred<unknown>();
    const client = await serveOne(
      (input: { wait?: boolean }, { signal }: HandlerContext) => {
        if (input?.wait !== true) return "at once";
        started.resolve();
        return new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            ended.resolve(signal.reason);
            resolve("late");
          });
        });
      },
      {},
      { capabilities },
    );
    const controller = new AbortController();
    const call = client.callTool({ name: "test_run", arguments: { wait: true } }, { signal: controller.signal });
    call.catch(() => {});
    await started.promise;
    controller.abort("enough");
    await expect(call).rejects.toThrow();
    expect(await ended.promise).toMatchObject({ category: "aborted" });
    expect((await client.callTool({ name: "test_run" })).structuredContent).toEqual({ result: "at once" });
  });

  test("streams a subscription as progress, and ends with its values", async () => {
    const reports: unknown[] = [];
    const client = await serveOne(
      async function* () {
        yield { n: 1 };
        yield { n: 2 };
      },
      { type: "subscription", outputSchema: { type: "object", properties: { n: { type: "integer" } } } },
    );
    await client.listTools();
    const result = await client.callTool({ name: "test_run" }, { onprogress: (report) => reports.push(report) });
    expect(reports).toEqual([
      { progress: 1, message: '{"n":1}' },
      { progress: 2, message: '{"n":2}' },
    ]);
    expect(result.structuredContent).toEqual({ result: [{ n: 1 }, { n: 2 }] });
  });

  test("puts what is over the budget behind a link that is read in parts", async () => {
    const rows = Array.from({ length: 5_000 }, (_, at) => at);
    const client = await serve({ registry: registryOf(() => ({ rows }), { outputSchema: ROWS }), budget: 300 });
    const { content } = await client.callTool({ name: "test_run" });
    const link = content.find((block) => block.type === "resource_link");
    const uri = link?.type === "resource_link" ? link.uri : "";
    const part = await client.readResource({ uri: `${uri}?pointer=/rows&items=10-12` });
    expect(part.contents).toMatchObject([{ text: "[10,11]", mimeType: "application/json" }]);
    await expect(client.readResource({ uri: "plico://results/none" })).rejects.toMatchObject({ code: -32602 });
    await expect(client.readResource({ uri: `${uri}?items=x` })).rejects.toMatchObject({ code: -32602 });
    await expect(client.readResource({ uri: "file:///etc/passwd" })).rejects.toMatchObject({ code: -32602 });
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain(
      "plico://results/{id}{?pointer,items,bytes}",
    );
    expect((await client.listResources()).resources).toEqual([]);
  });

  test("sends the whole to a caller that asks for it", async () => {
    const rows = Array.from({ length: 5_000 }, (_, at) => at);
    const client = await serve({ registry: registryOf(() => ({ rows })), budget: 300 });
    const _meta = { "plico/budget": false };
    const result = await client.callTool({ name: "test_run", _meta });
    expect(result.structuredContent).toEqual({ rows });
  });

  test("tells of operations that come and go", async () => {
    const registry = registryOf(() => 1);
    const client = await serve({ registry });
    const changed = deferred();
    client.setNotificationHandler("notifications/tools/list_changed", () => changed.resolve());
    if (way.era === "modern") await client.listen({ toolsListChanged: true });
    // A client of the old era opens its stream for notifications in the background.
    for (let at = 0; !changed.isSettled; at++) {
      registry.register(operation(() => 2, { name: `other${at}` }));
      await Promise.race([changed.promise, sleep(20)]);
    }
    const { tools } = await client.listTools();
    expect(tools.slice(0, 2).map(({ name }) => name)).toEqual(["test_run", "test_other0"]);
  });

  test("asks its client what an operation asks, and calls it again with the answers", async () => {
    const client = await serveOne(askName, {}, { capabilities: ELICITS });
    client.setRequestHandler("elicitation/create", ({ params }) => ({
      action: "accept" as const,
      content: { name: params.message === "Who?" ? "Ada" : "?" },
    }));
    const result = await client.callTool({ name: "test_run" });
    expect(result.structuredContent).toEqual({ result: "Hello Ada, kept" });
  });

  test("goes on with what it has begun to tell, when it asks in the middle", async () => {
    const reports: number[] = [];
    let runs = 0;
    const client = await serveOne(
      (input, context: HandlerContext) => {
        runs++;
        context.progress(runs);
        return askName(input, context);
      },
      {},
      { capabilities: ELICITS },
    );
    client.setRequestHandler("elicitation/create", () => ({ action: "accept" as const, content: { name: "Ada" } }));
    const onprogress = ({ progress }: { progress: number }): void => void reports.push(progress);
    const result = await client.callTool({ name: "test_run" }, { onprogress });
    expect(result.structuredContent).toEqual({ result: "Hello Ada, kept" });
    // The client of the modern era reports its own rounds too.
    expect([runs, ...new Set(reports)]).toEqual([2, 1, 2]);
  });

  test("tells the questions as an error to a client that cannot be asked", async () => {
    const client = await serveOne(askName);
    if (way.era === "modern")
      return expect(client.callTool({ name: "test_run" })).rejects.toMatchObject({ code: -32021 });
    expect(await attempt(client)).toMatchObject({
      ok: false,
      error: { code: "INPUT_REQUIRED", details: { inputRequests: { who: { method: "elicitation/create" } } } },
    });
  });

  test("has what its user adds beside the tools", async () => {
    const client = await serve({
      registry: new OperationRegistry(),
      capabilities: { prompts: {} },
      configure: (server, { era }) => {
        server.setRequestHandler("prompts/list", () => ({ prompts: [{ name: era }] }));
        server.setRequestHandler("resources/list", () => ({ resources: [{ uri: "demo://a", name: "a" }] }));
        server.setRequestHandler("resources/templates/list", () => ({
          resourceTemplates: [{ uriTemplate: "demo://{a}", name: "b" }],
        }));
        server.setRequestHandler("resources/read", ({ params: { uri } }) => ({ contents: [{ uri, text: "mine" }] }));
      },
    });
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: way.era }]);
    expect((await client.listResources()).resources).toMatchObject([{ uri: "demo://a" }]);
    expect((await client.listResourceTemplates()).resourceTemplates[0]).toMatchObject({ uriTemplate: "demo://{a}" });
    expect((await client.readResource({ uri: "demo://a" })).contents).toMatchObject([{ text: "mine" }]);
  });

  test("lets a handler log, where its user has allowed it", async () => {
    const said: unknown[] = [];
    const registry = registryOf((_input, { metadata }: HandlerContext) => {
      const log = metadata?.["log"];
      if (typeof log === "function") log("info", "working");
      return typeof log;
    });
    const client = await serve({ registry, capabilities: { logging: {} } });
    client.setNotificationHandler("notifications/message", ({ params }) => void said.push(params.data));
    const _meta = way.era === "modern" ? { "io.modelcontextprotocol/logLevel": "debug" } : {};
    const result = await client.callTool({ name: "test_run", _meta });
    expect(result.structuredContent).toEqual({ result: "function" });
    expect(said).toEqual(["working"]);
  });
});

function askName(_input: unknown, { metadata }: HandlerContext): string {
  const answers = metadata?.["inputResponses"] as { who?: { content?: { name?: string } } } | undefined;
  if (answers?.who !== undefined) return `Hello ${answers.who.content?.name}, ${metadata?.["requestState"]}`;
  const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
  const inputRequests = { who: { method: "elicitation/create", params: { message: "Who?", requestedSchema } } };
  throw new CallError({
    category: "execution",
    code: "INPUT_REQUIRED",
    message: "It must be known who asks.",
    details: { inputRequests, requestState: "kept" },
  });
}

/** What a reader of Plico's makes of the result of a call. */
async function attempt(client: Client): Promise<unknown> {
  const reading = mcpResult.read(await client.callTool({ name: "test_run" }));
  return reading.kind === "outcome" ? reading.outcome : reading;
}
