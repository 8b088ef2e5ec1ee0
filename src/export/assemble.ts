// An oldest-first file out of pages that were written newest first: the blocks in reverse.
import { createHash } from "node:crypto";
import type { Files, OpenFile } from "./files.ts";
import type { PartFile } from "./part-file.ts";

interface Assembly {
  readonly part: PartFile;
  /** Bytes of each block, in the order in which they stand in the part file. */
  readonly blocks: readonly number[];
  /** What comes first: a header, or the bytes of a file that is added to. */
  readonly head: string | { readonly path: string; readonly bytes: number };
  readonly path: string;
}

const CHUNK_BYTES = 1 << 20;

/** Writes the whole file and waits until it is on the disk. @returns its SHA-256 in hex */
export async function assemble(
  files: Files,
  { part, blocks, head, path }: Assembly,
): Promise<string> {
  const file = await files.open(path, "write");
  const hash = createHash("sha256");
  let position = 0;
  const append = async (bytes: Uint8Array) => {
    await file.write(bytes, position);
    hash.update(bytes);
    position += bytes.length;
  };
  try {
    await file.truncate(0);
    if (typeof head === "string") await append(Buffer.from(head));
    else await copyHead(files, head, append);
    let end = blocks.reduce((sum, bytes) => sum + bytes, 0);
    for (const bytes of blocks.toReversed()) {
      end -= bytes;
      await append(await part.read(end, bytes));
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return hash.digest("hex");
}

async function copyHead(
  files: Files,
  { path, bytes }: { readonly path: string; readonly bytes: number },
  append: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const source: OpenFile = await files.open(path, "read");
  const chunk = Buffer.alloc(CHUNK_BYTES);
  try {
    for (let at = 0; at < bytes; ) {
      const read = await source.read(chunk.subarray(0, Math.min(chunk.length, bytes - at)), at);
      if (read === 0) throw new Error(`${path} has become shorter meanwhile`);
      await append(chunk.subarray(0, read));
      at += read;
    }
  } finally {
    await source.close();
  }
}
