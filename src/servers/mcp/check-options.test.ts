import { expect, test } from "vitest";
import { registryOf, thrownBy } from "../../registry/fixtures/operations.js";
import { checkOptions } from "./check-options.js";

const registry = registryOf(() => 1);

test.each([
  undefined,
  {},
  { registry: {} },
  { registry, layout: "fancy" },
  { registry, channels: "x" },
  { registry, toolNames: "x" },
  { registry, budget: -5 },
  { registry, budget: "24k" },
  { registry, filter: true },
  { registry, ready: true },
  { registry, stateKey: "short" },
  { registry, authorize: "token" },
])("no server is made of %j", (options) => {
  expect(thrownBy(() => checkOptions(options))).toMatchObject({ category: "validation" });
});

test.each([
  {},
  { layout: undefined, budget: undefined },
  { layout: "tool-response", channels: "model", toolNames: "bare", budget: 0 },
  { layout: () => "plain", toolNames: () => "a", budget: false },
  { budget: () => 100, ready: Promise.resolve() },
])("a server is made with %j", (options) => {
  expect(() => checkOptions({ registry, ...options })).not.toThrow();
});
