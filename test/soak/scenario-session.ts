// One session of a built-in scenario: the real client against it on a virtual clock, and everything that was seen of it.

import { marketChannels } from "../../src/select/market.ts";
import type { PaneState } from "../../src/state/pane-state.ts";
import type { StreamEvent } from "../../src/wire/stream-event.ts";
import { STEP_MS, startClosableRig } from "../support/live-rig.ts";
import { isSoak } from "../support/soak.ts";
import { PaneWatch } from "./pane-watch.ts";
import { RepeatedExports } from "./repeated-exports.ts";
import { PANES, type Pane } from "./truth.ts";

const CHECK_MS = isSoak ? 500 : 1000;
/** A scenario in which faults strike all the time has no quiet minute: the end is looked for this much longer. */
const PATIENCE_MS = 60_000;
const channels = marketChannels({ type: "perp", id: "1" }, "1m");

export type EventName = StreamEvent["type"];

export interface SessionLength {
  /** At most. */
  readonly seconds: number;
  /** True when the listings are exported all the while. */
  readonly isListed?: boolean;
}

/** What was seen of one session. */
export class ScenarioSession {
  readonly events = new Map<EventName, number>();
  readonly states = new Map<Pane, Set<PaneState>>(PANES.map((pane) => [pane, new Set()]));
  /** Why channels were resynchronised, and why connections ended. */
  readonly reasons: string[] = [];
  readonly ends: string[] = [];
  liveAtMs = Number.POSITIVE_INFINITY;
  #hasBeenOpen = false;
  #isEnded = false;
  rig!: Awaited<ReturnType<typeof startClosableRig>>;
  watch!: PaneWatch;
  exports: RepeatedExports | undefined;

  /** What follows is no part of it. */
  end(): void {
    this.#isEnded = true;
  }

  observe(event: StreamEvent): void {
    if (this.#isEnded) return;
    this.events.set(event.type, (this.events.get(event.type) ?? 0) + 1);
    if (event.type === "update") return;
    if (event.type === "resync") this.reasons.push(event.reason);
    if (event.type === "link" && event.link.fault) this.ends.push(event.link.fault.detail);
    if (this.rig !== undefined) this.#noteStates();
  }

  async pass(ms: number, isOver: () => boolean = () => false): Promise<void> {
    for (let passed = 0; passed < ms && !isOver(); passed += STEP_MS) {
      await this.rig.step();
      this.watch.note();
      this.#noteStates();
      if (passed % CHECK_MS === 0) this.watch.look();
    }
  }

  /** Lets time pass until everything is received and equals the ledger, and says what does not if nothing helps. */
  async untilTrue(): Promise<readonly string[]> {
    for (let waited = 0; waited < PATIENCE_MS; waited += CHECK_MS) {
      if (this.watch.untrue().length === 0) return [];
      await this.pass(CHECK_MS);
    }
    return this.watch.untrue();
  }

  /** From the first connection on: before it everything is offline. */
  #noteStates(): void {
    const { store, clock } = this.rig;
    this.#hasBeenOpen ||= store.link?.state === "open";
    if (!this.#hasBeenOpen) return;
    for (const pane of PANES) {
      const state = store.paneState(store.slice(pane, channels[pane]), clock.now());
      this.states.get(pane)?.add(state);
      if (state === "live") this.liveAtMs = Math.min(this.liveAtMs, clock.now());
    }
  }
}

/**
 * Plays a scenario until what it is for has happened, and then until everything is true again.
 * @returns the session, closed, and what is still untrue
 */
export async function playScenario(
  name: string,
  { seconds, isListed = false }: SessionLength,
  {
    seed,
    isOver,
  }: { readonly seed: number; readonly isOver: (session: ScenarioSession) => boolean },
): Promise<{ readonly session: ScenarioSession; readonly untrue: readonly string[] }> {
  const session = new ScenarioSession();
  const rig = await startClosableRig({
    scenario: name,
    seed,
    sessionOf: () => ({ onEvent: (event) => session.observe(event) }),
  });
  const { simulator, clock } = rig;
  session.rig = rig;
  session.watch = new PaneWatch(rig, simulator, clock);
  if (isListed) session.exports = new RepeatedExports({ simulator, clock, seed });
  try {
    await session.pass(seconds * 1000, () => isOver(session));
    return { session, untrue: await session.untilTrue() };
  } finally {
    session.end();
    await session.exports?.close();
    await rig.close();
  }
}
