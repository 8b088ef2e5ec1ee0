// Gives the terminal back when the process cannot do it itself: killed by a signal that no handler sees, crashed,
// out of memory. A tiny shell outside of it waits on a pipe, which ends with the process however that ends.
// Decision: docs/adr/0040.
import type { spawn as nodeSpawn } from "node:child_process";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { type ModeOptions, restoreSequence } from "./terminal-modes.ts";

/** Notifies the watcher, so that it restores only a terminal that is taken. */
export interface Watcher {
  /** It has read the terminal's settings, or never will. Taken sooner, they are restored to common ones. */
  readonly isReady: Promise<void>;
  taken(): void;
  given(): void;
}

const STDIN = 0;
const STDOUT = 1;
/** Closed by the watcher when it is ready. */
const READY = 4;

/**
 * The terminal's settings are read first. Should we have been quicker, they are those of our raw mode, and what that
 * changes is taken back one by one. From then on it only waits; `read` ends when nobody holds the other end of the
 * pipe any more.
 */
const SCRIPT = `
saved=$(stty -g <&3)
case $(stty -a <&3) in *-icanon*) saved="brkint icrnl ixon isig icanon iexten echo" ;; esac
exec 4>&-
state=given
while read -r word; do state=$word; done
[ "$state" = taken ] || exit 0
printf %s "$1"
stty $saved <&3
`;

/**
 * Starts to watch. Call it some time before the terminal is taken. Where there is no such shell, nothing watches. It is in a
 * session of its own, so that no signal of the terminal and none for our whole group ends it.
 */
export function startWatcher(
  spawn: typeof nodeSpawn,
  path: string | undefined,
  modes: Omit<ModeOptions, "mouse"> = {},
): Watcher {
  try {
    const watcher = spawn("/bin/sh", ["-c", SCRIPT, "monitor-watcher", restoreSequence(modes)], {
      stdio: ["pipe", STDOUT, "ignore", STDIN, "pipe"],
      detached: true,
      // Nothing else of our environment: it may hold what is nobody's business.
      env: { PATH: path },
    });
    const { stdin } = watcher;
    const ignore = () => {};
    watcher.on("error", ignore);
    stdin?.on("error", ignore);
    watcher.unref();
    (stdin as Socket | null)?.unref();
    return {
      isReady: ended(watcher.stdio[READY] as Readable),
      taken: () => stdin?.write("taken\n"),
      given: () => stdin?.write("given\n"),
    };
  } catch {
    return { isReady: Promise.resolve(), taken: () => {}, given: () => {} };
  }
}

function ended(pipe: Readable): Promise<void> {
  return new Promise((resolve) => {
    pipe.on("error", resolve);
    pipe.on("close", () => resolve());
    pipe.resume();
  });
}
