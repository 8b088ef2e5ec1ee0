// `npm start`: set-up when needed, then the program itself; without arguments it opens the demo.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { root, setUp } from "./setup.mjs";

await setUp();
const args = process.argv.slice(2);
const program = spawnSync(
  process.execPath,
  [join(root, "bin", "monitor.js"), ...(args.length > 0 ? args : ["demo"])],
  { stdio: "inherit" },
);
process.exitCode = program.status ?? 1;
