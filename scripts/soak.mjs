// `npm run soak`: the long forms of all that is tested by chance and by number, with their counts. MONITOR_SEED sets the
// first seed; paths of tests choose some of them.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root, setUp } from "./setup.mjs";

const ALL = [
  "test/soak",
  "test/adversary/accounts.test.ts",
  "test/fuzz",
  "test/terminal/session/death.test.ts",
  "test/listing/paging/random-services.test.ts",
  "test/adversary/books.test.ts",
  "test/adversary/listings.test.ts",
  "test/adversary/killed-exports.test.ts",
  "test/terminal/hostile-text.test.tsx",
  "test/terminal/cells/frames.property.test.ts",
  "test/process/hostile-text.test.ts",
  "test/stream/hostile-frames.test.ts",
  "test/stream/subscription.test.ts",
  "test/state/book-interpretation.test.ts",
  "test/state/alarms.test.ts",
  "test/state/long-run-session.test.ts",
  "test/live/wire-grammar.test.ts",
  "test/wire/agreement.test.ts",
];
const PAGING_RUNS = "30000";
const { MONITOR_SEED = "1" } = process.env;
const folders = process.argv.length > 2 ? process.argv.slice(2) : ALL;
await setUp();
const { status } = spawnSync(
  join(root, "node_modules", ".bin", "vitest"),
  ["run", ...folders, "--disable-console-intercept"],
  {
    cwd: root,
    stdio: "inherit",
    env: {
      MONITOR_PAGING_RUNS: PAGING_RUNS,
      MONITOR_PAGING_SEED: MONITOR_SEED,
      ...process.env,
      MONITOR_SOAK: "long",
    },
  },
);
process.exitCode = status ?? 1;
