// The clock as an argument. The real one is in system/system-clock.ts; tests have one that they move by hand.

/** Two clocks and a timer. Every timer of the program comes from here. */
export interface Clock {
  /** Monotonic milliseconds from an arbitrary origin: ages and deadlines are differences of it. */
  now(): number;
  /** Unix milliseconds of the wall clock; it may jump. For display and for comparing with server times. */
  wall(): number;
  /** Calls back once, `delayMs` from now. Returns its undo, which may be called at any time. */
  after(delayMs: number, callback: () => void): () => void;
  /** Calls back once in the next turn of the event loop, after pending input. Returns its undo. */
  soon(callback: () => void): () => void;
  /** Calls back once when what runs now is over, before anything else of the event loop. Returns its undo. */
  next(callback: () => void): () => void;
}

/** Calls back again and again, `periodMs` after the last call began. Returns its undo. */
export function every(clock: Clock, periodMs: number, callback: () => void): () => void {
  let stop = () => {};
  const arm = () => {
    stop = clock.after(periodMs, () => {
      arm();
      callback();
    });
  };
  arm();
  return () => stop();
}

// Waiting on a clock that can be interrupted.

/** Resolves after a time. @throws the signal's reason when it is aborted before that */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}
