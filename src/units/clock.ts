// The clock as an argument. The real one is in system/system-clock.ts; tests advance theirs manually.

/** Two clocks and timers. Every timer of the program comes from here. */
export interface Clock {
  /** Monotonic milliseconds from an arbitrary origin, for ages and deadlines; they go on while the machine sleeps. */
  now(): number;
  /** Unix milliseconds of the wall clock, which may jump. For display and for comparison with server times. */
  wall(): number;
  /** Calls back once, `delayMs` from now. @returns cancel, which may be called at any time */
  after(delayMs: number, callback: () => void): () => void;
  /** Calls back once in the next turn of the event loop, after pending input. @returns cancel */
  soon(callback: () => void): () => void;
  /** Calls back once as soon as the current task ends, before anything else in the event loop. @returns cancel */
  next(callback: () => void): () => void;
}

/** Calls back repeatedly, each time `periodMs` after the previous call began. @returns cancel */
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

/** Resolves after a delay. @throws the signal's reason if it is aborted first */
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
