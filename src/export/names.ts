// What an export keeps beside its file while it runs, and how it knows that it is its own: nothing there that it has not
// made is truncated, renamed or removed.
import { UsageError } from "../units/monitor-error.ts";
import type { Files } from "./files.ts";

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
  readonly ordered: string;
}

export function namesBeside(path: string): Names {
  const part = `${path}.part`;
  return {
    part,
    journal: `${part}.journal`,
    journalTemporary: `${part}.journal.tmp`,
    lock: `${part}.lock`,
    whole: `${part}.whole`,
    ordered: `${part}.ordered`,
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
