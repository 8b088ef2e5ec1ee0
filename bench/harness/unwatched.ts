// The built program with and without the watcher of the terminal, started identically otherwise.
import { readFileSync } from "node:fs";
import { LOADER } from "./places.ts";

/** Arguments for Node: loads the program as its launcher does, with `give` as its `require`. */
const loadedWith = (give: string, args: readonly string[]): readonly string[] => [
  "-e",
  `const ours = require("node:module").createRequire(${JSON.stringify(LOADER)});
process.argv.splice(1, 0, "monitor");
ours(${JSON.stringify(LOADER)}).loadProgram().run(${give});`,
  "--",
  ...args,
];

/** `monitor …` unchanged. */
export const watched = (args: readonly string[]) => loadedWith("ours", args);

/** `monitor …` that cannot start a process, and so runs without the watcher. */
export const unwatched = (args: readonly string[]) =>
  loadedWith(
    '(name) => /^(node:)?child_process$/.test(name) ? { ...ours(name), spawn() { throw new Error("no watcher"); } } : ours(name)',
    args,
  );

/** CPU milliseconds of a process's main thread: more reliable than wall time on a shared machine. */
export function workOf(pid: number): number {
  const [ns = ""] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ");
  return Number(ns) / 1e6;
}

/** Memory of the watcher of a running program, in bytes: proportional share (PSS), and private. */
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
