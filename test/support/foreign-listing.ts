// The REST listing of a foreign service: its trades in currency, newest first. Text is made by moving the point, with
// no code of the program.
import { listedTrade } from "./listed-trade.ts";

/** How the service tells its trades in REST. */
export interface ForeignScale {
  /** Digits after the point of a tick and of a lot: 2 is 0.01. */
  readonly tickPlaces: number;
  readonly lotPlaces: number;
  /** Each so manieth price is ten times too high. */
  readonly lieEvery?: number;
}

export interface ListedTrade {
  readonly timestamp_ns: string;
  readonly price_ticks: string;
  readonly size_base_lots: string;
  readonly taker_is_bid: boolean;
}

/** Decimal text of a whole number of 10^-places. */
function pointed(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places);
  return places === 0 ? whole : `${whole}.${digits.slice(-places)}`;
}

/** The candle of the one minute in which everything happens, in currency. */
export function foreignCandle(trades: readonly ListedTrade[], scale: ForeignScale | undefined) {
  const { tickPlaces = 0, lotPlaces = 0 } = scale ?? {};
  const prices = trades.map(({ price_ticks }) => BigInt(price_ticks));
  const text = (ticks = 0n) => pointed(ticks, tickPlaces);
  const extreme = (isBetter: (a: bigint, b: bigint) => boolean) =>
    text(prices.reduce((best, price) => (isBetter(price, best) ? price : best)));
  const lots = trades.reduce((sum, trade) => sum + BigInt(trade.size_base_lots), 0n);
  return {
    open_time_ms: 1_800_000_000_000,
    open: text(prices[0]),
    high: extreme((a, b) => a > b),
    low: extreme((a, b) => a < b),
    close: text(prices.at(-1)),
    volume_base: pointed(lots, lotPlaces),
    volume_quote: "0.5",
    trades: prices.length,
  };
}

/** A page of `GET /markets/1/trades`, by a cursor that is the place of a trade from the beginning. */
export function foreignPage(
  trades: readonly ListedTrade[],
  { tickPlaces, lotPlaces, lieEvery = 0 }: ForeignScale,
  query: URLSearchParams,
): string {
  const end = Math.min(Number(query.get("before") ?? trades.length + 1) - 1, trades.length);
  const start = Math.max(0, end - Number(query.get("limit") ?? 100));
  const records = trades.slice(start, end).map((trade, i) => {
    const place = start + i + 1;
    const isLie = lieEvery > 0 && place % lieEvery === 0;
    return listedTrade({
      trade_id: `${place}`,
      tx_hash: `0x${place}`,
      price: pointed(BigInt(trade.price_ticks), isLie ? tickPlaces - 1 : tickPlaces),
      quantity: pointed(BigInt(trade.size_base_lots), lotPlaces),
      taker_is_bid: trade.taker_is_bid,
      timestamp_ms: Number(BigInt(trade.timestamp_ns) / 1_000_000n),
    });
  });
  return JSON.stringify(records.reverse());
}
