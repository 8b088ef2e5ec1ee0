// Looks at what the program prints of a market and an account, and compares it with the exchange's own ledger.
import type { Session } from "../../src/live/session.ts";
import { accountJson, accountPaneJson } from "../../src/print/account-json.ts";
import { marketJson } from "../../src/print/market-json.ts";
import { accountChannel } from "../../src/select/account.ts";
import { marketChannels } from "../../src/select/market.ts";
import type { MarketScale } from "../../src/state/scales.ts";
import { stringifyExact } from "../../src/wire/exact-numbers.ts";
import type { TruthfulSimulator } from "../simulator/ledger.ts";
import { STEP_MS } from "../support/live-rig.ts";
import type { VirtualClock } from "../support/virtual-clock.ts";
import {
  PANES,
  type Pane,
  type Printed,
  type PrintedAccount,
  type PrintedMarket,
  Truth,
} from "./truth.ts";

const market = { type: "perp", id: "1" } as const;
const channels = marketChannels(market, "1m");
const NO_SCALE: MarketScale = {
  scale: undefined,
  source: "none",
  evidence: "",
  pairs: 0,
  contradictions: 0,
  inconsistency: "",
};
/** What is shown may be as old as that. */
const MAX_LIE_MS = 1000;

export class PaneWatch {
  /** Panes that for more than a second called themselves live and showed what the ledger had not said lately. */
  readonly lies: string[] = [];
  checks = 0;
  readonly #live: Session;
  readonly #clock: VirtualClock;
  readonly #truth: Truth;
  readonly #lyingSince = new Map<Pane, number>();
  readonly #account: { readonly address: string; readonly subaccountId: string };

  constructor(live: Session, { ledger, announcement }: TruthfulSimulator, clock: VirtualClock) {
    const { address, subaccount_id } = announcement.account;
    this.#account = { address, subaccountId: `${subaccount_id}` };
    this.#live = live;
    this.#clock = clock;
    this.#truth = new Truth(ledger, MAX_LIE_MS / STEP_MS);
    for (const pane of ["bbo", "orderbook", "trades", "candles"] as const) {
      live.stream.subscribe(channels[pane]);
    }
    live.stream.subscribe(accountChannel(this.#account));
  }

  /** Remembers the ledger as it is now. */
  note(): void {
    this.#truth.note();
  }

  /** What a live pane shows is what the ledger said within the last second, but for a second at most. */
  look(): void {
    const { printed, states } = this.#print();
    const differences = this.#truth.differences(printed, false);
    const now = this.#clock.now();
    for (const pane of PANES) {
      const difference = differences.get(pane);
      if (difference === undefined || states[pane] !== "live") {
        this.#lyingSince.delete(pane);
        continue;
      }
      const since = this.#lyingSince.get(pane) ?? now;
      this.#lyingSince.set(pane, since);
      if (now - since > MAX_LIE_MS) this.lies.push(`${pane} since ${since} ms: ${difference}`);
    }
    this.checks++;
  }

  /** Which panes are not received now, or do not equal the ledger. */
  untrue(): readonly string[] {
    const { printed, states } = this.#print();
    const differences = this.#truth.differences(printed, true);
    return PANES.flatMap((pane) => {
      const difference = differences.get(pane);
      if (!/^(?:live|quiet)$/.test(states[pane])) return [`${pane} is ${states[pane]}`];
      return difference === undefined ? [] : [`${pane}: ${difference}`];
    }).map((each) => `at ${this.#clock.now()} ms: ${each}`);
  }

  #print(): { readonly printed: Printed; readonly states: Readonly<Record<Pane, string>> } {
    const { store } = this.#live;
    const times = { nowMs: this.#clock.now(), wallMs: 0 };
    const shown = { store, market, channels, interval: "1m", scale: NO_SCALE, ...times } as const;
    const ofMarket = copyOf(marketJson(shown)) as PrintedMarket;
    const account = copyOf(accountJson(store, this.#account)) as PrintedAccount;
    const pane = copyOf(accountPaneJson(store, this.#account, times.nowMs)) as {
      readonly account: {
        readonly state: string;
        readonly readings: { readonly positions: { readonly in_question: readonly number[] } };
      };
    };
    const { bbo, orderbook, trades, candles } = ofMarket.panes;
    const inQuestion = pane.account.readings.positions.in_question;
    return {
      printed: { market: ofMarket, account, inQuestion },
      states: {
        bbo: bbo.state,
        orderbook: orderbook.state,
        trades: trades.state,
        candles: candles.state,
        account: pane.account.state,
      },
    };
  }
}

/** What a reader of the printed text has. */
function copyOf(printed: object): unknown {
  return JSON.parse(stringifyExact(printed));
}
