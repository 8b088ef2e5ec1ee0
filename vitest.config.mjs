import { defineConfig } from "vitest/config";
import { BaseSequencer } from "vitest/node";

const ALL = ["test/**/*.test.{ts,tsx}"];
const isLong = process.env.MONITOR_SOAK === "long";
/** Tests of the streams of their process, of its end and of its memory: each file has one of its own. */
const ALONE = [
  ...["terminal/session/death", "terminal/session/stdio-guard", "fuzz/fuzz"],
  // Only their long forms look at memory.
  ...(isLong ? ["soak/soak", "soak/watch", "soak/simulated-day", "soak/real-hour"] : []),
].map((path) => `test/${path}.test.ts`);

const LIMIT_MS = isLong ? 3_600_000 : 20_000;

/** Long forms of a quarter of an hour and more, each on one core: what starts last is waited for. */
const LONGEST = [
  "soak/real-hour",
  "soak/soak",
  "soak/simulated-day",
  "adversary/accounts",
  "adversary/order-flow-of-services",
  "terminal/session/death",
  "adversary/books",
  "soak/heatmap",
];

class LongestFirst extends BaseSequencer {
  async sort(files) {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }) => {
      const at = LONGEST.findIndex((path) => moduleId.endsWith(`test/${path}.test.ts`));
      return at < 0 ? LONGEST.length : at;
    };
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  // ink-table requires Ink, which can only be imported.
  resolve: {
    alias: { "ink-table": new URL("test/support/ink-table.mjs", import.meta.url).pathname },
  },
  test: {
    // Loading a module takes longer than most tests: files that keep nothing behind share what is loaded.
    projects: [
      { extends: true, test: { name: "shared", include: ALL, exclude: ALONE, isolate: false } },
      { extends: true, test: { name: "alone", include: ALONE } },
    ],
    // Many tests wait for a process most of their time; of the long forms, one watches another for an hour.
    maxWorkers: isLong ? 3 : 2,
    maxConcurrency: 8,
    ...(isLong && { sequence: { sequencer: LongestFirst } }),
    globalSetup: ["scripts/test-setup.mjs"],
    // What hangs costs no more than this; long forms have an hour.
    testTimeout: LIMIT_MS,
    hookTimeout: LIMIT_MS,
    expect: { poll: { timeout: LIMIT_MS } },
  },
});
