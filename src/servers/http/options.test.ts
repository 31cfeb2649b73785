import { describe, expect, test } from "vitest";
import { isCallError } from "../../envelope/call-error.js";
import { registryOf, thrownBy } from "../../registry/fixtures/operations.js";
import { httpHandler } from "./fetch-handler.js";
import { httpListener } from "./node-listener.js";
import type { HttpServerOptions } from "./options.js";
import { serveHttp } from "./serve.js";

const registry = registryOf(() => 1);

/** What is said where a server cannot be made; it must be said at once, by all three. */
async function complaintOf(options: unknown): Promise<string> {
  const given = options as HttpServerOptions;
  const thrown = [thrownBy(() => httpListener(given)), thrownBy(() => httpHandler(given))];
  const rejected: unknown = await serveHttp(given).then(
    (server) => server.close(),
    (reason: unknown) => reason,
  );
  for (const error of [...thrown, rejected])
    expect(isCallError(error) && error.category, String(error)).toBe("validation");
  return String(rejected);
}

describe("an option", () => {
  test.each<[option: string, values: readonly unknown[]]>([
    ["registry", [null, {}, 1, { list: () => [] }]],
    ["info", [1, "title", [], { title: 1 }, { titel: "x" }, null]],
    ["basePath", [1, "api", "/", "/api/", "/a b", "/a?b", "//a", "/{a}"]],
    ["filter", [1, "a", {}]],
    ["authorize", [true, "token"]],
    ["cors", [true, "*", ["https://a.test"], {}, { origin: "*" }, { origins: "https://a.test" }, { origins: [1] }]],
    ["maxBodyBytes", [-1, "1", Number.NaN, 1n]],
    ["timeout", [-1, "1s", Number.NaN]],
    ["streams", [1, { resumeMs: -1 }, { resumems: 1 }, { bufferBytes: "1" }, []]],
    ["idempotency", [1, { ttlMs: -1 }, { ttl: 1 }, { maxEntries: null }]],
    ["onError", [console, 1]],
    ["allowedHosts", ["localhost", [1], {}]],
    ["allowedOrigins", ["https://a.test", [1], true]],
  ])("%s is refused where it is wrong, and named", async (option, values) => {
    for (const value of values)
      expect(await complaintOf({ registry, [option]: value }), JSON.stringify(value, String)).toContain(option);
  });

  test("that does not exist is refused, with those that do", async () => {
    const complaint = await complaintOf({ registry, maxBodySize: 1 });
    expect(complaint).toContain("maxBodySize");
    expect(complaint).toContain("maxBodyBytes");
    const inner = await complaintOf({ registry, streams: { resume: 1 } });
    for (const word of ["streams", "`resume`", "resumeMs"]) expect(inner).toContain(word);
  });

  test("is wanted", async () => {
    for (const options of [undefined, null, 1, [], {}]) await complaintOf(options);
  });

  test("may be absent", () => {
    const names = ["info", "basePath", "filter", "authorize", "cors", "maxBodyBytes", "timeout", "streams", "onError"];
    const options = Object.fromEntries(names.map((name) => [name, undefined]));
    expect(() => httpHandler({ ...options, registry })).not.toThrow();
  });

  test.each<Partial<HttpServerOptions>>([
    { allowedOrigins: "*" },
    { basePath: "" },
    { basePath: "/api/v1.0/~me" },
    { timeout: Number.POSITIVE_INFINITY },
    { maxBodyBytes: 0 },
    { info: {} },
    { streams: { resumeMs: 0 } },
    { cors: { origins: [] } },
  ])("%j is taken", (options) => {
    expect(() => httpHandler({ ...options, registry })).not.toThrow();
  });
});

describe("an option of Node's server", () => {
  test.each<[option: string, value: unknown]>([
    ["port", -1],
    ["port", 65_536],
    ["port", 1.5],
    ["port", "80"],
    ["host", 1],
    ["maxHeaderBytes", 0],
    ["maxHeaderBytes", Number.POSITIVE_INFINITY],
    ["requestTimeout", 0],
    ["requestTimeout", 0.5],
    ["requestTimeout", 2 ** 31],
  ])("%s is not %s", async (option, value) => {
    const refused = serveHttp({ registry, [option]: value });
    await expect(refused).rejects.toMatchObject({
      category: "validation",
      message: expect.stringContaining(option),
    });
  });

  test("is none of the others", () => {
    const options = { registry, port: 0 } as HttpServerOptions;
    expect(() => httpListener(options)).toThrow(expect.objectContaining({ category: "validation" }));
  });
});
