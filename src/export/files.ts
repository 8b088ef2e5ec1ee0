// The file system as an argument: what an export needs of it, and nothing more. Every method fails as Node's does.
import { MonitorError } from "../units/monitor-error.ts";

/** An open file. Positions and lengths are bytes. */
export interface OpenFile {
  /** Writes all bytes at a place. */
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

/** What an export does with the file system. */
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

/** A name at which nothing is. */
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

const words: Readonly<Record<string, readonly [what: string, advice: string]>> = {
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
 * Words an error of the file system; anything else stays as it is.
 * @param isKept whether what was written before is there for the next run
 */
export function wordFileError(error: unknown, path: string, isKept = true): unknown {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  if (!(error instanceof Error) || code === undefined || syscall === undefined) return error;
  if (error instanceof MonitorError) return error;
  const [what, kept] = words[code] ?? [error.message, "choose another file with -o"];
  const advice = isKept ? kept : "make room there, or choose another file";
  return new ExportError("file", `cannot write ${path}: ${what} (${code})`, advice, error);
}
