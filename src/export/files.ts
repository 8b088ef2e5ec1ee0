// The file system as an argument of an export; every method fails like Node's. Also the files that an export keeps next to its
// target, and how it recognises them: it never truncates, renames or removes anything that it has not created.
import { MonitorError, UsageError } from "../units/monitor-error.ts";

/** Positions and lengths in bytes. */
export interface OpenFile {
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Reads up to the buffer's length. @returns bytes read; 0 at the end */
  read(buffer: Uint8Array, position: number): Promise<number>;
  truncate(length: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Of the path itself: links are not followed. */
export interface FileFacts {
  readonly isFile: boolean;
  readonly isFolder: boolean;
  readonly bytes: number;
}

export interface Files {
  /** `write` creates a missing file and keeps an existing one; `new` fails if something exists. */
  open(path: string, mode: "read" | "write" | "new"): Promise<OpenFile>;
  /** @returns undefined when nothing is there */
  stat(path: string): Promise<FileFacts | undefined>;
  readText(path: string): Promise<string | undefined>;
  rename(from: string, to: string): Promise<void>;
  /** Renames a file of ours to the user's target, with the owner and mode of the file replaced. */
  replace(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Makes renames durable. */
  syncFolderOf(path: string): Promise<void>;
}

/** Returns fewer bytes at the end of the file. */
export async function readAt(file: OpenFile, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  for (let read = -1; filled < length && read !== 0; filled += read) {
    read = await file.read(buffer.subarray(filled), position + filled);
  }
  return buffer.subarray(0, filled);
}

/** Creates a small file completely or not at all. @param path where nothing exists yet */
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

/** Replaces a small file completely or not at all. */
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

const FAILURES: Readonly<Record<string, readonly [what: string, advice: string]>> = {
  ENOSPC: ["the disk is full", "make room; the same command resumes there"],
  EDQUOT: ["the disk quota is used up", "make room; the same command resumes there"],
  EFBIG: ["the file grew larger than is allowed", "see ulimit -f; the same command resumes"],
  EACCES: ["no permission", "choose another file with -o"],
  EPERM: ["no permission", "choose another file with -o"],
  EROFS: ["the file system is read-only", "choose another file with -o"],
  ENOENT: ["no such folder", "make the folder first, or choose another file with -o"],
  EIO: ["the disk failed", "see the system log; the same command resumes"],
  EPIPE: ["whoever reads it has gone", "start its reader again"],
  ENOTDIR: ["no such folder", "make the folder first, or choose another file with -o"],
};

/**
 * Explains a file system error; any other error is returned unchanged.
 * @param isKept what was written so far is kept for the next run
 */
export function formatFileError(error: unknown, path: string, isKept = true): unknown {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (!(error instanceof Error) || code === undefined || syscall === undefined) return error;
  if (error instanceof MonitorError) return error;
  const [what, keptAdvice] = FAILURES[code] ?? [error.message, "choose another file with -o"];
  const advice = isKept ? keptAdvice : "make room there, or choose another file";
  const message = `cannot write ${path}: ${what} (${code})`;
  return new MonitorError("file", "failed", message, { advice, cause: error });
}

export interface Names {
  /** Rows in the order in which they arrive. */
  readonly part: string;
  /** Created first and removed last: it marks the others as ours. */
  readonly journal: string;
  readonly journalTemporary: string;
  readonly lock: string;
  /** Rows in their final order, if that differs. */
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

/** Also accepts text that a kill cut off within the mark. */
export function isMarked(text: string, mark: string): boolean {
  return text.startsWith(mark) || mark.startsWith(text);
}

/** The file was not created by this program. */
export function foreign(path: string): UsageError {
  return new UsageError(
    `${path} is not of an export that runs or was stopped`,
    "it is left as it is: choose another file with -o, or move it away",
  );
}

export async function refuseIfThere(files: Files, path: string): Promise<void> {
  if ((await files.stat(path)) === undefined) return;
  // Opening reports precisely if it is a link, a pipe or another user's file.
  await (await files.open(path, "write")).close();
  throw foreign(path);
}

/** Removes what a killed run left behind. @throws {UsageError} when the file is not ours */
export async function removeMarked(files: Files, path: string, mark: string): Promise<void> {
  const text = await files.readText(path);
  if (text === undefined) return;
  if (!isMarked(text, mark)) throw foreign(path);
  await files.remove(path);
}
