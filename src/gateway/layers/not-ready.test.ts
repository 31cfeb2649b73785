import { describe, expect, test } from "vitest";
import { operation, registryOf, thrownBy } from "../../registry/fixtures/operations.js";
import { OperationRegistry } from "../../registry/registry.js";
import type { ServedRegistry } from "../../registry/served-registry.js";
import type { SourceStatus } from "../../registry/source.js";
import type { SourceConfig } from "../config/config.js";
import type { GatewaySource } from "../gateway.js";
import { notReady } from "./not-ready.js";

function source(
  name: string,
  status: SourceStatus,
  more: Partial<SourceConfig> = {},
  hasFailed: boolean = status === "down",
): GatewaySource {
  const config = { module: "./a.js", ...more } as SourceConfig;
  const why = { category: "network", code: "UNAVAILABLE", message: "nobody listens there", recoverable: true };
  const about = { name, kind: "module" as const, operations: 0, warnings: [] };
  return {
    name,
    kind: "module",
    config,
    operationIds: [],
    health: () => ({ ...about, status, ...(hasFailed && { error: why }) }),
  };
}

const SOURCES = [
  source("pets", "down"),
  source("slow", "connecting"),
  source("again", "connecting", {}, true),
  source("up", "ready"),
  source("named", "down", { namespace: "other" }),
  source("private", "down", { scopes: ["staff"] }),
];

const served = notReady({ sources: () => SOURCES, started: async () => {} })(
  registryOf(() => 1) as unknown as ServedRegistry,
);

test("an operation that may come with a fleet is unavailable while the fleet is not up", async () => {
  const fleet = (status: SourceStatus, more = {}): GatewaySource => ({
    ...source("fleet", status, more),
    kind: "nats",
    config: { nats: "nats://a", ...more },
  });
  const attempted = async (...sources: GatewaySource[]): Promise<unknown> => {
    const layer = notReady({ sources: () => sources, started: async () => {} });
    const outcome = await layer(registryOf(() => 1) as unknown as ServedRegistry).attempt("pets.list");
    return outcome.ok ? undefined : (outcome.error.details ?? outcome.error.code);
  };
  expect(await attempted(fleet("down"))).toEqual({ source: "fleet", status: "down" });
  expect(await attempted(fleet("connecting"), source("pets", "down"))).toMatchObject({ source: "pets" });
  expect(await attempted(fleet("ready"))).toBe("OPERATION_NOT_FOUND");
  expect(await attempted(fleet("down", { namespace: "far" }))).toBe("OPERATION_NOT_FOUND");
});

describe("an operation that is not known", () => {
  test.each([
    ["pets.list", "pets", "down"],
    ["slow.list", "slow", "connecting"],
    ["again.list", "again", "down"],
    ["other.list", "named", "down"],
  ])("is unavailable where it may be of a source that is not up: %s", async (id, name, status) => {
    const wanted = { category: "unavailable", recoverable: true, details: { source: name, status } };
    expect(await served.attempt(id)).toMatchObject({ ok: false, error: wanted });
    expect(thrownBy(() => served.subscribe(id))).toMatchObject(wanted);
  });

  test.each(["pets.list", "again.list"])("says why its source is down: %s", async (id) => {
    const outcome = await served.attempt(id);
    expect(outcome.ok ? "" : outcome.error.message).toContain("nobody listens there");
  });

  test("is told so only to those who may call its source", async () => {
    const calledWith = async (...scopes: string[]): Promise<unknown> => {
      const outcome = await served.attempt("private.list", {}, { identity: { id: "ada", scopes } });
      return outcome.ok ? undefined : outcome.error.category;
    };
    expect([await calledWith("staff"), await calledWith()]).toEqual(["unavailable", "not_found"]);
    expect(thrownBy(() => served.subscribe("private.list"))).toMatchObject({ category: "not_found" });
  });

  test.each(["up.list", "named.list", "nobody.list", "petshop.list", "pets"])(
    "is not found otherwise: %s",
    async (id) => {
      expect(await served.attempt(id)).toMatchObject({ ok: false, error: { code: "OPERATION_NOT_FOUND" } });
      expect(thrownBy(() => served.subscribe(id))).toMatchObject({ code: "OPERATION_NOT_FOUND" });
    },
  );
});

test("what works is left as it is", async () => {
  expect(await served.attempt("test.run", {})).toMatchObject({ ok: true, data: 1 });
  expect(served.list()).toHaveLength(1);
});

test("a call to a source that is starting waits for it, and is made when it is up", async () => {
  const registry = new OperationRegistry();
  const starting = source("slow", "connecting");
  const started = async (): Promise<void> => {
    registry.register(operation(() => "there", { namespace: "slow", name: "list" }));
  };
  const waiting = notReady({ sources: () => [starting], started })(registry);
  expect(await waiting.attempt("slow.list")).toMatchObject({ ok: true, data: "there" });
});
