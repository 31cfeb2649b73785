import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";

const OPERATIONS = 250;

/** Instantiations, not seconds: the same on every machine. Today there are 960,000 and 1,160,000. */
const BUDGET = 1_500_000;

const root = fileURLToPath(new URL("..", import.meta.url));

interface Schemas {
  readonly imports: string;
  readonly input: string;
  readonly output: string;
}

const jsonSchema: Schemas = {
  imports: "",
  input: `{
    type: "object",
    properties: {
      id: { type: "string" }, count: { type: "number" }, tags: { type: "array", items: { type: "string" } },
      where: { type: "object", properties: { a: { type: "number" }, b: { type: "string" } }, required: ["a", "b"] },
    },
    required: ["id", "count", "where"],
  }`,
  output: `{
    type: "object",
    properties: {
      total: { type: "number" },
      rows: {
        type: "array",
        items: { type: "object", properties: { x: { type: "number" }, y: { type: "string" } }, required: ["x", "y"] },
      },
    },
    required: ["total", "rows"],
  }`,
};

const typeBox: Schemas = {
  imports: `import Type from "typebox";`,
  input: `Type.Object({
    id: Type.String(), count: Type.Number(), tags: Type.Optional(Type.Array(Type.String())),
    where: Type.Object({ a: Type.Number(), b: Type.String() }),
  })`,
  output:
    "Type.Object({ total: Type.Number(), rows: Type.Array(Type.Object({ x: Type.Number(), y: Type.String() })) })",
};

const SCHEMAS: Readonly<Record<string, Schemas>> = { "JSON Schema": jsonSchema, TypeBox: typeBox };

describe(`a registry of ${OPERATIONS} operations, each called in three ways`, () => {
  const numbers = Array.from({ length: OPERATIONS }, (_, at) => at);
  // Inside the package, so that both `plico` and TypeBox are found.
  const folder = mkdtempSync(join(root, "build", "types-budget-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(Object.entries(SCHEMAS))(
    "type-checks within its budget with schemas of %s",
    {
      timeout: 120_000,
    },
    (name, schemas) => {
      const file = join(folder, `${name.replace(" ", "-")}.ts`);
      writeFileSync(file, sourceOf(numbers, schemas));
      const { status, said } = typeCheck(file);
      expect(status, said).toBe(0);
      const instantiations = Number(/^Instantiations:\s+(\d+)$/m.exec(said)?.[1]);
      expect(instantiations).toBeLessThan(BUDGET);
      expect(instantiations).toBeGreaterThan(OPERATIONS * 100);
    },
  );
});

function sourceOf(numbers: readonly number[], { imports, input, output }: Schemas): string {
  const idOf = (at: number) => `ns${at % 20}.op${at}`;
  const value = `{ id: "", count: 1, where: { a: 1, b: "" } }`;
  return [
    `import { buildEnv, client, defineOperation, type HandlerContext, OperationRegistry } from "plico";`,
    imports,
    ...numbers.map(
      (at) => `const op${at} = defineOperation({
        namespace: "ns${at % 20}", name: "op${at}", version: "1.0.0", type: "query", description: "",
        inputSchema: ${input}, outputSchema: ${output},
        handler: ({ count }) => ({ total: count, rows: [{ x: count, y: "" }] }),
      });`,
    ),
    `const registry = new OperationRegistry().registerAll([${numbers.map((at) => `op${at}`).join(", ")}]);`,
    "const called = client(registry);",
    "declare const context: HandlerContext;",
    "const env = buildEnv({ registry, context });",
    ...numbers.map(
      (
        at,
      ) => `export const r${at}: Promise<number> = registry.execute("${idOf(at)}", ${value}).then(({ data }) => data.total);
      export const e${at}: Promise<number> = env.${idOf(at)}(${value}).then(({ data }) => data.rows[0]?.x ?? 0);
      export const c${at}: Promise<number> = called.${idOf(at)}(${value}).then(({ total }) => total);`,
    ),
    "// @ts-expect-error there is no such operation",
    `registry.execute("ns1.op0", ${value});`,
    "// @ts-expect-error a field is missing",
    `registry.execute("ns1.op1", { id: "" });`,
  ].join("\n");
}

/** By the types that are published, as strictly as this project is checked. */
function typeCheck(file: string): { readonly status: number | null; readonly said: string } {
  const config = `${file}.json`;
  const own = { isolatedDeclarations: false, declaration: false };
  const about = { extends: join(root, "tsconfig.json"), compilerOptions: own, files: [file], include: [] };
  writeFileSync(config, JSON.stringify(about));
  const words = [join(root, "node_modules/typescript-native/bin/tsc"), "-p", config, "--extendedDiagnostics"];
  const { status, stdout } = spawnSync(process.execPath, words, { encoding: "utf8" });
  return { status, said: stdout };
}
