// One export at a time for one file. The lock names its process, so that one that died does not hold it for ever.
import { parseJson } from "../protocol/json.ts";
import { UsageError } from "../units/monitor-error.ts";
import type { Files } from "./files.ts";

/** A process, recognised even when its number is used again. */
export interface ProcessId {
  readonly host: string;
  readonly pid: number;
  /** When it began, in whatever form the system tells; empty text where it does not. */
  readonly started: string;
}

/** Who we are, and who else is alive. */
export interface Processes {
  readonly self: ProcessId;
  /** True when the process still runs, as far as can be said. Never throws. */
  isAlive(process: ProcessId): boolean;
}

/**
 * Takes the lock of a target.
 * @returns its undo
 * @throws {UsageError} when another export holds it
 */
export async function lock(
  files: Files,
  path: string,
  processes: Processes,
): Promise<() => Promise<void>> {
  await removeStale(files, path, processes);
  try {
    const file = await files.open(path, "new");
    await file.write(Buffer.from(JSON.stringify(processes.self)), 0);
    await file.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw held(path);
    throw error;
  }
  return () => files.remove(path);
}

async function removeStale(files: Files, path: string, processes: Processes): Promise<void> {
  const text = await files.readText(path);
  if (text === undefined) return;
  const holder = parseJson(text) as Partial<ProcessId> | undefined;
  const { host, pid, started } = holder ?? {};
  // A lock of which only a part was written is of a process that died in that moment.
  const isWhole =
    typeof host === "string" && typeof pid === "number" && typeof started === "string";
  if (isWhole && processes.isAlive({ host, pid, started })) throw held(path, pid);
  // Of two that find it stale, one moves it away; the other finds nothing, or what the first has made since.
  const aside = `${path}.${processes.self.pid}`;
  try {
    await files.rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  await files.remove(aside);
}

function held(path: string, pid?: number): UsageError {
  const who = pid === undefined ? "" : ` (process ${pid})`;
  return new UsageError(
    `another export writes this file already${who}`,
    `wait for it, choose another file with -o, or remove ${path} if no export runs`,
  );
}
