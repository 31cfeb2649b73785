// Three documents of three formats, read by one consumer and converted without writing a parser each.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { convert, read } from "plico";

const users = JSON.parse(open("users.json"));
const triage = JSON.parse(open("triage.json"));
const invalid = open("invalid-input.txt").trim();

// 1. One consumer for all: `data` is the payload, `error` the failure, `meta` the rest, whatever the format was.
for (const document of [users, triage, invalid]) {
  const { kind, dialect, outcome } = read(document);
  assert.equal(kind, "outcome");
  console.log(
    `${dialect}: ${outcome.ok ? JSON.stringify(outcome.data) : `${outcome.error.category}: ${outcome.error.message}`}`,
  );
}

// 2. A page is a page in every format that has pages.
assert.equal(read(users).outcome.meta.pagination.hasMore, true);

// 3. A conversion tells what the target cannot carry.
const { wire, from, lost } = convert(users, "helper-output");
assert.deepEqual(wire.users, users.data.users);
console.log(`\n${from} → helper-output loses ${lost.map(({ path }) => path).join(", ")}`);

// 4. An error comes back the same from any other format.
const there = convert(invalid, "response-v2").wire;
const back = read(there).outcome.error;
assert.equal(back.category, "validation");
assert.equal(back.code, "ERR_INPUT_SCHEMA");
assert.equal(back.suggestedAction, "Provide all required fields and retry");
console.log(`\ntool-envelope-v1 → response-v2 keeps [${back.code}] and "${back.suggestedAction}"`);

function open(name) {
  return readFileSync(new URL(`documents/${name}`, import.meta.url), "utf8");
}
