// A registry as an HTTP API: routes, formats, errors, an OpenAPI document, a stream.
import assert from "node:assert/strict";
import { CallError, defineOperation, OperationRegistry } from "plico";
import { serveHttp } from "plico/servers/http";

const about = { namespace: "stock", version: "1.0.0" };
const article = {
  type: "object",
  properties: { sku: { type: "string" }, left: { type: "integer" } },
  required: ["sku", "left"],
};

const find = defineOperation({
  ...about,
  name: "find",
  type: "query",
  description: "How many of an article there are.",
  inputSchema: { type: "object", properties: { sku: { type: "string" } }, required: ["sku"] },
  outputSchema: article,
  http: { method: "GET", path: "/articles/{sku}" },
  handler: ({ sku }) => {
    if (sku !== "cup") throw new CallError({ category: "not_found", message: `There is no ${sku}.` });
    return { sku, left: 3 };
  },
});

let orders = 0;
const order = defineOperation({
  ...about,
  name: "order",
  type: "mutation",
  description: "Orders more of an article.",
  inputSchema: {
    type: "object",
    properties: { sku: { type: "string" }, amount: { type: "integer", minimum: 1 } },
    required: ["sku", "amount"],
  },
  outputSchema: { type: "object", properties: { order: { type: "integer" } }, required: ["order"] },
  handler: () => {
    orders += 1;
    return { order: orders };
  },
});

const watch = defineOperation({
  ...about,
  name: "watch",
  type: "subscription",
  description: "Tells when an article is sold.",
  inputSchema: { type: "object", properties: { sku: { type: "string" } }, required: ["sku"] },
  outputSchema: article,
  async *handler({ sku }) {
    for (const left of [2, 1, 0]) yield { sku, left };
  },
});

const server = await serveHttp({ registry: new OperationRegistry().registerAll([find, order, watch]) });
const json = { "content-type": "application/json" };
const post = (id, input, headers = {}) =>
  fetch(`${server.url}/operations/${id}`, {
    method: "POST",
    headers: { ...json, ...headers },
    body: JSON.stringify(input),
  });

// 1. Every operation is at /operations/{id}, and where it has chosen a path of its own, there too.
const { data } = await (await post("stock.find", { sku: "cup" })).json();
assert.deepEqual(data, { sku: "cup", left: 3 });
const found = await (await fetch(`${server.url}/articles/cup`)).json();
assert.equal(found.success, true);

// 2. The same answer in another format: bare data, problem details, any dialect.
const bare = await fetch(`${server.url}/articles/cup`, { headers: { accept: "application/json;profile=data" } });
assert.deepEqual(await bare.json(), { sku: "cup", left: 3 });
const missing = await fetch(`${server.url}/articles/moon`, { headers: { accept: "application/problem+json" } });
assert.equal(missing.status, 404);
assert.equal((await missing.json()).detail, "There is no moon.");

// 3. Bad input names its fields.
const refused = await (await post("stock.order", { sku: "cup", amount: 0 })).json();
assert.equal(refused.data.validation_errors[0].field, "amount");

// 4. With a key, a mutation that is sent again runs once.
const key = { "idempotency-key": "order-cups" };
for (const _ of [1, 2]) await post("stock.order", { sku: "cup", amount: 5 }, key);
assert.equal(orders, 1);

// 5. A subscription is a stream of events.
const stream = await post("stock.watch", { sku: "cup" }, { accept: "text/event-stream" });
const events = (await stream.text()).match(/^event: \w+/gm);
assert.deepEqual(events, ["event: value", "event: value", "event: value", "event: end"]);

// 6. The document of it all, for generators and for `openapiSource`.
const { openapi, paths } = await (await fetch(`${server.url}/openapi.json`)).json();
console.log(openapi, Object.keys(paths));

await server.close();
console.log("closed");
