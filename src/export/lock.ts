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
  const own = JSON.stringify({ monitor: "lock of an export", ...processes.self });
  // A stale lock is replaced under a second one: of two processes that find it stale, one could remove the lock of the other.
  const taking = `${path}.taking`;
  await create(files, taking, own, processes);
  try {
    await create(files, path, own, processes);
  } finally {
    await files.remove(taking).catch(() => {});
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

/** @throws {UsageError} as `lock` */
async function create(
  files: Files,
  path: string,
  own: string,
  processes: Processes,
): Promise<void> {
  const text = await files.readText(path);
  if (text !== undefined) {
    const pid = getHolder(path, text, processes);
    if (pid !== undefined) throw held(path, pid);
    await files.remove(path);
  }
  try {
    await writeNew(files, path, own);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw held(path);
    throw error;
  }
}

/** Undefined if it is gone: a truncated lock belongs to a process that died while writing it. @throws {UsageError} if it is no lock */
function getHolder(path: string, text: string, processes: Processes): number | undefined {
  if (!isMarked(text, MARK)) throw foreign(path);
  const { host, pid, started } = (parseJson(text) ?? {}) as Partial<ProcessId>;
  const isWhole =
    typeof host === "string" && typeof pid === "number" && typeof started === "string";
  return isWhole && processes.isAlive({ host, pid, started }) ? pid : undefined;
}

function held(path: string, pid?: number): UsageError {
  const who = pid === undefined ? "" : ` (process ${pid})`;
  return new UsageError(
    `another export writes this file already${who}`,
    `wait for it, choose another file with -o, or remove ${path} if no export runs`,
  );
}
