// `npm run package`: packs the program and runs the packed file with npx, in an empty folder, on each supported Node version.
// npm's package `node` provides them, so this needs the registry.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, say, setUp } from "./setup.mjs";

const VERSIONS = ["20", "22", "24", "26"];
const MAX_MEGABYTES = 1.5;
/** Each must write to stdout, write nothing to stderr, and exit with 0. */
const RUNS = [["--version"], ["demo", "--once"], ["demo", "--once", "--json"]];

/** Silences npm's own messages, so that stderr contains only the program's. */
const quiet = { npm_config_update_notifier: "false", npm_config_loglevel: "error" };

function runPacked(version, tarball, args, folder) {
  const words = ["-y", "-p", `node@${version}`, "-p", tarball, "monitor", ...args];
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, npm_config_cache: join(folder, ".npm"), ...quiet };
  const done = spawnSync("npx", words, { cwd: folder, env, encoding: "utf8" });
  const isOk = done.status === 0 && done.stdout !== "" && done.stderr === "";
  say(`${isOk ? "✓" : "✗"} Node ${version}: monitor ${args.join(" ")}`);
  if (!isOk) say(`exit code ${done.status}\n${done.stdout}${done.stderr}`);
  return isOk;
}

function isSmall(tarball) {
  const megabytes = statSync(tarball).size / 1e6;
  const isOk = megabytes <= MAX_MEGABYTES;
  say(`${isOk ? "✓" : "✗"} packed: ${megabytes.toFixed(2)} MB (at most ${MAX_MEGABYTES})`);
  return isOk;
}

await setUp();
const folder = mkdtempSync(join(tmpdir(), "monitor-package-"));
try {
  spawnSync("npm", ["pack", "--pack-destination", folder], { cwd: root, stdio: ["ignore", 2, 2] });
  const packed = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  if (packed === undefined) throw new Error("npm pack made no file: see its message above");
  const tarball = join(folder, packed);
  const results = [
    isSmall(tarball),
    ...VERSIONS.flatMap((version) => RUNS.map((args) => runPacked(version, tarball, args, folder))),
  ];
  process.exitCode = results.every(Boolean) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
