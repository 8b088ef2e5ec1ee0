// `npm run soak`: the long forms of all randomised and volume tests, with their counts. MONITOR_SEED sets the first seed; test
// paths as arguments select some of them.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root, setUp } from "./setup.mjs";

/** Every test file with a long form. */
function longTests() {
  const files = readdirSync(join(root, "test"), { recursive: true }).map((name) => `test/${name}`);
  return files.filter(
    (file) =>
      /\.test\.tsx?$/.test(file) &&
      readFileSync(join(root, file), "utf8").includes("support/soak.ts"),
  );
}

const files = process.argv.length > 2 ? process.argv.slice(2) : longTests();
await setUp();
const { status } = spawnSync(
  join(root, "node_modules", ".bin", "vitest"),
  ["run", ...files, "--disable-console-intercept"],
  { cwd: root, stdio: "inherit", env: { ...process.env, MONITOR_SOAK: "long" } },
);
process.exitCode = status ?? 1;
