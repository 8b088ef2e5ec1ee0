// The rows of a subaccount in a trader's terms. Exact where the service gives a figure; what is derived is derived exactly.

import { fillSideOf, positionSideOf, type Role, read, roleOf, sideOf } from "../dialect/fields.ts";
import { currenciesOf, currencyOf } from "../dialect/markets.ts";
import type { Meaning } from "../dialect/names.ts";
import type { List } from "../state/list.ts";
import { type Moment, serviceMs } from "../state/moment.ts";
import type { Account } from "../state/records.ts";
import { isRaw, selectMarkets } from "../state/select-market.ts";
import { cached, type Store, select } from "../state/store.ts";
import {
  absoluteDecimal,
  addDecimal,
  approximate,
  type Decimal,
  formatDecimal,
  multiplyDecimal,
  roundDecimal,
  subtractDecimal,
  widenDecimal,
} from "../units/decimal.ts";
import { areSame, MemoOf, Running } from "../units/memo.ts";
import type { Scale } from "../units/scale.ts";
import { DAY_MS } from "../units/time.ts";
import type { OpenRecord } from "../wire/frames.ts";
import { type Display, formatTime } from "./format.ts";
import {
  findListed,
  marketLabel,
  marketOfRow,
  percentOf,
  scaleOf,
  valuePrice,
  valueText,
} from "./market.ts";
import { parseTimeMs, readNumber, readScaledNumber } from "./read.ts";

/** What every row of an account has. */
export interface AccountRow {
  /** As the state's list knows it. */
  readonly key: string;
  /** `perp/1`; undefined where the row names no market that is known. */
  readonly market: string | undefined;
  /** As a person calls it; what the row says where no market is so called. */
  readonly symbol: string;
  /** Decimals of the market's prices. */
  readonly places: number | undefined;
  readonly record: OpenRecord;
}

/** Decimals of quote currency for derived figures. */
const MONEY_PLACES = 8;

export const textOfDecimal = (value: Decimal | undefined) => value && formatDecimal(value);

export interface Position extends AccountRow {
  readonly side: "long" | "short" | undefined;
  /** Without sign. */
  readonly size: Decimal | undefined;
  readonly value: Decimal | undefined;
  readonly entry: Decimal | undefined;
  readonly mark: Decimal | undefined;
  readonly unrealised: Decimal | undefined;
  /** Unrealised over margin, in percent. */
  readonly returnPercent: Decimal | undefined;
  readonly liquidation: Decimal | undefined;
  /** How far the mark is from liquidation in the direction in which the position loses, in percent; undefined otherwise. */
  readonly distancePercent: Decimal | undefined;
  readonly leverage: string | undefined;
  readonly margin: Decimal | undefined;
}

function selectAccount(store: Store, account: string): Account | undefined {
  return select(store, "account", `account/${account}`);
}

const positionsOf = new MemoOf<List, readonly Position[]>();

/** The same list as long as its rows are. */
export const selectPositions = cached((store, account): readonly Position[] | undefined => {
  const list = selectAccount(store, account)?.positions;
  if (list === undefined) return undefined;
  const rows = Array.from(list.rows, ([key, record]) => toPosition(store, key, record, account));
  return positionsOf.get(list, rows, () => rows);
});

function rowOf(store: Store, key: string, record: OpenRecord): AccountRow {
  const market = marketOfRow(store, record);
  const said = read(record, "market", store.dialect.names) ?? "";
  if (market === undefined) return { key, record, market, symbol: said, places: undefined };
  const places = scaleOf(store, market)?.tickSize.places;
  return { key, record, market, symbol: marketLabel(store, market), places };
}

/** The scale of a row's market; undefined where it is not known. */
const rowScale = (store: Store, { market }: AccountRow) =>
  market === undefined ? undefined : scaleOf(store, market);

type ReadRow<Row> = (store: Store, key: string, record: OpenRecord, account: string) => Row;

