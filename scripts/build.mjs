// Compiles the library with tsc, and bundles the command: what costs at start is the number of modules, not their size.
// Types are not checked here, which would take most of the time: `npm run check` does that, and so does `npm pack`.
// The kit for helper scripts is one file that can be copied alone.
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import { coreChunk } from "./core-chunk.mjs";

const { version } = JSON.parse(readFileSync("package.json", "utf8"));

rmSync("dist", { recursive: true, force: true });
const compile = ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json", "--noCheck"];
execFileSync(process.execPath, compile, { stdio: "inherit" });

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
  // One brings its own WebAssembly; the other is shared with whoever set up telemetry in this process.
  external: ["@swc/wasm-typescript", "@opentelemetry/api"],
  banner: { js: "#!/usr/bin/env node" },
  chunkNames: "[name]-[hash]",
  plugins: [coreChunk("dist")],
  logLevel: "warning",
});
chmodSync("dist/bin/plico.js", 0o755);

for (const [format, ending] of [
  ["esm", "mjs"],
  ["cjs", "cjs"],
]) {
  await build({
    entryPoints: ["dist/servers/script/index.js"],
    outfile: `dist/helper-kit.${ending}`,
    bundle: true,
    platform: "node",
    format,
    target: "node20",
    minifySyntax: true,
    minifyWhitespace: true,
    // Node shows the line in which an error was thrown, and stacks have its number.
    lineLimit: 120,
    legalComments: "none",
    banner: { js: `// plico ${version}, the kit for helper scripts; this file needs no other.` },
    logLevel: "warning",
  });
  writeFileSync(`dist/helper-kit.d.${ending.replace("js", "ts")}`, 'export * from "./servers/script/index.js";\n');
}
