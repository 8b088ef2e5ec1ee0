// What became of the price of a market within an hour.

import { formatBlock, selectSparkline } from "../../../select/sparkline.ts";
import { toPercent } from "../../../select/stats.ts";
import type { Store } from "../../../state/store.ts";
import {
  type Decimal,
  parseDecimal,
  subtractDecimal,
  widenDecimal,
} from "../../../units/decimal.ts";
import type { Scale } from "../../../units/scale.ts";
import { MINUTE_MS, NS_PER_MS, SECOND_MS } from "../../../units/time.ts";
import type { PastCandlesByMarket } from "../market/data.ts";

const HOUR_BINS = 15;
const BIN_MS = 240_000;

/** An hour of a price: one block for four minutes, nothing where nothing was received. */
export interface Hour {
  readonly text: string;
  /** From the first to the last price in it, percent. */
  readonly change: string;
}

/** What is known of the prices of markets within the last hour; remembers its answers for a second. */
export class Hours {
  readonly #known = new Map<string, { readonly of: readonly unknown[]; readonly hour?: Hour }>();

  of(
    name: string,
    store: Store,
    past: PastCandlesByMarket,
    scale: Scale | undefined,
    wallMs: number,
  ): Hour | undefined {
    const candles = `candles/${name}/1m`;
    const of = [
      ...[store, scale, past.held(name)?.version, store.versionOf(candles)],
      ...[store.versionOf(`trades/${name}`), Math.floor(wallMs / SECOND_MS)],
    ];
    const known = this.#known.get(name);
    if (known !== undefined && isSameHour(known.of, of)) return known.hour;
    const bins = new Bins(wallMs);
    for (const { open_time_ms, close } of [
      ...(past.held(name)?.candles(MINUTE_MS) ?? []),
      ...(store.versionOf(candles) === 0 ? [] : store.slice("candles", candles).data.candles),
    ]) {
      bins.put(open_time_ms, parseDecimal(close));
    }
    if (scale !== undefined || bins.isEmpty) putTrades(bins, name, store, scale);
    const hour = bins.hour();
    this.#known.set(name, hour === undefined ? { of } : { of, hour });
    return hour;
  }
}

/** In ticks while these are worth nothing known. */
function putTrades(bins: Bins, name: string, store: Store, scale: Scale | undefined): void {
  const channel = `trades/${name}`;
  if (store.versionOf(channel) === 0) return;
  const { mantissa, places } = scale?.tickSize ?? { mantissa: 1n, places: 0 };
  for (const trade of store.slice("trades", channel).data.recent().toReversed()) {
    const ms = Number(BigInt(trade.timestamp_ns) / NS_PER_MS);
    bins.put(ms, { mantissa: BigInt(trade.price_ticks) * mantissa, places });
  }
}

/** Within a second only another store, scale or past counts: a tape changes all the time. */
function isSameHour(before: readonly unknown[], now: readonly unknown[]): boolean {
  const [fixed, moving] = [now.slice(0, 3), now.slice(3)];
  if (fixed.some((each, i) => each !== before[i])) return false;
  return (
    moving.at(-1) === before.at(-1) || moving.slice(0, 2).every((each, i) => each === before[i + 3])
  );
}

/** The last price in each part of the hour. */
class Bins {
  readonly #lastBin: number;
  readonly #bins: (Decimal | undefined)[] = Array(HOUR_BINS).fill(undefined);
  #first: Decimal | undefined;

  constructor(wallMs: number) {
    this.#lastBin = Math.floor(wallMs / BIN_MS);
  }

  get isEmpty(): boolean {
    return this.#first === undefined;
  }

  /** In the order of time. */
  put(ms: number, price: Decimal | undefined): void {
    const bin = HOUR_BINS - 1 - this.#lastBin + Math.floor(ms / BIN_MS);
    if (price === undefined || bin < 0 || bin >= HOUR_BINS) return;
    this.#first ??= price;
    this.#bins[bin] = price;
  }

  hour(): Hour | undefined {
    const prices = this.#bins.filter((each) => each !== undefined);
    const last = prices.at(-1);
    if (this.#first === undefined || last === undefined) return undefined;
    const places = Math.max(...prices.map((each) => each.places));
    const heights = selectSparkline(
      prices.map((each) => widenDecimal(each, places).mantissa),
      HOUR_BINS,
    );
    let next = 0;
    const blocks = this.#bins.map((bin) =>
      formatBlock(bin === undefined ? undefined : heights[next++]),
    );
    const change = toPercent(subtractDecimal(last, this.#first), this.#first) ?? "0";
    return { text: blocks.join(""), change };
  }
}
