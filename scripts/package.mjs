// `npm run package [version…]`: packs the program and runs the packed file in an empty folder, on this Node and on each of the given
// versions (`22 24 26`), which come from the registry. The last line is the path of the file.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root, say, setUp } from "./setup.mjs";

/** A scoped name that nobody has, so that npx never takes another's program for ours. */
const NAME = "@exchange-monitor/monitor";
const CONTENTS = [
  ...["LICENSE", "README.md", "bin", "dist/monitor.js", "dist/simulator-worker.js"],
  ...["dist/undici.cjs", "dist/third-party-licenses.txt"],
];
const MAX_MEGABYTES = 1.5;
/** Each must write to stdout, write nothing to stderr, and exit with 0. */
const RUNS = [["--version"], ["demo", "--once"], ["demo", "--once", "--json"]];

function npm(args, cwd) {
  const quiet = ["--no-audit", "--no-fund", "--loglevel", "error"];
  const { status, stdout, stderr } = spawnSync("npm", [...args, ...quiet], {
    cwd,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`npm ${args.join(" ")}: ${stderr}`);
  return stdout;
}

/** Packs the built program into a file of this folder. @returns its path */
export function pack(destination) {
  const folder = mkdtempSync(join(tmpdir(), "monitor-contents-"));
  try {
    for (const path of CONTENTS) cpSync(join(root, path), join(folder, path), { recursive: true });
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const { version, description, license, type, bin, engines } = manifest;
    const own = { name: NAME, version, description, license, type, bin, engines };
    writeFileSync(join(folder, "package.json"), `${JSON.stringify(own, undefined, 2)}\n`);
    const [{ filename }] = JSON.parse(
      npm(["pack", "--json", "--pack-destination", destination], folder),
    );
    return join(destination, filename);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @returns the path of this version of Node */
function installNode(version, folder) {
  const name = `node-${process.platform}-${process.arch}`;
  mkdirSync(folder);
  npm(["install", "--prefix", folder, `${name}@${version}`], folder);
  return join(folder, "node_modules", name, "bin", "node");
}

function isRunning(node, program, args, cwd) {
  const env = { PATH: process.env.PATH, HOME: cwd };
  const done = spawnSync(node, [program, ...args], { cwd, env, encoding: "utf8" });
  const isOk = done.status === 0 && done.stdout !== "" && done.stderr === "";
  const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim();
  say(`${isOk ? "✓" : "✗"} ${version}: monitor ${args.join(" ")}`);
  if (!isOk) say(`exit code ${done.status}\n${done.stdout}${done.stderr}`);
  return isOk;
}

function isSmall(tarball) {
  const megabytes = statSync(tarball).size / 1e6;
  const isOk = megabytes <= MAX_MEGABYTES;
  say(`${isOk ? "✓" : "✗"} packed: ${megabytes.toFixed(2)} MB (at most ${MAX_MEGABYTES})`);
  return isOk;
}

async function packAndRun(versions) {
  await setUp();
  const folder = mkdtempSync(join(tmpdir(), "monitor-package-"));
  try {
    const tarball = pack(process.cwd());
    const place = join(folder, "installed");
    mkdirSync(place);
    npm(["install", "--prefix", place, tarball], place);
    const program = join(place, "node_modules", NAME, "bin", "monitor.js");
    const others = versions.map((version) => installNode(version, join(folder, version)));
    const results = [process.execPath, ...others].flatMap((node) =>
      RUNS.map((args) => isRunning(node, program, args, place)),
    );
    process.exitCode = [isSmall(tarball), ...results].every(Boolean) ? 0 : 1;
    process.stdout.write(`${tarball}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await packAndRun(process.argv.slice(2));
}