/** What a record says is read once, and again when something else that its row is made of changes. */
function readOnce<Row extends AccountRow>(
  make: ReadRow<Row>,
  othersOf: (store: Store, row: Row, account: string) => readonly unknown[] = (store, row) => [
    rowScale(store, row),
  ],
): ReadRow<Row> {
  const known = new WeakMap<
    OpenRecord,
    { readonly row: Row; readonly others: readonly unknown[] }
  >();
  return (store, key, record, account) => {
    const held = known.get(record);
    if (held !== undefined && areSame(othersOf(store, held.row, account), held.others))
      return held.row.key === key ? held.row : { ...held.row, key };
    const row = make(store, key, record, account);
    if (row.market !== undefined) known.set(record, { row, others: othersOf(store, row, account) });
    return row;
  };
}

const toPosition = readOnce(readPosition, (store, row, account) => [
  rowScale(store, row),
  row.market && valueText(store, row.market),
  row.market && leverages(store, account).get(row.market),
]);

function readPosition(store: Store, key: string, record: OpenRecord, account: string): Position {
  const row = rowOf(store, key, record);
  const { market } = row;
  const scale = rowScale(store, row);
  const { names } = store.dialect;
  const price = (meaning: Meaning) => readScaledNumber(store, record, meaning, scale);
  const signed = readScaledNumber(store, record, "positionSize", scale);
  const side = positionSideOf(record, names);
  const size = signed && absoluteDecimal(signed);
  const entry = positive(price("entryPrice"));
  const mark =
    positive(price("mark")) ?? (market === undefined ? undefined : valuePrice(store, market));
  const liquidation = positive(price("liquidationPrice"));
  const unrealised = readNumber(store, record, "unrealisedPnl") ?? gainOf(side, size, entry, mark);
  const margin = readNumber(store, record, "margin");
  return {
    ...row,
    ...{ side, size, entry, mark, liquidation, unrealised, margin },
    value: size && mark && roundDecimal(multiplyDecimal(size, mark), MONEY_PLACES),
    returnPercent: unrealised && margin && percentOf(unrealised, margin),
    distancePercent: distanceOf(side, mark, liquidation),
    leverage: read(record, "leverage", names) ?? leverages(store, account).get(market ?? ""),
  };
}

/** A price of zero is none. */
function positive(value: Decimal | undefined): Decimal | undefined {
  return value !== undefined && value.mantissa > 0n ? value : undefined;
}

function gainOf(
  side: Position["side"],
  size: Decimal | undefined,
  entry: Decimal | undefined,
  mark: Decimal | undefined,
): Decimal | undefined {
  if (side === undefined || size === undefined || entry === undefined || mark === undefined)
    return undefined;
  const gain = multiplyDecimal(size, subtractDecimal(mark, entry));
  return roundDecimal(side === "long" ? gain : negated(gain), MONEY_PLACES);
}

function negated({ mantissa, places }: Decimal): Decimal {
  return { mantissa: -mantissa, places };
}

/** A long is liquidated below the mark, a short above: on the other side the figure says nothing. */
function distanceOf(
  side: Position["side"],
  mark: Decimal | undefined,
  liquidation: Decimal | undefined,
): Decimal | undefined {
  if (side === undefined || mark === undefined || liquidation === undefined) return undefined;
  const difference = subtractDecimal(mark, liquidation);
  const losing = side === "long" ? difference : negated(difference);
  return losing.mantissa < 0n ? undefined : percentOf(losing, mark);
}

/** Of the account's markets, where it says so apart from its positions. */
const leverages = cached((store, account): ReadonlyMap<string, string> => {
  const byMarket = new Map<string, string>();
  for (const record of selectAccount(store, account)?.leverages.rows.values() ?? []) {
    const market = marketOfRow(store, record);
    const leverage = read(record, "leverage", store.dialect.names);
    if (market !== undefined && leverage !== undefined) byMarket.set(market, leverage);
  }
  return byMarket;
});

