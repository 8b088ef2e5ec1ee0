// `npm run bench [name...] [--smoke] [--json]`: runs benches one after the other, each in a process of its own, and prints
// their figures. Figures never fail the run: on a busy machine they prove nothing.
import { fork } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type BenchAnswer, SMOKE_VARIABLE } from "./harness/bench.ts";
import { type Figure, isMet } from "./harness/figure.ts";
import { formatTable } from "./harness/table.ts";

/** Contains this file and the benches, bundled by scripts/bench.mjs into bench/dist. */
const folder = new URL(".", import.meta.url);
const EXTENSION = ".mjs";

function benchNames(): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(EXTENSION) && name !== `main${EXTENSION}`)
    .map((name) => name.slice(0, -EXTENSION.length))
    .sort();
}

function runBench(name: string, isSmoke: boolean): Promise<readonly Figure[]> {
  const child = fork(fileURLToPath(new URL(`${name}${EXTENSION}`, folder)), {
    execArgv: ["--expose-gc"],
    env: { ...process.env, [SMOKE_VARIABLE]: isSmoke ? "1" : "0" },
    stdio: ["ignore", 2, 2, "ipc"],
  });
  let answer: BenchAnswer | undefined;
  child.on("message", (message: BenchAnswer) => {
    answer = message;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      if (answer !== undefined && code === 0) resolve(answer.figures);
      else reject(new Error(`bench ${name} ended with ${signal ?? code} and no figures`));
    });
  });
}

/** Six significant digits. JSON has no NaN: missing values become null. */
function rounded(_: string, value: unknown): unknown {
  if (typeof value !== "number") return value;
  return Number.isFinite(value) ? Number(value.toPrecision(6)) : null;
}

function fail(what: string, advice: string): never {
  process.stderr.write(`bench: ${what}\n${advice}\n`);
  process.exit(2);
}

/** Smoke runs mostly wait for processes to start, so several run at once; real figures need the whole machine. */
const SMOKE_LANES = 4;
const FLAGS = ["--smoke", "--json"];
const words = process.argv.slice(2);
const flags = new Set(words.filter((word) => word.startsWith("-")));
const names = words.filter((word) => !word.startsWith("-"));
const known = benchNames();
for (const flag of flags) {
  if (!FLAGS.includes(flag)) fail(`unknown option: ${flag}`, `expected: ${FLAGS.join(", ")}`);
}
for (const name of names) {
  if (!known.includes(name)) fail(`no such bench: ${name}`, `expected: ${known.join(", ")}`);
}

const isSmoke = flags.has("--smoke");
const measured: Record<string, readonly Figure[]> = {};
const left = [...(names.length > 0 ? names : known)];

async function runNext(): Promise<void> {
  const name = left.shift();
  if (name === undefined) return;
  const figures = await runBench(name, isSmoke);
  measured[name] = figures;
  if (!flags.has("--json")) process.stdout.write(`${formatTable(name, figures)}\n\n`);
  return runNext();
}

await Promise.all(Array.from({ length: isSmoke ? SMOKE_LANES : 1 }, runNext));
const missed = Object.values(measured)
  .flat()
  .filter((figure) => isMet(figure) === false);
if (flags.has("--json")) process.stdout.write(`${JSON.stringify(measured, rounded, 2)}\n`);
else if (isSmoke) process.stdout.write("every bench works; figures of a smoke run mean nothing\n");
else process.stdout.write(`goals not met: ${missed.map(({ id }) => id).join(", ") || "none"}\n`);
