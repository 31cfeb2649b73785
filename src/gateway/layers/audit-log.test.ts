import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { operation } from "../../registry/fixtures/operations.js";
import { OperationRegistry } from "../../registry/registry.js";
import type { ServedRegistry } from "../../registry/served-registry.js";
import { ClientCall } from "../../servers/client-call.js";
import type { LogConfig } from "../config/config.js";
import { type Log, SILENT } from "../log.js";
import { createRedactor } from "../redact.js";
import { auditLog } from "./audit-log.js";

let folder: string;
const closing: (() => Promise<void>)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "plico-audit-"));
});

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  rmSync(folder, { recursive: true, force: true });
});

const registry = new OperationRegistry().registerAll([
  operation((input) => ({ said: input.word, password: "pw" }), {
    inputSchema: { type: "object", properties: { word: { type: "string" } } },
  }),
  operation((_, { requestId }) => requestId, { name: "id", type: "mutation" }),
  operation(() => 1, { name: "secret", accessControl: { requiredScopes: ["admin"] } }),
  operation(() => [1, 2, 3], { name: "many", type: "subscription" }),
]) as unknown as ServedRegistry;

function stage(given: LogConfig, log: Log = SILENT) {
  const settings = { ...given };
  const clock = { now: Date.UTC(2026, 0, 1) };
  const audit = auditLog({
    log,
    sourceOf: (id) => (id.startsWith("test.") && id !== "test.unknown" ? { name: "tests" } : undefined),
    settings: () => settings,
    redactor: () => createRedactor(["hunter2"]),
    folder,
    now: () => {
      clock.now += 5;
      return clock.now;
    },
  });
  closing.push(() => audit.close());
  const lines = async (file = "audit.log"): Promise<Record<string, unknown>[]> => {
    await audit.close();
    return readFileSync(join(folder, file), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  };
  return { served: audit.layer(registry), settings, lines };
}

const FILE = { audit: "audit.log" } satisfies LogConfig;

describe("the audit log", () => {
  test("has who called what, when, and how it ended", async () => {
    const { served, lines } = stage(FILE);
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const identity = { id: "ada", scopes: [] };
    await served.attempt("test.run", { word: "hello" }, { identity, requestId: "r1", metadata: { traceparent } });
    expect(await lines()).toEqual([
      {
        time: "2026-01-01T00:00:00.005Z",
        event: "call",
        requestId: "r1",
        traceId: "0af7651916cd43dd8448eb211c80319c",
        operation: "test.run",
        source: "tests",
        type: "query",
        identity: "ada",
        ms: 5,
        ok: true,
      },
    ]);
  });

  test("has calls that were refused, in their order", async () => {
    const { served, lines } = stage(FILE);
    await served.attempt("test.unknown", {});
    await served.attempt("test.run", { word: 5 });
    await served.attempt("test.secret", {});
    expect(() => served.subscribe("test.unknown")).toThrow();
    expect(await lines()).toMatchObject([
      { operation: "test.unknown", source: null, type: null, identity: null, ok: false, code: "OPERATION_NOT_FOUND" },
      { operation: "test.run", ok: false, category: "validation", code: "VALIDATION_ERROR" },
      { operation: "test.secret", ok: false, category: "authentication", code: "ACCESS_DENIED" },
      { operation: "test.unknown", ok: false, code: "OPERATION_NOT_FOUND" },
    ]);
  });

  test("counts the values of a subscription, and says who ended it", async () => {
    const { served, lines } = stage(FILE);
    for await (const _ of served.subscribe("test.many"));
    for await (const _ of served.subscribe("test.many")) break;
    expect(await lines()).toMatchObject([
      { operation: "test.many", type: "subscription", ok: true, values: 3 },
      { operation: "test.many", ok: true, values: 1, stopped: true },
    ]);
  });

  test("gives a call an id where it has none, which its handler knows too", async () => {
    const { served, lines } = stage(FILE);
    const outcome = await served.attempt("test.id", {});
    const ofClient = await served.attempt("test.id", {}, new ClientCall({ identity: undefined, metadata: undefined }));
    const ids = [outcome, ofClient].map((one) => one.ok && one.data);
    expect((await lines()).map(({ requestId }) => requestId)).toEqual(ids);
  });

  test("has no payloads unless asked, and then no secrets", async () => {
    const { served, settings, lines } = stage(FILE);
    await served.attempt("test.run", { word: "hello" });
    settings.payloads = true;
    await served.attempt("test.run", { word: "it is hunter2", token: "abc" });
    await served.attempt("test.run", { word: 7 });
    const [plain, whole, failed] = await lines();
    expect(Object.keys(plain ?? {})).not.toContain("input");
    expect(whole).toMatchObject({
      input: { word: "it is [redacted]", token: "[redacted]" },
      answer: { said: "it is [redacted]", password: "[redacted]" },
    });
    expect(failed).toMatchObject({ input: { word: 7 }, answer: { category: "validation" } });
  });

  test("goes where the settings say at the time, and nowhere without any", async () => {
    const { served, settings, lines } = stage({ audit: false });
    await served.attempt("test.run", {});
    settings.audit = "logs/one.log";
    await served.attempt("test.run", {});
    settings.audit = "two.log";
    await served.attempt("test.run", {});
    expect(await lines("logs/one.log")).toHaveLength(1);
    expect(await lines("two.log")).toHaveLength(1);
    expect(statSync(join(folder, "two.log")).mode & 0o077).toBe(0);
  });

  test("goes into the log where it has no file", async () => {
    const said: unknown[] = [];
    const { served } = stage({ audit: true }, { ...SILENT, info: (_, fields) => said.push(fields) });
    await served.attempt("test.run", {});
    expect(said).toMatchObject([{ event: "call", operation: "test.run", ok: true }]);
  });

  test("that cannot be written is told of once, and breaks no call", async () => {
    const errors: string[] = [];
    mkdirSync(join(folder, "audit.log"));
    const { served } = stage(FILE, { ...SILENT, error: (message) => errors.push(message) });
    for (let i = 0; i < 3; i += 1) {
      expect(await served.attempt("test.run", {})).toMatchObject({ ok: true });
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const close of closing.splice(0)) await close();
    expect(errors).toHaveLength(1);
  });
});
