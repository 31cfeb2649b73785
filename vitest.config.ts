import { defineConfig, type ViteUserConfig } from "vitest/config";

const config: ViteUserConfig = defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    setupFiles: ["test/fuzz-setup.ts"],
    typecheck: { enabled: true, include: ["src/**/*.test-d.ts"], tsconfig: "./tsconfig.json" },
    reporters: ["default"],
    // Left to itself, vitest keeps one core free: on two that is half of them, and much of the time goes by waiting.
    maxWorkers: "100%",
    // A machine may be busy with other things; what hangs is found all the same.
    testTimeout: 20_000,
  },
});

export default config;
