// Reading and writing documents of each dialect, as a ratio to JSON.parse and JSON.stringify of the same document. For
// tool-envelope-v1 that is what its block holds: the block itself is one string, which costs JSON nothing.
import { DIALECTS } from "plico";
import { compare } from "./ratio.mjs";

const SIZES = { "1 kB": 1_000, "100 kB": 100_000, "10 MB": 10_000_000 };
const GOAL = { "tool-envelope-v1": 2 };

const rows = [];
for (const [size, bytes] of Object.entries(SIZES)) {
  const options = bytes > 1e6 ? { slices: 9, sliceMs: 1, warmMs: 600 } : {};
  for (const dialect of DIALECTS) {
    const outcome = { ok: true, data: orders(bytes), meta: { summary: "Orders" } };
    const wire = dialect.write(outcome).wire;
    const text = dialect.print(wire);
    const held =
      dialect.name === "tool-envelope-v1"
        ? { payload: outcome.data, meta: { tool: "orders", ts: "", version: 1 } }
        : wire;
    const limitText = JSON.stringify(held);
    const indent = text.startsWith("{\n") ? 2 : undefined;
    const [, read] = compare(
      { limit: () => JSON.parse(held === wire ? text : limitText), read: () => dialect.read(JSON.parse(text)) },
      options,
    );
    const [, write] = compare(
      { limit: () => JSON.stringify(held, null, indent), write: () => dialect.print(dialect.write(outcome).wire) },
      options,
    );
    rows.push({ size, dialect: dialect.name, read: read.ratio, write: write.ratio, goal: GOAL[dialect.name] ?? 1.3 });
  }
}

/** An object of about so many bytes of JSON. */
function orders(bytes) {
  const list = [];
  for (let at = 0; at * 250 < bytes; at++) {
    list.push({
      id: `ord_${at}`,
      number: at,
      status: ["open", "paid", "shipped"][at % 3],
      total: at * 1.25,
      note: at % 5 === 0 ? null : "leave it at the door, please",
      customer: { name: at % 7 === 0 ? "Zoë 東京 🎉" : "Ada Lovelace", email: "ada@example.com", tags: ["new", "eu"] },
      items: [{ sku: "A-1", qty: 2, price: 10.5 }],
    });
  }
  return { orders: list, count: list.length };
}

console.log("size     dialect             read   write   goal");
for (const { size, dialect, read, write, goal } of rows) {
  const judged = size === "1 kB" ? "" : Math.max(read, write) <= goal ? "ok" : "MISSED";
  console.log(
    `${size.padEnd(8)} ${dialect.padEnd(18)} ${read.toFixed(2).padStart(5)} ${write.toFixed(2).padStart(7)} ${String(goal).padStart(6)}  ${judged}`,
  );
}
console.log(`JSON ${JSON.stringify({ bench: "dialects", node: process.version, rows })}`);
