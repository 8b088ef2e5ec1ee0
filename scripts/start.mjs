// `npm start`: set-up if needed, then the program itself; without arguments it opens the demo.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { root, setUp } from "./setup.mjs";

await setUp();
const args = process.argv.slice(2);
const program = spawn(
  process.execPath,
  [join(root, "bin", "monitor.js"), ...(args.length > 0 ? args : ["demo"])],
  { stdio: "inherit" },
);
// The terminal sends these signals to both processes: the program handles them, and we wait for its end.
for (const signal of ["SIGINT", "SIGQUIT"]) process.on(signal, () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => program.kill(signal));
program.on("exit", (code, signal) => {
  process.exitCode = code ?? (signal === "SIGKILL" ? 137 : 1);
});
