// An oldest-first file out of pages that were written newest first: the blocks in reverse.
import { createHash } from "node:crypto";
import { MonitorError } from "../units/monitor-error.ts";
import type { Files } from "./files.ts";
import { NewFile } from "./new-file.ts";
import type { PartFile } from "./part-file.ts";

/** A file that is added to, as it was when it was read. */
interface AddedTo {
  readonly path: string;
  readonly bytes: number;
  /** Of those bytes, in hex. */
  readonly sha256: string;
}

interface Assembly {
  readonly part: PartFile;
  /** Bytes of each block, in the order in which they stand in the part file. */
  readonly blocks: readonly number[];
  /** What comes first: a header, or the bytes of a file that is added to. */
  readonly head: string | AddedTo;
  readonly path: string;
}

/**
 * Writes the whole file and waits until it is on the disk.
 * @returns its SHA-256 in hex
 * @throws {MonitorError} when the file that is added to has become another one; what the file system throws
 */
export function assemble(files: Files, { part, blocks, head, path }: Assembly): Promise<string> {
  return NewFile.write(files, path, async (file) => {
    if (typeof head === "string") await file.append(Buffer.from(head));
    else await copyHead(files, head, file);
    for await (const block of part.readBack(blocks)) await file.append(block);
  });
}

async function copyHead(
  files: Files,
  { path, bytes, sha256 }: AddedTo,
  file: NewFile,
): Promise<void> {
  const source = await files.open(path, "read");
  try {
    const hash = createHash("sha256");
    const copied = await file.appendStartOf(source, bytes, (chunk) => hash.update(chunk));
    if (!copied || hash.digest("hex") !== sha256) throw changedMeanwhile(path);
  } finally {
    await source.close();
  }
}

/** Somebody has written to the file that is added to: their bytes stay, and ours stay beside them. */
export function changedMeanwhile(path: string): MonitorError {
  return new MonitorError("file", "failed", `${path} was changed while it was added to`, {
    advice: "run the same command again",
  });
}
