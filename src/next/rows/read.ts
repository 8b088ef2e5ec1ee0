// Reads the fields of open records by meaning, and their values as exact numbers, sides and times.
import { type Decimal, multiplyDecimal, parseDecimal } from "../../units/decimal.ts";
import type { Scale } from "../../units/scale.ts";
import { type Meaning, type Names, plainName } from "../dialect/names.ts";
import type { OpenRecord } from "../wire/frames.ts";
import { isObject, type Json, textOf } from "../wire/json.ts";

/** Meanings that only what is shown needs. */
const SHOWN = {
  entryPrice:
    "entry_price average_entry_price avg_entry_price entry_px entry open_price average_open_price cost_basis_price",
  markPrice: "mark_price mark_px mark",
  liquidationPrice: "liquidation_price liq_price liquidation_px liq_px estimated_liquidation_price",
  leverage: "leverage max_leverage",
  unrealised:
    "unrealised_pnl unrealized_pnl un_realized_profit unrealized_profit upnl pnl_unrealized open_pnl",
  realised: "realised_pnl realized_pnl closed_pnl realized_profit rp settled_pnl",
  margin:
    "margin margin_used position_margin initial_margin position_initial_margin isolated_margin imr",
  filled:
    "filled filled_size filled_quantity filled_qty executed_qty executed_quantity filled_base cum_qty total_filled",
  remaining:
    "remaining remaining_size remaining_quantity remaining_qty leaves_qty open_size unfilled",
  orderType: "type order_type ord_type kind",
  fee: "fee fee_quote fees commission fee_paid trading_fee",
  role: "role liquidity liquidity_type maker is_maker",
  tradeId: "trade_id fill_id tid id match_id exec_id",
  amount: "amount payment funding_payment usdc funding_amount delta value",
  equity:
    "equity account_value total_equity net_equity total_margin_balance collateral_value account_equity total_account_value",
  freeMargin:
    "free_margin available_margin available_balance free_collateral withdrawable available free",
  marginUsed: "margin_used initial_margin total_initial_margin total_margin_used used_margin imr",
  maintenance:
    "maintenance_margin total_maint_margin maintenance_margin_requirement cross_maintenance_margin_used mmr",
  balance: "balance wallet_balance total total_balance amount size quantity spot_position",
  availableBalance: "available available_balance free withdrawable",
  quoteAsset: "quote_asset quote quote_currency quote_symbol quote_token settlement_asset",
  baseAsset: "base_asset base base_currency base_symbol base_token underlying",
  openInterestQuote: "open_interest_quote open_interest_usd open_interest_notional",
  fundingInterval:
    "funding_interval_ms funding_interval funding_period funding_interval_hours interval_ms",
  nextFunding:
    "next_funding_time_ms next_funding_ms next_funding_time next_funding_at next_funding",
  name: "name label alias nickname",
} as const;
export type ShownMeaning = keyof typeof SHOWN;

const shown = Object.fromEntries(
  Object.entries(SHOWN).map(([meaning, names]) => [meaning, names.split(" ").map(plainName)]),
) as unknown as Readonly<Record<ShownMeaning, readonly string[]>>;

export interface Field {
  /** Without case and punctuation. */
  readonly name: string;
  readonly text: string;
}

/** Scalars of a record by plain name: a nested one goes by its last part, where no outer one has it. */
const flattened = new WeakMap<OpenRecord, ReadonlyMap<string, string>>();

function flatten(row: OpenRecord): ReadonlyMap<string, string> {
  let fields = flattened.get(row);
  if (fields === undefined) {
    const found = new Map<string, string>();
    addFields(found, row, 0);
    fields = found;
    flattened.set(row, fields);
  }
  return fields;
}

const MAX_DEPTH = 4;

function addFields(found: Map<string, string>, row: OpenRecord, depth: number): void {
  const inner: OpenRecord[] = [];
  for (const [key, value] of Object.entries(row)) {
    const text = textOf(value);
    const name = plainName(key);
    if (text !== undefined && text !== "" && !found.has(name)) found.set(name, text);
    else if (isObject(value) && depth < MAX_DEPTH) inner.push(value);
  }
  for (const each of inner) addFields(found, each, depth + 1);
}

