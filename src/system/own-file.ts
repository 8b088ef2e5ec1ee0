// Files beside those that the user names: in a folder that others can write to, somebody may have put a link, a pipe or a
// file of theirs in the place. Such a thing is neither read nor written.
import { constants, mkdirSync, type Stats, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { UsageError } from "../units/monitor-error.ts";

/** Do not follow a link, nor block on a pipe without a writer. Windows has neither. */
const { O_RDONLY, O_RDWR, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

const FLAGS = { read: O_RDONLY, change: O_RDWR } as const;

/** @throws {UsageError} when it is a link, no regular file, another user's, or has a second name; what Node throws otherwise */
export async function openOwn(path: string, mode: keyof typeof FLAGS): Promise<FileHandle> {
  const handle = await open(path, FLAGS[mode] | O_NOFOLLOW | O_NONBLOCK).catch((error) => {
    throw (error as NodeJS.ErrnoException).code === "ELOOP" ? refused(path, "a link") : error;
  });
  const strange = strangeness(await handle.stat());
  if (strange === undefined) return handle;
  await handle.close();
  throw refused(path, strange);
}

function strangeness(facts: Stats): string | undefined {
  if (!facts.isFile()) return "no regular file";
  if (process.getuid !== undefined && facts.uid !== process.getuid()) return "another user's";
  return facts.nlink > 1 ? "a file with a second name" : undefined;
}

function refused(path: string, what: string): UsageError {
  return new UsageError(`${path} is ${what}`, "remove it if you can, or work in a folder of yours");
}

const OWNERS_FOLDER = 0o700;

/**
 * Makes a folder that only its owner can read, and those above it that are missing. Not Node's recursive way: that never ends where
 * a folder that is there answers ENOENT to a new one, as those of an automounter and /proc do.
 * @throws what the system says
 */
export function makeOwnersFolder(path: string): void {
  if (isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path && !isFolder(parent)) makeOwnersFolder(parent);
  try {
    mkdirSync(path, { mode: OWNERS_FOLDER });
  } catch (error) {
    // Another run may have made it at this moment.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
