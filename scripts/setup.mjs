// Set-up from a fresh clone: checks Node, installs packages if the lockfile requires it, builds if sources have changed since the
// last build. Uses Node's own modules only, because it runs before anything is installed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Root folder of the project. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stampFile = join(root, "dist", ".sources");
const buildInputs = [
  "src",
  "bin",
  "scripts/build.mjs",
  "scripts/bundle.mjs",
  "scripts/bundled",
  "scripts/bundled-packages.mjs",
  "scripts/code-cache.mjs",
  "package.json",
  "package-lock.json",
];

/** Reports progress on stderr; stdout belongs to the program. */
export function say(text) {
  process.stderr.write(`${text}\n`);
}

function fail(what, advice) {
  say(`monitor: ${what}\n${advice}`);
  process.exit(1);
}

function checkNode() {
  const wanted = [20, 18, 1];
  const have = process.versions.node.split(".").map(Number);
  const difference = wanted.map((part, i) => have[i] - part).find((part) => part !== 0) ?? 0;
  if (difference < 0) {
    fail(`this Node is too old: ${process.versions.node}`, "install Node 20.18.1 or newer");
  }
}

/** True if every package of the lockfile is installed in its locked version. */
function isInstalled() {
  const hidden = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(hidden)) return false;
  const wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  const have = JSON.parse(readFileSync(hidden, "utf8")).packages;
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    if (path === "") return true;
    if (have[path] === undefined) return optional === true;
    return have[path].version === version && existsSync(join(root, path));
  });
}

function install() {
  if (isInstalled()) return;
  say("installing packages (npm ci) …");
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const done = spawnSync(npm, ["ci", "--no-audit", "--no-fund"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32",
  });
  if (done.error || done.status !== 0) {
    fail(
      "the packages could not be installed",
      "see npm's message above; the install needs the npm registry (network or a local mirror)",
    );
  }
}

function* filesUnder(path) {
  if (!statSync(path).isDirectory()) {
    yield path;
    return;
  }
  for (const name of readdirSync(path).sort()) yield* filesUnder(join(path, name));
}

/** A digest of everything that the build depends on. */
export function sourcesDigest() {
  // Compiled code is of one version of Node.
  const hash = createHash("sha256").update(process.version);
  for (const input of buildInputs) {
    for (const file of filesUnder(join(root, input))) {
      hash.update(file.slice(root.length)).update("\0").update(readFileSync(file)).update("\0");
    }
  }
  return hash.digest("hex");
}

async function build() {
  const digest = sourcesDigest();
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === digest) return;
  say("building …");
  const { buildAll } = await import("./build.mjs");
  try {
    await buildAll({ stampFile, digest });
  } catch (error) {
    fail(`the build failed: ${error.message}`, "mend the source named above and run it again");
  }
}

/** Prepares the clone: Node version, packages, build. Ends the process on failure. */
export async function setUp() {
  checkNode();
  install();
  await build();
}
