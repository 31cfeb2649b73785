// The processes that bench/http.mjs measures, one by name: servers of the same two operations, with the same schemas.
// All but the first check their input.
import { createServer } from "node:http";
import { orderSchema, smallSchema } from "./shapes.mjs";

const number = { type: "number" };
const object = (properties) => ({ type: "object", properties, required: Object.keys(properties) });

function total({ items }) {
  let sum = 0;
  for (const { qty, price } of items) sum += qty * price;
  return sum;
}

const OPERATIONS = {
  small: { input: smallSchema, output: object({ sum: number }), run: async ({ a, b }) => ({ sum: a + b }) },
  order: {
    input: orderSchema,
    output: object({ id: { type: "string" }, total: number }),
    run: async (order) => ({ id: order.id, total: total(order) }),
  },
};

/** For each operation, something of its name and of itself. */
const each = (make) =>
  Object.fromEntries(Object.entries(OPERATIONS).map(([name, operation]) => [name, make(operation, name)]));

const listen = (handle) => {
  const server = createServer(handle).listen(0, "127.0.0.1", () => process.send(server.address().port));
};

/** As short as it can be by hand. */
function byHand(answer) {
  listen((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", async () => {
      const input = JSON.parse(parts.length === 1 ? parts[0] : Buffer.concat(parts));
      const result = await answer(request.url.slice(1), input);
      if (result === undefined) return response.writeHead(400).end();
      const body = Buffer.from(JSON.stringify(result));
      response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
    });
  });
}

async function checks() {
  const { Ajv } = await import("ajv");
  return each(({ input }) => new Ajv().compile(input));
}

/** What oRPC and tRPC take. */
async function standardSchemas() {
  const check = await checks();
  const validate = (name) => (value) => (check[name](value) ? { value } : { issues: [{ message: "invalid" }] });
  return each((_, name) => ({ "~standard": { version: 1, vendor: "ajv", validate: validate(name) } }));
}

const SERVERS = {
  bare: () => byHand((name, input) => OPERATIONS[name].run(input)),
  "hand-written": async () => {
    const check = await checks();
    byHand(async (name, input) => {
      if (!check[name](input)) return undefined;
      const data = await OPERATIONS[name].run(input);
      return {
        success: true,
        data,
        error: null,
        meta: { version: "response-v2", timestamp: Date.now(), operation: name },
      };
    });
  },
  fastify: async () => {
    const { default: fastify } = await import("fastify");
    const app = fastify();
    each(({ input, output, run }, name) => {
      app.post(`/${name}`, { schema: { body: input, response: { 200: output } } }, ({ body }) => run(body));
    });
    await app.listen({ port: 0, host: "127.0.0.1" });
    process.send(app.server.address().port);
  },
  hono: async () => {
    const { Hono } = await import("hono");
    const { serve } = await import("@hono/node-server");
    const check = await checks();
    const app = new Hono();
    each(({ run }, name) => {
      app.post(`/${name}`, async (context) => {
        const input = await context.req.json();
        return check[name](input) ? context.json(await run(input)) : context.text("invalid", 400);
      });
    });
    serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => process.send(port));
  },
  orpc: async () => {
    const { os } = await import("@orpc/server");
    const { RPCHandler } = await import("@orpc/server/node");
    const schemas = await standardSchemas();
    const handler = new RPCHandler(each(({ run }, name) => os.input(schemas[name]).handler(({ input }) => run(input))));
    listen(async (request, response) => {
      const { matched } = await handler.handle(request, response, { prefix: "/", context: {} });
      if (!matched) response.writeHead(404).end();
    });
  },
  trpc: async () => {
    const { initTRPC } = await import("@trpc/server");
    const { createHTTPHandler } = await import("@trpc/server/adapters/standalone");
    const schemas = await standardSchemas();
    const t = initTRPC.create();
    const procedures = each(({ run }, name) => t.procedure.input(schemas[name]).mutation(({ input }) => run(input)));
    listen(createHTTPHandler({ router: t.router(procedures) }));
  },
  plico: async () => {
    const { defineOperation, OperationRegistry } = await import("plico");
    const { serveHttp } = await import("plico/servers/http");
    const about = { namespace: "bench", version: "1.0.0", type: "mutation", description: "For the benchmark." };
    const registry = new OperationRegistry();
    each(({ input: inputSchema, output: outputSchema, run: handler }, name) =>
      registry.register(defineOperation({ ...about, name, inputSchema, outputSchema, handler })),
    );
    const { url } = await serveHttp({ registry });
    process.send(Number(new URL(url).port));
  },
};

process.on("message", () => process.send(process.cpuUsage()));
await SERVERS[process.argv[2]]();
