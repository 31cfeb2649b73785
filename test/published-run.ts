import { type Captured, type CapturedOptions, runCaptured } from "../src/cli/fixtures/run-captured.js";
import type { Io } from "../src/cli/io.js";
import { nativeImport } from "./native-import.js";

const built = new URL("../build/cli/run.js", import.meta.url);

interface Published {
  readonly run: (argv: readonly string[], io: Io) => Promise<number>;
}

const { run } = (await nativeImport(built.href)) as Published;

/** The published command in this process: the hooks by which it loads modules cannot run what only vitest understands. */
export function runPublished(argv: readonly string[], options?: CapturedOptions): Promise<Captured> {
  return runCaptured(argv, options, run);
}
