// What can go wrong with the file of an export, in words.
import { MonitorError } from "../units/monitor-error.ts";

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
 * Words an error of the file system; anything else stays as it is. Never throws.
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
