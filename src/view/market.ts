// A market and the channels that show it.
import { formatChannel, type Interval, type MarketType } from "../protocol/channel.ts";

/** A market by type and id (digit text), as channel names carry it. */
export interface Market {
  readonly type: MarketType;
  readonly id: string;
}

/** The name of a market as the command line takes it: `perp/1`. */
export function formatMarket({ type, id }: Market): string {
  return `${type}/${id}`;
}

/** Channels that show one market, by what they are for. The mark price and its candles exist for perpetuals only. */
export interface MarketChannels {
  readonly bbo: string;
  readonly orderbook: string;
  readonly trades: string;
  readonly candles: string;
  readonly markCandles: string | undefined;
  readonly marketStats: string;
  readonly markets: string;
}

export function marketChannels({ type, id }: Market, interval: Interval): MarketChannels {
  const market = { marketType: type, marketId: id };
  return {
    bbo: formatChannel({ kind: "bbo", ...market }),
    orderbook: formatChannel({ kind: "orderbook", ...market }),
    trades: formatChannel({ kind: "trades", ...market }),
    candles: formatChannel({ kind: "candles", ...market, interval }),
    markCandles:
      type === "perp" ? formatChannel({ kind: "mark-candles", marketId: id, interval }) : undefined,
    marketStats: formatChannel({ kind: "market-stats", ...market }),
    markets: formatChannel({ kind: "markets" }),
  };
}