export interface Order extends AccountRow {
  readonly side: "buy" | "sell" | undefined;
  readonly price: Decimal | undefined;
  /** From the market's mark, in percent; negative below it. */
  readonly distancePercent: Decimal | undefined;
  readonly size: Decimal | undefined;
  readonly filled: Decimal | undefined;
  readonly type: string | undefined;
  readonly timeMs: number | undefined;
}

export const selectOrders = cached((store, account): readonly Order[] | undefined => {
  const rows = selectAccount(store, account)?.orders.rows;
  return rows && Array.from(rows, ([key, record]) => toOrder(store, key, record, account));
});

const orderOf = readOnce(readOrder);

/** How far the mark is from an order changes. */
function toOrder(store: Store, key: string, record: OpenRecord, account: string): Order {
  const order = orderOf(store, key, record, account);
  const mark = order.market === undefined ? undefined : valuePrice(store, order.market);
  const { price } = order;
  return {
    ...order,
    distancePercent: price && mark && percentOf(subtractDecimal(price, mark), mark),
  };
}

function readOrder(store: Store, key: string, record: OpenRecord): Order {
  const row = rowOf(store, key, record);
  const scale = rowScale(store, row);
  const { names } = store.dialect;
  const size = readScaledNumber(store, record, "orderSize", scale);
  const remaining = readScaledNumber(store, record, "remainingSize", scale);
  const filled =
    readScaledNumber(store, record, "filledSize", scale) ??
    (size && remaining && subtractDecimal(size, remaining));
  const price = positive(readScaledNumber(store, record, "price", scale));
  return {
    ...row,
    side: sideOf(record, names) ?? signSide(size),
    ...{ price, filled, size: size && absoluteDecimal(size) },
    distancePercent: undefined,
    type: read(record, "orderType", names),
    timeMs: parseTimeMs(read(record, "time", names)),
  };
}

function signSide(size: Decimal | undefined): "buy" | "sell" | undefined {
  if (size === undefined || size.mantissa === 0n) return undefined;
  return size.mantissa < 0n ? "sell" : "buy";
}

export interface Fill extends AccountRow {
  readonly timeMs: number | undefined;
  readonly side: "buy" | "sell" | undefined;
  readonly price: Decimal | undefined;
  readonly size: Decimal | undefined;
  readonly role: Role;
  /** What was paid is negative, what was received positive. */
  readonly fee: Decimal | undefined;
  /** Where it is none in which sums are. */
  readonly feeAsset: string | undefined;
  /** Where it is in the currency of sums. */
  readonly realised: Decimal | undefined;
}

/** Rows of records that are only added. */
interface Log<Row> {
  /** Grows at its end; another list when what was read is read anew. */
  readonly oldestFirst: Row[];
  /** The same list as long as there is nothing new. */
  newestFirst: readonly Row[];
  /** By market. */
  readonly scales: Map<string | undefined, Scale | undefined>;
}

function readLog<Row extends AccountRow>(make: ReadRow<Row>) {
  const read = readOnce(make);
  const known = new WeakMap<readonly OpenRecord[], Log<Row>>();
  return (store: Store, account: string, records: readonly OpenRecord[]): Log<Row> => {
    let log = known.get(records);
    if (log === undefined || !hasSameScales(store, log))
      log = { oldestFirst: [], newestFirst: [], scales: new Map() };
    known.set(records, log);
    const { oldestFirst, scales } = log;
    if (oldestFirst.length === records.length) return log;
    for (const record of records.slice(oldestFirst.length)) {
      const row = read(store, String(oldestFirst.length), record, account);
      scales.set(row.market, rowScale(store, row));
      oldestFirst.push(row);
    }
    log.newestFirst = oldestFirst.toReversed();
    return log;
  };
}

/** A row without a known market may get one. */
function hasSameScales<Row>(store: Store, { scales }: Log<Row>): boolean {
  for (const [market, scale] of scales)
    if (market === undefined || scaleOf(store, market) !== scale) return false;
  return true;
}

