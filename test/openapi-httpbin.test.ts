import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { categoryFromStatus } from "../src/envelope/category.js";
import type { ResponseEnvelope } from "../src/envelope/response-envelope.js";
import { isRecord } from "../src/json/value.js";
import { OperationRegistry } from "../src/registry/registry.js";
import { mountSource } from "../src/registry/source.js";
import { createResultStore } from "../src/results/result-store.js";
import { type OpenApiSource, type OpenApiSourceOptions, openapiSource } from "../src/sources/openapi/index.js";
import { describeWith } from "./describe-with.js";
import { HTTPBIN_DOCUMENT } from "./httpbin-document.js";
import { watchResources } from "./left-behind.js";
import { installNpmFolder } from "./npm-folder.js";
import { within } from "./own-time.js";
import { findHttpbin, type Program, type RealHttpServer, startHttpbin } from "./real-http-apis.js";
import { BODY_CASES, FORM_CASES, PARAMETER_CASES, SECRETS, SECURITY_CASES, STYLE_INPUT } from "./style-cases.js";

describeWith<Program>("httpbin", findHttpbin(), (program) => {
  const assertNothingLeft = watchResources();
  let server: RealHttpServer;
  beforeAll(async () => {
    server = await startHttpbin(program);
  }, 90_000);
  afterAll(async () => {
    await server.close();
    await assertNothingLeft();
  });

  const using = async <Result>(
    options: Partial<OpenApiSourceOptions>,
    use: (registry: OperationRegistry) => Promise<Result>,
  ): Promise<Result> => {
    const origin = options.file === undefined ? { document: HTTPBIN_DOCUMENT } : {};
    const source = await openapiSource({ name: "bin", baseUrl: server.url, retries: 0, ...origin, ...options });
    const registry = new OperationRegistry();
    mountSource(registry, source);
    try {
      return await use(registry);
    } finally {
      await source.close();
    }
  };
  const call = (
    name: string,
    input: object = {},
    options: Partial<OpenApiSourceOptions> = {},
  ): Promise<ResponseEnvelope> => using(options, (registry) => registry.execute(`bin.${name}`, input));

  test.each([
    ["gzip", "gzipped"],
    ["deflate", "deflated"],
    ["brotli", "brotli"],
  ])("answers in %s", async (name, field) => {
    expect(await call(name)).toMatchObject({ data: { [field]: true }, meta: { source: "http", statusCode: 200 } });
  });

  test("answers with texts and bytes", async () => {
    expect((await call("xml")).data).toMatch(/^<\?xml/);
    const { data } = await call("bytes", { n: 20 });
    expect(data).toEqual({
      mediaType: "application/octet-stream",
      bytes: 20,
      base64: expect.stringMatching(/^.{27}=$/),
    });
    expect((await call("image")).data).toMatchObject({
      mediaType: "image/png",
      base64: expect.stringMatching(/^iVBOR/),
    });
  });

  test("gives large bytes to be fetched later", async () => {
    const results = createResultStore();
    try {
      const { data, meta } = await call("image", {}, { results, inlineBytes: 1000 });
      expect(data).toMatchObject({ mediaType: "image/png", uri: expect.stringContaining(":") });
      expect(meta.links).toMatchObject([{ type: "resource_link", uri: (data as { uri: string }).uri }]);
    } finally {
      await results.close();
    }
  });

  test("answers in many lines, which are a list, or values of their own", async () => {
    expect((await call("list", { n: 5 })).data).toMatchObject([0, 1, 2, 3, 4].map((id) => ({ id })));
    const ids = await using({}, async (registry) => {
      const found: unknown[] = [];
      for await (const { data } of registry.subscribe("bin.values", { n: 5 })) found.push(isRecord(data) && data["id"]);
      return found;
    });
    expect(ids).toEqual([0, 1, 2, 3, 4]);
  });

  test("cannot be led out of the segment that a value belongs to", async () => {
    const { data } = await call("anything", { rest: "../../status/418?a#b" });
    expect(decodeURIComponent((data as { url: string }).url)).toBe(`${server.url}/anything/../../status/418?a#b`);
    await expect(call("anything", { rest: ".." })).rejects.toMatchObject({ category: "validation" });
  });

  describe("redirects", () => {
    let other: Server;
    let otherUrl: string;
    beforeAll(async () => {
      other = createServer(({ method, headers }, response) => {
        response.setHeader("content-type", "application/json").end(JSON.stringify({ method, headers }));
      }).listen(0, "127.0.0.1");
      await once(other, "listening");
      otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
    });
    afterAll(() => {
      other.closeAllConnections();
      other.close();
    });
    const credentials = { token: "secret" };

    test("are followed, to an end", async () => {
      expect((await call("redirect", { n: 3 })).data).toMatchObject({ url: `${server.url}/get` });
      await expect(call("redirect", { n: 100 })).rejects.toMatchObject({ code: "TOO_MANY_REDIRECTS" });
    });

    test("keep credentials at home", async () => {
      const near = await call("redirectTo", { url: "/get" }, { credentials });
      expect(near.data).toMatchObject({ headers: { Authorization: "Bearer secret" } });
      const far = await call("redirectTo", { url: otherUrl }, { credentials, headers: { "x-key": "secret" } });
      expect(JSON.stringify(far.data)).not.toContain("secret");
      expect(far.data).toMatchObject({ method: "GET", headers: { accept: expect.any(String) } });
    });

    test.each([
      [303, "GET"],
      [307, "POST"],
      [308, "POST"],
    ])("of a POST by %i are followed with %s", async (status_code, method) => {
      expect((await call("postRedirectTo", { url: otherUrl, status_code })).data).toMatchObject({ method });
    });
  });

  test("lets in who has the right credentials", async () => {
    expect((await call("bearer", {}, { credentials: { token: "secret" } })).data).toMatchObject({ token: "secret" });
    await expect(call("bearer")).rejects.toMatchObject({ category: "authentication" });
    const user = { username: "ada", password: "p:ü" };
    const input = { user: "ada", passwd: "p:ü" };
    expect((await call("basic", input, { credentials: { user } })).data).toMatchObject({ user: "ada" });
    const wrong = { user: { ...user, password: "no" } };
    await expect(call("basic", input, { credentials: wrong })).rejects.toMatchObject({ category: "authentication" });
  });

  test.each([400, 401, 403, 404, 408, 409, 410, 412, 418, 422, 429, 500, 502, 503, 504])(
    "fails with %i, in our words",
    async (code) => {
      await expect(call("status", { code })).rejects.toMatchObject({
        category: categoryFromStatus(code),
        details: { statusCode: code },
      });
    },
  );

  test("has nothing to say", async () => {
    expect(await call("status", { code: 204 })).toMatchObject({ data: null, meta: { statusCode: 204 } });
  });

  test("is given up when the time is over, or the caller leaves", async () => {
    await using({}, async (registry) => {
      const late = registry.execute("bin.delay", { seconds: 5 }, { deadline: Date.now() + 300 });
      await within(2000, expect(late).rejects.toMatchObject({ code: "TIMEOUT" }));
      const controller = new AbortController();
      const left = registry.execute("bin.delay", { seconds: 5 }, { signal: controller.signal });
      controller.abort();
      await within(2000, expect(left).rejects.toMatchObject({ code: "ABORTED" }));
    });
    await expect(call("delay", { seconds: 5 }, { timeout: 200 })).rejects.toMatchObject({ category: "timeout" });
  });

  test("is waited for while it goes on", async () => {
    const { data } = await call("drip", { numbytes: 4, duration: 0.8 }, { timeout: 600 });
    expect(data).toMatchObject({ bytes: 4 });
  });

  test("sets cookies, which are told and not sent again", async () => {
    expect((await call("setCookie", { name: "a", value: "b" })).data).toEqual({ cookies: {} });
    const { meta } = await call("headers", { "Set-Cookie": "a=b; Path=/" });
    expect(meta).toMatchObject({ setCookie: ["a=b; Path=/"] });
    expect(meta.source === "http" && meta.headers).not.toHaveProperty("set-cookie");
  });

  test("tells of more pages and of its limits", async () => {
    const link = '<https://api.test/?page=2>; rel="next"';
    const { meta } = await call("headers", { Link: link, "X-RateLimit-Limit": 60, "X-RateLimit-Remaining": 59 });
    expect(meta).toMatchObject({ pagination: { hasMore: true }, rateLimit: { limit: 60, remaining: 59 } });
  });

  describeWith("gets what documents describe:", installNpmFolder("openapi-documents"), (installed) => {
    const example = (path: string): string => join(installed, "node_modules/@readme/oas-examples", `${path}.json`);

    describe.each([
      { version: "3.0", cases: PARAMETER_CASES },
      { version: "3.1", cases: { ...PARAMETER_CASES, ...FORM_CASES } },
    ])("every style of OpenAPI $version:", ({ version, cases }) => {
      const registry = new OperationRegistry();
      let source: OpenApiSource;
      beforeAll(async () => {
        const file = example(`${version}/json/parameters-style`);
        source = await openapiSource({ name: "styles", file, baseUrl: server.url });
        mountSource(registry, source);
      });
      afterAll(() => source.close());

      test.each(Object.entries(cases))("%s", async (name, got) => {
        const { inputSchema } = registry.getSpec(`styles.${name}`) ?? {};
        const fields = isRecord(inputSchema) && isRecord(inputSchema["properties"]) ? inputSchema["properties"] : {};
        const input = Object.entries(STYLE_INPUT).filter(([field]) => Object.hasOwn(fields, field));
        const { data } = await registry.execute(`styles.${name}`, Object.fromEntries(input));
        expect(decoded(data)).toMatchObject(got);
      });

      test("none is left out", () => {
        const names = source.operations.map(({ spec }) => spec.name);
        expect(Object.keys({ ...PARAMETER_CASES, ...FORM_CASES })).toEqual(expect.arrayContaining(names));
      });
    });

    test.each(BODY_CASES)("%s, %s", async (document, name, input, got) => {
      const { data } = await call(name, input, { file: example(`3.0/json/${document}`), output: "off" });
      expect(decoded(data)).toMatchObject(got);
    });

    test.each(Object.entries(SECURITY_CASES))("%s, by credentials", async (name, got) => {
      const { data } = await call(name, {}, { file: example("3.0/json/security"), credentials: SECRETS });
      expect(data).toMatchObject(got);
    });

    test("no credentials, where none are wanted", async () => {
      const { data } = await call(
        "post_anything_no-auth",
        {},
        { file: example("3.0/json/security"), credentials: SECRETS },
      );
      const secrets = Object.values(SECRETS).filter((secret) => typeof secret === "string");
      for (const secret of secrets) expect(JSON.stringify(data)).not.toContain(secret);
    });
  });
});

/** httpbin decodes all but cookies, and tells the path in its own encoding. */
function decoded(data: unknown): unknown {
  if (!isRecord(data)) return data;
  const { url, cookies: sent } = data;
  const pairs = Object.entries(isRecord(sent) ? sent : {}).map(([name, value]) => [
    name,
    decodeURIComponent(String(value)),
  ]);
  const path = decodeURIComponent(new URL(String(url ?? "http://none/")).pathname).replace(/^\/anything\/path\//, "");
  return { ...data, path, cookies: Object.fromEntries(pairs) };
}
