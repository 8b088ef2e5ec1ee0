// Writes frames without ever waiting for the terminal: one is in flight, and the next is made when it has gone, so that a slow
// terminal gets fewer and newer frames. The last words are written synchronously.
import { closeSync, constants, openSync, write, writeSync } from "node:fs";
import type { Clock } from "../units/clock.ts";
import { LinePace } from "./line-pace.ts";

const RETRY_MS = 2;
const MAX_RETRY_MS = 32;
/** Half a second is enough for a slow line, and short for a user whose terminal is stuck. */
const LAST_WORDS_TRIES = 50;
const LAST_WORDS_WAIT_MS = 10;

/** Takes bytes, and says how many it has taken. */
export type WriteBytes = (bytes: Buffer, done: (error: unknown, written: number) => void) => void;

export interface OutputEvents {
  /** The last frame has gone. */
  onReady(): void;
  /** The terminal takes nothing any more (EIO, EPIPE). */
  onLost(error: unknown): void;
}

export class Output {
  readonly #clock: Clock;
  readonly #write: WriteBytes;
  readonly #events: OutputEvents;
  readonly #pace = new LinePace();
  #rest: Buffer | undefined;
  #size = 0;
  #startMs = 0;
  #retryMs = RETRY_MS;
  #isRefused = false;
  #cancelRetry: (() => void) | undefined;

  constructor(clock: Clock, write: WriteBytes, events: OutputEvents) {
    this.#clock = clock;
    this.#write = write;
    this.#events = events;
  }

  get isBusy(): boolean {
    return this.#rest !== undefined;
  }

  /** How long data should wait on a slow line. */
  get waitMs(): number {
    return this.#pace.waitMs(this.#clock.now());
  }

  /** Only when not busy. */
  send(text: string): void {
    this.#rest = Buffer.from(text);
    this.#size = this.#rest.length;
    this.#startMs = this.#clock.now();
    this.#isRefused = false;
    this.#retryMs = RETRY_MS;
    this.#continue(this.#rest);
  }

  /** Forgets what has not gone yet; the terminal may have got part of a frame. */
  drop(): void {
    this.#rest = undefined;
    this.#cancelRetry?.();
  }

  #continue(bytes: Buffer): void {
    this.#write(bytes, (error, written) => {
      if (this.#rest === bytes) this.#wrote(bytes, error, written);
    });
  }

  #wrote(bytes: Buffer, error: unknown, written: number): void {
    if (error && !isBusyError(error)) {
      this.drop();
      this.#events.onLost(error);
    } else if (written >= bytes.length) {
      this.#rest = undefined;
      this.#pace.note(this.#size, this.#startMs, this.#clock.now(), this.#isRefused);
      this.#events.onReady();
    } else {
      const rest = bytes.subarray(written);
      this.#rest = rest;
      // A terminal takes a few KB at a time: more may fit at once.
      if (written > 0) {
        this.#retryMs = RETRY_MS;
        this.#continue(rest);
        return;
      }
      this.#isRefused = true;
      this.#cancelRetry = this.#clock.after(this.#retryMs, () => this.#continue(rest));
      this.#retryMs = Math.min(MAX_RETRY_MS, this.#retryMs * 2);
    }
  }
}

/** The terminal as file descriptors. */
export interface TerminalFile {
  readonly write: WriteBytes;
  /** Writes all of it before it returns, waiting for a slow terminal, but not for ever. Never throws. */
  writeNow(text: string): void;
  close(): void;
}

/**
 * Opens the terminal behind a descriptor once more, so that only our writes do not block: that mode belongs to the open file,
 * which other processes share. Where that cannot be had, the thread pool writes.
 */
export function openTerminalFile(fd: number): TerminalFile {
  const own = reopen(fd);
  return {
    write: (bytes, done) => {
      if (own === undefined) write(fd, bytes, done);
      else {
        const [error, written] = attempt(() => writeSync(own, bytes));
        done(error, written);
      }
    },
    writeNow(text) {
      let rest: Uint8Array = Buffer.from(text);
      for (let tries = 0; rest.length > 0 && tries < LAST_WORDS_TRIES; ) {
        const [error, written] = attempt(() => writeSync(own ?? fd, rest));
        if (error && !isBusyError(error)) return;
        rest = rest.subarray(written);
        if (written > 0) continue;
        tries++;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_WORDS_WAIT_MS);
      }
    },
    close: () => {
      if (own !== undefined) closeSync(own);
    },
  };
}

/**
 * A console of Windows turns UTF-8 and sequences into what it shows only through Node's own stream. That of wine passes them on, but
 * counts their characters as cells, and would break the line within them: each part begins in its first cell.
 */
export function openConsole(stdout: NodeJS.WriteStream): TerminalFile {
  return {
    write(bytes, done) {
      const parts = consoleParts(bytes.toString());
      const last = parts.pop() ?? "";
      for (const part of parts) stdout.write(part);
      stdout.write(last, (error) => done(error, error ? 0 : bytes.length));
    },
    // Short, and not yet or no longer on a screen of its own, where the saved cursor is somebody else's.
    writeNow: (text) => void stdout.write(`\r${text}\r`),
    close: () => {},
  };
}

const ESC = "\x1b";
const PIECES = new RegExp(
  `${ESC}\\[[^@-~]*[@-~]|${ESC}\\][^\x07${ESC}]*|${ESC}?[^${ESC}]{1,16}`,
  "gsu",
);
/** Fewer than a line has. */
const PART_CELLS = 72;

function consoleParts(text: string): string[] {
  const parts: string[] = [];
  let part = "";
  const end = () => parts.push(`\r${ESC}8${part}${ESC}7`);
  for (const [piece] of text.matchAll(PIECES)) {
    if (part !== "" && part.length + piece.length > PART_CELLS) {
      end();
      part = "";
    }
    part += piece;
  }
  end();
  return parts;
}

function attempt(writeBytes: () => number): readonly [error: unknown, written: number] {
  try {
    return [undefined, writeBytes()];
  } catch (error) {
    return [error, 0];
  }
}

function isBusyError(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "EAGAIN" || code === "EWOULDBLOCK" || code === "EINTR";
}

function reopen(fd: number): number | undefined {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    return openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return undefined;
  }
}

type Descriptors = Pick<typeof import("node:fs"), "openSync" | "closeSync">;

/**
 * On exit, Node resets its standard streams, and aborts, possibly with a core dump, if one of them was a terminal at start and is
 * gone. Call this right before exiting: it replaces each terminal that is gone by the null device.
 * @param terminals descriptors that were terminals at start
 * @param isTerminal `isatty` of `node:tty`
 */
export function replaceGone(
  fs: Descriptors,
  terminals: readonly number[],
  isTerminal: (fd: number) => boolean,
): void {
  for (const fd of terminals) if (!isTerminal(fd)) replaceByNull(fs, fd);
}

/** The system assigns the lowest free number, which is the one that was just closed. */
function replaceByNull(fs: Descriptors, fd: number): void {
  try {
    fs.closeSync(fd);
    fs.openSync("/dev/null", "r+");
  } catch {}
}
