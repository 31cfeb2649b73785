// Puts what `ls` needs for a module into two chunks of the bundled command. esbuild makes a chunk of all modules that
// the same dynamic imports reach, which would be dozens of small files, and to find a file costs more than to read it. So
// each file that is imported dynamically says that it needs the whole base, and the whole core too, which is true of all
// but those left apart.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** What every command needs. */
const BASE = [
  ...[
    "cli/run",
    "cli/command",
    "cli/terminal/style",
    "json/printable",
    "json/longest-timer",
    "json/base64",
    "json/pointer",
  ],
  ...["envelope/hints", "envelope/origin", "envelope/outcome", "envelope/tool-error"],
  ...["schema/resources", "schema/standard-schema"],
];

const CORE = ["cli/ls", "gateway/config/ad-hoc-config", "gateway/gateway", "sources/module/module-source"];

/** What reads documents, or completes a word, starts without the core. */
const APART = /\/(?:cli\/(?:main|command|documents\/[\w-]+|completion\/completion)|dialects\/\w+)\.js$/;

/** A plugin for esbuild, over what tsc wrote into a folder. */
export function coreChunk(folder) {
  const targets = dynamicImports(resolve(folder)).add(resolve(folder, "cli/main.js"));
  const members = { "plico:base": BASE, "plico:core": CORE };
  const namespace = "group";
  return {
    name: "core-chunk",
    setup({ onLoad, onResolve }) {
      onLoad({ filter: /\.js$/, namespace: "file" }, ({ path }) => {
        if (!targets.has(path)) return undefined;
        const core = APART.test(path) ? "" : 'import "plico:core";\n';
        return { contents: `import "plico:base";\n${core}${readFileSync(path, "utf8")}` };
      });
      onResolve({ filter: /^plico:(?:base|core)$/ }, ({ path }) => ({ path, namespace, sideEffects: true }));
      onLoad({ filter: /./, namespace }, ({ path }) => ({
        contents: allOf(members[path].map((name) => resolve(folder, `${name}.js`))),
        resolveDir: folder,
      }));
    },
  };
}

/** A namespace that is used keeps all of its module, which says of itself that it has no effects. */
function allOf(files) {
  const imports = files.map((file, at) => `import * as m${at} from ${JSON.stringify(file)};`);
  return `${imports.join("\n")}\nexport const all = [${files.map((_, at) => `m${at}`)}];`;
}

function dynamicImports(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".js"));
  return new Set(
    files.flatMap((file) => {
      const path = join(folder, file);
      const imports = readFileSync(path, "utf8").matchAll(/\bimport\("(\.[^"]+)"\)/g);
      return [...imports].map(([, target]) => resolve(dirname(path), target));
    }),
  );
}
