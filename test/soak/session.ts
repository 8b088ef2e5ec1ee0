// One soak session: the program's stream and store against the simulated exchange over real sockets, on one
// virtual clock, watched by the checker at every quarter of a second.
import type { FaultName } from "../../src/simulator/faults/fault-kinds.ts";
import { STEP_MS, startClosableRig } from "../support/live-rig.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { type Campaign, CYCLE_MS, chooseReadings } from "./campaigns.ts";
import { ListingWatch } from "./listings.ts";
import { PaneWatch } from "./pane-watch.ts";
import { SocketWatch } from "./socket-watch.ts";

const CHECK_MS = 250;

/** What a session found out. All lists are empty when all is well. */
export interface Report {
  readonly strikes: ReadonlyMap<FaultName, number>;
  /** Panes that did not equal the ledger, or were not received, at the end of a quiet minute. */
  readonly wrong: readonly string[];
  /** Panes that for more than a second called themselves live and showed what the ledger had not said lately. */
  readonly lies: readonly string[];
  /** Connections: attempts that came too soon or beside another, and dead ones that were found too late. */
  readonly links: readonly string[];
  /** Exports, scales and rebuilt candles that are not as the ledger has them. Nothing is listed without REST faults. */
  readonly listed: readonly string[];
  /** Answers other than pages that exports met, by what they were, and exports that ended whole all the same. */
  readonly met: ReadonlyMap<string, number>;
  readonly exports: number;
  /** A digest of everything that was printed, in order: the same seed prints the same. */
  readonly trace: string;
  readonly attempts: number;
  readonly checks: number;
}

interface SessionOptions {
  readonly seed: number;
  /** How long it lasts: faults strike in the first of every two minutes, and in the end of the second all is well. */
  readonly forMs: number;
  readonly readings?: object;
}

export async function runSession(
  { name, faults }: Campaign,
  { seed, forMs, readings = chooseReadings(seed) }: SessionOptions,
): Promise<Report> {
  const clock = createVirtualClock();
  const strikes = new Map<FaultName, number>();
  const sockets = new SocketWatch(clock);
  const rig = await startClosableRig({
    scenario: { name, readings, faults },
    seed,
    clock,
    onFault: (kind) => {
      strikes.set(kind, (strikes.get(kind) ?? 0) + 1);
      if (kind === "half-open") sockets.noteDeath();
    },
    watch: (open) => sockets.watch(open),
  });
  const { simulator } = rig;
  const listings = faults.some(({ kind }) => kind.startsWith("rest-"))
    ? new ListingWatch({ simulator, store: rig.store, clock, seed })
    : undefined;
  try {
    const watch = new PaneWatch(rig, simulator, clock);
    for (let passed = 0; passed < forMs; ) {
      await rig.step();
      watch.note();
      if (passed % CHECK_MS === 0) watch.look();
      passed += STEP_MS;
      // The last moment before faults strike again.
      if (passed % CYCLE_MS !== CYCLE_MS - STEP_MS) continue;
      watch.expectTruth();
      listings?.look();
    }
    const { wrong, lies, checks } = watch;
    const { wrong: listed = [], met = new Map(), finished: exports = 0 } = listings ?? {};
    const links = { links: sockets.faults, attempts: sockets.attempts };
    const trace = watch.trace.digest("hex");
    return { strikes, wrong, lies, checks, ...links, listed, met, exports, trace };
  } finally {
    await listings?.close();
    await rig.close();
  }
}
