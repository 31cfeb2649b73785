import { defineConfig, type ViteUserConfig } from "vitest/config";

/** Tests of plain functions share their modules: to load them again for each file takes as long as the tests do. */
const SHARING = [
  ...["json", "envelope", "schema", "dialects", "helper", "contract"],
  ...["document", "schemas", "request", "answer"].map((room) => `sources/openapi/${room}`),
].map((folder) => `src/${folder}/**/*.test.ts`);

const config: ViteUserConfig = defineConfig({
  test: {
    setupFiles: ["test/fuzz-setup.ts"],
    reporters: ["default"],
    // Left to itself, vitest keeps one core free: on two that is half of them, and much of the time goes by waiting.
    maxWorkers: "100%",
    // A machine may be busy with other things; what hangs is found all the same.
    testTimeout: 20_000,
    projects: [
      { extends: true, test: { name: "sharing", include: SHARING, isolate: false } },
      {
        extends: true,
        test: {
          name: "alone",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: SHARING,
          typecheck: { enabled: true, include: ["src/**/*.test-d.ts"], tsconfig: "./tsconfig.json" },
        },
      },
    ],
  },
});

export default config;
