import type { JsonRecord } from "../src/json/value.js";

/** A part of what httpbin offers. */
export const HTTPBIN_DOCUMENT: JsonRecord = {
  openapi: "3.1.0",
  info: { title: "httpbin", version: "1.0.0" },
  security: [{ token: [] }, {}],
  paths: {
    "/anything/{rest}": { get: operation("anything", { rest: "path" }) },
    "/basic-auth/{user}/{passwd}": {
      get: { ...operation("basic", { user: "path", passwd: "path" }), security: [{ user: [] }] },
    },
    "/bearer": { get: operation("bearer") },
    "/brotli": { get: operation("brotli") },
    "/bytes/{n}": { get: operation("bytes", { n: "path" }) },
    "/cookies/set/{name}/{value}": { get: operation("setCookie", { name: "path", value: "path" }) },
    "/deflate": { get: operation("deflate") },
    "/delay/{seconds}": { get: operation("delay", { seconds: "path" }) },
    "/drip": { get: operation("drip", { numbytes: "query", duration: "query" }) },
    "/get": { get: operation("get") },
    "/gzip": { get: operation("gzip") },
    "/image/png": { get: operation("image") },
    "/redirect/{n}": { get: operation("redirect", { n: "path" }) },
    "/redirect-to": {
      get: operation("redirectTo", { url: "query", status_code: "query" }),
      post: operation("postRedirectTo", { url: "query", status_code: "query" }),
    },
    "/response-headers": {
      get: operation("headers", {
        Link: "query",
        "Set-Cookie": "query",
        "X-RateLimit-Limit": "query",
        "X-RateLimit-Remaining": "query",
      }),
    },
    "/status/{code}": { get: operation("status", { code: "path" }) },
    "/stream/{n}": { get: operation("list", { n: "path" }) },
    "/stream/{n}#values": { get: operation("values", { n: "path" }, "application/x-ndjson") },
    "/uuid": { get: operation("uuid") },
    "/xml": { get: operation("xml") },
  },
  components: {
    securitySchemes: { token: { type: "http", scheme: "bearer" }, user: { type: "http", scheme: "basic" } },
  },
};

function operation(
  operationId: string,
  parameters: Readonly<Record<string, string>> = {},
  mediaType?: string,
): JsonRecord {
  const content = mediaType === undefined ? {} : { [mediaType]: { schema: { type: "object" } } };
  return {
    operationId,
    parameters: Object.entries(parameters).map(([name, where]) => ({
      name,
      in: where,
      required: where === "path",
      schema: { type: ["string", "number"] },
    })),
    responses: { 200: { description: "As asked.", content } },
  };
}
