// The usual names of fields of open records by meaning, filled from public documents of exchanges: Aevo, Backpack, Binance, Bybit,
// Deribit, Drift, dYdX, Extended, Hyperliquid, Lighter, Nord, OKX, Pacifica, Paradex, Phoenix, Vertex. Letter case and punctuation
// do not matter, and a nested field goes by its last part or by its whole path.

/** Most likely first: a name that also means something else stands behind the one that does not. */
const NAMES = {
  // Which market, asset or row it is.
  marketId:
    "market_id market_index product_id clob_pair_id instrument_id inst_id_code contract_id market asset_index asset_id index id",
  marketType:
    "market_type product_type inst_type contract_type asset_kind instrument_type category kind type",
  symbol:
    "symbol ticker inst_id instrument_name market_name market_symbol display_name name instrument pair coin market",
  market:
    "market_id market_index product_id clob_pair_id instrument_id symbol market ticker inst_id instrument_name instrument pair coin mkt",
  baseAsset: "base_asset base_currency base_ccy base_coin base_symbol base base_token underlying",
  quoteAsset:
    "quote_asset quote_currency quote_ccy quote_coin quote_symbol quote quote_token settlement_currency",
  asset:
    "asset coin currency ccy symbol token asset_symbol token_symbol denom ticker mint asset_id token_id asset_index product_id market_index market_id",
  orderId:
    "order_id oid ord_id order_index order_uid digest order_digest order_sequence_number sequence_number order_hash order_link id client_order_id cloid client_oid cl_ord_id client_id",
  clientOrderId:
    "client_order_id client_oid cloid cl_ord_id client_order_index client_id user_order_id external_id order_link_id",
  positionId: "position_id pos_id pid position_sequence_number position_idx id",
  fillId:
    "fill_id trade_id tid exec_id execution_id fill_record_id submission_idx match_id fill_seq id",
  paymentId: "payment_id funding_id tran_id bill_id transaction_id record_id idx id",
  subaccountId: "subaccount_id",
  delegate: "delegate",

  // What a row says.
  status: "status state order_status ord_status order_state position_status",
  /** What happened to a row, which need not end it. */
  event: "change reason event action update_type exec_type execution_type",
  side: "side order_side direction dir is_buy is_bid is_long is_ask is_sell is_short buy",
  /** Of the taker and of the maker, whoever the own part is. */
  takerSide:
    "taker_is_bid taker_is_buy is_taker_bid is_taker_buy taker_side taker_order_direction taker_direction",
  makerSide:
    "is_maker_ask maker_is_ask maker_is_bid is_buyer_maker is_maker_bid maker_side maker_order_direction maker_direction",
  sizeBefore: "base_qty_before size_before position_before start_position",
  sizeAfter: "base_qty_after size_after position_after",
  /** Fixed in hedge mode, where a market has a position for each side. */
  hedgeSide: "position_side pos_side hold_side position_idx",
  positionSide: "position_side pos_side hold_side side direction is_long is_short is_buy sign",
  marginMode:
    "margin_mode margin_type mgn_mode trade_mode is_isolated isolated is_cross is_cross_margin cross",
  positionSize:
    "szi position_amt position_qty net_quantity net_size net_qty signed_size base_size base_asset_amount base_position position_size size qty quantity position pos amount contracts current_qty sz base lots",
  /** Of any row. */
  size: "szi position_amt position_qty net_quantity net_size net_qty base_position orig_qty orig_sz original_size original_order_size initial_size original initial_base_amount base_asset_amount base_size position_size order_qty size qty quantity sz position pos amount base lots",
  orderSize:
    "orig_qty orig_sz original_qty original_size original_order_size original initial_base_amount initial_size base_asset_amount order_qty size qty quantity sz amount base_size base_quantity base lots",
  remainingSize:
    "remaining_size remaining_qty remaining_quantity remaining_base_amount size_remaining leaves_qty leaves_quantity remaining unfilled_size unfilled_qty base_lots_remaining remain_qty remaining_amount",
  filledSize:
    "filled_size filled_qty filled_quantity filled_base_amount executed_qty executed_quantity executed cum_exec_qty acc_fill_sz total_filled base_asset_amount_filled filled_amount filled",
  fillSize:
    "fill_size last_qty exec_qty fill_sz filled_qty base_asset_amount_filled size qty quantity sz amount base_size base lots",
  fillPrice: "fill_price exec_price fill_px last_price price px",
  price: "price px limit_price limit_px price_x18 price_usd ord_px",
  orderType: "order_type ord_type type",
  timeInForce: "time_in_force tif fill_mode",
  reduceOnly: "reduce_only is_reduce_only",
  triggerPrice: "trigger_price trigger_px stop_price stop_px",
  entryPrice:
    "entry_price entry_px average_entry_price avg_entry_price avg_price avg_px average_price average_open_price open_price entry_price_usd",
  liquidationPrice:
    "liquidation_price liquidation_px liq_price liq_px est_liq_price est_liquidation_price",
  unrealisedPnl:
    "unrealized_pnl unrealised_pnl upl unrealized_profit un_realized_profit pnl_unrealized size_price_pnl unrealised_pnl_usd",
  realisedPnl:
    "realized_pnl realised_pnl closed_pnl cum_realised_pnl realized_positional_pnl settled_pnl pnl_realized",
  positionValue: "position_value notional notional_value position_notional net_cost value",
  margin:
    "margin margin_used position_margin isolated_margin allocated_margin initial_margin imr collateral",
  leverage: "leverage lever leverage_value value",
  fee: "fee commission exec_fee fill_fee fee_paid",
  feeAsset:
    "fee_asset fee_currency fee_ccy fee_coin fee_symbol fee_token commission_asset commission_currency",
  /** Of each of the two, whoever the own part is. */
  makerFee: "maker_fee",
  takerFee: "taker_fee",
  makerAddress: "maker_address maker_account maker_owner maker",
  takerAddress: "taker_address taker_account taker_owner taker",
  makerSubaccount: "maker_subaccount_id maker_subaccount",
  takerSubaccount: "taker_subaccount_id taker_subaccount",
  role: "role liquidity maker_or_taker liquidity_indicator is_maker maker is_taker crossed exec_role trade_type",
  time: "timestamp time ts at created_at created created_time c_time update_time updated_at u_time last_updated_at effective_at settled_at settlement_time funding_time funding_timestamp",
  payment: "payment funding_payment amount usdc income change funding_fee pnl quote_amount",
  total:
    "total balance wallet_balance cash_bal equity size amount token_amount total_quantity total_balance quantity",
  available:
    "available available_balance free avail_bal available_quantity withdrawable free_collateral available_to_withdraw available_margin",
  locked: "locked locked_balance hold frozen_bal locked_quantity order_locked used in_orders",

  // The summary of a subaccount.
  equity:
    "equity account_value total_equity account_equity total_eq portfolio_value net_value total_margin_balance margin_balance net_equity total_account_value",
  freeCollateral:
    "free_collateral available_balance available_margin withdrawable available_for_trade avail_eq total_available_balance free_margin",
  marginUsed:
    "margin_used total_margin_used initial_margin initial_margin_requirement total_initial_margin used_margin",
  maintenanceMargin:
    "maintenance_margin maintenance_margin_requirement total_maint_margin total_maintenance_margin maint_margin cross_maintenance_margin_used mmr",
  collateral: "collateral total_collateral total_wallet_balance wallet_balance total_raw_usd",
  marginUsage: "margin_usage margin_ratio account_mm_rate mgn_ratio",

  // A market and its statistics.
  marketStatus: "market_status trading_status status state is_active active is_delisted",
  tickSize:
    "tick_size tick_sz price_tick_size price_tick price_increment price_increment_x18 min_price_increment min_price_change order_tick_size quote_increment price_step tick quote_per_tick",
  lotSize:
    "lot_size lot_sz step_size base_lot_size order_size_increment size_increment quantity_increment qty_step quantity_step min_order_size_change order_step_size base_increment amount_step lot base_per_lot",
  priceDecimals: "supported_price_decimals price_decimals price_precision px_decimals",
  sizeDecimals:
    "supported_size_decimals size_decimals sz_decimals base_lots_decimals quantity_decimals quantity_precision",
  last: "last_price last_trade_price last_traded_price last last_px close_price close",
  mark: "mark_price mark mark_px",
  index: "index_price oracle_price underlying_price index oracle_px oracle index_px spot_price",
  change24h:
    "price_change_percent_24h price_change_ratio_24h price_change_rate_24h price_change_percent daily_price_change price_24h_pcnt change_percent_24h percent_change_24h change_ratio_24h price_change_24h daily_price_change_percentage",
  high24h:
    "high_24h high_price_24h price_high_24h daily_price_high high_price daily_high max_price_24h high",
  low24h:
    "low_24h low_price_24h price_low_24h daily_price_low low_price daily_low min_price_24h low",
  volumeBase24h:
    "volume_base_24h base_volume_24h volume_24h_base daily_base_token_volume day_base_vlm daily_volume_base base_volume volume_base vol_ccy_24h",
  volumeQuote24h:
    "volume_quote_24h quote_volume_24h volume_24h_quote daily_quote_token_volume day_ntl_vlm day_volume_usd volume_usd_24h quote_volume volume_quote turnover_24h daily_volume vol_ccy_quote_24h notional_volume_24h",
  /** Of base or of quote: base where the record has a quote volume of its own, else nothing. */
  volume24h: "volume_24h volume_24h volume vol_24h",
  openInterest: "open_interest oi open_interest_quantity open_interest_value",
  fundingRate:
    "funding_rate current_funding_rate next_funding_rate last_funding_rate funding funding_rate_x18 rate",
  nextFunding:
    "next_funding_time next_funding_timestamp funding_timestamp next_funding_rate_timestamp next_funding_at next_funding",
  fundingInterval:
    "funding_interval_ms funding_interval_seconds funding_interval_minutes funding_interval_hours funding_interval fund_interval funding_period_hours funding_rate_granularity",
} as const;
export type Meaning = keyof typeof NAMES;
export const MEANINGS = Object.keys(NAMES) as readonly Meaning[];

