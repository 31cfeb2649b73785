import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach } from "vitest";
import type { ModuleHealth, ModuleSource, ModuleSourceOptions } from "../src/sources/module/index.js";
import { moduleSource } from "./published-module-source.js";

const root = new URL("../", import.meta.url);

/** A folder in which the package `plico` is installed. */
export class ModuleStage {
  readonly folder: string = realpathSync(mkdtempSync(join(tmpdir(), "plico-module-")));
  readonly #sources: ModuleSource[] = [];
  readonly #healths: ModuleHealth[] = [];
  #wake: () => void = () => {};

  constructor() {
    mkdirSync(join(this.folder, "node_modules"));
    symlinkSync(fileURLToPath(root), join(this.folder, "node_modules/plico"));
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.folder, name)), { recursive: true });
      writeFileSync(join(this.folder, name), text);
    }
  }

  async open(module: string | URL, options: Partial<ModuleSourceOptions> = {}): Promise<ModuleSource> {
    const onReload = (health: ModuleHealth): void => {
      this.#healths.push(health);
      this.#wake();
    };
    const source = await moduleSource({ name: "mine", module, cwd: this.folder, onReload, ...options });
    this.#sources.push(source);
    return source;
  }

  /** The health after the next reload. */
  async reloaded(): Promise<ModuleHealth> {
    for (;;) {
      const health = this.#healths.shift();
      if (health !== undefined) return health;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#sources.map((source) => source.close()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A stage of its own for each test. */
export function stageForEach(): () => ModuleStage {
  let stage: ModuleStage | undefined;
  afterEach(async () => {
    await stage?.end();
    stage = undefined;
  });
  return () => {
    stage ??= new ModuleStage();
    return stage;
  };
}

/** An operation `math.<name>`, as source text without its head. */
export function operationText(name: string, body: string): string {
  return `{ namespace: "math", name: "${name}", version: "1.0.0", type: "query", description: "",
    inputSchema: true, outputSchema: true, handler: (input) => ${body} }`;
}