export function findField(
  names: Names,
  row: OpenRecord,
  meaning: Meaning | ShownMeaning,
): Field | undefined {
  const fields = flatten(row);
  const candidates =
    meaning in shown ? shown[meaning as ShownMeaning] : names.fields[meaning as Meaning];
  for (const name of candidates) {
    const text = fields.get(name);
    if (text !== undefined) return { name, text };
  }
  return undefined;
}

export function readText(
  names: Names,
  row: OpenRecord,
  meaning: Meaning | ShownMeaning,
): string | undefined {
  return findField(names, row, meaning)?.text;
}

/** Decimal text, or a JSON number with an exponent; undefined for anything else. */
export function readNumber(
  names: Names,
  row: OpenRecord,
  meaning: Meaning | ShownMeaning,
): Decimal | undefined {
  const text = readText(names, row, meaning);
  return text === undefined ? undefined : parseNumber(text);
}

const EXPONENT = /^(-?[0-9]+(?:\.[0-9]+)?)[eE]([+-]?[0-9]{1,2})$/;

export function parseNumber(text: string): Decimal | undefined {
  const plain = parseDecimal(text);
  if (plain !== undefined) return plain;
  const [, digits = "", exponent = ""] = EXPONENT.exec(text) ?? [];
  const value = parseDecimal(digits);
  if (value === undefined) return undefined;
  const places = value.places - Number(exponent);
  if (places >= 0) return { mantissa: value.mantissa, places };
  return { mantissa: value.mantissa * 10n ** BigInt(-places), places: 0 };
}

/** A price in quote currency: fields that count ticks are scaled; undefined where that cannot be done. */
export function readPrice(
  names: Names,
  row: OpenRecord,
  meaning: Meaning | ShownMeaning,
  scale: Scale | undefined,
): Decimal | undefined {
  return scaled(findField(names, row, meaning), "ticks", scale?.tickSize);
}

/** A size in base currency, with its sign: fields that count lots are scaled. */
export function readSize(
  names: Names,
  row: OpenRecord,
  meaning: Meaning | ShownMeaning,
  scale: Scale | undefined,
): Decimal | undefined {
  return scaled(findField(names, row, meaning), "lots", scale?.lotSize);
}

function scaled(field: Field | undefined, unit: "ticks" | "lots", size: Decimal | undefined) {
  const value = field && parseNumber(field.text);
  if (field === undefined || value === undefined) return undefined;
  if (!field.name.endsWith(unit)) return value;
  return size && multiplyDecimal(value, size);
}

const BUY = /^(?:buy|bid|long|b|l|true)$/i;
const SELL = /^(?:sell|ask|short|s|a|false)$/i;

export function parseSide(text: string | undefined): "buy" | "sell" | undefined {
  if (text === undefined) return undefined;
  return BUY.test(text) ? "buy" : SELL.test(text) ? "sell" : undefined;
}

/** Unix milliseconds of a time in seconds, milli-, micro- or nanoseconds, told apart by size, or ISO text. */
export function parseTimeMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[0-9]{9,20}$/.test(text)) {
    const digits = text.length;
    if (digits >= 18) return Number(text.slice(0, -6));
    if (digits >= 15) return Number(text.slice(0, -3));
    return digits >= 12 ? Number(text) : Number(text) * 1000;
  }
  const ms = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** Every field of a record as it came: nested names joined by points, lists as JSON. */
export function allFields(row: OpenRecord, prefix = ""): readonly (readonly [string, string])[] {
  return Object.entries(row).flatMap(([name, value]: [string, Json]) => {
    const text = textOf(value);
    if (text !== undefined) return [[`${prefix}${name}`, text] as const];
    if (isObject(value)) return allFields(value, `${prefix}${name}.`);
    return [[`${prefix}${name}`, value === null ? "null" : JSON.stringify(value)] as const];
  });
}
