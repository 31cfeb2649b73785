import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isRecord } from "../src/json/value.js";
import { OperationRegistry } from "../src/registry/registry.js";
import { mountSource } from "../src/registry/source.js";
import { type OpenApiSource, openapiSource } from "../src/sources/openapi/index.js";
import { describeWith, isMissing } from "./describe-with.js";
import { watchResources } from "./left-behind.js";
import { installNpmFolder } from "./npm-folder.js";
import { corpus } from "./openapi-documents.js";
import {
  findAlertmanager,
  type PrismServers,
  type Program,
  type RealHttpServer,
  startAlertmanager,
  startPrism,
} from "./real-http-apis.js";

const document = join(corpus, "alertmanager-0.25.swagger.yaml");
const title = "Alertmanager, behind a proxy that refuses what its document does not describe,";
const NOBODY = "00000000-0000-4000-8000-000000000000";

if (existsSync(document)) {
  const prism = installNpmFolder("openapi-mocks");
  describeWith<Program>(title, isMissing(prism) ? prism : findAlertmanager(), (program) => {
    const assertNothingLeft = watchResources();
    const registry = new OperationRegistry();
    let manager: RealHttpServer;
    let proxy: PrismServers;
    let source: OpenApiSource;
    beforeAll(async () => {
      manager = await startAlertmanager(program);
      proxy = await startPrism(String(prism), [{ document, upstream: `${manager.url}/api/v2` }]);
      source = await openapiSource({ name: "alerts", file: document, baseUrl: proxy.urls[0], retries: 0 });
      mountSource(registry, source);
    }, 90_000);
    afterAll(async () => {
      await source.close();
      await proxy.close();
      await manager.close();
      await assertNothingLeft();
    });
    const call = async (name: string, input: object = {}): Promise<unknown> => {
      const { data, meta } = await registry.execute(`alerts.${name}`, input);
      expect(meta).toMatchObject({ source: "http", statusCode: 200 });
      expect(meta.warnings).toBeUndefined();
      return data;
    };

    test("tells how it is", async () => {
      expect(await call("getStatus")).toMatchObject({ versionInfo: { version: "0.25.0" } });
      expect(await call("getReceivers")).toEqual([{ name: "nobody" }]);
    });

    test("keeps a silence until it is deleted", async () => {
      const made = await call("postSilences", silence("a b"));
      const silenceID = String(isRecord(made) && made["silenceID"]);
      expect(await call("getSilence", { silenceID })).toMatchObject({ id: silenceID, status: { state: "active" } });
      await call("deleteSilence", { silenceID });
      expect(await call("getSilence", { silenceID })).toMatchObject({ status: { state: "expired" } });
    });

    test("takes every filter of a list", async () => {
      await call("postSilences", silence("one & only", "eu"));
      expect(await call("getSilences", { filter: ['job="one & only"'] })).toHaveLength(1);
      expect(await call("getSilences", { filter: ['job="one & only"', 'zone="eu"'] })).toHaveLength(1);
      expect(await call("getSilences", { filter: ['job="one & only"', 'zone="us"'] })).toHaveLength(0);
    });

    test("takes alerts, which are a list as a whole body", async () => {
      const labels = { alertname: "Hot", zone: "eu" };
      expect(await call("postAlerts", { body: [{ labels, annotations: { why: "sun" } }] })).toBeNull();
      const filter = ['alertname="Hot"', 'zone="eu"'];
      expect(await call("getAlerts", { filter, silenced: false })).toMatchObject([{ labels }]);
      expect(await call("getAlerts", { filter, active: false })).toEqual([]);
    });

    test("says what it does not have", async () => {
      const missing = registry.execute("alerts.getSilence", { silenceID: NOBODY });
      await expect(missing).rejects.toMatchObject({ category: "not_found", details: { statusCode: 404 } });
    });

    test("says what is wrong, in its own words", async () => {
      const late = { ...silence("x"), endsAt: "2020-01-01T00:00:00Z" };
      await expect(registry.execute("alerts.postSilences", late)).rejects.toMatchObject({
        category: "validation",
        details: { statusCode: 400, body: expect.stringContaining("start time must be before end time") },
        message: expect.stringContaining("start time must be before end time"),
      });
    });

    test("has its words behind the proxy, too", async () => {
      const straight = await openapiSource({ name: "straight", file: document, baseUrl: `${manager.url}/api/v2` });
      mountSource(registry, straight);
      try {
        const wrong = registry.execute("straight.getSilence", { silenceID: "abc" });
        await expect(wrong).rejects.toMatchObject({ category: "validation", details: { statusCode: 422 } });
        const refused = registry.execute("alerts.getSilence", { silenceID: "abc" });
        await expect(refused).rejects.toMatchObject({ category: "validation", details: { statusCode: 422 } });
      } finally {
        await straight.close();
      }
    });
  });
} else {
  test.skip(`${title} answers (there is no folder ${corpus}; PLICO_CORPUS may name another)`, () => {});
}

function silence(job: string, zone = "any"): object {
  const now = Date.now();
  const matchers = [
    { name: "job", value: job, isRegex: false },
    { name: "zone", value: zone, isRegex: false },
  ];
  const [startsAt, endsAt] = [now, now + 3_600_000].map((time) => new Date(time).toISOString());
  return { matchers, startsAt, endsAt, createdBy: "ada", comment: "quiet" };
}
