import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonRecord } from "../src/json/value.js";
import { operation } from "../src/registry/fixtures/operations.js";
import type { OperationMap } from "../src/registry/operation-map.js";
import { OperationRegistry } from "../src/registry/registry.js";
import { mountSource } from "../src/registry/source.js";
import { serveHttp } from "../src/servers/http/index.js";
import { type OpenApiSource, openapiSource } from "../src/sources/openapi/index.js";

const TEXTS = { type: "array", items: { type: "string" } };
const NUMBERS = { type: "array", items: { type: "number" } };

/** Fields of an input, and what may stand in them. What a path cannot say is not said in one. */
const FIELDS: Readonly<Record<string, { schema: object; values: readonly unknown[]; notInPath?: readonly unknown[] }>> =
  {
    text: {
      schema: { type: "string" },
      values: [
        "a",
        "007",
        "true",
        "null",
        "a b",
        "a/b",
        "é東🎉",
        "a&b=c",
        "?#%",
        "[1]",
        '{"a":1}',
        "a,b",
        "+",
        "%2F",
        '"',
      ],
      notInPath: ["", ".", ".."],
    },
    whole: { schema: { type: "integer" }, values: [0, -1, 7, 1e15] },
    number: { schema: { type: "number" }, values: [1.5, -0.001, 1e21, 1e-7] },
    flag: { schema: { type: "boolean" }, values: [true, false] },
    nothing: { schema: { type: ["number", "null"] }, values: [null, 5] },
    texts: { schema: TEXTS, values: [["a"], ["a", "b"], ["a,b", "c"], ["1"], ['["x"]'], [""], ["", ""], ["é &="]] },
    numbers: { schema: NUMBERS, values: [[1], [1, 2.5]] },
    open: { schema: { type: "array" }, values: [[1, "a", null], [[1]], []] },
    object: { schema: { type: "object" }, values: [{}, { a: [1, { b: null }] }, { "a b": "é" }] },
    nested: { schema: { type: "array", items: NUMBERS }, values: [[[1], [2, 3]], [[]], []] },
    union: { schema: { anyOf: [{ type: "integer" }, { enum: ["all"] }] }, values: [5, "all"] },
    either: { schema: { anyOf: [{ type: "integer" }, NUMBERS] }, values: [5, [5, 6]] },
  };

const PLACES = {
  query: ["GET", "/query/"],
  path: ["GET", "/path/{f}/"],
  body: ["PUT", "/body/"],
  both: ["PUT", "/both/{id}/"],
} as const;

const direct: OperationRegistry<OperationMap> = new OperationRegistry();
const remote: OperationRegistry<OperationMap> = new OperationRegistry();
let source: OpenApiSource;
let close: () => Promise<void>;

beforeAll(async () => {
  for (const [name, { schema }] of Object.entries(FIELDS))
    for (const [place, [method, path]] of Object.entries(PLACES)) {
      const properties = place === "both" ? { f: schema, id: { type: "integer" } } : { f: schema };
      const inputSchema = { type: "object", properties, required: Object.keys(properties) };
      const about = { name: `${place}_${name}`, inputSchema, http: { method, path: path + name } } as const;
      direct.register(operation((input) => ({ input }), { ...about, type: method === "GET" ? "query" : "mutation" }));
    }
  const server = await serveHttp({ registry: direct });
  close = () => server.close();
  const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as JsonRecord;
  // Without the ways that all operations have, and without what tells Plico that it is Plico.
  const paths = Object.entries(document["paths"] as JsonRecord).filter(([path]) => !path.startsWith("/operations"));
  const foreign = JSON.stringify({ ...document, paths: Object.fromEntries(paths) }, (key, value) =>
    key.startsWith("x-plico") ? undefined : value,
  );
  source = await openapiSource({ name: "remote", document: foreign, baseUrl: server.url, retries: 0 });
  mountSource(remote, source);
});

afterAll(async () => {
  await source.close();
  await close();
});

describe.each(Object.keys(PLACES))("a field in the %s of a route that was imported as any other", (place) => {
  test.each(Object.entries(FIELDS))("arrives as it was sent: %s", async (name, { values, notInPath = [] }) => {
    for (const f of place === "path" ? values : [...values, ...notInPath]) {
      const input = place === "both" ? { id: 1, f } : { f };
      const { data } = await remote.execute(idOf(place as keyof typeof PLACES, name), input);
      expect(data).toEqual({ input });
    }
  });
});

/** The name that the importer has given it, by the path. */
function idOf(place: keyof typeof PLACES, field: string): string {
  const path = PLACES[place][1] + field;
  const found = remote.list().find(({ _meta = {} }) => (_meta["plico/openapi"] as JsonRecord)["path"] === path);
  return `remote.${found?.name}`;
}
