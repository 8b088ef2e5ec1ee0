// Lets a process whose terminal was closed exit with its own code.

/** The part of `node:fs` that is used. */
export interface Descriptors {
  openSync(path: string, flags: string): number;
  closeSync(fd: number): void;
}

const STDIO = [0, 1, 2];

/**
 * Node resets its standard streams when it exits, and aborts, perhaps with a core file, when one of them was a
 * terminal at the start and is gone. Call this at the start, and what it returns right before the exit: it puts the
 * null device in the place of each terminal that is gone.
 * @param isTerminal `isatty` of `node:tty`
 */
export function guardStdio(fs: Descriptors, isTerminal: (fd: number) => boolean): () => void {
  const terminals = STDIO.filter(isTerminal);
  return () => {
    for (const fd of terminals) if (!isTerminal(fd)) replaceByNull(fs, fd);
  };
}

// The system gives the lowest free number, which is the one that was just closed.
function replaceByNull(fs: Descriptors, fd: number): void {
  try {
    fs.closeSync(fd);
    fs.openSync("/dev/null", "r+");
  } catch {}
}