const readFills = readLog(toFill);
const EMPTY: Log<never> = { oldestFirst: [], newestFirst: [], scales: new Map() };

/** Undefined where the account is not known. */
export function fillLog(store: Store, account: string): Log<Fill> | undefined {
  const fills = selectAccount(store, account)?.fills;
  return fills && readFills(store, account, fills);
}

/** Newest first. */
export function selectFills(store: Store, account: string): readonly Fill[] | undefined {
  return fillLog(store, account)?.newestFirst;
}

function toFill(store: Store, key: string, record: OpenRecord, account: string): Fill {
  const row = rowOf(store, key, record);
  const scale = rowScale(store, row);
  const { names } = store.dialect;
  const size = readScaledNumber(store, record, "fillSize", scale);
  const price = positive(readScaledNumber(store, record, "fillPrice", scale));
  const role = roleOf(record, names, account);
  return {
    ...row,
    timeMs: parseTimeMs(read(record, "time", names)),
    side: fillSideOf(record, names, role) ?? (size && size.mantissa < 0n ? "sell" : undefined),
    price,
    size: size && absoluteDecimal(size),
    role,
    ...feeOf(store, row, role, price && size && approximate(multiplyDecimal(price, size))),
    realised: otherAsset(store, row) ? undefined : readNumber(store, record, "realisedPnl"),
  };
}

function feeOf(store: Store, row: AccountRow, role: Role, value: number | undefined) {
  const { record } = row;
  const fee = readNumber(store, record, "fee") ?? (role && readNumber(store, record, `${role}Fee`));
  const asset = read(record, "feeAsset", store.dialect.names);
  // More than the trade is worth is in a unit that nothing names.
  const isKnown =
    asset !== undefined ||
    value === undefined ||
    (fee && Math.abs(approximate(fee)) <= Math.abs(value));
  return {
    fee: fee && isKnown ? negated(fee) : undefined,
    feeAsset: otherAsset(store, row, asset),
  };
}

/** Of what an amount is, in the quote currency unless said otherwise, where sums are of another. */
function otherAsset(store: Store, { market }: AccountRow, said?: string): string | undefined {
  const sums = sumAsset(store, "");
  const listed = market === undefined ? undefined : findListed(store, market)?.record;
  const asset = said ?? read(listed ?? {}, "quoteAsset", store.dialect.names) ?? sums;
  return currencyOf(asset) === currencyOf(sums) ? undefined : asset;
}

/** In what profits are: perpetual markets are quoted in it. */
const sumAsset = cached((store): string => {
  const perps = selectMarkets(store).entries.filter(({ type }) => type === "perp");
  const records = perps.map(({ record }) => record);
  return currenciesOf(records, store.dialect.names)[0] ?? "USD";
});

export interface Balance extends AccountRow {
  readonly asset: string;
  readonly total: Decimal | undefined;
  readonly available: Decimal | undefined;
}

export function selectBalances(store: Store, account: string): readonly Balance[] | undefined {
  const rows = selectAccount(store, account)?.balances.rows;
  const { names } = store.dialect;
  return (
    rows &&
    Array.from(rows, ([key, record]) => ({
      ...{ key, record, market: undefined, symbol: "", places: undefined },
      asset: read(record, "asset", names) ?? "",
      total: readNumber(store, record, "total"),
      available: readNumber(store, record, "available"),
    }))
  );
}

export interface Payment extends AccountRow {
  readonly timeMs: number | undefined;
  /** What was paid is negative. */
  readonly amount: Decimal | undefined;
  readonly rate: string | undefined;
}

const readPayments = readLog((store, key, record): Payment => {
  const { names } = store.dialect;
  return {
    ...rowOf(store, key, record),
    timeMs: parseTimeMs(read(record, "time", names)),
    amount: readNumber(store, record, "payment"),
    rate: read(record, "fundingRate", names),
  };
});

function paymentLog(store: Store, account: string): Log<Payment> | undefined {
  const payments = selectAccount(store, account)?.funding_payments;
  return payments && readPayments(store, account, payments);
}

