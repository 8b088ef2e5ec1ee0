// Restores the terminal if the process cannot: killed by a signal that cannot be handled, crashed, out of memory. A tiny separate
// shell waits on a pipe, which closes with the process however it ends.
import type { spawn as nodeSpawn } from "node:child_process";
import type { Socket } from "node:net";
import { leaveSequence, type Modes } from "./session.ts";

/** Notifies the watcher of changes, so that it only restores a terminal that is taken. */
export interface Watcher {
  taken(): void;
  given(): void;
}

const STDIN = 0;
const STDOUT = 1;

/**
 * Reads the terminal's settings first. If our raw mode was set before, common settings are restored instead. Then it only waits;
 * `read` ends when no process holds the other end of the pipe.
 */
const SCRIPT = `
saved=$(stty -g <&3)
case $(stty -a <&3) in *-icanon*) saved="brkint icrnl ixon isig icanon iexten echo" ;; esac
state=given
while read -r word; do state=$word; done
[ "$state" = taken ] || exit 0
printf %s "$1"
stty $saved <&3
`;

/**
 * Starts the watcher. Call it some time before the terminal is taken. Without such a shell, nothing is watched. It runs in its
 * own session, so that neither signals of the terminal nor signals to our process group end it.
 */
export function startWatcher(
  spawn: typeof nodeSpawn,
  path: string | undefined,
  modes: Pick<Modes, "hasTitle">,
): Watcher {
  try {
    const watcher = spawn("/bin/sh", ["-c", SCRIPT, "monitor-watcher", leaveSequence(modes)], {
      stdio: ["pipe", STDOUT, "ignore", STDIN],
      detached: true,
      // Passes on nothing else of our environment, which may contain secrets.
      env: { PATH: path },
    });
    const { stdin } = watcher;
    const ignore = () => {};
    watcher.on("error", ignore);
    stdin?.on("error", ignore);
    watcher.unref();
    (stdin as Socket | null)?.unref();
    return {
      taken: () => stdin?.write("taken\n"),
      given: () => stdin?.write("given\n"),
    };
  } catch {
    return { taken: () => {}, given: () => {} };
  }
}
