// Files created beside those that the user names: in a folder that others can write to, somebody may have planted a link, a
// pipe or a file of theirs under that name. Such a thing is neither read nor written.
import { constants, mkdirSync, type Stats, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { UsageError } from "../units/monitor-error.ts";

/** Do not follow a link, nor block on a pipe without a writer. Windows has neither flag. */
const { O_RDONLY, O_RDWR, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** @throws {UsageError} for a link, a non-regular file, another user's file, or one with a second name; otherwise what Node throws */
export async function openOwn(path: string, mode: "read" | "change"): Promise<FileHandle> {
  const flags = (mode === "read" ? O_RDONLY : O_RDWR) | O_NOFOLLOW | O_NONBLOCK;
  const handle = await open(path, flags).catch((error) => {
    throw (error as NodeJS.ErrnoException).code === "ELOOP" ? refused(path, "a link") : error;
  });
  const fault = strangeness(await handle.stat());
  if (fault === undefined) return handle;
  await handle.close();
  throw refused(path, fault);
}

function strangeness(facts: Stats): string | undefined {
  if (!facts.isFile()) return "no regular file";
  if (process.getuid !== undefined && facts.uid !== process.getuid()) return "another user's";
  return facts.nlink > 1 ? "a file with a second name" : undefined;
}

function refused(path: string, what: string): UsageError {
  return new UsageError(`${path} is ${what}`, "remove it if you can, or work in a folder of yours");
}

/**
 * Creates a folder that only its owner can read, with missing parents. Not by Node's recursive mkdir, which never returns if mkdir
 * in an existing folder fails with ENOENT, as it does in those of an automounter and in /proc.
 * @throws system errors
 */
export function makeOwnersFolder(path: string): void {
  const parent = dirname(path);
  if (isFolder(path) || parent === path) return;
  makeOwnersFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another run may have created it in the meantime.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
