// A growing file with the SHA-256 of its content, by which it can be verified against a journal.
import { createHash, type Hash } from "node:crypto";
import { UsageError } from "../units/monitor-error.ts";
import { type Files, type OpenFile, readAt } from "./files.ts";
import { readLines } from "./lines.ts";

const CHUNK_BYTES = 1 << 20;

/** Synced content; the hash is in hex. */
export interface Sure {
  readonly bytes: number;
  readonly sha256: string;
}

/** Fails like Node's file system. */
export class PartFile {
  readonly #file: OpenFile;
  #hash: Hash = createHash("sha256");
  bytes = 0;

  private constructor(file: OpenFile) {
    this.#file = file;
  }

  /**
   * Creates the file; or opens one of ours and truncates it, either to nothing or after `sure`.
   * @throws {UsageError} when the file does not begin with the bytes of `sure`
   */
  static async open(
    files: Files,
    path: string,
    mode: "new" | "write",
    sure?: Sure,
  ): Promise<PartFile> {
    const part = new PartFile(await files.open(path, mode));
    try {
      if (sure !== undefined && !(await part.#isAvailable(sure))) throw changed(path);
      await part.#file.truncate(part.bytes);
    } catch (error) {
      await part.close();
      throw error;
    }
    return part;
  }

  /** Overwrites a file and syncs it. @returns its SHA-256 in hex */
  static async write(
    files: Files,
    path: string,
    fill: (file: PartFile) => Promise<void>,
  ): Promise<string> {
    const file = await PartFile.open(files, path, "write");
    try {
      await fill(file);
      return (await file.sync()).sha256;
    } finally {
      await file.close();
    }
  }

  get sha256(): string {
    return this.#hash.copy().digest("hex");
  }

  async append(bytes: Uint8Array): Promise<void> {
    const written = this.#file.write(bytes, this.bytes);
    // Hashed while the disk writes; after a failure the hash still matches the file.
    const hash = this.#hash.copy().update(bytes);
    await written;
    this.#hash = hash;
    this.bytes += bytes.length;
  }

  /** @returns false when the source has fewer bytes */
  async appendStartOf(source: OpenFile, bytes: number): Promise<boolean> {
    return await eachChunk(source, bytes, (chunk) => this.append(chunk));
  }

  /** Syncs what was appended so far; more may be appended meanwhile. */
  async sync(): Promise<Sure> {
    const sure = { bytes: this.bytes, sha256: this.sha256 };
    await this.#file.sync();
    return sure;
  }

  /** Last block first. @param lengths bytes of each block, in file order */
  async *readBack(lengths: readonly number[]): AsyncGenerator<Buffer, void, void> {
    let end = lengths.reduce((sum, bytes) => sum + bytes, 0);
    for (const bytes of lengths.toReversed()) {
      end -= bytes;
      const block = await readAt(this.#file, end, bytes);
      if (block.length < bytes) throw new Error("the part file is shorter than it was");
      yield block;
    }
  }

  lines(start: number): AsyncGenerator<readonly string[], void, void> {
    return readLines(this.#file, start);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #isAvailable({ bytes, sha256 }: Sure): Promise<boolean> {
    const isWhole = await eachChunk(this.#file, bytes, (chunk) => {
      this.#hash.update(chunk);
      this.bytes += chunk.length;
    });
    return isWhole && this.sha256 === sha256;
  }
}

/** Each chunk reuses the memory of the previous one. @returns false when the file has fewer bytes */
async function eachChunk(
  file: OpenFile,
  bytes: number,
  see: (chunk: Uint8Array) => void | Promise<void>,
): Promise<boolean> {
  const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, bytes));
  for (let at = 0; at < bytes; ) {
    const read = await file.read(chunk.subarray(0, Math.min(chunk.length, bytes - at)), at);
    if (read === 0) return false;
    await see(chunk.subarray(0, read));
    at += read;
  }
  return true;
}

function changed(path: string): UsageError {
  return new UsageError(
    `${path} is not what its journal says: something has changed it`,
    `it is left as it is: choose another file with -o, or remove ${path} and ${path}.journal to begin anew`,
  );
}
