import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ABOUT_PLICO } from "./about-plico.js";

test("Plico names the version of its package", () => {
  const { name, version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect(ABOUT_PLICO).toEqual({ name, version });
});
