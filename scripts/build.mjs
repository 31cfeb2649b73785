// Compiles the library with tsc, and bundles the command: what costs at start is the number of modules, not their size.
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync } from "node:fs";
import { build } from "esbuild";

const { version } = JSON.parse(readFileSync("package.json", "utf8"));

rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], { stdio: "inherit" });

await build({
  entryPoints: { plico: "dist/cli/main.js" },
  outdir: "dist/bin",
  bundle: true,
  splitting: true,
  platform: "node",
  format: "esm",
  target: "node20",
  minifySyntax: true,
  define: { PLICO_VERSION: JSON.stringify(version) },
  banner: { js: "#!/usr/bin/env node" },
  chunkNames: "[name]-[hash]",
  logLevel: "warning",
});
chmodSync("dist/bin/plico.js", 0o755);
