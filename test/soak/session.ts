// One soak session: the program's stream and store against the simulated exchange over real sockets, on one
// virtual clock, watched by the checker at every quarter of a second.

import { accountJson, accountPaneJson } from "../../src/cli/account-json.ts";
import { type Live, openLive } from "../../src/cli/live.ts";
import { marketJson } from "../../src/cli/market-json.ts";
import { stringifyExact } from "../../src/protocol/exact-numbers.ts";
import type { FaultName } from "../../src/simulator/faults/fault-kinds.ts";
import { decodeScenario } from "../../src/simulator/scenarios/scenario.ts";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import type { MarketScale } from "../../src/store/scales.ts";
import type { OpenSocket } from "../../src/stream/socket.ts";
import { createWsSocket } from "../../src/stream/ws-socket.ts";
import { createRandom } from "../../src/units/random.ts";
import { accountChannel } from "../../src/view/account.ts";
import { marketChannels } from "../../src/view/market.ts";
import { settleLoopback, watchLoopback } from "../support/loopback.ts";
import { createVirtualClock, type VirtualClock } from "../support/virtual-clock.ts";
import { accountDifferences, type PrintedAccount } from "./account-truth.ts";
import { type Campaign, CYCLE_MS, chooseReadings } from "./campaigns.ts";
import { PANES, type Pane, type Printed, Truth } from "./truth.ts";

const STEP_MS = 50;
const CHECK_MS = 250;
const market = { type: "perp", id: "1" } as const;
const channels = marketChannels(market, "1m");
const NO_SCALE: MarketScale = {
  scale: undefined,
  source: "none",
  evidence: "",
  pairs: 0,
  contradictions: 0,
  doubt: "",
};

/** What a session found out. All lists are empty when all is well. */
export interface Report {
  readonly strikes: ReadonlyMap<FaultName, number>;
  /** Panes that did not equal the ledger, or were not received, at the end of a quiet minute. */
  readonly wrong: readonly string[];
  /** Panes that for more than a second called themselves live and showed what the ledger had not said lately. */
  readonly lies: readonly string[];
  /** Connections: attempts that came too soon or beside another, and dead ones that were found too late. */
  readonly links: readonly string[];
  readonly attempts: number;
  readonly checks: number;
}

const MAX_LIE_MS = 1000;

export async function runSession(
  campaign: Campaign,
  {
    seed,
    cycles,
    readings = chooseReadings(seed),
  }: { seed: number; cycles: number; readings?: object },
): Promise<Report> {
  watchLoopback();
  const clock = createVirtualClock();
  const strikes = new Map<FaultName, number>();
  const sockets = new SocketWatch(clock);
  const simulator = await startSimulator({
    seed,
    history: 100,
    port: 0,
    clock,
    scenario: decodeScenario(
      { name: campaign.name, description: "", readings, faults: campaign.faults },
      campaign.name,
    ),
    onFault: (kind) => {
      strikes.set(kind, (strikes.get(kind) ?? 0) + 1);
      if (kind === "half-open") sockets.noteDeath();
    },
  });
  const live = openLive({
    openSocket: sockets.watch(
      createWsSocket({ url: simulator.announcement.ws_url, headers: {}, clock }),
    ),
    isStrict: false,
    clock,
    random: createRandom(seed),
  });
  try {
    const watch = new PaneWatch(live, simulator, clock);
    for (let cycle = 0; cycle < cycles; cycle++) {
      for (let passed = 0; passed < CYCLE_MS; passed += STEP_MS) {
        clock.advance(STEP_MS);
        await settleLoopback();
        watch.note();
        if (passed % CHECK_MS === 0) watch.look();
      }
      watch.expectTruth();
    }
    const { wrong, lies, checks } = watch;
    return { strikes, wrong, lies, checks, links: sockets.faults, attempts: sockets.attempts };
  } finally {
    live.close();
    await simulator.close();
  }
}

class PaneWatch {
  readonly wrong: string[] = [];
  readonly lies: string[] = [];
  checks = 0;
  readonly #live: Live;
  readonly #clock: VirtualClock;
  readonly #truth: Truth;
  readonly #lyingSince = new Map<Pane | "account", number>();
  readonly #ledger: Simulator["ledger"];
  readonly #account: { readonly address: string; readonly subaccountId: string };

