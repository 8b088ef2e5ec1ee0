// `npm run package [version…]`: packs the program, asks the registry for known faults of what is in it, and runs the packed file in
// an empty folder: with npx, and installed on this Node and on each of the given versions (`22 24 26`), which come from the registry.
// The last line is the path of the file.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { root, say, setUp } from "./setup.mjs";

const CONTENTS = [
  ...["LICENSE", "README.md", "bin", "dist/monitor.js"],
  ...["dist/undici.cjs", "dist/third-party-licenses.txt", "dist/sbom.cdx.json"],
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
    const { name, version, description, license, type, bin, engines } = manifest;
    const own = { name, version, description, license, type, bin, engines };
    writeFileSync(join(folder, "package.json"), `${JSON.stringify(own, undefined, 2)}\n`);
    const [{ filename }] = JSON.parse(
      npm(["pack", "--json", "--pack-destination", destination], folder),
    );
    // Its name without the scope is what one types.
    const tarball = join(destination, `monitor-${version}.tgz`);
    renameSync(join(destination, filename), tarball);
    return tarball;
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

function isRunning(command, program, args, cwd) {
  // What npm itself has to say, about a newer npm, is not what is tested.
  const quiet = { npm_config_loglevel: "error", npm_config_update_notifier: "false" };
  const env = { PATH: process.env.PATH, HOME: cwd, ...quiet };
  const done = spawnSync(command, [program, ...args], { cwd, env, encoding: "utf8" });
  const isOk = done.status === 0 && done.stdout !== "" && done.stderr === "";
  const version = spawnSync(command, ["--version"], { encoding: "utf8" }).stdout.trim();
  const name = command === "npx" ? `npx ${program}` : "monitor";
  say(`${isOk ? "✓" : "✗"} ${version}: ${name} ${args.join(" ")}`);
  if (!isOk) say(`exit code ${done.status}\n${done.stdout}${done.stderr}`);
  return isOk;
}

/** That the registry cannot be asked is said, and is no fault of the package. */
function isWithoutKnownFaults() {
  const args = ["audit", "--json", "--omit", "dev"];
  const { stdout } = spawnSync("npm", args, { cwd: root, encoding: "utf8" });
  const { vulnerabilities, message, error } = JSON.parse(stdout);
  const faults = Object.keys(vulnerabilities ?? {});
  if (vulnerabilities === undefined) say(`– not audited: ${message ?? error?.summary}`);
  else if (faults.length === 0) say("✓ no known fault of what is packed");
  else say(`✗ known faults of ${faults.join(", ")}`);
  return faults.length === 0;
}

function isSmall(tarball) {
  const megabytes = statSync(tarball).size / 1e6;
  const isOk = megabytes <= MAX_MEGABYTES;
  say(`${isOk ? "✓" : "✗"} packed: ${megabytes.toFixed(2)} MB (at most ${MAX_MEGABYTES})`);
  return isOk;
}

async function packAndRun(versions) {
  await setUp();
  const { name } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const folder = mkdtempSync(join(tmpdir(), "monitor-package-"));
  try {
    const tarball = pack(process.cwd());
    const [place, empty] = [join(folder, "installed"), join(folder, "empty")];
    for (const each of [place, empty]) mkdirSync(each);
    cpSync(tarball, join(empty, basename(tarball)));
    npm(["install", "--prefix", place, tarball], place);
    const program = join(place, "node_modules", name, "bin", "monitor.js");
    const others = versions.map((version) => installNode(version, join(folder, version)));
    const runs = [process.execPath, ...others].flatMap((node) =>
      RUNS.map((args) => isRunning(node, program, args, place)),
    );
    const results = [
      isSmall(tarball),
      isWithoutKnownFaults(),
      isRunning("npx", `./${basename(tarball)}`, ["demo", "--once"], empty),
      ...runs,
    ];
    process.exitCode = results.every(Boolean) ? 0 : 1;
    process.stdout.write(`${tarball}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await packAndRun(process.argv.slice(2));
}
