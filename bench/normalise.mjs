// Output normalisation: strip what is not declared, fill defaults, convert numbers; with the report of every change.
// The limit is a normaliser written by hand for this one shape, which reports nothing. It always copies; Plico gives a
// value that needs no change back as it is. What each ajv case pays to make a new value is a row of its own.

import { Ajv } from "ajv";
import { compile } from "plico";
import * as z from "zod";
import { compare, printRows } from "./ratio.mjs";
import { dirtyOrder, order, orderSchema, STATUSES, zodCustomer } from "./shapes.mjs";

const string = (value, other = "") => (typeof value === "string" ? value : value == null ? other : String(value));
function number(value, other = 0) {
  if (typeof value === "number") return value;
  const parsed = typeof value === "string" && value !== "" ? +value : Number.NaN;
  return Number.isNaN(parsed) ? other : parsed;
}
function integer(value) {
  const parsed = number(value);
  return Number.isInteger(parsed) ? parsed : Math.trunc(parsed);
}
const boolean = (value, other = false) =>
  typeof value === "boolean" ? value : value === "true" ? true : value === "false" ? false : other;
const object = (value) => (typeof value === "object" && value !== null ? value : {});
function list(value, each) {
  if (!Array.isArray(value)) return [];
  const result = new Array(value.length);
  for (let at = 0; at < value.length; at++) result[at] = each(value[at]);
  return result;
}
const text = (value) => string(value);
const address = (x) => ({
  street: string(x.street),
  city: string(x.city),
  zip: string(x.zip),
  country: string(x.country),
});
const customer = (x) => ({
  id: string(x.id),
  email: string(x.email),
  name: string(x.name),
  tags: list(x.tags, text),
  address: address(object(x.address)),
});
function item(value) {
  const x = object(value);
  return x.discount === undefined
    ? { sku: string(x.sku), qty: integer(x.qty), price: number(x.price) }
    : { sku: string(x.sku), qty: integer(x.qty), price: number(x.price), discount: number(x.discount) };
}
const handWritten = (x) => ({
  id: string(x.id),
  number: integer(x.number),
  createdAt: string(x.createdAt),
  status: STATUSES.includes(x.status) ? x.status : "open",
  currency: string(x.currency, "EUR"),
  total: number(x.total),
  paid: boolean(x.paid),
  note: x.note == null ? null : string(x.note),
  customer: customer(object(x.customer)),
  items: list(x.items, item),
});

const zodOrder = z.object({
  id: z.string(),
  number: z.coerce.number().int(),
  createdAt: z.string(),
  status: z.enum(STATUSES),
  currency: z.string().default("EUR"),
  total: z.coerce.number(),
  paid: z.boolean().default(false),
  note: z.string().nullable(),
  customer: zodCustomer,
  items: z.array(
    z.object({
      sku: z.string(),
      qty: z.coerce.number().int(),
      price: z.coerce.number(),
      discount: z.coerce.number().optional(),
    }),
  ),
});

const ajv = new Ajv({ removeAdditional: "all", useDefaults: true, coerceTypes: true });
const rows = (count, make) => Array.from({ length: count }, (_, index) => make(index));

const shapes = {
  "one object": { schema: orderSchema, make: (one) => one(7), byHand: handWritten, zod: zodOrder },
  "1,000 rows": {
    schema: { type: "array", items: orderSchema },
    make: (one) => rows(1000, one),
    byHand: (value) => list(value, handWritten),
    zod: z.array(zodOrder),
  },
};
const kinds = { clean: { one: order, goal: 1.2 }, dirty: { one: dirtyOrder, goal: 1.5 } };

const results = [];
for (const [shape, { schema, make, byHand, zod }] of Object.entries(shapes)) {
  for (const [kind, { one, goal }] of Object.entries(kinds)) {
    const compiled = compile(schema);
    const inPlace = ajv.compile(schema);
    // Each case has a value of its own; ajv changes it, so that a dirty one must be made anew each time.
    const [a, b, c, d] = [make(one), make(one), make(one), make(one)];
    same(compiled.normalise(make(one)).value, byHand(make(one)), `plico, ${shape}, ${kind}`);
    const cases = {
      "hand-written, no report": () => byHand(a),
      "plico, with the report": () => compiled.normalise(b),
      "zod parse, coerce": () => zod.parse(c),
      ...(kind === "clean"
        ? { "ajv, in place": () => inPlace(d) }
        : { "ajv, in place, new value": () => inPlace(make(one)), "(a new value)": () => make(one) }),
    };
    const timed = compare(cases, { sliceMs: shape === "one object" ? 8 : 15 });
    results.push({
      title: `normalise ${shape}, ${kind}`,
      rows: timed.map((row) => ({ ...row, goal: row.name.startsWith("plico") ? goal : undefined })),
    });
  }
}
for (const { title, rows: timed } of results) printRows(title, timed);
console.log(`JSON ${JSON.stringify({ bench: "normalise", node: process.version, results })}`);

function same(actual, expected, what) {
  const sorted = (value) =>
    JSON.stringify(value, (_, inner) =>
      inner !== null && typeof inner === "object" && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort())
        : inner,
    );
  if (sorted(actual) !== sorted(expected)) throw new Error(`${what}: wrong result`);
}
