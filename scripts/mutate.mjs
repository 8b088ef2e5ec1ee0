// `npm run mutate [-- FOLDER|FILE[:LINES]…] [--share N] [--seed N]`: changes one place of src/ after the other and looks for a test
// that fails. A share is blocks of lines by chance; the whole, `--share 1`, is a night's work. Stryker is installed beside what is
// built: it is none of the packages that everybody installs.
import { spawnSync } from "node:child_process";
import { createHash, randomInt } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { say, setUp } from "./setup.mjs";

/** The last for Node 20. */
const PACKAGES = ["@stryker-mutator/core@9.6.1", "@stryker-mutator/vitest-runner@9.6.1"];
const BLOCK_LINES = 20;
/** What of test/ is asked about a folder: nothing that runs in a process of its own. */
const TESTS = {
  wire: "{{wire,dialect,stream,state,live}/*,listing/exports*,export/files*}",
  dialect: "{dialect,wire,stream,state,live}/*",
  stream: "{stream,live}/*",
  state: "{{state,rows}/*,live/session*,views/views*,timeline/timeline*}",
  listing: "{listing/!(killed|composed)*,export/files*}",
  export: "{export/*,listing/exports*}",
  statement: "statement/*",
};

const options = { share: { type: "string" }, seed: { type: "string" } };
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const { share = 0.1, seed = randomInt(1_000_000) } = values;

/** The same blocks of a file for the same seed. */
function* blocksOf(file) {
  const lines = readFileSync(file, "utf8").split("\n").length;
  for (let at = 1; at <= lines; at += BLOCK_LINES) {
    const digest = createHash("sha256").update(`${seed} ${file} ${at}`).digest();
    const end = Math.min(lines, at + BLOCK_LINES - 1);
    if (digest.readUInt32BE() < share * 2 ** 32) yield `${file}:${at}-${end}`;
  }
}

function partsOf(path) {
  if (path.includes("/")) return [path];
  const names = readdirSync(`src/${path}`, { recursive: true });
  const files = names.filter((name) => /\.tsx?$/.test(name)).map((name) => `src/${path}/${name}`);
  return share < 1 ? files.flatMap((file) => [...blocksOf(file)]) : files;
}

await setUp();
const home = "dist/mutation";
const entryOf = (name) =>
  pathToFileURL(`${home}/node_modules/@stryker-mutator/${name}/dist/src/index.js`).href;
if (!existsSync(home)) {
  const flags = "--no-save --no-audit --no-fund --legacy-peer-deps --prefix".split(" ");
  spawnSync("npm", ["install", ...flags, home, ...PACKAGES], { stdio: ["ignore", 2, 2] });
}
const { Stryker } = await import(entryOf("core"));
say(`seed ${seed}, share ${share}`);
for (const path of positionals.length > 0 ? positionals : Object.keys(TESTS)) {
  const folder = path.includes("/") ? path.split("/")[1] : path;
  const mutate = partsOf(path);
  if (mutate.length === 0) {
    say(`${path}: no block of it was drawn`);
    continue;
  }
  const results = await new Stryker({
    mutate,
    testRunner: "vitest",
    plugins: [entryOf("vitest-runner")],
    testFiles: [`test/${TESTS[folder]}`],
    coverageAnalysis: "perTest",
    ignoreStatic: true,
    ignorePatterns: [home, "docs/pictures"],
    tempDirName: `${home}/sandbox`,
    tsconfigFile: "none.json",
    concurrency: 1,
    reporters: ["dots", "clear-text"],
    clearTextReporter: { reportScoreTable: false, reportTests: false, logTests: false },
    logLevel: "warn",
  }).runMutationTest();
  const count = (...states) => results.filter(({ status }) => states.includes(status)).length;
  const all = count("Killed", "Timeout", "Survived", "NoCoverage");
  const percent = (100 * count("Killed", "Timeout")) / all;
  const byTime = count("Timeout");
  say(`${path}: ${all} mutants, ${percent.toFixed(0)} % found, ${byTime} of them by their time;`);
  say(`  ${count("Survived")} missed, ${count("NoCoverage")} that no test runs`);
  if (percent < 80) process.exitCode = 1;
}
