// `npm run mutants [name…]`: checks that the tests catch each planted bug. The tests must pass without a bug; then, for each bug,
// at least one must fail. The exit code is 1 if a bug survives.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { plant, readPlantedBugs } from "./planted-bugs.mjs";
import { root, say, setUp } from "./setup.mjs";

/** Runs some test files, with a bug or without. Resolves to the names of failed tests, and the cause of a broken run, if any. */
async function runTests(files, bug) {
  const folder = mkdtempSync(join(tmpdir(), "monitor-mutants-"));
  const report = join(folder, "report.json");
  const { MONITOR_MUTANT: _, ...env } = process.env;
  // The same seeds with and without a bug.
  env.MONITOR_SEED ??= "1";
  if (bug !== undefined) env.MONITOR_MUTANT = bug;
  const args = ["run", "--reporter=json", `--outputFile=${report}`, ...files];
  try {
    const output = await outputOf(join(root, "node_modules", ".bin", "vitest"), args, env);
    return readReport(report, output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function outputOf(command, args, env) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
    const output = [];
    child.stdout.on("data", (data) => output.push(data));
    child.stderr.on("data", (data) => output.push(data));
    child.on("error", reject);
    child.on("close", () => resolve(Buffer.concat(output).toString()));
  });
}

/** A file that does not load breaks the run: it does not count as a failed test. */
function readReport(path, output) {
  let report;
  try {
    report = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return { failed: [], broken: output };
  }
  const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.filter(({ status }) => status === "failed").map(({ fullName }) => fullName);
  const unloaded = report.testResults.find(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  );
  return { failed, broken: tests.length === 0 ? output : unloaded?.message };
}

function choose(names) {
  const bugs = readPlantedBugs();
  const unknown = names.filter((name) => !bugs.some((bug) => bug.name === name));
  if (unknown.length > 0) throw new Error(`no planted bug is named ${unknown.join(", ")}`);
  return names.length === 0 ? bugs : bugs.filter(({ name }) => names.includes(name));
}

/** True if the bug was caught. */
async function tryBug(bug) {
  const startedAt = performance.now();
  const { failed, broken } = await runTests(bug.tests, bug.name);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (broken !== undefined) {
    say(`? ${bug.name}: the run itself broke\n${broken}`);
    return false;
  }
  const [first] = failed;
  if (first === undefined) say(`✗ ${bug.name} survived (${seconds} s): ${bug.breaks}`);
  else say(`✓ ${bug.name}: ${failed.length} failed (${seconds} s), first: ${first}`);
  return first !== undefined;
}

await setUp();
const bugs = choose(process.argv.slice(2));
for (const bug of bugs) plant(bug, readFileSync(join(root, bug.file), "utf8"));
const untouched = await runTests([...new Set(bugs.flatMap(({ tests }) => tests))]);
if (untouched.failed.length > 0 || untouched.broken !== undefined) {
  say(`these tests fail without a bug:\n${untouched.broken ?? untouched.failed.join("\n")}`);
  process.exitCode = 1;
} else {
  const survived = [];
  for (const bug of bugs) if (!(await tryBug(bug))) survived.push(bug.name);
  say(`${bugs.length - survived.length} of ${bugs.length} planted bugs caught`);
  if (survived.length > 0) process.exitCode = 1;
}
