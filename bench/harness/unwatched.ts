// The built program with the watcher of the terminal and without it: two ways to start it that differ in nothing else.
import { readFileSync } from "node:fs";
import { LOADER } from "./places.ts";

/** Arguments for Node: loads the program as its launcher does, and gives it modules in this way. */
const loadedWith = (give: string, args: readonly string[]): readonly string[] => [
  "-e",
  `const ours = require("node:module").createRequire(${JSON.stringify(LOADER)});
process.argv.splice(1, 0, "monitor");
ours(${JSON.stringify(LOADER)}).loadProgram().run(${give});`,
  "--",
  ...args,
];

/** `monitor …` as it is. */
export const watched = (args: readonly string[]) => loadedWith("ours", args);

/** `monitor …` that cannot start a process: the watcher is then done without. */
export const unwatched = (args: readonly string[]) =>
  loadedWith(
    '(name) => /^(node:)?child_process$/.test(name) ? { spawn() { throw new Error("no watcher"); } } : ours(name)',
    args,
  );

/** What the main thread of a process has worked so far, ms: it says more than time does where others work, too. */
export function workOf(pid: number): number {
  const [ns = ""] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ");
  return Number(ns) / 1e6;
}

/** Memory of the watcher of a program that runs: its share of what is shared, and what is its own alone, bytes. */
export function watcherMemory(pid: number): { readonly share: number; readonly own: number } {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  const watcher = children.find((child) =>
    readFileSync(`/proc/${child}/cmdline`, "utf8").includes("monitor-watcher"),
  );
  if (watcher === undefined) throw new Error("there is no watcher");
  const rollup = readFileSync(`/proc/${watcher}/smaps_rollup`, "utf8");
  const bytes = (name: string) =>
    [...rollup.matchAll(new RegExp(`^${name}: +(\\d+) kB`, "gm"))].reduce(
      (sum, [, kilobytes]) => sum + Number(kilobytes) * 1024,
      0,
    );
  return { share: bytes("Pss"), own: bytes("Private_\\w+") };
}
