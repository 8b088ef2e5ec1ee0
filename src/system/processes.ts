// Identifies processes of this and other machines, for files that remain after the process that wrote them.
import { readFileSync } from "node:fs";
import { hostname } from "node:os";

/** Identifies a process even if its pid is reused. */
export interface ProcessId {
  readonly host: string;
  readonly pid: number;
  /** Start time in the system's own form; empty if unavailable. */
  readonly started: string;
}

/** Start time in clock ticks since boot (Linux); empty elsewhere, and of one that is dead and waits for its parent to notice. */
function readStart(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The process name before it is in brackets and may contain anything.
    const [state = "", ...others] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" ? "" : (others[18] ?? "");
  } catch {
    return "";
  }
}

/** This process, and whether another one is alive. */
export const processes = {
  self: { host: hostname(), pid: process.pid, started: readStart(process.pid) } as ProcessId,
  /** True if the process still runs, as far as can be determined. */
  isAlive({ host, pid, started }: ProcessId): boolean {
    // Nothing is known about processes of other machines: assume they are alive.
    if (host !== hostname()) return true;
    try {
      process.kill(pid, 0);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "EPERM";
    }
    return readStart(pid) === started;
  },
};
