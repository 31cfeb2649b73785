import { describe, expect, test } from "vitest";
import type { OperationSpec } from "../registry/operation.js";
import { markDefinitions } from "../schema/shared-definitions.js";
import { declarations } from "./declarations.js";
import { compileFiles } from "./fixtures/compile-files.js";
import { declarationChanges } from "./type-changes.js";
import { CLIENT_NAMES } from "./type-client.js";

const address = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const tree = { type: "object", properties: { children: { type: "array", items: { $ref: "#/$defs/Tree" } } } };

function spec(id: string, more: Partial<OperationSpec> = {}): OperationSpec {
  const [namespace = "", ...name] = id.split(".");
  const whole = { namespace, name: name.join("."), version: "1.0.0", type: "query", description: "Does it." } as const;
  return { ...whole, inputSchema: true, outputSchema: true, ...more };
}

/** The declaration of one name. */
function declared(text: string, name: string): string | undefined {
  return text.split("\n\n").find((part) => new RegExp(`^export (interface|type) ${name}\\b`, "m").test(part));
}

describe("declarations", () => {
  test("name what an operation takes and gives after its id", () => {
    const inputSchema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
    const text = declarations([spec("files.read_file", { inputSchema, outputSchema: { type: "string" } })]);
    expect(declared(text, "FilesReadFileInput")).toBe("export interface FilesReadFileInput {\n  path: string;\n}");
    expect(declared(text, "FilesReadFileOutput")).toBe("export type FilesReadFileOutput = string;");
    expect(declared(text, "Client")).toContain('    /** Does it. */\n    read_file: Call<"files.read_file">;');
  });

  test.each(CLIENT_NAMES.concat("Partial", "Readonly", "Promise"))("leave the name %s to the client", (name) => {
    const outputSchema = { $ref: `#/$defs/${name}`, $defs: { [name]: address } };
    const text = declarations([spec("a.one", { outputSchema })]);
    expect(declared(text, "AOneOutput")).toBe(`export type AOneOutput = ${name}2;`);
  });

  test("share a definition that means the same, and number one that does not", () => {
    const using = (Address: object) => ({ $ref: "#/$defs/Address", $defs: { Address } });
    const other = { type: "object", properties: { street: { type: "string" } } };
    const text = declarations([
      spec("a.one", { outputSchema: using(address) }),
      spec("a.two", { outputSchema: using({ ...address }) }),
      spec("a.three", { outputSchema: using(other) }),
    ]);
    expect(declared(text, "AOneOutput")).toBe("export type AOneOutput = Address;");
    expect(declared(text, "ATwoOutput")).toBe("export type ATwoOutput = Address;");
    expect(declared(text, "AThreeOutput")).toBe("export type AThreeOutput = Address2;");
  });

  test("tell definitions apart by what they refer to", () => {
    const outer = { type: "object", properties: { inner: { $ref: "#/$defs/Inner" } } };
    const using = (Inner: object) => ({ $ref: "#/$defs/Outer", $defs: { Outer: outer, Inner } });
    const text = declarations([
      spec("a.one", { outputSchema: using(address) }),
      spec("a.two", { outputSchema: using({ type: "object", properties: { zip: { type: "string" } } }) }),
    ]);
    expect(declared(text, "Outer")).toContain("inner?: Inner;");
    expect(declared(text, "Outer2")).toContain("inner?: Inner2;");
  });

  test("share the definitions of one document, whichever of them an operation has", () => {
    const set = {};
    const using = (definitions: Record<string, unknown>) => {
      markDefinitions(definitions, set);
      return { $ref: "#/$defs/Tree", $defs: definitions };
    };
    const text = declarations([
      spec("a.one", { outputSchema: using({ Tree: tree }) }),
      spec("a.two", { outputSchema: using({ Tree: tree, Address: address }) }),
    ]);
    expect(declared(text, "Tree")).toBe("export interface Tree {\n  children?: Tree[];\n}");
    expect(declared(text, "ATwoOutput")).toBe("export type ATwoOutput = Tree;");
  });

  test("are the same in whatever order the operations come", () => {
    const specs = ["b.x", "a.y", "a.x", "a-b.c", "a.b_c"].map((id) => spec(id, { outputSchema: address }));
    expect(declarations([...specs].reverse())).toBe(declarations(specs));
  });

  test("compile for names that meet each other, keywords and the client's own names", () => {
    const names = ["a.b_c", "a.b-c", "a.b.c", "a.b/c", "Operations.call", "client.Client", "x.constructor", "0.1"];
    const definitions = {
      Client: address,
      Promise: address,
      string: address,
      Record: address,
      "": address,
      é: address,
    };
    const properties = Object.fromEntries(
      Object.keys(definitions).map((name) => [`of ${name}`, { $ref: `#/$defs/${encodeURIComponent(name)}` }]),
    );
    const inputSchema = { type: "object", properties, $defs: definitions };
    expect(compileFiles({ "names.mts": declarations(names.map((id) => spec(id, { inputSchema }))) })).toEqual([]);
  });

  test("compile for nothing at all, and for schemas and descriptions that are hostile", () => {
    const broken: OperationSpec = spec("a.broken", { description: "*/ } evil(); /*\u2028 `" });
    Object.defineProperty(broken, "inputSchema", { get: () => expect.fail("asked") });
    expect(compileFiles({ "none.mts": declarations([]) })).toEqual([]);
    expect(compileFiles({ "broken.mts": declarations([broken], { command: "x\n*/ evil()" }) })).toEqual([]);
  });
});

