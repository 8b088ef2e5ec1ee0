// What a soak session asks of the REST listings while faults strike: whole exports, one after the other, the scale of the
// market, and the candles of before. What comes of it is compared with the exchange's own ledger.

import { fillChart } from "../../src/commands/screen/fill-chart.ts";
import {
  type BackgroundListings,
  openBackgroundListings,
} from "../../src/live/background-listings.ts";
import { ScaleProbe } from "../../src/live/scale-probe.ts";
import type { Dashboard } from "../../src/screen/dashboard.ts";
import type { Store } from "../../src/state/store.ts";
import { formatDecimal, parseDecimal, trimDecimal } from "../../src/units/decimal.ts";
import { createRandom } from "../../src/units/random.ts";
import type { LastCandle } from "../../src/wire/channels/candles.ts";
import type { TruthfulSimulator } from "../simulator/ledger.ts";
import { openDashboard } from "../support/open-dashboard.ts";
import type { VirtualClock } from "../support/virtual-clock.ts";
import { RepeatedExports } from "./repeated-exports.ts";

const market = { type: "perp", id: "1" } as const;
const MARKET = "perp/1";
const MINUTE_MS = 60_000;
/** What a tick and a lot of the market are worth in the simulated exchange. */
const TRUE_SCALE = "0.01 0.0001";

interface SessionFacts {
  readonly simulator: TruthfulSimulator;
  readonly store: Store;
  readonly clock: VirtualClock;
  readonly seed: number;
}

/** Users of the listings, as the program has them, and what they were told that is not so. */
export class ListingWatch {
  readonly #facts: SessionFacts;
  readonly #dashboard: Dashboard;
  readonly #trades: BackgroundListings | undefined;
  readonly #past: ReturnType<typeof fillChart>;
  readonly #probe: ScaleProbe;
  readonly #exports: RepeatedExports;
  readonly #wrong = new Set<string>();

  constructor(facts: SessionFacts) {
    const { simulator, store, clock, seed } = facts;
    const { base_url, ws_url } = simulator.announcement;
    this.#facts = facts;
    this.#dashboard = openDashboard({ store, nowMs: 0 }, { now: () => clock.now() }).dashboard;
    this.#trades = openBackgroundListings(
      { clock, random: createRandom(seed) },
      { url: ws_url, baseUrl: base_url, headers: {} },
    );
    this.#past = fillChart(this.#dashboard, this.#trades, clock);
    this.#dashboard.open(market);
    this.#past.follow();
    this.#probe = new ScaleProbe({
      store,
      clock,
      market,
      scales: this.#dashboard.scales,
      listing: this.#trades?.of(market).source,
      onReceived: () => {},
    });
    this.#exports = new RepeatedExports({ simulator, clock, seed });
  }

  /** What is not as the ledger has it. */
  get wrong(): readonly string[] {
    return [...this.#wrong, ...this.#exports.wrong];
  }

  /** Exports that were told to be complete. */
  get finished(): number {
    return this.#exports.finished;
  }

  /** Answers other than pages that the exports met, by what they were. */
  get met(): ReadonlyMap<string, number> {
    return this.#exports.met;
  }

  /** A scale that is told is the true one; so is each candle that was rebuilt. */
  look(): void {
    const { scale, inconsistency } = this.#dashboard.scales.of(MARKET);
    if (inconsistency !== "") this.#wrong.add(`scale inconsistent: ${inconsistency}`);
    if (scale !== undefined) {
      const told = `${formatDecimal(scale.tickSize)} ${formatDecimal(scale.lotSize)}`;
      if (told !== TRUE_SCALE) this.#wrong.add(`scale ${told}`);
    }
    const rebuilt = this.#dashboard.pastCandles.of(MARKET).candles(MINUTE_MS);
    const truth = this.#facts.simulator.ledger.candles("perp", 1, "1m");
    const byTime = new Map(truth.map((candle) => [candle.open_time_ms, candle]));
    // The newest was still forming when it was read.
    for (const candle of rebuilt.slice(0, -1)) {
      const own = byTime.get(candle.open_time_ms);
      if (numbersOf(candle) !== numbersOf(own)) this.#wrong.add(`rebuilt ${candle.open_time_ms}`);
    }
  }

  async close(): Promise<void> {
    this.#probe.stop();
    this.#past.stop();
    this.#trades?.close();
    await this.#exports.close();
  }
}

/** A candle with its numbers as numbers: `1.50` is `1.5`. */
function numbersOf(candle: LastCandle | undefined): string {
  if (candle === undefined) return "nothing";
  const { open, high, low, close, volume_base, volume_quote, trades } = candle;
  const texts = [open, high, low, close, volume_base, volume_quote].map((text) => {
    const value = parseDecimal(text);
    return value === undefined ? text : formatDecimal(trimDecimal(value));
  });
  return [trades, ...texts].join(" ");
}
