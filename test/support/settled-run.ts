// A whole run on a virtual clock with real sockets: time passes as fast as everything that was sent, read from files or
// started as a process has come to its end.
import { setImmediate, setTimeout } from "node:timers/promises";
import { onTestFinished, vi } from "vitest";
import { settleLoopback, watchLoopback } from "./loopback.ts";
import { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";

/** Time passes in steps: what happens within one arrives together. */
const STEP_MS = 50;
/** Modules that are loaded on first use take no time of the run, but for these steps. */
const STEPS_WITHOUT_LOOK = 10;
/** Work that takes so few turns of the event loop is most of all there is. */
const QUICK_TURNS = 20;
/** Of a millisecond each: what never ends, such as a pipe without a writer, is not waited for longer. */
const MAX_TURNS = 2000;

/** Comes to what the run comes to. One at a time: sockets of another run would be waited for, too. */
export async function runSettled<T>(
  run: (clock: VirtualClock) => Promise<T>,
  clock = createVirtualClock(),
): Promise<T> {
  watchLoopback();
  let isOver = false;
  // A test that is given up takes its run with it: time goes on for the next one alone.
  onTestFinished(() => {
    isOver = true;
  });
  const done = run(clock).finally(() => {
    isOver = true;
  });
  for (let step = 0; !isOver; step++) {
    if (step % STEPS_WITHOUT_LOOK === 0) await vi.dynamicImportSettled();
    await settleLoopback();
    for (let turn = 0; turn < MAX_TURNS && isWorkUnderWay(); turn++) {
      await (turn < QUICK_TURNS ? setImmediate() : setTimeout(1));
      await settleLoopback();
    }
    if (!isOver) clock.advance(STEP_MS);
  }
  return done;
}

/** Of files, of names that are looked up, and of processes. */
const isWorkUnderWay = () =>
  process.getActiveResourcesInfo().some((name) => /^(?:FSReq|GetAddrInfo|Process)/.test(name));
