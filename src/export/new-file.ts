// A file that is written from its beginning to its end, with its SHA-256.
import { createHash, type Hash } from "node:crypto";
import type { Files, OpenFile } from "./files.ts";

const CHUNK_BYTES = 1 << 20;

/** A file while it is written; one that fails half way is left as it is. */
export class NewFile {
  readonly #file: OpenFile;
  readonly #hash: Hash = createHash("sha256");
  #bytes = 0;

  private constructor(file: OpenFile) {
    this.#file = file;
  }

  /**
   * Has a file written, whatever was there before, and waits until it is on the disk.
   * @returns its SHA-256 in hex
   */
  static async write(
    files: Files,
    path: string,
    fill: (file: NewFile) => Promise<void>,
  ): Promise<string> {
    const opened = await files.open(path, "write");
    try {
      await opened.truncate(0);
      const file = new NewFile(opened);
      await fill(file);
      await opened.sync();
      return file.#hash.digest("hex");
    } finally {
      await opened.close();
    }
  }

  async append(bytes: Uint8Array): Promise<void> {
    await this.#file.write(bytes, this.#bytes);
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
  }

  /**
   * @param see called with each chunk before it is written
   * @returns false when the source has fewer bytes
   */
  async appendStartOf(
    source: OpenFile,
    bytes: number,
    see: (chunk: Uint8Array) => void = () => {},
  ): Promise<boolean> {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let at = 0; at < bytes; ) {
      const read = await source.read(chunk.subarray(0, Math.min(chunk.length, bytes - at)), at);
      if (read === 0) return false;
      see(chunk.subarray(0, read));
      await this.append(chunk.subarray(0, read));
      at += read;
    }
    return true;
  }
}
