// Puts what `ls` needs for a module into one chunk of the bundled command. esbuild makes a chunk of all modules that
// the same dynamic imports reach, which would be dozens of small files, and to find a file costs more than to read it. So
// each file that is imported dynamically says that it needs the whole core, which is true of all but those left apart.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const CORE = ["cli/ls", "gateway/config/ad-hoc-config", "gateway/gateway", "sources/module/module-source"];

/** What reads documents, or completes a word, starts without any of it. */
const APART = /\/(?:cli\/(?:detect|read|convert|check|fixture|command|completion)|dialects\/\w+)\.js$/;

/** A plugin for esbuild, over what tsc wrote into a folder. */
export function coreChunk(folder) {
  const targets = dynamicImports(resolve(folder));
  const files = CORE.map((name) => resolve(folder, `${name}.js`));
  const namespace = "core";
  return {
    name: "core-chunk",
    setup({ onLoad, onResolve }) {
      onLoad({ filter: /\.js$/, namespace: "file" }, ({ path }) =>
        targets.has(path) ? { contents: `import "plico:core";\n${readFileSync(path, "utf8")}` } : undefined,
      );
      onResolve({ filter: /^plico:core$/ }, ({ path }) => ({ path, namespace, sideEffects: true }));
      onLoad({ filter: /./, namespace }, () => ({
        // A namespace that is used keeps all of its module, which says of itself that it has no effects.
        contents: `${files.map((file, at) => `import * as m${at} from ${JSON.stringify(file)};`).join("\n")}
export const core = [${files.map((_, at) => `m${at}`)}];`,
        resolveDir: folder,
      }));
    },
  };
}

function dynamicImports(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".js"));
  const found = files.flatMap((file) => {
    const path = join(folder, file);
    const imports = readFileSync(path, "utf8").matchAll(/\bimport\("(\.[^"]+)"\)/g);
    return [...imports].map(([, target]) => resolve(dirname(path), target));
  });
  return new Set(found.filter((target) => !APART.test(target)));
}
