// For bundles of the library: what the root of the package has is one chunk, in which bundlers still leave out what nobody uses.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import ts from "typescript";

/** A plugin for esbuild, by which all entries need the root; else each set of entries with something in common has a chunk. */
export function rootChunk({ root, entries }) {
  const targets = new Set(entries.map((entry) => resolve(entry)));
  return {
    name: "root-chunk",
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^plico:root$/ }, () => ({ path: resolve(root), sideEffects: true }));
      onLoad({ filter: /\.js$/ }, ({ path }) => {
        const text = withPureConstants(readFileSync(path, "utf8"));
        return { contents: targets.has(path) ? `import "plico:root";\n${text}` : text };
      });
    },
  };
}

/**
 * In a file of its own a constant that nobody imports is left out with the file, as `sideEffects` of package.json says. In a chunk a
 * bundler has to see of each constant that to make it does nothing else.
 */
function withPureConstants(text) {
  const file = ts.createSourceFile("module.js", text, ts.ScriptTarget.ES2022, true, ts.ScriptKind.JS);
  const found = file.statements.flatMap((statement) =>
    ts.isVariableStatement(statement) && statement.declarationList.flags & ts.NodeFlags.Const
      ? statement.declarationList.declarations.flatMap(({ initializer }) =>
          needsMark(initializer) ? [initializer] : [],
        )
      : [],
  );
  return found.reduceRight((made, node) => {
    const [start, end] = [node.getStart(), node.end];
    return `${made.slice(0, start)}/* @__PURE__ */ (() => (${made.slice(start, end)}))()${made.slice(end)}`;
  }, text);
}

function needsMark(node) {
  if (node === undefined || ts.isFunctionLike(node) || ts.isClassLike(node)) return false;
  return MAY_ACT.some((is) => is(node)) || (ts.forEachChild(node, needsMark) ?? false);
}

const MAY_ACT = [
  ...[ts.isCallExpression, ts.isNewExpression, ts.isPropertyAccessExpression, ts.isElementAccessExpression],
  ...[
    ts.isBinaryExpression,
    ts.isSpreadElement,
    ts.isSpreadAssignment,
    ts.isTaggedTemplateExpression,
    ts.isTemplateExpression,
  ],
];
