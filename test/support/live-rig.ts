// The client's stream and store against the simulated exchange: a real socket between them, one virtual clock
// for both. The test moves time; then everything that was sent has arrived.
import { onTestFinished } from "vitest";
import { openSession, type Session, type SessionOptions } from "../../src/live/session.ts";
import type { Store } from "../../src/state/store.ts";
import { createWsSocket } from "../../src/stream/ws-socket.ts";
import type { Recorder } from "../../src/timeline/recorder.ts";
import { createRandom } from "../../src/units/random.ts";
import { type RigOptions, startRig } from "../simulator/rig.ts";
import { settleLoopback, watchLoopback } from "./loopback.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** Time passes in steps: what happens within one arrives together. */
const STEP_MS = 50;

interface LiveRigOptions extends RigOptions {
  /** Writes the session down. */
  readonly recorderOf?: (clock: VirtualClock) => Recorder;
  /** Keeps it. */
  readonly historyBufferOf?: (clock: VirtualClock) => SessionOptions["historyBuffer"];
  /** From when on the past of tapes is requested, Unix milliseconds. */
  readonly sinceMs?: number;
  /** The store to fill. */
  readonly store?: Store;
}

export async function startLiveRig(options: LiveRigOptions) {
  watchLoopback();
  const { simulator, clock } = await startRig(options);
  const live: Session = openSession({
    openSocket: createWsSocket({ url: simulator.announcement.ws_url, headers: {}, clock }),
    recorder: options.recorderOf?.(clock),
    historyBuffer: options.historyBufferOf?.(clock),
    ...(options.store && { store: options.store }),
    sinceMs: options.sinceMs,
    isStrict: true,
    clock,
    random: createRandom(options.seed ?? 1),
  });
  onTestFinished(() => live.close());
  return {
    ...live,
    simulator,
    clock,
    /** Lets time pass, and calls back after each step. */
    async pass(ms: number, onStep: () => void = () => {}): Promise<void> {
      for (let passed = 0; passed < ms; passed += STEP_MS) {
        clock.advance(STEP_MS);
        await settleLoopback();
        onStep();
      }
    },
  };
}
