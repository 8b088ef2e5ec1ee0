// The usual names of fields of open records, by meaning. Filled from public documents of exchanges; letter case and punctuation do
// not matter, and a nested field goes by its last part.

/** Most likely first; names of a rarer sense of the word stand last. */
const NAMES = {
  orderId: "order_id oid order_uid id client_order_id cloid",
  clientOrderId: "client_order_id client_id cloid",
  positionId: "position_id pid",
  market: "market_id market mkt market_index instrument_id instrument pair coin symbol ticker",
  marketType: "market_type product_type",
  symbol: "symbol name ticker market_symbol market_name",
  asset: "asset asset_id symbol currency coin ccy denom token ticker mint",
  side: "side direction is_long is_bid is_buy",
  positionSide: "position_side side direction",
  size: "size qty quantity sz szi base_size size_base position_size amount size_base_lots size_lots base_lots lots",
  marginMode: "margin_mode margin_type isolated is_isolated",
  price: "price px limit_price limit_px price_ticks",
  subaccountId: "subaccount_id",
  delegate: "delegate",
  status: "status state order_status account_status",
  time: "timestamp_ns timestamp_ms timestamp time ts at funding_time_ns funding_time_ms funding_time created_at_ns created_at",
  tickSize: "tick_size price_tick price_increment min_price_increment tick",
  lotSize: "lot_size base_lot_size size_increment quantity_increment step_size",
  last: "last_price last last_px",
  mark: "mark_price mark mark_px",
  index: "index_price oracle_price index oracle_px",
  change24h: "price_change_24h change_24h price_change",
  high24h: "high_24h price_high_24h high",
  low24h: "low_24h price_low_24h low",
  volumeBase24h: "volume_base_24h volume_24h_base base_volume_24h volume_base",
  volumeQuote24h: "volume_quote_24h volume_24h_quote quote_volume_24h volume_quote",
  openInterest: "open_interest open_interest_base oi",
  fundingRate: "funding_rate current_funding_rate rate",
} as const;
export type Meaning = keyof typeof NAMES;

/** Plain data; names without case and punctuation. */
export interface Names {
  readonly fields: Readonly<Record<Meaning, readonly string[]>>;
  /** Words that end a row, beside the usual ones. */
  readonly ends: readonly string[];
}

export const MEANINGS = Object.keys(NAMES) as readonly Meaning[];

/** Further names of fields by meaning, and further words for the end of a row: `size`, `ends`. */
export type OwnNames = Readonly<Partial<Record<Meaning | "ends", readonly string[]>>>;

/** @param own further names by meaning, which are tried first, and further `ends` */
export function createNames(own: OwnNames = {}): Names {
  const fields = MEANINGS.map((meaning) => [
    meaning,
    [...new Set([...(own[meaning] ?? []), ...NAMES[meaning].split(" ")].map(plainName))],
  ]);
  return { fields: Object.fromEntries(fields), ends: (own.ends ?? []).map(plainName) };
}

/** `Base-Size`, `base_size` and `baseSize` are one name. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}
