// The local file system. Every file it creates is readable only by its owner.
import type { Stats } from "node:fs";
import { chmod, chown, type FileHandle, lstat, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { openOwn } from "../system/own-file.ts";
import { type Files, foreign, type OpenFile } from "./files.ts";

/** Exports may be confidential. */
const OWNER_ONLY = 0o600;
/** Larger than the journal of the longest export. */
const MAX_TEXT_BYTES = 256 * 1024 * 1024;

export const disk: Files = {
  async open(path, mode) {
    if (mode === "write") return openFile(await openForWriting(path));
    return openFile(await open(path, mode === "new" ? "wx+" : "r", OWNER_ONLY));
  },
  async stat(path) {
    const stats = await orNothing(lstat(path));
    if (stats === undefined) return undefined;
    return { isFile: stats.isFile(), isFolder: stats.isDirectory(), bytes: stats.size };
  },
  readText: (path) => orNothing(readOwnText(path)),
  rename,
  async replace(from, to) {
    const stats = await orNothing(lstat(to));
    if (stats?.isFile()) await shareAs(from, stats);
    await rename(from, to);
  },
  remove: (path) => rm(path, { force: true }),
  async syncFolderOf(path) {
    const folder = await open(dirname(path), "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  },
};

/** Copies owner, group and mode, as far as this process is permitted. */
async function shareAs(path: string, { uid, gid, mode }: Stats): Promise<void> {
  const own = await lstat(path);
  const isSame = own.uid === uid && own.gid === gid;
  const isCopied = isSame || (await chown(path, uid, gid).then(isTrue, isFalse));
  // If the group could not be copied, its mode bits would grant access to another group.
  await chmod(path, mode & (isCopied ? 0o777 : 0o707));
}

const isTrue = () => true;
const isFalse = () => false;

/** Opens an existing file of ours without truncating it. */
async function openForWriting(path: string): Promise<FileHandle> {
  return (await orNothing(openOwn(path, "change"))) ?? open(path, "wx+", OWNER_ONLY);
}

async function readOwnText(path: string): Promise<string> {
  const handle = await openOwn(path, "read");
  try {
    const { size } = await handle.stat();
    if (size > MAX_TEXT_BYTES) throw foreign(path);
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

function openFile(handle: FileHandle): OpenFile {
  return {
    async write(bytes, position) {
      for (let done = 0; done < bytes.length; ) {
        const left = bytes.length - done;
        done += (await handle.write(bytes, done, left, position + done)).bytesWritten;
      }
    },
    async read(buffer, position) {
      return (await handle.read(buffer, 0, buffer.length, position)).bytesRead;
    },
    truncate: (length) => handle.truncate(length),
    sync: () => handle.sync(),
    close: () => handle.close(),
  };
}

async function orNothing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
