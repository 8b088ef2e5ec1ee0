// An oldest-first file out of pages that were written newest first: the blocks in reverse.
import type { Files } from "./files.ts";
import { NewFile } from "./new-file.ts";
import type { PartFile } from "./part-file.ts";

interface Assembly {
  readonly part: PartFile;
  /** Bytes of each block, in the order in which they stand in the part file. */
  readonly blocks: readonly number[];
  /** What comes first: a header, or the bytes of a file that is added to. */
  readonly head: string | { readonly path: string; readonly bytes: number };
  readonly path: string;
}

/**
 * Writes the whole file and waits until it is on the disk.
 * @returns its SHA-256 in hex
 * @throws what the file system throws
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
  { path, bytes }: { readonly path: string; readonly bytes: number },
  file: NewFile,
): Promise<void> {
  const source = await files.open(path, "read");
  try {
    await file.appendStartOf(source, bytes);
  } finally {
    await source.close();
  }
}
