import { defineConfig } from "vitest/config";

const isLong = process.env.MONITOR_SOAK === "long";
const LIMIT_MS = isLong ? 3_600_000 : 60_000;

export default defineConfig({
  // ink-table requires Ink, which can only be imported.
  resolve: {
    alias: { "ink-table": new URL("test/support/ink-table.mjs", import.meta.url).pathname },
  },
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    // Loading a module takes longer than most tests, and no file leaves anything behind: they share what is loaded.
    isolate: false,
    // Many tests wait for a process most of their time.
    maxWorkers: 2,
    maxConcurrency: 8,
    globalSetup: ["scripts/test-setup.mjs"],
    // What runs in a process of its own is not counted.
    coverage: { provider: "v8", include: ["src/**"], reporter: ["text-summary"] },
    // What hangs costs no more than this; long forms have an hour.
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
    expect: { poll: { timeout: LIMIT_MS } },
  },
});
