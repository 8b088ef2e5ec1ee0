// Starts the watcher of the terminal: early, so that it has read the terminal's settings before they change.
import { spawn } from "node:child_process";
import type { Context } from "../../args/context.ts";
import { startWatcher, type Watcher } from "../../terminal/session/watcher.ts";

/** @returns undefined where there is no terminal to take, or no shell to give it back. */
export function watchTerminal({ stdin, stdout, env, options }: Context): Watcher | undefined {
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true;
  return isTerminal && process.platform !== "win32"
    ? startWatcher(spawn, env.PATH, options.inline !== undefined)
    : undefined;
}
