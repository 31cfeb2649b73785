import { expect, test } from "vitest";
import { isImporting, whileImporting } from "./importing.js";

test("a module is being imported until it is loaded, however that ends", async () => {
  const seen: boolean[] = [isImporting()];
  await whileImporting(async () => seen.push(isImporting()));
  seen.push(isImporting());
  await whileImporting(() => Promise.reject(new Error("broken"))).catch(() => seen.push(isImporting()));
  expect(seen).toEqual([false, true, false, false]);
});

test("one that is loaded while another is does not end it", async () => {
  await whileImporting(async () => {
    await whileImporting(async () => {});
    expect(isImporting()).toBe(true);
  });
});
