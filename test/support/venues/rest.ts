// The three listings, newest first, with the cursor of the style.
import type { Trade } from "./exchange.ts";
import type { VenueService } from "./service.ts";
import { decimal } from "./styles/style.ts";

export const OWNER = "0x1f9840a85d5af5bf1d1762f925bdaddc4201f984";
const OTHER = "0x2222222222222222222222222222222222222222";

interface Listed {
  readonly row: Readonly<Record<string, unknown>>;
  readonly id: number;
  readonly timestamp: number;
  readonly sequence: number;
}

/** @returns undefined: there is no such resource */
export function answerRest(
  service: VenueService,
  { pathname, searchParams }: URL,
): readonly object[] | undefined {
  const listed = rowsOf(service, pathname, searchParams.get("market_type") ?? "perp");
  if (!listed) return undefined;
  const before = searchParams.get("before");
  const limit = Math.min(1000, Number(searchParams.get("limit") ?? 100));
  const cursorOf = CURSORS[service.style.cursor];
  return listed
    .toReversed()
    .filter((each) => before === null || BigInt(cursorOf(each)) < BigInt(before))
    .slice(0, limit)
    .map(({ row }) => row);
}

const CURSORS = {
  trade_id: ({ id }: Listed) => id,
  timestamp: ({ timestamp }: Listed) => timestamp,
  // A count of the service that no field shows.
  index: ({ sequence }: Listed) => sequence * 16,
} as const;

function rowsOf(service: VenueService, path: string, type: string): readonly Listed[] | undefined {
  const { exchange } = service;
  const [, id = "", listing] = /^\/markets\/(\d+)\/(trades|liquidations)$/.exec(path) ?? [];
  if (listing === undefined) {
    if (path !== `/accounts/${OWNER}/subaccounts/0/trades`) return undefined;
    return exchange.fills.map(({ trade, order }) =>
      listedTrade(service, trade, order.market.number),
    );
  }
  const market = service.marketOf(listing === "trades" ? type : "perp", id);
  if (!market || listing === "liquidations") return market && [];
  return market.trades.map((trade) => listedTrade(service, trade, market.number));
}

function listedTrade({ exchange, style }: VenueService, trade: Trade, number: number): Listed {
  const market = exchange.markets[number];
  if (!market) throw new Error(`no market ${number}`);
  const quote = market.quote(trade.price, trade.size);
  const timestamp = Number(trade.timeNs / 1_000_000n);
  const row = {
    trade_id: `${trade.id}`,
    tx_hash: `0x${trade.sequence.toString(16).padStart(64, "0")}`,
    market_type: market.type,
    market_id: style.id(market),
    price: decimal(trade.price, market.plan.tickDigits),
    quantity: decimal(trade.size, market.plan.lotDigits),
    quote_notional: decimal(quote, 6),
    taker_is_bid: trade.takerIsBid,
    maker_address: trade.maker ? OWNER : OTHER,
    maker_subaccount_id: 0,
    taker_address: trade.taker ? OWNER : OTHER,
    taker_subaccount_id: 0,
    maker_fee_quote: decimal(quote / 10_000n, 6),
    taker_fee_quote: decimal((quote * 45n) / 100_000n, 6),
    maker_client_order_id: `${(trade.maker?.id ?? 0) % 10_000}`,
    taker_client_order_id: `${(trade.taker?.id ?? 0) % 10_000}`,
    timestamp_ms: timestamp,
  };
  return { row, id: trade.id, timestamp, sequence: trade.sequence };
}
