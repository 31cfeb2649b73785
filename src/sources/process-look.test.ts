import { expect, test } from "vitest";
import { lookLater, lookNow } from "./process-look.js";

test("all who ask look at the same table, a little later", async () => {
  const looks = await Promise.all([lookLater((table) => table), lookLater((table) => table)]);
  expect(looks[0]).toBe(looks[1]);
});

test("who waits may look at once", async () => {
  let isDone = false;
  const look = lookLater(() => {
    isDone = true;
  });
  expect(isDone).toBe(false);
  lookNow();
  expect(isDone).toBe(true);
  await look;
  lookNow();
});
