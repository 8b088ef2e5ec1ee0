// The client's stream and store against the simulated exchange over real sockets, whatever its faults are: one virtual clock
// for both. The test moves time; then everything that was sent has arrived.
import { openSession, type SessionOptions } from "../../src/live/session.ts";
import type { OpenSocket } from "../../src/stream/socket.ts";
import { createWsSocket } from "../../src/stream/ws-socket.ts";
import { createRandom } from "../../src/units/random.ts";
import { atEndOfTest, type RigOptions, startRig } from "../simulator/rig.ts";
import { settleLoopback, watchLoopback } from "./loopback.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** Time passes in steps: what happens within one arrives together. */
export const STEP_MS = 50;

interface LiveRigOptions extends RigOptions {
  readonly sessionOf?: (clock: VirtualClock) => Partial<SessionOptions>;
  /** Sees every socket that is opened. */
  readonly watch?: (open: OpenSocket) => OpenSocket;
}

/** Nothing is subscribed yet. */
export async function startLiveRig(options: LiveRigOptions) {
  const { onEnd = atEndOfTest, seed = 1, watch = (open) => open, sessionOf } = options;
  watchLoopback();
  const { simulator, clock } = await startRig(options);
  const socket = createWsSocket({ url: simulator.announcement.ws_url, headers: {}, clock });
  const live = openSession({
    openSocket: watch(socket),
    clock,
    random: createRandom(seed),
    ...sessionOf?.(clock),
  });
  onEnd(() => live.close());
  const step = async () => {
    clock.advance(STEP_MS);
    await settleLoopback();
  };
  return {
    ...live,
    simulator,
    clock,
    /** Lets one step of time pass. */
    step,
    /** Lets time pass, and calls back after each step. */
    async pass(ms: number, onStep: () => void = () => {}): Promise<void> {
      for (let passed = 0; passed < ms; passed += STEP_MS) {
        await step();
        onStep();
      }
    },
  };
}

/** A rig of a session that is not strict, for callers that close it before the test ends. */
export async function startClosableRig(options: Omit<LiveRigOptions, "onEnd">) {
  const closers: (() => unknown)[] = [];
  const rig = await startLiveRig({
    ...options,
    history: 100,
    sessionOf: (clock) => ({ ...options.sessionOf?.(clock) }),
    onEnd: (close) => closers.unshift(close),
  });
  const close = async () => {
    for (const each of closers) await each();
  };
  return { ...rig, close };
}
