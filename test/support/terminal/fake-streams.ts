// Streams of a terminal that exists only in a test: keys come from the test, the size too, and writes are recorded.
import { EventEmitter } from "node:events";
import type { WriteBytes } from "../../../src/terminal/screen/frame-writer.ts";

export class FakeStdin extends EventEmitter {
  readonly isTTY: boolean;
  isRaw = false;
  /** Every mode that was asked for, in order. */
  readonly rawModes: boolean[] = [];
  readonly #chunks: string[] = [];

  constructor({ isTTY = true } = {}) {
    super();
    this.isTTY = isTTY;
  }

  /** What the user types, as one chunk. */
  type(text: string): void {
    this.#chunks.push(text);
    this.emit("readable");
  }

  read(): string | null {
    return this.#chunks.shift() ?? null;
  }

  setRawMode(isRaw: boolean): this {
    this.isRaw = isRaw;
    this.rawModes.push(isRaw);
    return this;
  }

  setEncoding(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  /** As Ink and our screen take it: they use no more of a stream than this class has. */
  get asStream(): NodeJS.ReadStream {
    return this as unknown as NodeJS.ReadStream;
  }
}

export class FakeStdout extends EventEmitter {
  columns: number | undefined;
  rows: number | undefined;

  constructor(columns: number | undefined, rows: number | undefined) {
    super();
    this.columns = columns;
    this.rows = rows;
  }

  resize(columns: number | undefined, rows: number | undefined): void {
    this.columns = columns;
    this.rows = rows;
    this.emit("resize");
  }
}

/** Records what is written. By default it takes everything at once. */
export class RecordingWriter {
  readonly chunks: Buffer[] = [];
  /** While true, writes are taken but not answered until `answer` is called. */
  isSlow = false;
  /** What every write fails with, when set. */
  failWith: NodeJS.ErrnoException | undefined;
  readonly #unanswered: (() => void)[] = [];

  readonly write: WriteBytes = (bytes, done) => {
    if (this.failWith !== undefined) {
      done(this.failWith, 0);
      return;
    }
    this.chunks.push(Buffer.from(bytes));
    const { length } = bytes;
    if (this.isSlow) this.#unanswered.push(() => done(null, length));
    else done(null, length);
  };

  get unanswered(): number {
    return this.#unanswered.length;
  }

  /** The terminal has taken the write that waits longest. */
  answer(): void {
    this.#unanswered.shift()?.();
  }

  /** Everything written since the last call. */
  take(): Buffer {
    return Buffer.concat(this.chunks.splice(0));
  }
}

/** An error as the system gives it. */
export function systemError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code });
}
