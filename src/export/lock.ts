// Only one export at a time per file. The lock names its process, so that it can be taken over once that has died.
import type { Processes, ProcessId } from "../system/processes.ts";
import { UsageError } from "../units/monitor-error.ts";
import { parseJson } from "../wire/json.ts";
import { type Files, foreign, isMarked, writeNew } from "./files.ts";

const MARK = '{"monitor":"lock of an export","host":';

/**
 * @returns an unlock function, which never rejects
 * @throws {UsageError} when another export holds the lock, or the file there is not a lock
 */
export async function lock(
  files: Files,
  path: string,
  processes: Processes,
): Promise<() => Promise<void>> {
  await removeStale(files, path, processes);
  const own = JSON.stringify({ monitor: "lock of an export", ...processes.self });
  try {
    await writeNew(files, path, own);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw held(path);
    throw error;
  }
  // While it was empty, another process may have taken it for a cut one.
  if ((await files.readText(path)) !== own) throw held(path);
  return async () => {
    try {
      if ((await files.readText(path)) === own) await files.remove(path);
    } catch {
      // A lock left behind names a process that ends soon.
    }
  };
}

async function removeStale(files: Files, path: string, processes: Processes): Promise<void> {
  const text = await files.readText(path);
  if (text === undefined) return;
  if (!isMarked(text, MARK)) throw foreign(path);
  const holder = parseJson(text) as Partial<ProcessId> | undefined;
  const { host, pid, started } = holder ?? {};
  // A truncated lock belongs to a process that died while writing it.
  const isWhole =
    typeof host === "string" && typeof pid === "number" && typeof started === "string";
  if (isWhole && processes.isAlive({ host, pid, started })) throw held(path, pid);
  // Of two processes that find it stale, one moves it away; the other finds nothing, or a new lock.
  const aside = `${path}.${processes.self.pid}`;
  if ((await files.stat(aside)) !== undefined) throw foreign(aside);
  try {
    await files.rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  if ((await files.readText(aside)) !== text) {
    await files.rename(aside, path);
    throw held(path);
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
