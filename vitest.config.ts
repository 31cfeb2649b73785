import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig, type ViteUserConfig } from "vitest/config";
import { LongFilesFirst } from "./test/long-files-first.js";

/** Of `test/` those that are short, and neither start processes nor look at this one. */
const SHARING_TESTS = [
  ...["docs", "docs-options", "exports", "file-lengths", "layers", "helper-consumer-table", "conformance/verdict"],
  ...["http-round-trip", "http-rest-round-trip", "http-subscriptions", "mcp-gateway", "operate", "trace-context"],
].map((name) => `test/${name}.test.ts`);

/** What one file does to the clock, the environment or a global, the next would find. */
const TOUCHES_GLOBALS = /\bvi\.(useFakeTimers|stubEnv|stubGlobal|spyOn|mock)\(|process\.(on|env\[[^\]]+\] =)/;

/** How this process loads modules is what these tests change. */
const LOADS_MODULES = "src/sources/module/";

/** These share their modules: to load them again for each file takes longer than the tests do. */
const SHARING = readdirSync("src", { recursive: true, encoding: "utf8" })
  .map((path) => `src/${path.replaceAll("\\", "/")}`)
  .filter((path) => path.endsWith(".test.ts") && !path.startsWith(LOADS_MODULES))
  .concat(SHARING_TESTS)
  .filter((path) => !TOUCHES_GLOBALS.test(readFileSync(path, "utf8")));

const config: ViteUserConfig = defineConfig({
  test: {
    setupFiles: ["test/fuzz-setup.ts"],
    reporters: ["default"],
    // Much of the time goes by waiting for processes and clocks: one more than there are cores.
    maxWorkers: availableParallelism() + 1,
    // A machine may be busy with other things; what hangs is found all the same.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 10_000, interval: 10 } },
    sequence: { sequencer: LongFilesFirst },
    projects: [
      { extends: true, test: { name: "sharing", include: SHARING, isolate: false } },
      {
        extends: true,
        test: {
          name: "alone",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: SHARING,
        },
      },
    ],
  },
});

export default config;
