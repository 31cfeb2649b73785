// An HTTP API as operations, by its OpenAPI document.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { mountSource, OperationRegistry } from "plico";
import { openapiSource } from "plico/sources/openapi";

// 1. Somebody's API, and what it says of itself. A `file` in JSON or YAML, or a `url`, would do as well.
const pets = [
  { id: 1, name: "Rex", tag: "dog" },
  { id: 2, name: "Tom", tag: "cat" },
  { id: 3, name: "Kit", tag: "cat" },
];
const api = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, "http://api");
  const json = (status, body, headers = {}) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  if (request.headers["x-api-key"] !== "secret") return json(401, { message: "A key is needed." });
  const tags = searchParams.getAll("tags");
  if (pathname === "/v1/pets") {
    const found = pets.filter(({ tag }) => tags.length === 0 || tags.includes(tag));
    return json(200, found, { link: '</v1/pets?page=2>; rel="next"', "x-ratelimit-remaining": "9" });
  }
  const pet = pets.find(({ id }) => pathname === `/v1/pets/${id}`);
  return pet ? json(200, pet) : json(404, { title: "Not here", status: 404, detail: "There is no such pet." });
}).listen(0, "127.0.0.1");
await new Promise((resolve) => api.once("listening", resolve));

const Pet = {
  type: "object",
  required: ["id", "name"],
  properties: { id: { type: "integer" }, name: { type: "string" }, tag: { type: "string" } },
};
const answer = (schema) => ({ 200: { description: "ok", content: { "application/json": { schema } } } });
const document = {
  openapi: "3.0.3",
  info: { title: "Pets", version: "1.0.0" },
  servers: [{ url: "http://127.0.0.1:{port}/v1", variables: { port: { default: "80" } } }],
  security: [{ key: [] }],
  components: {
    schemas: { Pet },
    securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Api-Key" } },
  },
  paths: {
    "/pets": {
      get: {
        operationId: "listPets",
        parameters: [{ name: "tags", in: "query", schema: { type: "array", items: { type: "string" } } }],
        responses: answer({ type: "array", items: { $ref: "#/components/schemas/Pet" } }),
      },
    },
    "/pets/{petId}": {
      get: {
        operationId: "getPet",
        parameters: [{ name: "petId", in: "path", required: true, schema: { type: "integer" } }],
        responses: answer({ $ref: "#/components/schemas/Pet" }),
      },
    },
  },
};

// 2. The key goes only to the hosts that the document names.
const source = await openapiSource({
  name: "pets",
  document,
  variables: { port: String(api.address().port) },
  credentials: { key: "secret" },
});
const registry = new OperationRegistry();
mountSource(registry, source);

// 3. One flat input, whatever goes into the path, the query or the body; the data is the body of the answer.
const { data, meta } = await registry.execute("pets.listPets", { tags: ["cat", "dog"] });
assert.equal(data.length, 3);

// 4. Pages and limits are where they are for every source.
assert.equal(meta.pagination.hasMore, true);
assert.equal(meta.rateLimit.remaining, 9);
assert.equal(meta.statusCode, 200);

// 5. An error keeps its status, body and words.
const missing = await registry.attempt("pets.getPet", { petId: 7 });
assert.equal(missing.error.category, "not_found");
console.log(missing.error.message);

// 6. Bad input never leaves the process.
const refused = await registry.attempt("pets.getPet", { petId: "../admin" });
assert.equal(refused.error.issues[0].path, "/petId");

await source.close();
api.close();
console.log("closed");
