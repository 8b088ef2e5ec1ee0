import { defineConfig } from "vitest/config";
import { patchModulesForTests } from "./scripts/build.mjs";
import { plantBug } from "./scripts/planted-bugs.mjs";

export default defineConfig({
  plugins: [patchModulesForTests(), plantBug(process.env.MONITOR_MUTANT)],
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    globalSetup: ["scripts/test-setup.mjs"],
    // A bound for what hangs, far above what anything takes: the machine may be busy with other things.
    testTimeout: 60_000,
    // Inlined, so that the patched modules are what everything loads.
    server: { deps: { inline: ["ink", "ink-table", "ink-testing-library"] } },
  },
});
