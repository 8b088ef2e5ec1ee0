// `npm run soak`: the long forms of the soak and of the fuzz, with their counts. MONITOR_SEED sets the first seed.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./setup.mjs";

const folders = process.argv.length > 2 ? process.argv.slice(2) : ["test/soak", "test/fuzz"];
const { status } = spawnSync(
  join(root, "node_modules", ".bin", "vitest"),
  ["run", ...folders, "--disable-console-intercept"],
  { cwd: root, stdio: "inherit", env: { ...process.env, MONITOR_SOAK: "long" } },
);
process.exitCode = status ?? 1;
