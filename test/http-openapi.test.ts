import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonRecord } from "../src/json/value.js";
import { compile } from "../src/schema/compile.js";
import { type HttpServer, serveHttp } from "../src/servers/http/index.js";
import { openApiDocument } from "../src/servers/http/openapi-document.js";
import { openApiOperations, openApiRegistry } from "./openapi-operations.js";
import { installOpenApiTools, type OpenApiTools } from "./openapi-tools.js";

const identity = { id: "ada", scopes: ["users:write"] };

let server: HttpServer;
let document: OpenApiDocument;

beforeAll(async () => {
  server = await serveHttp({ registry: openApiRegistry(), port: 0, authorize: () => identity });
  document = (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenApiDocument;
});

afterAll(() => server.close());

interface OpenApiDocument extends JsonRecord {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: JsonRecord;
}

interface OpenApiOperation {
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema: JsonRecord; readonly example?: unknown }>>;

const ACCEPTED = [
  "application/json",
  "application/vnd.plico.response-envelope+json",
  "application/json;profile=data",
  "application/problem+json",
];

describe("what the server answers is what its document says", () => {
  test.each(ACCEPTED)("to all operations, where %s is accepted", async (accept) => {
    const answers = await Promise.all(
      Object.entries(document.paths)
        .filter(([path]) => path.startsWith("/operations/"))
        .map(async ([path, { post }]) => ({ path, faults: await faultsOf(path, post as OpenApiOperation, accept) })),
    );
    expect(answers.length).toBeGreaterThan(70);
    expect(answers.filter(({ faults }) => faults.length > 0)).toEqual([]);
  });

  test("on the paths that operations have of their own", async () => {
    const responses = document.paths["/users/{id}"]?.["get"]?.responses ?? {};
    const found = await fetch(
      `${server.url}/users/a%2Fb?fields=x&limit=5&filter=${encodeURIComponent('{"from":"now"}')}`,
    );
    const body = await found.json();
    expect(body.data).toEqual({
      user: { id: "a/b", name: "Ada" },
      asked: { fields: ["x"], limit: 5, filter: { from: "now" } },
    });
    expect(issuesOf(contentOf(responses, 200)["application/json"]?.schema, body)).toEqual([]);
    const missing = await fetch(`${server.url}/users/nobody`);
    expect(missing.status).toBe(404);
    expect(issuesOf(contentOf(responses, 404)["application/json"]?.schema, await missing.json())).toEqual([]);
  });
});

/** What is wrong with the answer to an example of a request, as far as the document can tell. */
async function faultsOf(path: string, operation: OpenApiOperation, accept: string): Promise<readonly unknown[]> {
  const example = operation.requestBody?.content["application/json"]?.example;
  const body = example === undefined ? undefined : JSON.stringify(example);
  const headers = { accept, "content-type": "application/json" };
  const response = await fetch(server.url + path, { method: "POST", headers, ...(body !== undefined && { body }) });
  const type = response.headers.get("content-type") ?? "";
  const media = contentOf(operation.responses, response.status)[type];
  const text = await response.text();
  return media === undefined ? [`${response.status} ${type}: ${text}`] : issuesOf(media.schema, JSON.parse(text));
}

function contentOf(responses: OpenApiOperation["responses"], status: number): Content {
  const response = responses[status] ?? responses["default"];
  const name = response?.$ref?.split("/").at(-1) ?? "";
  const shared = (document.components["responses"] as OpenApiOperation["responses"])[name];
  return (response?.$ref === undefined ? response : shared)?.content ?? {};
}

function issuesOf(schema: JsonRecord | undefined, value: unknown): readonly unknown[] {
  return schema === undefined
    ? ["there is no schema"]
    : compile({ ...schema, components: document.components }).issues(value);
}

const tools = installOpenApiTools();

if ("reason" in tools) {
  test.skipIf(process.env["CI"] === undefined)(`other people's tools take the document (${tools.reason})`, () => {
    expect(tools.reason).toBeUndefined();
  });
} else {
  testTools(tools);
}

function testTools({ validators, typesOf, compile: compileModule }: OpenApiTools): void {
  const specs = openApiOperations().map(({ spec }) => spec);
  const schemes = { token: { type: "http", scheme: "bearer" }, key: { type: "apiKey", in: "header", name: "x-key" } };

  describe.each(Object.entries(validators))("%s finds nothing wrong", (_, faultsIn) => {
    test("with the document of a server", async () => {
      expect(await faultsIn(document)).toEqual([]);
    });

    test("with one that has a base path and security", async () => {
      const info = { title: "T", version: "2", description: "D" };
      const made = openApiDocument(specs, { info, basePath: "/api", securitySchemes: schemes });
      expect(await faultsIn(JSON.parse(JSON.stringify(made)))).toEqual([]);
    });

    test("with one that has no operations", async () => {
      expect(await faultsIn(JSON.parse(JSON.stringify(openApiDocument([]))))).toEqual([]);
    });

    test("but does so with a document that is broken", async () => {
      expect(await faultsIn({ ...document, paths: { "/a": { get: { responses: 1 } } } })).not.toEqual([]);
    });
  });

  test("a client of openapi-fetch with the types of openapi-typescript calls the server", {
    timeout: 120_000,
  }, async () => {
    const module = await compileModule(CLIENT, await typesOf(document));
    try {
      expect(module.complaints).toBe("");
      const { run } = await module.load();
      const { sum, doubled, user, missing, code, put, events, bare } = (await (run as Run)(server.url)) as Told;
      expect({ sum, doubled, user, put, bare }).toEqual({ sum: 5, doubled: 8, user: "a/b", put: "Ada", bare: 6 });
      expect({ missing, code }).toEqual({ missing: 404, code: "USER_NOT_FOUND" });
      expect(events.match(/^event: \w+$/gm)).toEqual(["event: value", "event: value", "event: end"]);
    } finally {
      module.remove();
    }
  });
}

type Run = (url: string) => Promise<unknown>;

interface Told {
  readonly [name: string]: unknown;
  readonly events: string;
}

/** A program as a user would write it: what the types do not allow, the compiler must refuse. */
const CLIENT = `
import createClient from "openapi-fetch";
import type { paths } from "./api.js";

export async function run(baseUrl: string) {
  const client = createClient<paths, "application/json">({ baseUrl });
  const added = await client.POST("/operations/math.add", { body: { a: 2, b: 3 } });
  const sum: number | undefined = added.data?.data.sum;
  // @ts-expect-error: a text is no number
  await client.POST("/operations/math.add", { body: { a: "2", b: 3 } });
  // @ts-expect-error: there is no such operation
  await client.POST("/operations/math.none", { body: {} }).catch(() => undefined);
  const doubled: number | undefined = (await client.POST("/operations/math.double", { body: { value: 4 } })).data?.data.result;

  const found = await client.GET("/users/{id}", { params: { path: { id: "a/b" }, query: { fields: ["x", "y"], limit: 5 } } });
  const user: string | undefined = found.data?.data.user.id;
  const { error, response } = await client.GET("/users/{id}", { params: { path: { id: "nobody" } } });
  const code: string | undefined = error?.data.error_code;
  const put = await client.PUT("/users/{id}", {
    params: { path: { id: "1" }, header: { "Idempotency-Key": "once" } },
    body: { name: "Ada", friends: [] },
  });

  const streams = createClient<paths, "text/event-stream">({ baseUrl, headers: { accept: "text/event-stream" } });
  const ticks = await streams.GET("/ticks", { params: { query: { count: 2 } }, parseAs: "text" });
  const events: string | undefined = ticks.data;

  const accept = "application/json;profile=data";
  const bareClient = createClient<paths, typeof accept>({ baseUrl, headers: { accept } });
  const bare: number | undefined = (await bareClient.POST("/operations/math.double", { body: { value: 3 } })).data;
  return { sum, doubled, user, missing: response.status, code, put: put.data?.data.name, events, bare };
}
`;
