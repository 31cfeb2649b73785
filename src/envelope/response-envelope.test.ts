import { afterEach, describe, expect, test, vi } from "vitest";
import { hostileValues } from "../testing/hostile-values.js";
import {
  httpEnvelope,
  isResponseEnvelope,
  localEnvelope,
  mcpEnvelope,
  type ResponseEnvelope,
  scriptEnvelope,
  unwrap,
} from "./response-envelope.js";

const FALSY = [undefined, null, 0, "", false, Number.NaN, [], {}];

const META = {
  local: { source: "local", operationId: "rows.list", timestamp: 0 },
  http: { source: "http", statusCode: 200, headers: {}, contentType: "application/json" },
  mcp: { source: "mcp", isError: false, content: [] },
  script: { source: "script", command: ["node", "rows.js"], exitCode: 0, timestamp: 0 },
} as const;

const SOURCES = Object.entries(META).map(([source, meta]) => [source, meta] as const);
const REQUIRED = SOURCES.flatMap(([source, meta]) =>
  Object.keys(meta).map((field) => [source, field, meta as Record<string, unknown>] as const),
);

/** A caller in JavaScript, or one whose object has more than its type says. */
function withStraySource<T extends object>(meta: T): T {
  return { ...meta, source: "local" };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("the factories", () => {
  test("localEnvelope stamps the operation and the moment", () => {
    vi.useFakeTimers({ now: 1_770_000_000_000 });
    expect(localEnvelope({ rows: [] }, "rows.list")).toStrictEqual({
      data: { rows: [] },
      meta: { source: "local", operationId: "rows.list", timestamp: 1_770_000_000_000 },
    });
  });

  test("localEnvelope carries undefined, as operations without a result give it", () => {
    const envelope = localEnvelope(undefined, "rows.clear");
    expect(Object.keys(envelope)).toEqual(["data", "meta"]);
    expect(isResponseEnvelope(envelope)).toBe(true);
    expect(unwrap(envelope)).toBeUndefined();
  });

  test("the others keep what they are given, hints included, and add the source", () => {
    const { source: _http, ...http } = META.http;
    const { source: _script, ...script } = META.script;
    expect(httpEnvelope(1, { ...http, requestId: "r" })).toStrictEqual({
      data: 1,
      meta: { ...META.http, requestId: "r" },
    });
    expect(mcpEnvelope(1, { isError: true, content: [] }).meta).toStrictEqual({ ...META.mcp, isError: true });
    expect(scriptEnvelope(1, { ...script, command: ["a"] }).meta).toStrictEqual({ ...META.script, command: ["a"] });
  });

  test("no stray source overrides the factory's own", () => {
    const { source: _http, ...http } = META.http;
    expect(httpEnvelope(1, withStraySource(http)).meta.source).toBe("http");
    expect(mcpEnvelope(1, withStraySource({ isError: false, content: [] })).meta.source).toBe("mcp");
    const script = { command: ["a"], exitCode: null, timestamp: 0 };
    expect(scriptEnvelope(1, withStraySource(script)).meta.source).toBe("script");
  });

  test("they leave the caller's meta alone", () => {
    const meta = Object.freeze({ isError: false, content: [] });
    expect(mcpEnvelope(1, meta).meta).not.toBe(meta);
    expect(meta).toStrictEqual({ isError: false, content: [] });
  });

  test("they pass the data on by identity", () => {
    const data = { rows: [] };
    expect(unwrap(localEnvelope(data, "rows.list"))).toBe(data);
    expect(unwrap(mcpEnvelope(data, { isError: false, content: [] }))).toBe(data);
  });
});

describe("unwrap", () => {
  test("gives the data, falsy or not", () => {
    for (const data of FALSY) expect(unwrap(localEnvelope(data, "a.b"))).toBe(data);
  });
});

describe("isResponseEnvelope", () => {
  test.each(SOURCES)("takes an envelope of %s with any data", (_, meta) => {
    for (const data of [...FALSY, { rows: [1] }]) expect(isResponseEnvelope({ data, meta })).toBe(true);
  });

  test.each(REQUIRED)("does not take an envelope of %s without %s", (_, field, meta) => {
    const { [field]: _removed, ...rest } = meta;
    expect(isResponseEnvelope({ data: 1, meta: rest })).toBe(false);
    expect(isResponseEnvelope({ data: 1, meta: { ...meta, [field]: undefined } })).toBe(false);
    expect(isResponseEnvelope({ data: 1, meta: { ...meta, [field]: Symbol("wrong") } })).toBe(false);
  });

  test.each([
    ["a header that is no text", { ...META.http, headers: { etag: 1 } }],
    ["cookies that are no list", { ...META.http, setCookie: "a=1" }],
    ["a status code of text", { ...META.http, statusCode: "200" }],
    ["an isError of text", { ...META.mcp, isError: "false" }],
    ["content that is no list of records", { ...META.mcp, content: ["hello"] }],
    ["a _meta that is no record", { ...META.mcp, _meta: [] }],
    ["a command that is one text", { ...META.script, command: "node rows.js" }],
    ["an exit code of text", { ...META.script, exitCode: "0" }],
    ["an agent that is no text", { ...META.script, agent: 1 }],
    ["another source", { ...META.local, source: "ftp" }],
    ["a source that every object has", { ...META.local, source: "toString" }],
    ["a source in a list", { ...META.local, source: ["local"] }],
  ])("does not take an envelope with %s", (_, meta) => {
    expect(isResponseEnvelope({ data: 1, meta })).toBe(false);
  });

  test("takes a script that a signal ended", () => {
    expect(isResponseEnvelope({ data: null, meta: { ...META.script, exitCode: null } })).toBe(true);
  });

  test("takes the optional fields and fields that it does not know", () => {
    const mcp = { ...META.mcp, structuredContent: null, _meta: {}, content: [{ type: "hologram" }] };
    expect(isResponseEnvelope({ data: 1, meta: mcp })).toBe(true);
    expect(isResponseEnvelope({ data: 1, meta: { ...META.http, setCookie: [], future: 1 } })).toBe(true);
    expect(isResponseEnvelope({ data: 1, meta: META.local, more: true })).toBe(true);
  });

  test.each([
    ["no data", { meta: META.local }],
    ["no meta", { data: 1 }],
    ["a meta of null", { data: 1, meta: null }],
    ["a meta that is a list", { data: 1, meta: [META.local] }],
    ["an empty meta", { data: 1, meta: {} }],
    ["a meta of text", { data: 1, meta: "local" }],
  ])("does not take a value with %s", (_, value) => {
    expect(isResponseEnvelope(value)).toBe(false);
  });

  test("still takes an envelope after a trip as JSON", () => {
    const envelopes: ResponseEnvelope[] = SOURCES.map(([, meta]) => ({
      data: null,
      meta: structuredClone(meta) as never,
    }));
    expect(envelopes.map((envelope) => JSON.parse(JSON.stringify(envelope)) as unknown).every(isResponseEnvelope)).toBe(
      true,
    );
  });

  test.each(hostileValues().map((value, at) => [at, value] as const))(
    "does not take hostile value %i, nor throw",
    (_, value) => {
      expect(isResponseEnvelope(value)).toBe(false);
      expect(isResponseEnvelope({ data: 1, meta: value })).toBe(false);
    },
  );
});
