// An in-process call with checked input, as a multiple of the bare async function.
// "hand-written" is what one would write for one operation: an async function that checks, calls and wraps. Plico also
// normalises the output, which no other does; oRPC and tRPC check with zod, so Plico is measured with zod too.

import { call, os } from "@orpc/server";
import { initTRPC } from "@trpc/server";
import moleculer from "moleculer";
import { defineOperation, OperationRegistry } from "plico";
import * as z from "zod";
import { compareAsync, printRows } from "./ratio.mjs";
import { order, orderSchema, STATUSES, small, smallSchema, zodCustomer } from "./shapes.mjs";

const isString = (value) => typeof value === "string";
const isNumber = (value) => typeof value === "number";
const isAddress = (x) =>
  typeof x === "object" &&
  x !== null &&
  isString(x.street) &&
  isString(x.city) &&
  isString(x.zip) &&
  isString(x.country);
const isCustomer = (x) =>
  typeof x === "object" &&
  x !== null &&
  isString(x.id) &&
  isString(x.email) &&
  isString(x.name) &&
  Array.isArray(x.tags) &&
  x.tags.every(isString) &&
  isAddress(x.address);
const isItem = (x) =>
  typeof x === "object" &&
  x !== null &&
  isString(x.sku) &&
  Number.isInteger(x.qty) &&
  isNumber(x.price) &&
  (x.discount === undefined || isNumber(x.discount));

const zodOrder = z.object({
  id: z.string(),
  number: z.int(),
  createdAt: z.string(),
  status: z.enum(STATUSES),
  currency: z.string(),
  total: z.number(),
  paid: z.boolean(),
  note: z.string().nullable(),
  customer: zodCustomer,
  items: z.array(z.object({ sku: z.string(), qty: z.int(), price: z.number(), discount: z.number().optional() })),
});

function total({ items }) {
  let sum = 0;
  for (const { qty, price } of items) sum += qty * price;
  return sum;
}

const number = { type: "number" };
const result = (properties) => ({ type: "object", properties, required: Object.keys(properties) });

const kinds = {
  small: {
    input: small,
    make:
      () =>
      async ({ a, b }) => ({ sum: a + b }),
    isValid: (x) => typeof x === "object" && x !== null && isNumber(x.a) && isNumber(x.b),
    schema: smallSchema,
    output: result({ sum: number }),
    zod: z.object({ a: z.number(), b: z.number() }),
    params: { a: "number", b: "number" },
  },
  "20 fields": {
    input: order(7),
    make: () => async (x) => ({ id: x.id, total: total(x) }),
    isValid: (x) =>
      typeof x === "object" &&
      x !== null &&
      isString(x.id) &&
      Number.isInteger(x.number) &&
      isString(x.createdAt) &&
      STATUSES.includes(x.status) &&
      isString(x.currency) &&
      isNumber(x.total) &&
      typeof x.paid === "boolean" &&
      (x.note === null || isString(x.note)) &&
      isCustomer(x.customer) &&
      Array.isArray(x.items) &&
      x.items.every(isItem),
    schema: orderSchema,
    output: result({ id: { type: "string" }, total: number }),
    zod: zodOrder,
    params: {
      id: "string",
      number: "number|integer",
      createdAt: "string",
      status: { type: "enum", values: STATUSES },
      currency: "string",
      total: "number",
      paid: "boolean",
      note: "string|nullable",
      customer: {
        $$type: "object",
        id: "string",
        email: "string",
        name: "string",
        tags: "string[]",
        address: { $$type: "object", street: "string", city: "string", zip: "string", country: "string" },
      },
      items: {
        type: "array",
        items: {
          type: "object",
          props: { sku: "string", qty: "number|integer", price: "number", discount: "number|optional" },
        },
      },
    },
  },
};

const results = [];
for (const [kind, { input, make, isValid, schema, output, zod, params }] of Object.entries(kinds)) {
  const raw = make();
  const byHand = make();
  const handWritten = async (value) => {
    if (!isValid(value)) throw new TypeError("invalid input");
    const data = await byHand(value);
    return { data, meta: { source: "local", operationId: "bench.op", timestamp: Date.now() } };
  };
  const registryWith = (inputSchema) =>
    new OperationRegistry().register(
      defineOperation({
        namespace: "bench",
        name: "op",
        version: "1.0.0",
        type: "query",
        description: "",
        inputSchema,
        outputSchema: output,
        handler: make(),
      }),
    );
  const registry = registryWith(schema);
  const withZod = registryWith(zod);
  const t = initTRPC.create();
  const forTrpc = make();
  const trpc = t.createCallerFactory(
    t.router({ op: t.procedure.input(zod).mutation(({ input: value }) => forTrpc(value)) }),
  )({});
  const forOrpc = make();
  const procedure = os.input(zod).handler(({ input: value }) => forOrpc(value));
  const forMoleculer = make();
  const broker = new moleculer.ServiceBroker({ logger: false, metrics: false, tracing: false });
  broker.createService({
    name: "bench",
    actions: { op: { params, handler: ({ params: value }) => forMoleculer(value) } },
  });
  await broker.start();

  const cases = {
    "raw async function": () => raw(input),
    "hand-written check + envelope": () => handWritten(input),
    "plico execute": () => registry.execute("bench.op", input),
    "plico execute, zod": () => withZod.execute("bench.op", input),
    "moleculer local call": () => broker.call("bench.op", input),
    "oRPC call()": () => call(procedure, input),
    "tRPC caller": () => trpc.op(input),
  };
  for (const [name, run] of Object.entries(cases)) {
    const answer = await run();
    if (JSON.stringify(answer.data ?? answer) !== JSON.stringify(await raw(input)))
      throw new Error(`${name}: wrong result`);
  }
  const rows = await compareAsync(cases);
  await broker.stop();
  const of = (name) => rows.find((row) => row.name === name).us;
  const plico = of("plico execute");
  results.push({
    kind,
    rows,
    ofHandWritten: plico / of("hand-written check + envelope"),
    orpcOfPlico: of("oRPC call()") / plico,
  });
}

for (const { kind, rows, ofHandWritten, orpcOfPlico } of results) {
  printRows(`execute, ${kind}`, rows);
  console.log(
    `  execute / hand-written  ${ofHandWritten.toFixed(2)}  goal 1.5  ${ofHandWritten <= 1.5 ? "ok" : "MISSED"}`,
  );
  console.log(`  oRPC / execute          ${orpcOfPlico.toFixed(1)}  goal 5    ${orpcOfPlico >= 5 ? "ok" : "MISSED"}`);
}
console.log(`JSON ${JSON.stringify({ bench: "execute", node: process.version, results })}`);
