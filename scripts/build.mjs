// Compiles with tsc, its JavaScript into build/ and its declarations into dist/, and bundles what is published: what costs
// at start is the number of modules, not their size.
// Types are not checked here, which would take most of the time: `npm run check` does that, and so does `npm pack`.
// The kit for helper scripts is one file that can be copied alone.
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import { coreChunk } from "./core-chunk.mjs";
import { rootChunk } from "./library-chunks.mjs";

const { version, exports } = JSON.parse(readFileSync("package.json", "utf8"));

for (const folder of ["build", "dist"]) rmSync(folder, { recursive: true, force: true });
const compile = ["node_modules/typescript-native/bin/tsc", "-p", "tsconfig.build.json", "--noCheck"];
execFileSync(process.execPath, compile, { stdio: "inherit" });

const SHARED = { bundle: true, format: "esm", target: "node20", logLevel: "warning" };

const published = Object.values(exports).flatMap((paths) => /^\.\/dist\/(.+)\.js$/.exec(paths.default)?.[1] ?? []);
// Node before 22.15 starts the last one in a thread, by its path.
const entries = [...published, "sources/module/hooks-thread"];
await build({
  ...SHARED,
  entryPoints: Object.fromEntries(entries.map((name) => [name, `build/${name}.js`])),
  outdir: "dist",
  splitting: true,
  platform: "neutral",
  packages: "external",
  external: ["node:*"],
  chunkNames: "chunks/[name]-[hash]",
  // That every entry needs the root is said for the sake of the chunks only.
  logOverride: { "ignored-bare-import": "silent" },
  plugins: [rootChunk({ root: "build/index.js", entries: published.map((name) => `build/${name}.js`) })],
});

await build({
  ...SHARED,
  entryPoints: { plico: "build/cli/main.js" },
  outdir: "dist/bin",
  splitting: true,
  platform: "node",
  minifySyntax: true,
  define: { PLICO_VERSION: JSON.stringify(version) },
  // One brings its own WebAssembly; one is shared with whoever set up telemetry in this process; users choose whether to have NATS.
  external: ["@swc/wasm-typescript", "@opentelemetry/api", "@nats-io/transport-node", "@nats-io/jetstream"],
  banner: { js: "#!/usr/bin/env node" },
  chunkNames: "[name]-[hash]",
  plugins: [coreChunk("build")],
});
chmodSync("dist/bin/plico.js", 0o755);

for (const [format, ending] of [
  ["esm", "mjs"],
  ["cjs", "cjs"],
]) {
  await build({
    ...SHARED,
    entryPoints: ["build/servers/script/index.js"],
    outfile: `dist/helper-kit.${ending}`,
    platform: "node",
    format,
    minifySyntax: true,
    minifyWhitespace: true,
    // Node shows the line in which an error was thrown, and stacks have its number.
    lineLimit: 120,
    legalComments: "none",
    banner: { js: `// plico ${version}, the kit for helper scripts; this file needs no other.` },
  });
  writeFileSync(`dist/helper-kit.d.${ending.replace("js", "ts")}`, 'export * from "./servers/script/index.js";\n');
}
