// Reads a file named by the user, which may be a pipe, terminal or device. Reads neither block the process nor last for ever.
import { constants, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { type Clock, pause } from "../units/clock.ts";

const { O_RDONLY, O_NONBLOCK = 0 } = constants;
/** Polling interval for pipes and terminals. */
const ASK_AGAIN_MS = 20;
const CHUNK_BYTES = 65_536;
/** How long a pipe may be silent if there is no --timeout. */
const DEFAULT_TIMEOUT_MS = 10_000;

/** How long to wait for data, and what ends the wait. */
export interface ReadLimits {
  readonly clock: Clock;
  readonly timeoutMs?: number | undefined;
  readonly interrupt?: AbortSignal | undefined;
}

/** An open file. Its errors are those of the system, or explain in words what is wrong. */
class InputFile {
  /** True if the file can be read again. */
  readonly isRegular: boolean;
  readonly #handle: FileHandle;
  readonly #isPipe: boolean;
  readonly #patience: ReadLimits;
  readonly #closing = new AbortController();
  readonly #ends: AbortSignal;
  #isReceived = false;

  private constructor(handle: FileHandle, patience: ReadLimits, facts: Stats) {
    this.#handle = handle;
    this.#patience = patience;
    const { interrupt } = patience;
    const { signal } = this.#closing;
    this.#ends = interrupt === undefined ? signal : AbortSignal.any([interrupt, signal]);
    this.isRegular = facts.isFile();
    this.#isPipe = facts.isFIFO();
  }

  /** @throws {Error} of the system, or if it is a folder */
  static async open(path: string, patience: ReadLimits): Promise<InputFile> {
    // With O_NONBLOCK, neither opening nor reading a pipe blocks.
    const handle = await open(path, O_RDONLY | O_NONBLOCK);
    const facts = await handle.stat();
    if (!facts.isDirectory()) return new InputFile(handle, patience, facts);
    await handle.close();
    throw new Error("it is a folder");
  }

  /** The content in chunks; closes the file at the end. @throws {Error} after a timeout without data; the signal's reason */
  async *chunks(): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
        const length = await this.#read(chunk);
        if (length === 0) return;
        yield chunk.subarray(0, length);
      }
    } finally {
      await this.close();
    }
  }

  /** Also ends a pending read. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#handle.close();
  }

  /** @returns 0 at the end of the file */
  async #read(chunk: Buffer): Promise<number> {
    const { clock, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#patience;
    const until = clock.now() + timeoutMs;
    for (;;) {
      const length = await this.#tryToRead(chunk);
      if (length !== undefined) return length;
      if (clock.now() >= until) throw new Error(`nothing was received in ${timeoutMs / 1000} s`);
      await pause(clock, ASK_AGAIN_MS, this.#ends);
    }
  }

  /** @returns undefined when there is no data yet */
  async #tryToRead(chunk: Buffer): Promise<number | undefined> {
    try {
      const { bytesRead } = await this.#handle.read(chunk, 0, chunk.length, null);
      this.#isReceived ||= bytesRead > 0;
      // A pipe that has had no writer yet looks like one at its end.
      return this.#isPipe && !this.#isReceived ? undefined : bytesRead;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EAGAIN") return undefined;
      throw error;
    }
  }
}

export interface GivenText {
  readonly text: string;
  readonly isRegular: boolean;
}

/** @throws {Error} of the system; on a timeout; if it is larger than `mostBytes`; the signal's reason when interrupted */
export async function readInputText(
  path: string,
  mostBytes: number,
  patience: ReadLimits,
): Promise<GivenText> {
  const file = await InputFile.open(path, patience);
  const { clock, timeoutMs = DEFAULT_TIMEOUT_MS } = patience;
  const until = clock.now() + timeoutMs;
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of file.chunks()) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > mostBytes) throw new Error(`it is larger than ${mostBytes >> 20} MiB`);
    if (!file.isRegular && clock.now() > until)
      throw new Error(`it has not ended in ${timeoutMs / 1000} s`);
  }
  return { text: Buffer.concat(chunks).toString(), isRegular: file.isRegular };
}
