// The file that a recording is written to: readable by its owner only, never over another file, at most a second
// behind, compressed when its name ends with .gz.
import { type FileHandle, open } from "node:fs/promises";
import { constants, createGzip, type Gzip } from "node:zlib";
import { type Clock, every } from "../units/clock.ts";
import { ServiceError, UsageError } from "../units/monitor-error.ts";

const FLUSH_PERIOD_MS = 500;
/** Lines that wait for a slow disk; with more, the recording ends instead of taking all memory. */
const MAX_WAITING_CHARS = 64 * 1024 * 1024;

/** A file that lines are added to. */
export interface RecordingWriter {
  /** Takes one line, with its end. After a failure it does nothing. */
  write(line: string): void;
  /** Why the recording ended before its time; undefined while it goes on. */
  readonly failure: Error | undefined;
  /** Writes what waits and closes the file. Never rejects: see `failure`. */
  close(): Promise<void>;
}

/** @throws {UsageError} when the file exists or cannot be made */
export async function openRecordingWriter(path: string, clock: Clock): Promise<RecordingWriter> {
  const file = await create(path);
  const sink = path.endsWith(".gz") ? new GzipSink(file) : new PlainSink(file);
  return new Writer(sink, path, clock);
}

async function create(path: string): Promise<FileHandle> {
  try {
    return await open(path, "wx", 0o600);
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

/** Where text goes. `flush` resolves when all of it is with the system. */
interface Sink {
  flush(text: string): Promise<void>;
  close(): Promise<void>;
}

class PlainSink implements Sink {
  readonly #file: FileHandle;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async flush(text: string): Promise<void> {
    await this.#file.appendFile(text);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

class GzipSink implements Sink {
  readonly #file: FileHandle;
  readonly #gzip: Gzip = createGzip();
  #pressed: Buffer[] = [];

  constructor(file: FileHandle) {
    this.#file = file;
    this.#gzip.on("data", (data: Buffer) => this.#pressed.push(data));
  }

  async flush(text: string): Promise<void> {
    this.#gzip.write(text);
    // A synchronised flush ends on a byte of its own: what is in the file can be read without the rest.
    await new Promise<void>((resolve) => this.#gzip.flush(constants.Z_SYNC_FLUSH, resolve));
    await this.#drain();
  }

  async close(): Promise<void> {
    const ended = new Promise<void>((resolve) => this.#gzip.once("end", resolve));
    this.#gzip.end();
    await ended;
    try {
      await this.#drain();
    } finally {
      await this.#file.close();
    }
  }

  async #drain(): Promise<void> {
    const pressed = Buffer.concat(this.#pressed);
    this.#pressed = [];
    await this.#file.appendFile(pressed);
  }
}

class Writer implements RecordingWriter {
  readonly #sink: Sink;
  readonly #path: string;
  readonly #stop: () => void;
  #waiting: string[] = [];
  #waitingChars = 0;
  #flushing: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  failure: Error | undefined;

  constructor(sink: Sink, path: string, clock: Clock) {
    this.#sink = sink;
    this.#path = path;
    this.#stop = every(clock, FLUSH_PERIOD_MS, () => {
      this.#flushing ??= this.#flush();
    });
  }

  write(line: string): void {
    if (this.failure !== undefined) return;
    this.#waiting.push(line);
    this.#waitingChars += line.length;
    if (this.#waitingChars > MAX_WAITING_CHARS) this.#fail("the disk does not keep up");
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stop();
    await this.#flushing;
    await this.#flush();
    try {
      await this.#sink.close();
    } catch (error) {
      this.#fail((error as Error).message);
    }
  }

  async #flush(): Promise<void> {
    const text = this.#waiting.join("");
    this.#waiting = [];
    this.#waitingChars = 0;
    try {
      if (text !== "") await this.#sink.flush(text);
    } catch (error) {
      this.#fail((error as Error).message);
    }
    this.#flushing = undefined;
  }

  #fail(reason: string): void {
    if (this.failure !== undefined) return;
    this.failure = new ServiceError("recording", `${this.#path}: the recording ended: ${reason}`, {
      advice: "make room on the disk, and record to a new file",
    });
    this.#waiting = [];
  }
}