/** Names may end with the unit, as those of the document do: `equity_quote`, `filled_base_lots`. */
const UNITS: readonly (readonly [units: string, meanings: string])[] = [
  [
    "quote",
    "unrealisedPnl realisedPnl positionValue margin fee makerFee takerFee payment equity freeCollateral marginUsed maintenanceMargin collateral",
  ],
  [
    "ticks",
    "fillPrice price triggerPrice entryPrice liquidationPrice last mark index high24h low24h",
  ],
  [
    "base lots base_lots",
    "positionSize size orderSize remainingSize filledSize fillSize openInterest",
  ],
  ["lots", "volumeBase24h"],
  ["ns ms", "time nextFunding"],
];

function withUnits(meaning: Meaning, name: string): readonly string[] {
  const found = UNITS.find(([, meanings]) => meanings.split(" ").includes(meaning));
  return [name, ...(found?.[0].split(" ").map((unit) => `${name}_${unit}`) ?? [])];
}

/** Plain data; names without case and punctuation. */
export interface Names {
  readonly fields: Readonly<Record<Meaning, readonly string[]>>;
  /** Words that end a row, beside the usual ones. */
  readonly ends: readonly string[];
}

/** Further names of fields by meaning, and further words for the end of a row: `orderSize`, `ends`. */
export type OwnNames = Readonly<Partial<Record<Meaning | "ends", readonly string[] | undefined>>>;

/** @param own tried before the usual ones */
export function createNames(own: OwnNames = {}): Names {
  const fields = MEANINGS.map((meaning) => {
    const usual = NAMES[meaning].split(" ").flatMap((name) => withUnits(meaning, name));
    const names = [...(own[meaning] ?? []), ...usual];
    return [meaning, [...new Set(names.map(plainName))]];
  });
  return { fields: Object.fromEntries(fields), ends: (own.ends ?? []).map(plainName) };
}

const plain = new Map<string, string>();
const MAX_REMEMBERED = 5000;

/** `Base-Size`, `base_size` and `baseSize` are one name; one of signs alone stays what it is. */
export function plainName(name: string): string {
  const known = plain.get(name);
  if (known !== undefined) return known;
  const lower = name.normalize("NFKC").toLowerCase();
  const made = lower.replace(/[^\p{L}\p{N}]/gu, "") || lower;
  if (plain.size < MAX_REMEMBERED) plain.set(name, made);
  return made;
}
