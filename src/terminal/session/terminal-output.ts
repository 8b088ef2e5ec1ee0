// The file descriptors of a terminal: writes whole frames without blocking, and the final output synchronously; and lets a
// process whose terminal was closed exit with its own code.
import type { WriteBytes } from "../screen/frame-writer.ts";

export interface FileSystem {
  openSync(path: string, flags: number | string): number;
  closeSync(fd: number): void;
  writeSync(fd: number, bytes: Uint8Array): number;
  write(
    fd: number,
    bytes: Uint8Array,
    done: (error: NodeJS.ErrnoException | null, written: number) => void,
  ): void;
  readonly constants: {
    readonly O_WRONLY: number;
    readonly O_NONBLOCK: number;
    readonly O_NOCTTY: number;
  };
}

export interface TerminalOutput {
  /** Writes as much as the terminal accepts now, and reports how much. */
  readonly write: WriteBytes;
  /** Writes everything, waiting for a slow terminal, but not for ever. @throws when the terminal is gone or stuck */
  writeSync(text: string): void;
  close(): void;
}

/** Waits for a stuck terminal in steps; half a second in total suffices for a slow line and is short for the user. */
const WAIT_STEP_MS = 10;
const MAX_WAITS = 50;

/**
 * Opens the terminal behind `fd` a second time, so that only our writes are non-blocking: that mode belongs to the open file
 * description, which other processes share for `fd`. If the system does not support that, frames are written by the thread pool.
 */
export function openTerminalOutput(fs: FileSystem, fd: number): TerminalOutput {
  const own = reopen(fs, fd);
  return {
    write: own === undefined ? writeInPool(fs, fd) : writeNow(fs, own),
    writeSync: (text) => writeAll(fs, own ?? fd, Buffer.from(text)),
    close: () => {
      if (own !== undefined) fs.closeSync(own);
    },
  };
}

function reopen(fs: FileSystem, fd: number): number | undefined {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = fs.constants;
  try {
    return fs.openSync(`/proc/self/fd/${fd}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    return undefined;
  }
}

function writeInPool(fs: FileSystem, fd: number): WriteBytes {
  return (bytes, done) => fs.write(fd, bytes, done);
}

function writeNow(fs: FileSystem, fd: number): WriteBytes {
  return (bytes, done) => {
    let written = 0;
    try {
      written = fs.writeSync(fd, bytes);
    } catch (error) {
      done(error as NodeJS.ErrnoException, 0);
      return;
    }
    done(null, written);
  };
}

function writeAll(fs: FileSystem, fd: number, bytes: Uint8Array): void {
  let waits = 0;
  for (let offset = 0; offset < bytes.length; ) {
    try {
      offset += fs.writeSync(fd, bytes.subarray(offset));
    } catch (error) {
      const isBusy = (error as NodeJS.ErrnoException).code === "EAGAIN";
      if (!isBusy || waits++ >= MAX_WAITS) throw error;
      waitMs(WAIT_STEP_MS);
    }
  }
}

function waitMs(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

type Descriptors = Pick<FileSystem, "openSync" | "closeSync">;

const STDIO = [0, 1, 2];

/**
 * On exit, Node resets its standard streams, and aborts, possibly with a core dump, if one of them was a terminal at start and is
 * gone. Call this at start, and the returned function right before exiting: it replaces each terminal that is gone by the null
 * device.
 * @param isTerminal `isatty` of `node:tty`
 */
export function guardStdio(fs: Descriptors, isTerminal: (fd: number) => boolean): () => void {
  const terminals = STDIO.filter(isTerminal);
  return () => {
    for (const fd of terminals) if (!isTerminal(fd)) replaceByNull(fs, fd);
  };
}

// The system assigns the lowest free number, which is the one that was just closed.
function replaceByNull(fs: Descriptors, fd: number): void {
  try {
    fs.closeSync(fd);
    fs.openSync("/dev/null", "r+");
  } catch {}
}
