// Looks at what the program prints of a market and an account, and compares it with the exchange's own ledger.
import { createHash } from "node:crypto";
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
import { accountDifferences, type PrintedAccount } from "./account-truth.ts";
import { PANES, type Pane, type Printed, Truth } from "./truth.ts";

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
const MAX_LIE_MS = 1000;
/** What is shown may be as old as that. */
const MOMENTS = MAX_LIE_MS / STEP_MS;

interface ShownAccount {
  readonly printed: PrintedAccount;
  readonly state: string;
  /** Places of positions that are marked: they may be over. */
  readonly inQuestion: readonly number[];
}

export class PaneWatch {
  readonly wrong: string[] = [];
  readonly lies: string[] = [];
  checks = 0;
  readonly trace = createHash("sha256");
  readonly #live: Session;
  readonly #clock: VirtualClock;
  readonly #truth: Truth;
  /** Of the last transaction at each of those moments, newest first. */
  #indexes: readonly number[] = [];
  readonly #lyingSince = new Map<Pane | "account", number>();
  readonly #ledger: TruthfulSimulator["ledger"];
  readonly #account: { readonly address: string; readonly subaccountId: string };

  constructor(live: Session, { ledger, announcement }: TruthfulSimulator, clock: VirtualClock) {
    const { address, subaccount_id } = announcement.account;
    this.#account = { address, subaccountId: `${subaccount_id}` };
    this.#ledger = ledger;
    this.#live = live;
    this.#clock = clock;
    this.#truth = new Truth(ledger, MOMENTS);
    for (const pane of PANES) live.stream.subscribe(channels[pane]);
    live.stream.subscribe(accountChannel(this.#account));
  }

  note(): void {
    this.#truth.note();
    const { lastIndex } = this.#ledger;
    this.#indexes = [lastIndex, ...this.#indexes.slice(0, MOMENTS - 1)];
  }

  /**
   * What a live pane shows is what the ledger said within the last second, but for a second at most.
   * @returns the state of each pane
   */
  look(): ReadonlyMap<Pane | "account", string> {
    const printed = this.#print();
    const differences = this.#truth.differences(printed, false);
    for (const pane of PANES) this.#judge(pane, printed.panes[pane].state, differences.get(pane));
    const account = this.#printAccount();
    this.#judge("account", account.state, this.#accountDifference(account));
    this.checks++;
    const states = PANES.map((pane) => [pane, printed.panes[pane].state] as const);
    return new Map<Pane | "account", string>([...states, ["account", account.state]]);
  }

  /** From the ledger as it was at any moment of the last second. */
  #accountDifference({ printed, inQuestion }: ShownAccount): string | undefined {
    const differencesAt = (index: number) =>
      accountDifferences(printed, this.#ledger, index, inQuestion);
    const [newest, ...older] = new Set(this.#indexes);
    const now = differencesAt(newest ?? this.#ledger.lastIndex);
    const isTrue = now.length === 0 || older.some((index) => differencesAt(index).length === 0);
    return isTrue ? undefined : now[0];
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
    this.wrong.push(...this.untrue());
  }

  /** Which panes are not received now, or do not equal the ledger. */
  untrue(): readonly string[] {
    const printed = this.#print();
    const differences = this.#truth.differences(printed, true);
    const account = this.#printAccount();
    const ofPanes = PANES.flatMap((pane) => {
      const { state } = printed.panes[pane];
      return isReceived(state) ? (differences.get(pane) ?? []) : [`${pane} is ${state}`];
    });
    const ofAccount = isReceived(account.state) ? [] : [`account is ${account.state}`];
    const { printed: shown, inQuestion } = account;
    const ofRows = accountDifferences(shown, this.#ledger, this.#ledger.lastIndex, inQuestion);
    return [...ofPanes, ...ofAccount, ...ofRows].map(
      (each) => `at ${this.#clock.now()} ms: ${each}`,
    );
  }

  #printAccount(): ShownAccount {
    const { store } = this.#live;
    const pane = this.#copyOf(accountPaneJson(store, this.#account, this.#clock.now())) as {
      readonly account: {
        readonly state: string;
        readonly readings: { readonly positions: { readonly in_question: readonly number[] } };
      };
    };
    const printed = this.#copyOf(accountJson(store, this.#account)) as PrintedAccount;
    const { state, readings } = pane.account;
    return { printed, state, inQuestion: readings.positions.in_question };
  }

  #print(): Printed {
    const times = { nowMs: this.#clock.now(), wallMs: 0 };
    const { store } = this.#live;
    const shown = { store, market, channels, interval: "1m", scale: NO_SCALE, ...times } as const;
    return this.#copyOf(marketJson(shown)) as Printed;
  }

  /** What a reader of the printed text has. */
  #copyOf(printed: object): unknown {
    const text = stringifyExact(printed);
    this.trace.update(text);
    return JSON.parse(text);
  }
}

const isReceived = (state: string) => /^(?:live|quiet)$/.test(state);