/** Newest first. */
export function selectPayments(store: Store, account: string): readonly Payment[] | undefined {
  return paymentLog(store, account)?.newestFirst;
}

export interface Summary {
  readonly equity: Decimal | undefined;
  readonly unrealised: Decimal | undefined;
  readonly free: Decimal | undefined;
  readonly marginUsed: Decimal | undefined;
  /** Margin used over equity in percent; undefined where nothing is left. */
  readonly marginPercent: Decimal | undefined;
  /** Nothing is left: the margin in use is more than any share of it. */
  readonly isSpent: boolean;
  readonly asset: string | undefined;
  readonly status: string | undefined;
}

const summaries = new MemoOf<Account, Summary>();

export const selectSummary = cached((store, account): Summary | undefined => {
  const state = selectAccount(store, account);
  if (state === undefined) return undefined;
  const positions = selectPositions(store, account) ?? [];
  return summaries.get(state, [state.account, positions, isRaw(store, "")], () =>
    readSummary(store, state.account ?? {}, positions),
  );
});

function readSummary(store: Store, record: OpenRecord, positions: readonly Position[]): Summary {
  const { names } = store.dialect;
  const number = (meaning: Meaning) => readNumber(store, record, meaning);
  const equity = number("equity");
  const marginUsed = number("marginUsed") ?? sumOf(positions, ({ margin }) => margin);
  // How much margin positions take may not be said.
  const isUsed = marginUsed === undefined ? positions.length > 0 : marginUsed.mantissa > 0n;
  return {
    ...{ equity, marginUsed, free: number("freeCollateral") },
    unrealised: number("unrealisedPnl") ?? sumOf(positions, ({ unrealised }) => unrealised),
    marginPercent: equity && marginUsed && percentOf(marginUsed, equity),
    isSpent: isNone(equity) && isUsed,
    asset: read(record, "quoteAsset", names) ?? read(record, "asset", names),
    status: read(record, "status", names),
  };
}

const isNone = (value: Decimal | undefined) => value !== undefined && value.mantissa <= 0n;

/** Undefined where one row has no such figure, or there is none. */
function sumOf<Row>(
  rows: readonly Row[],
  figureOf: (row: Row) => Decimal | undefined,
): Decimal | undefined {
  return rows.reduce<Sum>((sum, row) => plus(sum, figureOf(row)), undefined) ?? undefined;
}

/** Undefined of no row, null where one has no such figure. */
type Sum = Decimal | null | undefined;

function plus(sum: Sum, value: Decimal | undefined): Sum {
  if (sum === null || value === undefined) return null;
  return sum === undefined ? value : addDecimal(sum, value);
}

interface FillSums {
  readonly realised: Sum;
  /** Of those in the currency of sums. */
  readonly fees: Sum;
  /** In which others were. */
  readonly feeAssets: ReadonlySet<string>;
}

const NO_FILL: FillSums = { realised: undefined, fees: undefined, feeAssets: new Set() };

function addFill({ realised, fees, feeAssets }: FillSums, fill: Fill): FillSums {
  const { feeAsset } = fill;
  const isKnown = feeAsset === undefined || feeAssets.has(feeAsset);
  return {
    realised: plus(realised, fill.realised),
    fees: feeAsset === undefined ? plus(fees, fill.fee) : fees,
    feeAssets: isKnown ? feeAssets : new Set([...feeAssets, feeAsset]),
  };
}

/** What the UTC day brought, or the part of it that the stream has told. */
export interface DayProfit {
  /** Unix milliseconds of the oldest fill since which all are known; undefined where nothing of the day is missing. */
  readonly sinceMs: number | undefined;
  readonly realised: Decimal | undefined;
  readonly fees: Decimal | undefined;
  /** Fees in these are in no sum. */
  readonly feeAssets: ReadonlySet<string>;
  readonly funding: Decimal | undefined;
  /** Undefined where something is known of no or only some fills. */
  readonly total: Decimal | undefined;
}

