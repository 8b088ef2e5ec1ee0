// Only one export at a time writes a file. The lock names its process, so that it can be taken over once that has died.
import { open, rm } from "node:fs/promises";
import { openOwn } from "../system/own-file.ts";
import { type ProcessId, processes } from "../system/processes.ts";
import { UsageError } from "../units/monitor-error.ts";
import { getMembers, parseJson } from "../wire/json.ts";
import { foreignFile } from "./journal.ts";
import { ifMissing } from "./part-file.ts";

const MARK = '{"monitor":"lock of an export","host":';

/**
 * @returns an unlock function, which never rejects
 * @throws {UsageError} when another export holds the lock, or the file there is no lock
 */
export async function lock(path: string): Promise<() => Promise<void>> {
  const own = JSON.stringify({ monitor: "lock of an export", ...processes.self });
  // A lock that was left is replaced under a second one: of two that find it, one could remove the lock of the other.
  const taking = `${path}.taking`;
  await create(taking, own);
  try {
    await create(path, own);
  } finally {
    await rm(taking, { force: true });
  }
  // While it was empty, another process may have taken it for a cut one.
  if ((await readText(path)) !== own) throw held(path);
  return async () => {
    // A lock that is left behind names a process that ends soon.
    const text = await readText(path).catch(() => undefined);
    if (text === own) await rm(path, { force: true }).catch(() => {});
  };
}

async function create(path: string, own: string): Promise<void> {
  const text = await readText(path);
  if (text !== undefined) {
    if (!text.startsWith(MARK) && !MARK.startsWith(text)) throw foreignFile(path);
    const { host, pid, started } = getMembers(parseJson(text)) as Partial<ProcessId>;
    // A lock that was cut is of a process that died while it wrote it.
    const isWhole =
      typeof pid === "number" && typeof host === "string" && typeof started === "string";
    if (isWhole && processes.isAlive({ host, pid, started })) throw held(path, pid);
    await rm(path, { force: true });
  }
  const handle = await open(path, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EEXIST" ? held(path) : error;
  });
  await handle.writeFile(own).finally(() => handle.close());
}

async function readText(path: string): Promise<string | undefined> {
  const handle = await openOwn(path, "read").catch(ifMissing(undefined));
  return handle?.readFile("utf8").finally(() => handle.close());
}

function held(path: string, pid?: number): UsageError {
  const who = pid === undefined ? "" : ` (process ${pid})`;
  return new UsageError(
    `another export writes this file already${who}`,
    `wait for it, choose another file with -o, or remove ${path} if no export runs`,
  );
}
