// The file system as an argument: what an export needs of it, and nothing more; every method fails as Node's does. What an export
// keeps beside its file while it runs, and how it knows that it is its own: nothing there that it has not made is truncated,
// renamed or removed.
import { MonitorError, UsageError } from "../units/monitor-error.ts";

/** An open file. Positions and lengths are bytes. */
export interface OpenFile {
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Reads up to the buffer's length. @returns bytes read; 0 at the end */
  read(buffer: Uint8Array, position: number): Promise<number>;
  truncate(length: number): Promise<void>;
  /** Waits until everything is on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** What stands at a path; of a link, the link. */
export interface FileFacts {
  readonly isFile: boolean;
  readonly isFolder: boolean;
  readonly bytes: number;
}

export interface Files {
  /** `read`: it must be there. `write`: made when missing, kept when there. `new`: it must not be there. */
  open(path: string, mode: "read" | "write" | "new"): Promise<OpenFile>;
  /** @returns undefined when nothing is there */
  stat(path: string): Promise<FileFacts | undefined>;
  /** The whole text; undefined when nothing is there. */
  readText(path: string): Promise<string | undefined>;
  rename(from: string, to: string): Promise<void>;
  /** Renames a file of ours to a name of the user's: who may read what stood there may read it again. */
  replace(from: string, to: string): Promise<void>;
  /** No error when nothing is there. */
  remove(path: string): Promise<void>;
  /** Waits until the folder of a file knows what it holds, even after a power cut. */
  syncFolderOf(path: string): Promise<void>;
}

/** Bytes from a position on; fewer where the file ends. */
export async function readAt(file: OpenFile, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  for (let read = -1; filled < length && read !== 0; filled += read) {
    read = await file.read(buffer.subarray(filled), position + filled);
  }
  return buffer.subarray(0, filled);
}

/**
 * Makes a small file, all of it or nothing.
 * @param path nothing is there yet
 * @throws what the file system throws
 */
export async function writeNew(files: Files, path: string, text: string): Promise<void> {
  const file = await files.open(path, "new");
  try {
    await file.write(Buffer.from(text), 0);
    await file.sync();
  } catch (error) {
    await files.remove(path).catch(() => {});
    throw error;
  } finally {
    await file.close();
  }
}

/**
 * Puts a small file in the place of another one, whole or not at all.
 * @throws what the file system throws
 */
export async function replaceWhole(files: Files, path: string, text: string): Promise<void> {
  const temporary = await freeName(files, `${path}.tmp`);
  await writeNew(files, temporary, text);
  try {
    await files.replace(temporary, path);
  } catch (error) {
    await files.remove(temporary).catch(() => {});
    throw error;
  }
}

async function freeName(files: Files, path: string): Promise<string> {
  let name = path;
  for (let number = 2; (await files.stat(name)) !== undefined; number++) name = `${path}${number}`;
  return name;
}

/** An export could not be written. What had been written and proven before stays in its part file. */
class ExportError extends MonitorError {
  constructor(code: string, message: string, advice: string, cause?: unknown) {
    super(code, "failed", message, { advice, cause });
  }
}

const FAILURES: Readonly<Record<string, readonly [what: string, advice: string]>> = {
  ENOSPC: ["the disk is full", "make room; the same command goes on from where it was"],
  EDQUOT: ["the disk quota is used up", "make room; the same command goes on from where it was"],
  EFBIG: ["the file grew larger than is allowed", "see ulimit -f; the same command goes on"],
  EACCES: ["no permission", "choose another file with -o"],
  EPERM: ["no permission", "choose another file with -o"],
  EROFS: ["the file system is read-only", "choose another file with -o"],
  ENOENT: ["no such folder", "make the folder first, or choose another file with -o"],
  EIO: ["the disk failed", "see what the system's log says; the same command goes on"],
  EPIPE: ["whoever reads it has gone", "start its reader again"],
  ENOTDIR: ["no such folder", "make the folder first, or choose another file with -o"],
};

/**
 * Puts an error of the file system into words; anything else stays as it is.
 * @param isKept whether what was written before is there for the next run
 */
export function formatFileError(error: unknown, path: string, isKept = true): unknown {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (!(error instanceof Error) || code === undefined || syscall === undefined) return error;
  if (error instanceof MonitorError) return error;
  const [what, kept] = FAILURES[code] ?? [error.message, "choose another file with -o"];
  const advice = isKept ? kept : "make room there, or choose another file";
  return new ExportError("file", `cannot write ${path}: ${what} (${code})`, advice, error);
}

/** Paths beside the target. */
export interface Names {
  /** Rows as they come. */
  readonly part: string;
  /** What is sure of them; made first and removed last: while it is there, the others are of this program. */
  readonly journal: string;
  readonly journalTemporary: string;
  readonly lock: string;
  /** The rows in their final order, where that is not the one in which they came. */
  readonly whole: string;
}

export function namesBeside(path: string): Names {
  const part = `${path}.part`;
  return {
    part,
    journal: `${part}.journal`,
    journalTemporary: `${part}.journal.tmp`,
    lock: `${part}.lock`,
    whole: `${part}.whole`,
  };
}

/** True for the text of a file that begins with a mark of ours, or that a kill has cut within it. */
export function isMarked(text: string, mark: string): boolean {
  return text.startsWith(mark) || mark.startsWith(text);
}

/** A file is in the way that this program has not made. */
export function foreign(path: string): UsageError {
  return new UsageError(
    `${path} is not of an export that runs or was stopped`,
    "it is left as it is: choose another file with -o, or move it away",
  );
}

/** @throws {UsageError} when something is there */
export async function refuseIfThere(files: Files, path: string): Promise<void> {
  if ((await files.stat(path)) === undefined) return;
  // A link, a pipe or another user's file is named as what it is.
  await (await files.open(path, "write")).close();
  throw foreign(path);
}

/**
 * Removes what a kill has left of a temporary file.
 * @throws {UsageError} when it is none of ours
 */
export async function removeMarked(files: Files, path: string, mark: string): Promise<void> {
  const text = await files.readText(path);
  if (text === undefined) return;
  if (!isMarked(text, mark)) throw foreign(path);
  await files.remove(path);
}
