// A photograph of the program in a real terminal emulator: xterm on an invisible X server.
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "../setup.mjs";

/** Required programs, and their Debian packages. */
const TOOLS = { Xvfb: "xvfb", xterm: "xterm", import: "imagemagick" };
const DISPLAY = ":94";
const START_MS = 1500;

/** Debian packages that are missing. */
export function missingTools() {
  const isAvailable = (tool) => spawnSync("sh", ["-c", `command -v ${tool}`]).status === 0;
  return Object.entries(TOOLS).flatMap(([tool, name]) => (isAvailable(tool) ? [] : [name]));
}

/** Photographs the running program after a delay, then ends it. @returns whether it succeeded */
export async function photograph({ args, columns, rows, afterMs }, file) {
  const server = spawn("Xvfb", [DISPLAY, "-screen", "0", "1280x800x24"], { stdio: "ignore" });
  const env = { ...process.env, DISPLAY, TZ: "UTC" };
  await sleep(START_MS);
  const look = ["-fa", "DejaVu Sans Mono", "-fs", "8", "-bg", "#15181e", "-fg", "#d8dce4"];
  // xterm supports true colour without announcing it.
  const command = [
    "env",
    "COLORTERM=truecolor",
    process.execPath,
    join(root, "bin", "monitor.js"),
    ...args,
  ];
  const terminal = spawn(
    "xterm",
    [...look, "-b", "0", "-bw", "0", "-geometry", `${columns}x${rows}+0+0`, "-e", ...command],
    { stdio: "ignore", env },
  );
  try {
    await sleep(afterMs);
    const picture = ["-window", "root", "-trim", "+repage", "-colors", "64", `png8:${file}`];
    return spawnSync("import", picture, { env }).status === 0;
  } finally {
    terminal.kill();
    server.kill();
  }
}
