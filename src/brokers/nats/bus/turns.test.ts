import { expect, test } from "vitest";
import { Turns } from "./turns.js";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test.each([
  { name: "all that is awaited goes in two turns", count: 64, awaited: 64, share: 32 },
  { name: "so does most of it, in halves that need not be equal", count: 33, awaited: 40, share: 17 },
  { name: "half of it goes at once", count: 64, awaited: 128, share: 64 },
  { name: "a few go at once", count: 31, awaited: 31, share: 31 },
  { name: "where nobody knows what is awaited all go at once", count: 512, awaited: Infinity, share: 512 },
])("$name", ({ count, awaited, share }) => {
  expect(new Turns(() => {}).shareOf(count, awaited)).toBe(share);
});

test("what waits comes in order, whole, and what one throws hurts no other", async () => {
  const thrown: unknown[] = [];
  const turns = new Turns((error) => thrown.push(error));
  const heard: unknown[] = [];
  turns.later(() => heard.push(turns.areAhead, turns.shareOf(64, 64)));
  turns.later(() => {
    throw "up";
  });
  turns.later(() => heard.push("last"));
  expect([turns.areAhead, heard]).toEqual([true, []]);
  await turn();
  expect([heard, thrown, turns.areAhead, turns.shareOf(64, 64)]).toEqual([[false, 64, "last"], ["up"], false, 32]);
});
