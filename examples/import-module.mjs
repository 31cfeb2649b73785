// A file in TypeScript as a source, without a build, and a helper of a script as one.
import assert from "node:assert/strict";
import { mountSource, OperationRegistry } from "plico";
import { moduleSource } from "plico/sources/module";

// 1. A path or a package. Operations keep their own names.
const invoices = await moduleSource({ name: "invoices", module: new URL("modules/invoices.ts", import.meta.url) });
const registry = new OperationRegistry();
mountSource(registry, invoices);

const { data, meta } = await registry.execute("invoices.total", {
  lines: [{ cents: 1000 }, { cents: 200, reduced: true }],
});
assert.deepEqual(data, { cents: 1404 });
assert.equal(meta.source, "local");

// 2. What is exported beside operations is left alone, and named.
const { operations, warnings } = invoices.health();
assert.equal(operations, 1);
assert.deepEqual(
  warnings.map(({ code }) => code),
  ["EXPORT_SKIPPED"],
);
console.log(warnings[0].message);

// 3. The file of a helper is a module too: it does not run as a script when it is imported.
const helpers = await moduleSource({
  name: "team",
  module: new URL("helpers/triage.mjs", import.meta.url),
  namespace: "team",
});
mountSource(registry, helpers);
const refused = await registry.attempt("team.triage", { folder: "/nowhere" });
assert.equal(refused.error.code, "NO_CHECKOUT");

// 4. A file without operations is an error that says what is wrong with it.
await assert.rejects(moduleSource({ name: "no", module: "./no-such-file.ts" }), { code: "MODULE_FAILED" });

await invoices.close();
await helpers.close();
console.log("closed");
