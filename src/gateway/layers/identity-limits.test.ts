import { describe, expect, test } from "vitest";
import type { Outcome } from "../../envelope/outcome.js";
import { operation, registryOf } from "../../registry/fixtures/operations.js";
import type { ServedRegistry } from "../../registry/served-registry.js";
import type { LimitsConfig } from "../config/config.js";
import { identityLimits } from "./identity-limits.js";

function stage(limits: LimitsConfig | undefined) {
  const settings = { limits };
  const clock = { now: 1_000_000 };
  const registry = registryOf(() => 1).register(
    operation(() => [1, 2], { name: "many", type: "subscription" }),
  ) as unknown as ServedRegistry;
  const served = identityLimits({ limits: () => settings.limits, now: () => clock.now })(registry);
  const call = (id?: string): Promise<Outcome> =>
    served.attempt(
      "test.run",
      {},
      id === undefined ? undefined : { identity: { id, scopes: [] }, requestId: `of ${id}` },
    );
  return { served, settings, clock, call };
}

const ONE = { perIdentity: { perSecond: 1 } };

describe("limits of callers", () => {
  test("hold for each caller alone, and for all without an identity together", async () => {
    const { call } = stage(ONE);
    for (const id of ["ada", "bob", undefined]) {
      expect((await call(id)).ok).toBe(true);
      expect((await call(id)).ok).toBe(false);
    }
  });

  test("say when to come again", async () => {
    const { call, clock } = stage(ONE);
    await call("ada");
    clock.now += 250;
    expect(await call("ada")).toMatchObject({
      ok: false,
      error: { category: "rate_limit", code: "RATE_LIMITED", retryAfterMs: 750 },
      meta: { requestId: "of ada", rateLimit: { limit: 1, remaining: 0, resetSeconds: 1, retryAfterMs: 750 } },
    });
    clock.now += 750;
    expect((await call("ada")).ok).toBe(true);
  });

  test("hold for subscriptions, which fail in place of their first value", async () => {
    const { served } = stage(ONE);
    expect(await served.subscribe("test.many").next()).toMatchObject({ value: { data: 1 } });
    await expect(served.subscribe("test.many").next()).rejects.toMatchObject({ code: "RATE_LIMITED" });
  });

  test("follow the configuration; without any nobody is refused", async () => {
    const { call, settings } = stage(undefined);
    for (let i = 0; i < 9; i += 1) expect((await call("ada")).ok).toBe(true);
    settings.limits = ONE;
    expect([(await call("ada")).ok, (await call("ada")).ok]).toEqual([true, false]);
  });

  test("keep a bounded number of callers in mind", async () => {
    const { call, clock } = stage({ perIdentity: { perSecond: 0.001 } });
    await call("first");
    for (let i = 0; i < 10_000; i += 1) await call(`caller ${i}`);
    expect((await call("caller 9999")).ok).toBe(false);
    expect((await call("first")).ok).toBe(true);
    clock.now += 1_000_000;
    expect((await call("caller 9999")).ok).toBe(true);
  });
});
