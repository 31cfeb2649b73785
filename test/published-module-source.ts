import type { ModuleSource, ModuleSourceOptions } from "../src/sources/module/index.js";
import { nativeImport } from "./native-import.js";

const built = new URL("../dist/sources/module/index.js", import.meta.url);

interface Published {
  readonly moduleSource: (options: ModuleSourceOptions) => Promise<ModuleSource>;
}

/** The published code: the hooks of Node cannot run what only vitest understands. */
export const moduleSource: Published["moduleSource"] = ((await nativeImport(built.href)) as Published).moduleSource;