describe("the types of a client", () => {
  const errorSchemas = {
    GONE: {
      category: "not_found",
      details: { type: "object", properties: { at: { type: "string" } }, required: ["at"] },
    },
  } as const;
  const inputSchema = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] };
  const text = declarations([
    spec("users.get", { inputSchema, outputSchema: address, errorSchemas }),
    spec("users.all", {
      outputSchema: { type: "array", items: address },
      inputSchema: { type: "object", properties: { page: { type: "integer" } } },
    }),
    spec("users.watch", { type: "subscription", inputSchema, outputSchema: address }),
  ]);

  test("hold calls to their operations", () => {
    const use = `
      import { OperationRegistry } from "../src/registry/registry.js";
      import { createClient, type OperationError } from "./client.mjs";
      const client = createClient({ url: "http://127.0.0.1:4100", headers: { authorization: "Bearer x" } });
      export const city: Promise<string> = client.users.get({ id: 1 }).then((user) => user.city);
      export const all: Promise<number> = client.users.all().then((users) => users.length);
      export const total = client.users.all.envelope({}, { signal: AbortSignal.timeout(5) }).then(({ meta }) => meta.pagination?.totalCount);
      const outcome = await client.users.get.attempt({ id: 1 });
      if (!outcome.ok && outcome.error.code === "GONE") { const at: string = outcome.error.details.at; console.log(at); }
      if (!outcome.ok && outcome.error.code === "TIMEOUT") console.log(outcome.error.message);
      for await (const user of client.users.watch({ id: 1 })) console.log(user.city);
      export const near = createClient(new OperationRegistry());
      export function told(error: OperationError): string | undefined {
        return error.isOf("users.get") && error.error.code === "GONE" ? error.error.details.at : error.category;
      }
      // @ts-expect-error a field is missing
      client.users.get();
      // @ts-expect-error a field has another type
      client.users.get({ id: "1" });
      // @ts-expect-error there is no such field
      client.users.get({ id: 1, name: "" });
      // @ts-expect-error there is no such operation
      client.users.put({});
      // @ts-expect-error it is subscribed to
      client.users.watch.attempt({ id: 1 });
    `;
    expect(
      compileFiles({ "client.mts": text, "use.mts": use }, { isolatedDeclarations: false, types: ["node"] }),
    ).toEqual([]);
  });
});

describe("what changed", () => {
  test("is told by the names of operations and types", () => {
    const before = declarations([spec("a.kept", { outputSchema: address }), spec("a.gone")]);
    const after = declarations([spec("a.kept", { outputSchema: { type: "string" } }), spec("a.new")]);
    expect(declarationChanges(before, before)).toEqual({ added: [], removed: [], changed: [] });
    expect(declarationChanges(before, after)).toEqual({
      added: ["a.new", "ANewInput", "ANewOutput"],
      removed: ["a.gone", "AGoneInput", "AGoneOutput"],
      changed: ["Client", "AKeptOutput", "OPERATIONS"],
    });
  });
});
