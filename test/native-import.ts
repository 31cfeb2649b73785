import { createRequire } from "node:module";

/** Node's own `import`: that of vitest would load and transform the module itself. */
export const nativeImport: (address: string) => Promise<unknown> = createRequire(import.meta.url)(
  "./fixtures/native-import.cjs",
).nativeImport;