const dayFills = new Running<Fill, FillSums>();
const dayPayments = new Running<Payment, Sum>();

export function selectDay(moment: Moment, account: string): DayProfit {
  const { store } = moment;
  const nowMs = serviceMs(moment);
  const dayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const { oldestFirst: fills } = fillLog(store, account) ?? EMPTY;
  const { oldestFirst: payments } = paymentLog(store, account) ?? EMPTY;
  const { fillsFrom = 0 } = selectAccount(store, account) ?? {};
  // Of a day whose fills are all unknown only now is known.
  const isUnknown = fillsFrom > 0 && fillsFrom === fills.length;
  const oldestMs = fills[fillsFrom]?.timeMs ?? dayMs;
  const fromMs = Math.max(dayMs, oldestMs);
  const isOfDay = ({ timeMs = 0 }: Fill | Payment) => timeMs >= fromMs;
  const sums = dayFills.get(
    fills,
    [fillsFrom, fromMs],
    () => NO_FILL,
    (sum, fill, at) => (at >= fillsFrom && isOfDay(fill) ? addFill(sum, fill) : sum),
  );
  const paid = dayPayments.get(
    payments,
    [fromMs],
    () => undefined,
    (sum, payment) => (isOfDay(payment) ? plus(sum, payment.amount) : sum),
  );
  const sinceMs = isUnknown ? nowMs : oldestMs > dayMs ? oldestMs : undefined;
  const [realised, fees] = [sums.realised ?? undefined, sums.fees ?? undefined];
  const funding = isUnknown ? undefined : (paid ?? undefined);
  // A sum that lacks what was realised is no result.
  const parts = [sums.realised, sums.fees, funding].filter((value) => value !== undefined);
  const total = sumOf(parts, (value) => value ?? undefined);
  return { sinceMs, realised, fees, feeAssets: sums.feeAssets, funding, total };
}

const allFills = new Running<Fill, FillSums>();

/** Fees of all fills that are known, and when the oldest was. */
export function selectFees(store: Store, account: string) {
  const { oldestFirst } = fillLog(store, account) ?? EMPTY;
  const { fees, feeAssets } = allFills.get(oldestFirst, [], () => NO_FILL, addFill);
  return { count: oldestFirst.length, sinceMs: oldestFirst[0]?.timeMs, fees, feeAssets };
}

/** How a sum of the day is called that may lack its beginning. */
export function dayTitle({ sinceMs }: DayProfit, display: Display): string {
  return sinceMs === undefined ? "today" : `since ${formatTime(sinceMs, display).slice(0, 5)}`;
}

/** The position with the smallest distance to liquidation. */
export function nearestLiquidation(positions: readonly Position[]): Position | undefined {
  const far = (position: Position | undefined) =>
    position?.distancePercent ? approximate(position.distancePercent) : Number.POSITIVE_INFINITY;
  return positions.reduce<Position | undefined>(
    (best, each) => (far(each) < far(best) ? each : best),
    undefined,
  );
}

/** Orders of a market by side and price in ticks, for marks in the book. */
export function ownOrderTicks(store: Store, account: string, market: string) {
  const scale = scaleOf(store, market);
  const orders = (selectOrders(store, account) ?? []).filter((order) => order.market === market);
  return orders.flatMap(({ side, price }) => {
    if (side === undefined || price === undefined) return [];
    const ticks = scale === undefined ? price : toTicks(price, scale.tickSize);
    return ticks === undefined
      ? []
      : [{ side: side === "buy" ? ("bid" as const) : ("ask" as const), ticks: ticks.mantissa }];
  });
}

/** A price as whole ticks; undefined where it is none. */
function toTicks(price: Decimal, tick: Decimal): Decimal | undefined {
  const places = Math.max(price.places, tick.places);
  const [a, b] = [widenDecimal(price, places).mantissa, widenDecimal(tick, places).mantissa];
  return b === 0n || a % b !== 0n ? undefined : { mantissa: a / b, places: 0 };
}
