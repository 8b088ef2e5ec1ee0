// Processes of this machine and of others, as far as one can be recognised in what it has written.
import { readFileSync } from "node:fs";
import { hostname } from "node:os";

/** A process, recognised even when its number is used again. */
export interface ProcessId {
  readonly host: string;
  readonly pid: number;
  /** When it began, in whatever form the system has for it; empty text where it has none. */
  readonly started: string;
}

export interface Processes {
  readonly self: ProcessId;
  /** True when the process still runs, as far as can be said. */
  isAlive(process: ProcessId): boolean;
}

/** When a process began, in clock ticks since the machine started (Linux); elsewhere nothing. */
function readStart(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name before it is in brackets and may hold anything.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}

/** This process, and how to tell whether another one is alive. */
export const processes: Processes = {
  self: { host: hostname(), pid: process.pid, started: readStart(process.pid) },
  isAlive({ host, pid, started }: ProcessId) {
    // Of another machine's process nothing is known: it is taken to be alive.
    if (host !== hostname()) return true;
    try {
      process.kill(pid, 0);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "EPERM";
    }
    return readStart(pid) === started;
  },
};
