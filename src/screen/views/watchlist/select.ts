// One market in a line: its best prices, its last trades, and what became of its price in a day. Only prices that were
// received are shown, each line with the state and age of its own feed.

import { selectSpread } from "../../../select/bbo.ts";
import { withSign } from "../../../select/fields.ts";
import { findMarketRecord, formatMarket, type Market, selectStat } from "../../../select/market.ts";
import { type PaneStatus, selectPaneStatus } from "../../../select/status.ts";
import type { Aliases } from "../../../state/aliases.ts";
import type { Scales } from "../../../state/scales.ts";
import type { StoreSource } from "../../../state/store.ts";
import { parseDecimal } from "../../../units/decimal.ts";
import { formatUnits } from "../../../units/scale.ts";
import { formatChannel } from "../../../wire/channels.ts";
import type { OpenRecord } from "../../../wire/update.ts";
import { formatPercent } from "../funding/select.ts";

/** Prices of the newest trades that a line keeps for its sparkline. */
const MAX_PRICES = 60;

/** What a line of the watchlist says. */
export interface WatchRow {
  readonly market: Market;
  /** Name by the service, else type and id. */
  readonly name: string;
  /** In quote currency, or in ticks where the scale is not known; undefined where a side is missing. */
  readonly bid: string | undefined;
  readonly ask: string | undefined;
  readonly spread: string | undefined;
  readonly last: string | undefined;
  /** Of a day, as the service has it, with sign: `+1.25%`. */
  readonly change: string | undefined;
  /** True while prices are ticks. */
  readonly isInTicks: boolean;
  /** In ticks, oldest first. */
  readonly prices: readonly bigint[];
  /** Of the best prices. */
  readonly status: PaneStatus;
}

/** Channels of these lines, after those that say more of all of them. */
export function watchChannels(markets: readonly Market[]): readonly string[] {
  const own = markets.flatMap(({ type, id }) => {
    const market = { marketType: type, marketId: id };
    return [
      formatChannel({ kind: "bbo", ...market }),
      formatChannel({ kind: "trades", ...market }),
    ];
  });
  const types = new Set(markets.map(({ type }) => type));
  const stats = [...types].map((marketType) =>
    formatChannel({ kind: "market-stats", marketType, marketId: undefined }),
  );
  return ["markets", ...stats, ...own];
}

/** Reads one line after the other; prices of a tape are read again only when it has grown. */
export class WatchReader {
  readonly #source: StoreSource;
  readonly #scales: Scales;
  readonly #prices = new Map<
    string,
    { readonly total: number; readonly prices: readonly bigint[] }
  >();

  constructor(source: StoreSource, scales: Scales) {
    this.#source = source;
    this.#scales = scales;
  }

  /** Forgets markets that are not watched any more. */
  keep(markets: readonly Market[]): void {
    const names = new Set(markets.map(formatMarket));
    for (const name of this.#prices.keys()) if (!names.has(name)) this.#prices.delete(name);
  }

  read(market: Market, nowMs: number): WatchRow {
    const name = formatMarket(market);
    const { store } = this.#source;
    const slice = store.slice("bbo", `bbo/${name}`);
    const { bbo } = slice.data;
    const { scale } = this.#scales.of(name);
    const price = (ticks: string | undefined) =>
      ticks === undefined ? undefined : formatUnits(ticks, scale?.tickSize);
    const [last] = store.slice("trades", `trades/${name}`).data.recent(1);
    const listed = findMarketRecord(
      store.slice("markets", "markets").data.records,
      market,
      store.aliases,
    );
    const { records } = store.slice("market-stats", `market-stats/${market.type}`).data;
    const stats = findMarketRecord(records, market, store.aliases);
    return {
      market,
      name: selectStat(listed ?? stats, "symbol", store.aliases) ?? name,
      bid: price(bbo?.bid?.price_ticks),
      ask: price(bbo?.ask?.price_ticks),
      spread: bbo && selectSpread(bbo, scale)?.width,
      last: price(last?.price_ticks),
      change: stats && selectChange(stats, store.aliases),
      isInTicks: scale === undefined,
      prices: this.#pricesOf(name),
      status: selectPaneStatus(store, slice, nowMs),
    };
  }

  #pricesOf(name: string): readonly bigint[] {
    const tape = this.#source.store.slice("trades", `trades/${name}`).data;
    const known = this.#prices.get(name);
    if (known?.total === tape.total) return known.prices;
    const prices = tape
      .recent(MAX_PRICES)
      .map(({ price_ticks }) => BigInt(price_ticks))
      .reverse();
    this.#prices.set(name, { total: tape.total, prices });
    return prices;
  }
}

/** Change of a day with its sign: in percent where the service has that or a ratio, else as a price. */
export function selectChange(stats: OpenRecord, aliases: Aliases): string | undefined {
  const percent = aliases.text(stats, "changePercent24h");
  if (percent !== undefined && parseDecimal(percent) !== undefined) return withSign(`${percent}%`);
  const ratio = parseDecimal(aliases.text(stats, "changeRatio24h") ?? "");
  if (ratio !== undefined) return withSign(`${formatPercent(ratio)}%`);
  const change = aliases.text(stats, "change24h");
  return change !== undefined && parseDecimal(change) !== undefined ? withSign(change) : undefined;
}

/** Heights of a sparkline, 0 to 7, the newest last; no more than there were prices. */
export function selectSparkline(prices: readonly bigint[], width: number): readonly number[] {
  const shown = prices.slice(-Math.max(0, width));
  const [first = 0n] = shown;
  if (width <= 0) return [];
  const high = shown.reduce((most, price) => (price > most ? price : most), first);
  const low = shown.reduce((least, price) => (price < least ? price : least), first);
  const span = high - low;
  return shown.map((price) =>
    span === 0n ? 3 : Number(((price - low) * 7n * 2n + span) / (span * 2n)),
  );
}
