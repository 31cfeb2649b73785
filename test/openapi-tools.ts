import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { installNpmFolder } from "./npm-folder.js";

/** What other people's tools say of OpenAPI documents. */
export interface OpenApiTools {
  /** By name, validators that give what is wrong with a document. */
  readonly validators: Readonly<Record<string, (document: object) => Promise<readonly unknown[]>>>;
  /** The types that `openapi-typescript` makes of a document. */
  typesOf(document: object): Promise<string>;
  /**
   * Compiles a module that may import `openapi-fetch` and the types from `./api.js`. Gives what the compiler complains
   * of, and the module.
   */
  compile(source: string, types: string): Promise<CompiledModule>;
}

interface CompiledModule {
  readonly complaints: string;
  load(): Promise<Readonly<Record<string, unknown>>>;
  remove(): void;
}

/** The tools, or the reason why this machine cannot have them. */
export function installOpenApiTools(): OpenApiTools | { readonly reason: string } {
  const folder = installNpmFolder("openapi-tools");
  if (typeof folder !== "string") return folder;
  const load = (path: string): Promise<unknown> => import(pathToFileURL(join(folder, "node_modules", path)).href);
  return {
    validators: {
      "@readme/openapi-parser": async (document) => {
        const parser = (await load("@readme/openapi-parser/dist/index.js")) as Parser;
        // It changes what it is given.
        const { valid, errors = [], warnings } = await parser.validate(structuredClone(document));
        return valid ? warnings : errors;
      },
      "@redocly/openapi-core": async (document) => {
        const redocly = (await load("@redocly/openapi-core/lib/index.js")) as Redocly;
        const config = await redocly.createConfig({ extends: ["spec"] });
        const source = JSON.stringify(document);
        const problems = await redocly.lintFromString({ source, absoluteRef: "openapi.json", config });
        return problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]);
      },
    },
    async typesOf(document) {
      const generator = (await load("openapi-typescript/dist/index.mjs")) as Generator;
      return generator.astToString(await generator.default(structuredClone(document)));
    },
    compile: (source, types) => compileIn(folder, source, types),
  };
}

interface Parser {
  validate(document: object): Promise<{ valid: boolean; errors?: unknown[]; warnings: unknown[] }>;
}

interface Redocly {
  createConfig(config: object): Promise<object>;
  lintFromString(options: object): Promise<{ ruleId: string; message: string; location: { pointer?: string }[] }[]>;
}

interface Generator {
  default(document: object): Promise<unknown>;
  astToString(tree: unknown): string;
}

const TSCONFIG = {
  compilerOptions: {
    target: "ES2022",
    module: "NodeNext",
    lib: ["ES2022", "DOM", "DOM.Iterable"],
    types: [],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
  },
  include: ["*.ts"],
};

async function compileIn(folder: string, source: string, types: string): Promise<CompiledModule> {
  const work = mkdtempSync(join(tmpdir(), "plico-openapi-"));
  symlinkSync(join(folder, "node_modules"), join(work, "node_modules"));
  const files = { "package.json": '{"type":"module"}', "tsconfig.json": JSON.stringify(TSCONFIG) };
  const { code } = await transform(source, { loader: "ts" });
  for (const [name, text] of Object.entries({ ...files, "api.ts": types, "module.ts": source, "module.mjs": code }))
    writeFileSync(join(work, name), text);
  const compiler = join(folder, "node_modules/typescript/bin/tsc");
  const run = promisify(execFile)(process.execPath, [compiler, "-p", work], { timeout: 120_000 });
  const complaints = await run.then(
    () => "",
    (thrown: { readonly stdout?: string; readonly message: string }) => thrown.stdout || thrown.message,
  );
  return {
    complaints,
    load: () => import(pathToFileURL(join(work, "module.mjs")).href),
    remove: () => rmSync(work, { recursive: true, force: true }),
  };
}
