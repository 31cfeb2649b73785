// The two payloads that the benchmarks of calls and schemas share.

import * as z from "zod";

export const small = { a: 3, b: 4 };

export const smallSchema = object({ a: { type: "number" }, b: { type: "number" } });

export function order(index = 1) {
  return {
    id: `ord_${String(index).padStart(8, "0")}`,
    number: index,
    createdAt: "2026-01-02T03:04:05.678Z",
    status: "paid",
    currency: "EUR",
    total: 123.45,
    paid: true,
    note: null,
    customer: {
      id: "cus_42",
      email: "ada@example.com",
      name: "Ada Lovelace",
      tags: ["vip", "eu", "b2b"],
      address: { street: "12 St James Sq", city: "London", zip: "SW1Y 4JH", country: "GB" },
    },
    items: [
      { sku: "A-1", qty: 2, price: 10.5 },
      { sku: "B-22", qty: 1, price: 99.95, discount: 5 },
      { sku: "C-333", qty: 3, price: 0.83 },
    ],
  };
}

/** An order as a careless server sends it: numbers as texts, fields that nobody declared, defaults left out. */
export function dirtyOrder(index = 1) {
  const value = order(index);
  Object.assign(value, {
    number: String(index),
    total: "123.45",
    _secret: 1,
    extra: "x",
    currency: undefined,
    paid: undefined,
  });
  value.customer.password = "p";
  value.customer.address.geo = 1;
  for (const item of value.items) Object.assign(item, { qty: String(item.qty), junk: true });
  return value;
}

export const STATUSES = ["open", "paid", "shipped", "cancelled"];

const text = { type: "string" };
const number = { type: "number" };
const integer = { type: "integer" };

export const orderSchema = object({
  id: text,
  number: integer,
  createdAt: text,
  status: { type: "string", enum: STATUSES },
  currency: { type: "string", default: "EUR" },
  total: number,
  paid: { type: "boolean", default: false },
  note: { type: ["string", "null"] },
  customer: object({
    id: text,
    email: text,
    name: text,
    tags: { type: "array", items: text },
    address: object({ street: text, city: text, zip: text, country: text }),
  }),
  items: {
    type: "array",
    items: object({ sku: text, qty: integer, price: number, discount: number }, ["discount"]),
  },
});

function object(properties, optional = []) {
  return { type: "object", properties, required: Object.keys(properties).filter((key) => !optional.includes(key)) };
}

/** The part of an order that is the same whether numbers are converted or not, in zod's words. */
export const zodCustomer = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  tags: z.array(z.string()),
  address: z.object({ street: z.string(), city: z.string(), zip: z.string(), country: z.string() }),
});
