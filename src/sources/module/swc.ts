import { createRequire } from "node:module";
import { isRecord } from "../../json/value.js";

export interface SyntaxFault {
  /** Whether other code than types would have to be written for it. */
  readonly isUnsupported: boolean;
  readonly message: string;
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** The line with a mark under the place. */
  readonly snippet: string;
}

interface Stripping {
  readonly file: string;
  /** As a module with `import` and `export`, or as a script. */
  readonly isModule: boolean;
  /** Whether enums and parameter properties are written as JavaScript; positions then change. */
  readonly isRewritten?: boolean;
}

/** The JavaScript of a text in TypeScript, or what is wrong with the text. */
export function stripTypes(text: string, { file, isModule, isRewritten = false }: Stripping): string | SyntaxFault {
  try {
    const { code, map } = transformer()(text, {
      filename: file,
      module: isModule,
      mode: isRewritten ? "transform" : "strip-only",
      sourceMap: isRewritten,
      // Imports that only types use stay, as in Node's own stripping: a file must not depend on which of both is used.
      transform: { verbatimModuleSyntax: true },
    });
    // In one text it would be taken for a comment of this file by whoever looks for such lines.
    const comment = (address: string): string => ["//#", `sourceMappingURL=${address}`].join(" ");
    return map === undefined ? code : `${code}\n${comment(inline(map))}\n`;
  } catch (thrown) {
    return faultOf(thrown);
  }
}

type Transform = typeof import("@swc/wasm-typescript")["transformSync"];

let loaded: Transform | undefined;

/** It is large and slow to load, so it waits for the first file that needs it, and stays out of bundles. */
function transformer(): Transform {
  loaded ??= createRequire(import.meta.url)("@swc/wasm-typescript").transformSync as Transform;
  return loaded;
}

function inline(map: string): string {
  return `data:application/json;base64,${Buffer.from(map).toString("base64")}`;
}

function faultOf(thrown: unknown): SyntaxFault {
  if (!isRecord(thrown) || typeof thrown["startLine"] !== "number") throw thrown;
  const { code, message, snippet, startLine, startColumn } = thrown;
  return {
    isUnsupported: code === "UnsupportedSyntax",
    message: String(message),
    line: startLine,
    column: Number(startColumn) + 1,
    snippet: String(snippet).trimEnd(),
  };
}
