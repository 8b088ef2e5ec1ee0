// `npm test`: set-up if needed, then all checks and tests; the last line counts them. --checks-only leaves out the tests.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, say, setUp } from "./setup.mjs";

const bin = (name) => join(root, "node_modules", ".bin", name);

/** Independent checks, each counted as one. */
const checks = [
  { name: "lint and format", command: [bin("biome"), "ci", "--error-on-warnings", "."] },
  // On one thread and with rare garbage collection it takes half the CPU: the tests need the other cores.
  { name: "types", command: [bin("tsc"), "--noEmit", "--checkers", "1"], env: { GOGC: "400" } },
  { name: "dead code", command: [bin("knip")] },
];

/** Runs a command to its end; collects its output if `isQuiet`. */
function run([command, ...args], isQuiet, env = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: isQuiet ? ["ignore", "pipe", "pipe"] : "inherit",
      env: { ...process.env, ...env, FORCE_COLOR: process.stdout.isTTY ? "1" : "0" },
    });
    const output = [];
    child.stdout?.on("data", (data) => output.push(data));
    child.stderr?.on("data", (data) => output.push(data));
    child.on("error", (error) => resolve({ isOk: false, output: error.message }));
    child.on("close", (code) =>
      resolve({ isOk: code === 0, output: Buffer.concat(output).toString() }),
    );
  });
}

/** Sequentially, as the tests run at the same time. */
async function runChecks() {
  const results = [];
  for (const { name, command, env } of checks)
    results.push({ name, ...(await run(command, true, env)) });
  return results;
}

/** Passed and failed tests; a run that ends without a report counts as one failure. */
async function runTests() {
  const folder = mkdtempSync(join(tmpdir(), "monitor-test-"));
  const report = join(folder, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const { isOk } = await run([bin("vitest"), "run", ...reporters], false);
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, "utf8"));
    const isOtherFault = !isOk && numFailedTests === 0;
    return { passed: numPassedTests, failed: numFailedTests + (isOtherFault ? 1 : 0) };
  } catch {
    return { passed: 0, failed: 1 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await setUp();
const isChecksOnly = process.argv.includes("--checks-only");
const [results, tests] = await Promise.all([
  runChecks(),
  isChecksOnly ? { passed: 0, failed: 0 } : runTests(),
]);
// After the test report, which is drawn on the same terminal.
for (const { name, isOk, output } of results) {
  say(`${isOk ? "✓" : "✗"} ${name}`);
  if (!isOk) process.stdout.write(output);
}
const passed = results.filter(({ isOk }) => isOk).length + tests.passed;
const failed = results.filter(({ isOk }) => !isOk).length + tests.failed;
process.exitCode = failed === 0 ? 0 : 1;
process.stdout.write(`${passed} passed, ${failed} failed\n`);
