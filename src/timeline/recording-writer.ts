// The file of a recording: readable by its owner only, never overwrites a file, at most a second behind, compressed if its name
// ends with .gz.
import { type FileHandle, lstat, open, rm } from "node:fs/promises";
import { constants, createGzip } from "node:zlib";
import { type Clock, every } from "../units/clock.ts";
import { ServiceError, UsageError } from "../units/monitor-error.ts";

const FLUSH_PERIOD_MS = 500;
/** Backlog for a slow disk; beyond this, the recording ends. */
const MAX_WAITING_CHARS = 64 * 1024 * 1024;

/** @throws {UsageError} when the file exists or cannot be created */
export async function openRecordingWriter(path: string, clock: Clock): Promise<RecordingWriter> {
  try {
    return new RecordingWriter(path, await open(path, "wx", 0o600), clock);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw code === "EEXIST"
      ? new UsageError(`${path} exists already`, "name a new file: recordings replace nothing")
      : new UsageError(
          `the recording cannot be made: ${message}`,
          "name a file in a folder of yours",
        );
  }
}

/** Writes nothing after a failure. */
export class RecordingWriter {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #compress: Compress | undefined;
  readonly #stop: () => void;
  #waiting: string[] = [];
  #waitingChars = 0;
  #flushing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  /** Why the recording ended early. */
  failure: Error | undefined;

  constructor(path: string, file: FileHandle, clock: Clock) {
    this.#path = path;
    this.#file = file;
    this.#compress = path.endsWith(".gz") ? createCompress() : undefined;
    this.#stop = every(clock, FLUSH_PERIOD_MS, () => {
      this.#flushing ??= this.#flush(false);
    });
  }

  /** One line with its line ending. */
  write(line: string): void {
    if (this.failure !== undefined) return;
    this.#waiting.push(line);
    this.#waitingChars += line.length;
    if (this.#waitingChars > MAX_WAITING_CHARS) this.#fail("the disk does not keep up");
  }

  /** Never rejects: see `failure`. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stop();
    await this.#flushing;
    await this.#flush(true);
    if (this.failure !== undefined) await this.#removeEmpty().catch(() => {});
    await this.#file.close().catch((error: Error) => this.#fail(error.message));
  }

  async #flush(isLast: boolean): Promise<void> {
    const text = this.#waiting.join("");
    this.#waiting = [];
    this.#waitingChars = 0;
    try {
      if (this.#compress !== undefined) {
        if (isLast || text !== "") await this.#file.appendFile(await this.#compress(text, isLast));
      } else if (text !== "") await this.#file.appendFile(text);
      // Lines written to a deleted file would be lost.
      if ((await this.#file.stat()).nlink === 0) this.#fail("the file was removed");
    } catch (error) {
      this.#fail((error as Error).message);
    }
    this.#flushing = undefined;
  }

  /** A full disk leaves no empty file behind: files of alert recordings are counted. */
  async #removeEmpty(): Promise<void> {
    const [own, there] = await Promise.all([this.#file.stat(), lstat(this.#path)]);
    if (own.size === 0 && own.ino === there.ino && own.dev === there.dev) await rm(this.#path);
  }

  #fail(reason: string): void {
    if (this.failure !== undefined) return;
    this.failure = new ServiceError("recording", `${this.#path}: the recording ended: ${reason}`, {
      advice: "record to a new file, on a disk with room",
    });
    this.#waiting = [];
  }
}

type Compress = (text: string, isLast: boolean) => Promise<Buffer>;

function createCompress(): Compress {
  const gzip = createGzip();
  let chunks: Buffer[] = [];
  gzip.on("data", (chunk: Buffer) => chunks.push(chunk));
  return async (text, isLast) => {
    await new Promise<void>((resolve) => {
      if (isLast) gzip.once("end", resolve).end(text);
      else {
        gzip.write(text);
        // A sync flush ends on a byte boundary, so the file can be read without the rest.
        gzip.flush(constants.Z_SYNC_FLUSH, resolve);
      }
    });
    const compressed = Buffer.concat(chunks);
    chunks = [];
    return compressed;
  };
}
