// The client's stream and store against the simulated exchange: a real socket between them, one virtual clock
// for both. The test moves time; then everything that was sent has arrived.
import { onTestFinished } from "vitest";
import { openSession, type Session, type SessionOptions } from "../../src/live/session.ts";
import type { Store } from "../../src/state/store.ts";
import type { Socket } from "../../src/stream/socket.ts";
import { createWsSocket } from "../../src/stream/ws-socket.ts";
import type { Recorder } from "../../src/timeline/recorder.ts";
import { createRandom } from "../../src/units/random.ts";
import { type RigOptions, startRig } from "../simulator/rig.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** Time passes in steps: what happens within one arrives together. */
const STEP_MS = 50;

interface LiveRigOptions extends RigOptions {
  /** Writes the session down. */
  readonly recorderOf?: (clock: VirtualClock) => Recorder;
  /** Keeps it. */
  readonly historyBufferOf?: (clock: VirtualClock) => SessionOptions["historyBuffer"];
  /** The store to fill. */
  readonly store?: Store;
}

export async function startLiveRig(options: LiveRigOptions) {
  const { simulator, clock } = await startRig(options);
  const wire = new Wire(simulator.announcement.ws_url, clock);
  const live: Session = openSession({
    openSocket: wire.open,
    recorder: options.recorderOf?.(clock),
    historyBuffer: options.historyBufferOf?.(clock),
    ...(options.store && { store: options.store }),
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
        await wire.settle();
        onStep();
      }
    },
  };
}

/** The newest socket, with a way to wait until all that was sent on it has come. */
class Wire {
  readonly open: ReturnType<typeof createWsSocket>;
  #socket: Socket | undefined;
  #isOpening = false;
  #onChange = () => {};
  #pongs = 0;

  constructor(url: string, clock: VirtualClock) {
    const openReal = createWsSocket({ url, headers: {}, clock });
    this.open = (handlers) => {
      this.#isOpening = true;
      const socket = openReal({
        ...handlers,
        onOpen: () => {
          this.#isOpening = false;
          handlers.onOpen();
          this.#onChange();
        },
        onPong: () => {
          this.#pongs++;
          handlers.onPong();
          this.#onChange();
        },
        onEnd: (fault) => {
          this.#isOpening = false;
          if (this.#socket === socket) this.#socket = undefined;
          handlers.onEnd(fault);
          this.#onChange();
        },
      });
      this.#socket = socket;
      return socket;
    };
  }

  /** A ping is answered after everything that was sent before it; commands may lead to more, so it is sent twice. */
  async settle(): Promise<void> {
    for (let round = 0; round < 2; round++) {
      await this.#until(() => !this.#isOpening);
      const wanted = this.#pongs + 1;
      this.#socket?.ping();
      await this.#until(() => this.#socket === undefined || this.#pongs >= wanted);
    }
  }

  async #until(isMet: () => boolean): Promise<void> {
    while (!isMet()) {
      await new Promise<void>((resolve) => {
        this.#onChange = resolve;
      });
    }
  }
}
