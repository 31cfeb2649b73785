import { describe, expect, test } from "vitest";
import { createResultStore, type ResultStore } from "../../results/index.js";
import { httpServer } from "./exchange/fixtures/exchange-servers.js";
import { documentWith, type Mounted, mounted, ok, tidyUp } from "./fixtures/mounted.js";

tidyUp();

const BYTES = Buffer.from([0, 1, 2, 253, 254, 255]);
const IMAGE = { type: "string", format: "binary" };

async function api(options: object = {}, headers: object = { "content-type": "image/png" }): Promise<Mounted> {
  const { url } = await httpServer((_, response) => response.writeHead(200, { ...headers }).end(BYTES));
  const document = documentWith({ "GET /a": { operationId: "a", responses: { 200: ok(IMAGE, "image/png") } } });
  return mounted({ document, baseUrl: url, ...options });
}

const INLINE = { mediaType: "image/png", bytes: 6, base64: BYTES.toString("base64") };

describe("bytes in an answer", () => {
  test.each([
    ["with their type", { "content-type": "image/png" }, "image/png"],
    ["without the parameters of it", { "content-type": "Image/PNG; name=a" }, "image/png"],
    ["of a type that is not described", { "content-type": "application/zip" }, "application/zip"],
    ["of no type", {}, "application/octet-stream"],
  ])("are base64, %s", async (_, headers, mediaType) => {
    const { data, meta } = await (await api({}, headers)).call("a");
    expect(data).toEqual({ ...INLINE, mediaType });
    expect(meta.warnings).toBeUndefined();
  });

  test("are kept where there is a store, for the identity that called", async () => {
    const results = createResultStore();
    const { call } = await api(
      { results, inlineBytes: 5 },
      { "content-type": "image/png", "content-disposition": 'attachment; filename="cat.png"' },
    );
    const { data, meta } = await call("a", {}, { identity: { id: "ada", scopes: [] } });
    const { uri } = data as { uri: string };
    expect(data).toEqual({ mediaType: "image/png", bytes: 6, uri });
    expect(meta.warnings).toBeUndefined();
    expect(meta.links).toEqual([{ type: "resource_link", uri, name: "cat.png", mimeType: "image/png" }]);
    expect(JSON.parse((await results.read(uri, { owner: "ada" })).text)).toEqual(INLINE);
    await expect(results.read(uri, { owner: "eve" })).rejects.toMatchObject({ category: "not_found" });
    await results.close();
  });

  test("are base64 up to a size, also where there is a store", async () => {
    const results = createResultStore();
    expect((await (await api({ results, inlineBytes: 6 })).call("a")).data).toEqual(INLINE);
    await results.close();
  });

  test.each<[string, Partial<ResultStore>]>([
    ["keeps nothing", { put: async () => undefined }],
    ["fails", { put: () => Promise.reject(new Error("the disk is full")) }],
  ])("are base64 where the store %s", async (_, results) => {
    expect((await (await api({ results, inlineBytes: 0 })).call("a")).data).toEqual(INLINE);
  });
});

test("bytes go out as a body, as a form and as they came", async () => {
  const { url, arrived } = await httpServer((_, response) => response.writeHead(204).end());
  const body = (content: object): object => ({ requestBody: { required: true, content } });
  const document = documentWith({
    "PUT /raw": { operationId: "raw", ...body({ "image/png": { schema: IMAGE } }) },
    "POST /form": {
      operationId: "form",
      ...body({
        "multipart/form-data": { schema: { type: "object", properties: { file: IMAGE, note: { type: "string" } } } },
      }),
    },
  });
  const { call } = await mounted({ document, baseUrl: url });
  await call("raw", { body: { base64: Buffer.from("png").toString("base64") } });
  await call("form", { file: { text: "hello", filename: 'a"b\r\n.txt', mediaType: "text/plain" }, note: "é" });
  expect(arrived[0]).toMatchObject({ body: "png", headers: { "content-type": "image/png", "content-length": "3" } });
  expect(arrived[1]?.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/);
  expect(arrived[1]?.body).toContain("hello");
  expect(arrived[1]?.body).toContain("é");
  expect(arrived[1]?.body).toContain('filename="a%22b%0D%0A.txt"');
});
