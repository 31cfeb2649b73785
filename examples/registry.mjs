// A shop in one process: operations that call each other, and the four ways to call them.
import assert from "node:assert/strict";
import { client, defineOperation, OperationRegistry, unwrap } from "plico";

const PRICES = [
  { sku: "cup", cents: 900, supplier: "Meissen" },
  { sku: "pot", cents: 4500, supplier: "Meissen" },
  { sku: "tray", cents: 1500, supplier: "Alessi" },
];

const price = {
  type: "object",
  properties: { sku: { type: "string" }, cents: { type: "integer" } },
  required: ["sku", "cents"],
};

// 1. A handler takes checked input and returns plain data. It knows nothing of envelopes.
const getPrice = defineOperation({
  namespace: "prices",
  name: "get",
  version: "1.0.0",
  type: "query",
  description: "The price of one article.",
  inputSchema: { type: "object", properties: { sku: { type: "string" } }, required: ["sku"] },
  outputSchema: price,
  errorSchemas: { NO_SUCH_ARTICLE: { category: "not_found" } },
  handler({ sku }) {
    const found = PRICES.find((entry) => entry.sku === sku);
    if (found === undefined) throw new Error(`NO_SUCH_ARTICLE: We do not sell ${sku}.`);
    return found;
  },
});

// 2. A long list is given page by page: `context.page` says where the next one begins.
const listPrices = defineOperation({
  namespace: "prices",
  name: "list",
  version: "1.0.0",
  type: "query",
  description: "All prices, two a page.",
  inputSchema: { type: "object", properties: { cursor: { type: "string" } } },
  outputSchema: { type: "array", items: price },
  handler({ cursor = "0" }, { page }) {
    const next = Number(cursor) + 2;
    page({ cursor: next < PRICES.length ? String(next) : null, totalCount: PRICES.length });
    return PRICES.slice(Number(cursor), next);
  },
});

const taxRate = defineOperation({
  namespace: "tax",
  name: "rate",
  version: "1.0.0",
  type: "query",
  description: "The sales tax of a country, in percent.",
  inputSchema: { type: "object", properties: { country: { enum: ["DE", "FR"] } }, required: ["country"] },
  outputSchema: { type: "number" },
  handler: ({ country }) => (country === "DE" ? 19 : 20),
});

// 3. `context.env` has the other operations. It answers in envelopes; `unwrap` takes the data out.
const quote = defineOperation({
  namespace: "orders",
  name: "quote",
  version: "1.0.0",
  type: "query",
  description: "What an order costs, tax included.",
  inputSchema: {
    type: "object",
    properties: { sku: { type: "string" }, quantity: { type: "integer", minimum: 1 }, country: { type: "string" } },
    required: ["sku", "quantity", "country"],
  },
  outputSchema: { type: "object", properties: { cents: { type: "integer" } }, required: ["cents"] },
  async handler({ sku, quantity, country }, { env, summary }) {
    const { cents } = unwrap(await env.prices.get({ sku }));
    const percent = unwrap(await env.tax.rate({ country }));
    summary(`${quantity} × ${sku}, ${percent} % tax`);
    return { cents: Math.round(quantity * cents * (1 + percent / 100)) };
  },
});

const registry = new OperationRegistry().registerAll([getPrice, listPrices, taxRate, quote]);

// 4. `execute` answers in an envelope. The schema does not name `supplier`: it is removed, and the envelope says so.
const { data, meta } = await registry.execute("prices.get", { sku: "cup" });
assert.deepEqual(data, { sku: "cup", cents: 900 });
assert.deepEqual([meta.source, meta.operationId], ["local", "prices.get"]);
assert.equal(meta.warnings.length, 1);
assert.deepEqual([meta.warnings[0].code, meta.warnings[0].path], ["OUTPUT_STRIPPED", "/supplier"]);
console.log(`execute: ${JSON.stringify(data)}, with the warning ${meta.warnings[0].code} at ${meta.warnings[0].path}`);

// 5. `attempt` never throws. An error of a nested call arrives as it was thrown.
const outcome = await registry.attempt("orders.quote", { sku: "spoon", quantity: 1, country: "DE" });
assert.equal(outcome.ok, false);
assert.deepEqual([outcome.error.code, outcome.error.category], ["NO_SUCH_ARTICLE", "not_found"]);
console.log(`attempt: ${outcome.error.code}: ${outcome.error.message}`);

// 6. A client has functions instead of ids, and gives the data itself.
const shop = client(registry);
assert.deepEqual(await shop.orders.quote({ sku: "cup", quantity: 2, country: "DE" }), { cents: 2142 });
const quoted = await shop.orders.quote.envelope({ sku: "pot", quantity: 1, country: "FR" });
assert.equal(quoted.meta.summary, "1 × pot, 20 % tax");
console.log(`client: ${quoted.meta.summary}, costs ${quoted.data.cents} cents`);

// 7. `pages` follows the cursor, as long as there is one.
const found = [];
for await (const page of shop.prices.list.pages()) found.push(page.data.map(({ sku }) => sku).join(" and "));
assert.deepEqual(found, ["cup and pot", "tray"]);
console.log(`pages: ${found.join(", then ")}`);
