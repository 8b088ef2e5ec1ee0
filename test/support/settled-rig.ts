// The client's stream and store against the simulated exchange over real sockets, whatever its faults are: one virtual
// clock for both, and after each step everything that can arrive has arrived.
import { openSession, type Session, type SessionOptions } from "../../src/live/session.ts";
import type { FaultName } from "../../src/simulator/faults/fault-kinds.ts";
import type { Scenario } from "../../src/simulator/scenarios/scenario.ts";
import type { OpenSocket } from "../../src/stream/socket.ts";
import { createWsSocket } from "../../src/stream/ws-socket.ts";
import { createRandom } from "../../src/units/random.ts";
import { startTruthfulSimulator, type TruthfulSimulator } from "../simulator/ledger.ts";
import { settleLoopback, watchLoopback } from "./loopback.ts";
import { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";

/** Time passes in steps: what happens within one arrives together. */
export const STEP_MS = 50;

interface SettledRigOptions {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly clock?: VirtualClock;
  readonly onFault?: (kind: FaultName) => void;
  readonly onEvent?: SessionOptions["onEvent"];
  /** Sees every socket that is opened. */
  readonly watch?: (open: OpenSocket) => OpenSocket;
}

export interface SettledRig {
  readonly live: Session;
  readonly simulator: TruthfulSimulator;
  readonly clock: VirtualClock;
  /** Lets one step of time pass. */
  step(): Promise<void>;
  close(): Promise<void>;
}

/** Nothing is subscribed yet. */
export async function startSettledRig(options: SettledRigOptions): Promise<SettledRig> {
  const { scenario, seed, clock = createVirtualClock(), onFault, onEvent, watch } = options;
  watchLoopback();
  const simulator = await startTruthfulSimulator({
    ...{ seed, scenario, clock, history: 100, port: 0 },
    ...(onFault && { onFault }),
  });
  const open = createWsSocket({ url: simulator.announcement.ws_url, headers: {}, clock });
  const live = openSession({
    openSocket: watch?.(open) ?? open,
    isStrict: false,
    clock,
    random: createRandom(seed),
    ...(onEvent && { onEvent }),
  });
  return {
    live,
    simulator,
    clock,
    async step() {
      clock.advance(STEP_MS);
      await settleLoopback();
    },
    async close() {
      live.close();
      await simulator.close();
    },
  };
}
