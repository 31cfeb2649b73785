import { expect, test } from "vitest";
import { localEnvelope } from "../envelope/response-envelope.js";
import { describeData, leaveData, schemaOfAnswer } from "./answer-schema.js";
import { registryOf } from "./fixtures/operations.js";

const NUMBERS = { type: "object", properties: { a: { type: "number" } } };
const TEXTS = { type: "object", properties: { a: { type: "string" } } };

test("an answer may have a schema of its own", async () => {
  const own = registryOf(() => describeData(localEnvelope({ a: "1", b: 2 }, "x.y"), TEXTS), { outputSchema: NUMBERS });
  expect(await own.execute("test.run")).toMatchObject({
    data: { a: "1" },
    meta: { warnings: [{ code: "OUTPUT_STRIPPED" }] },
  });
});

test("an answer may have none", async () => {
  const open = registryOf(() => leaveData(localEnvelope({ a: "1", b: 2 }, "x.y")), { outputSchema: NUMBERS });
  const { data, meta } = await open.execute("test.run");
  expect(data).toEqual({ a: "1", b: 2 });
  expect(meta.warnings).toBeUndefined();
});

test("any other answer has that of its operation", async () => {
  const envelope = localEnvelope({ a: "1" }, "x.y");
  expect(schemaOfAnswer(envelope)).toBeUndefined();
  const plain = registryOf(() => envelope, { outputSchema: NUMBERS });
  expect(await plain.execute("test.run")).toMatchObject({ data: { a: 1 } });
});