  constructor(live: Live, { ledger, announcement }: Simulator, clock: VirtualClock) {
    const { address, subaccount_id } = announcement.account;
    this.#account = { address, subaccountId: `${subaccount_id}` };
    this.#ledger = ledger;
    this.#live = live;
    this.#clock = clock;
    this.#truth = new Truth(ledger, MAX_LIE_MS / STEP_MS);
    for (const pane of PANES) live.stream.subscribe(channels[pane]);
    live.stream.subscribe(accountChannel(this.#account));
  }

  note(): void {
    this.#truth.note();
  }

  /** What a live pane shows is what the ledger said within the last second, but for a second at most. */
  look(): void {
    const printed = this.#print();
    const differences = this.#truth.differences(printed, false);
    for (const pane of PANES) this.#judge(pane, printed.panes[pane].state, differences.get(pane));
    const account = this.#printAccount();
    const [difference] = accountDifferences(account.printed, this.#ledger);
    this.#judge("account", account.state, difference);
    this.checks++;
  }

  #judge(pane: Pane | "account", state: string, difference: string | undefined): void {
    if (difference === undefined || state !== "live") {
      this.#lyingSince.delete(pane);
      return;
    }
    const now = this.#clock.now();
    const since = this.#lyingSince.get(pane) ?? now;
    this.#lyingSince.set(pane, since);
    if (now - since <= MAX_LIE_MS) return;
    this.lies.push(`${pane} at ${now} ms, since ${since} ms: ${difference}`);
    this.#lyingSince.set(pane, Number.POSITIVE_INFINITY);
  }

  /** Now every pane is received and equals the ledger. */
  expectTruth(): void {
    const printed = this.#print();
    const differences = this.#truth.differences(printed, true);
    for (const pane of PANES) {
      const { state } = printed.panes[pane];
      const at = `${pane} at ${this.#clock.now()} ms`;
      if (!/^(live|quiet)$/.test(state)) this.wrong.push(`${at} is ${state}`);
      else if (differences.has(pane)) this.wrong.push(`${at}: ${differences.get(pane)}`);
    }
    this.#expectAccount();
  }

  #expectAccount(): void {
    const { printed, state } = this.#printAccount();
    const at = `account at ${this.#clock.now()} ms`;
    if (!/^(live|quiet)$/.test(state)) this.wrong.push(`${at} is ${state}`);
    const differences = accountDifferences(printed, this.#ledger);
    this.wrong.push(...differences.map((each) => `${at}: ${each}`));
  }

  #printAccount(): { readonly printed: PrintedAccount; readonly state: string } {
    const { store } = this.#live;
    const pane = copyOf(accountPaneJson(store, this.#account, this.#clock.now())) as {
      readonly account: { readonly state: string };
    };
    const printed = copyOf(accountJson(store, this.#account)) as PrintedAccount;
    return { printed, state: pane.account.state };
  }

  #print(): Printed {
    const { store } = this.#live;
    const nowMs = this.#clock.now();
    const shown = { store, market, channels, interval: "1m", scale: NO_SCALE, nowMs } as const;
    return copyOf(marketJson(shown)) as Printed;
  }
}

/** What a reader of the printed text has. */
function copyOf(printed: object): unknown {
  return JSON.parse(stringifyExact(printed));
}

/** A dead connection is found within the time from one ping to the end of the wait for its pong, and a watch period. */
const MAX_DETECTION_MS = 21_000;
const MIN_GAP_MS = 250;

/** Counts attempts, and connections that are open at once. */
class SocketWatch {
  readonly faults: string[] = [];
  attempts = 0;
  readonly #clock: VirtualClock;
  #attemptedAtMs = Number.NEGATIVE_INFINITY;
  #isOpen = false;
  #deadSinceMs: number | undefined;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  noteDeath(): void {
    if (this.#isOpen) this.#deadSinceMs ??= this.#clock.now();
  }

  watch(open: OpenSocket): OpenSocket {
    return (handlers) => {
      const now = this.#clock.now();
      this.attempts++;
      if (this.#isOpen) this.faults.push(`a second connection at ${now} ms`);
      if (now - this.#attemptedAtMs < MIN_GAP_MS) this.faults.push(`too soon again at ${now} ms`);
      this.#attemptedAtMs = now;
      this.#isOpen = true;
      const socket = open({
        ...handlers,
        onEnd: (fault) => {
          this.#ended();
          handlers.onEnd(fault);
        },
      });
      return {
        ...socket,
        terminate: () => {
          this.#ended();
          socket.terminate();
        },
      };
    };
  }

  #ended(): void {
    this.#isOpen = false;
    const deadMs = this.#clock.now() - (this.#deadSinceMs ?? this.#clock.now());
    this.#deadSinceMs = undefined;
    if (deadMs > MAX_DETECTION_MS) this.faults.push(`dead for ${deadMs} ms`);
  }
}
