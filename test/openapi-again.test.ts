import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openApiDocument } from "../src/servers/http/openapi-document.js";
import { openapiSource } from "../src/sources/openapi/index.js";
import { corpus } from "./openapi-documents.js";

const file = join(corpus, "apisguru-stripe-2022-11-15.yaml");

describe.skipIf(!existsSync(file))("the document of a large API that is served again", () => {
  test("is about as large as its own, and has the same operations", async () => {
    const source = await openapiSource({ name: "api", file });
    const text = JSON.stringify(openApiDocument(source.operations.map(({ spec }) => spec)));
    const again = await openapiSource({ name: "again", document: text, baseUrl: "https://x.test" });
    expect(text.length).toBeLessThan(8_000_000);
    expect(again.operations.length).toBe(source.operations.length);
    expect(again.health().warnings).toEqual([]);
    await Promise.all([source.close(), again.close()]);
  });
});
