// The rows of a subaccount in a trader's terms. Exact where the service gives a figure; what is derived is derived exactly.

import { fillSideOf, positionSideOf, type Role, read, roleOf, sideOf } from "../dialect/fields.ts";
import type { Meaning } from "../dialect/names.ts";
import type { Account } from "../state/records.ts";
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
import { Memo } from "../units/memo.ts";
import type { Scale } from "../units/scale.ts";
import { DAY_MS } from "../units/time.ts";
import type { OpenRecord } from "../wire/frames.ts";
import { type Display, formatTime } from "./format.ts";
import { marketLabel, marketOfRow, percentOf, scaleOf, valuePrice } from "./market.ts";
import { type Moment, serviceMs } from "./moment.ts";
import { parseTimeMs, readNumber, readPrice, readSize } from "./read.ts";

/** What every row of an account has. */
interface AccountRow {
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

export const selectPositions = cached((store, account): readonly Position[] | undefined => {
  const rows = selectAccount(store, account)?.positions.rows;
  return rows && Array.from(rows, ([key, record]) => toPosition(store, key, record));
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

interface KnownPosition {
  readonly position: Position;
  readonly scale: Scale | undefined;
  /** Of its market, and of the account's leverages. */
  readonly mark: Decimal | undefined;
  readonly leverage: string | undefined;
}

const knownPositions = new WeakMap<OpenRecord, KnownPosition>();

/** The same row as long as neither its record nor anything else that it is made of changes. */
function toPosition(store: Store, key: string, record: OpenRecord): Position {
  const held = knownPositions.get(record);
  if (held?.position.key === key) {
    const { scale, mark, leverage } = around(store, held.position);
    if (scale === held.scale && leverage === held.leverage && isEqual(mark, held.mark))
      return held.position;
  }
  const row = rowOf(store, key, record);
  const given = around(store, row);
  const position = readPosition(store, row, given);
  if (row.market !== undefined) knownPositions.set(record, { position, ...given });
  return position;
}

function around(store: Store, row: AccountRow): Omit<KnownPosition, "position"> {
  return {
    scale: rowScale(store, row),
    mark: row.market === undefined ? undefined : valuePrice(store, row.market),
    leverage: leverageOf(store, row),
  };
}

function isEqual(a: Decimal | undefined, b: Decimal | undefined): boolean {
  return a?.mantissa === b?.mantissa && a?.places === b?.places;
}

function readPosition(
  store: Store,
  row: AccountRow,
  { scale, mark: ofMarket, leverage }: Omit<KnownPosition, "position">,
): Position {
  const { record } = row;
  const { names } = store.dialect;
  const price = (meaning: Meaning) => readPrice(store, record, meaning, scale);
  const signed = readSize(store, record, "positionSize", scale);
  const side = positionSideOf(record, names);
  const size = signed && absoluteDecimal(signed);
  const entry = positive(price("entryPrice"));
  const mark = positive(price("mark")) ?? ofMarket;
  const liquidation = positive(price("liquidationPrice"));
  const unrealised = readNumber(store, record, "unrealisedPnl") ?? gainOf(side, size, entry, mark);
  const margin = readNumber(store, record, "margin");
  return {
    ...row,
    ...{ side, size, entry, mark, liquidation, unrealised, margin },
    value: size && mark && roundDecimal(multiplyDecimal(size, mark), MONEY_PLACES),
    returnPercent: unrealised && margin && percentOf(unrealised, margin),
    distancePercent: distanceOf(side, mark, liquidation),
    leverage: read(record, "leverage", names) ?? leverage,
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

function leverageOf(store: Store, { market }: AccountRow): string | undefined {
  for (const [, account] of accountsIn(store))
    for (const record of account.leverages.rows.values())
      if (market !== undefined && marketOfRow(store, record) === market)
        return read(record, "leverage", store.dialect.names);
  return undefined;
}

/** Every subaccount that is watched, by `ADDRESS/ID`. */
export function accountsIn(store: Store): readonly (readonly [name: string, account: Account])[] {
  return [...store.channels.keys()]
    .filter((channel) => channel.startsWith("account/"))
    .flatMap((channel) => {
      const account = select(store, "account", channel);
      return account === undefined ? [] : [[channel.slice("account/".length), account] as const];
    });
}

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

/** What a record says is read once, and again when its market gets another scale. */
function readOnce<Row extends AccountRow>(
  make: (store: Store, key: string, record: OpenRecord, account: string) => Row,
) {
  const known = new WeakMap<OpenRecord, { readonly row: Row; readonly scale: Scale | undefined }>();
  return (store: Store, key: string, record: OpenRecord, account: string): Row => {
    const held = known.get(record);
    if (held !== undefined && rowScale(store, held.row) === held.scale)
      return held.row.key === key ? held.row : { ...held.row, key };
    const row = make(store, key, record, account);
    if (row.market !== undefined) known.set(record, { row, scale: rowScale(store, row) });
    return row;
  };
}

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
  const size = readSize(store, record, "orderSize", scale);
  const remaining = readSize(store, record, "remainingSize", scale);
  const filled =
    readSize(store, record, "filledSize", scale) ??
    (size && remaining && subtractDecimal(size, remaining));
  const price = positive(readPrice(store, record, "price", scale));
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
  readonly realised: Decimal | undefined;
}

/** Rows of records that are only added, newest first: the same list as long as there is nothing new. */
function readLog<Row extends AccountRow>(make: Parameters<typeof readOnce<Row>>[0]) {
  const read = readOnce(make);
  const known = new WeakMap<readonly OpenRecord[], KnownLog<Row>>();
  return (store: Store, account: string, records: readonly OpenRecord[]): readonly Row[] => {
    const held = known.get(records);
    const isStanding = held !== undefined && hasSameScales(store, held);
    const from = isStanding ? held.rows.length : 0;
    if (isStanding && from === records.length) return held.rows;
    const added = records
      .slice(from)
      .map((each, i) => read(store, String(from + i), each, account));
    const scales = new Map(isStanding ? held.scales : []);
    for (const row of added) scales.set(row.market, rowScale(store, row));
    const rows = [...added.reverse(), ...(isStanding ? held.rows : [])];
    known.set(records, { rows, scales });
    return rows;
  };
}

interface KnownLog<Row> {
  readonly rows: readonly Row[];
  /** By market. */
  readonly scales: ReadonlyMap<string | undefined, Scale | undefined>;
}

/** A row without a known market may get one. */
function hasSameScales<Row>(store: Store, { scales }: KnownLog<Row>): boolean {
  for (const [market, scale] of scales)
    if (market === undefined || scaleOf(store, market) !== scale) return false;
  return true;
}

const readFills = readLog(toFill);

/** Newest first. */
export function selectFills(store: Store, account: string): readonly Fill[] | undefined {
  const fills = selectAccount(store, account)?.fills;
  return fills && readFills(store, account, fills);
}

function toFill(store: Store, key: string, record: OpenRecord, account: string): Fill {
  const row = rowOf(store, key, record);
  const scale = rowScale(store, row);
  const { names } = store.dialect;
  const size = readSize(store, record, "fillSize", scale);
  const price = positive(readPrice(store, record, "fillPrice", scale));
  const role = roleOf(record, names, account);
  const fee = readNumber(store, record, "fee") ?? (role && readNumber(store, record, `${role}Fee`));
  const value = price && size && approximate(multiplyDecimal(price, size));
  // More than the trade is worth is in a unit that nothing names.
  const isKnown = value === undefined || (fee && Math.abs(approximate(fee)) <= Math.abs(value));
  return {
    ...row,
    timeMs: parseTimeMs(read(record, "time", names)),
    side: fillSideOf(record, names, role) ?? (size && size.mantissa < 0n ? "sell" : undefined),
    price,
    size: size && absoluteDecimal(size),
    role,
    fee: fee && isKnown ? negated(fee) : undefined,
    realised: readNumber(store, record, "realisedPnl"),
  };
}

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

/** Newest first. */
export function selectPayments(store: Store, account: string): readonly Payment[] | undefined {
  const payments = selectAccount(store, account)?.funding_payments;
  return payments && readPayments(store, account, payments);
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

export const selectSummary = cached((store, account): Summary | undefined => {
  const state = selectAccount(store, account);
  if (state === undefined) return undefined;
  const { names } = store.dialect;
  const record = state.account ?? {};
  const number = (meaning: Meaning) => readNumber(store, record, meaning);
  const equity = number("equity");
  const positions = selectPositions(store, account) ?? [];
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
});

const isNone = (value: Decimal | undefined) => value !== undefined && value.mantissa <= 0n;

/** Undefined where one row has no such figure, or there is none. */
export function sumOf<Row>(
  rows: readonly Row[],
  figureOf: (row: Row) => Decimal | undefined,
): Decimal | undefined {
  let sum: Decimal | undefined;
  for (const row of rows) {
    const value = figureOf(row);
    if (value === undefined) return undefined;
    sum = sum === undefined ? value : addDecimal(sum, value);
  }
  return sum;
}

/** What the UTC day brought, or the part of it that the stream has told. */
export interface DayProfit {
  /** Unix milliseconds of the oldest fill since which all are known; undefined where nothing of the day is missing. */
  readonly sinceMs: number | undefined;
  readonly realised: Decimal | undefined;
  readonly fees: Decimal | undefined;
  readonly funding: Decimal | undefined;
  /** Of those that are known. */
  readonly total: Decimal | undefined;
}

const day = new Memo<DayProfit>();

export function selectDay(moment: Moment, account: string): DayProfit {
  const { store } = moment;
  const nowMs = serviceMs(moment);
  const dayMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const fills = selectFills(store, account) ?? [];
  const payments = selectPayments(store, account) ?? [];
  const { fillsFrom = 0 } = selectAccount(store, account) ?? {};
  const known = fills.length - fillsFrom;
  // Of a day whose fills are all unknown only now is known.
  const unknownMs = known === 0 && fillsFrom > 0 ? nowMs : dayMs;
  return day.get([fills, payments, known, dayMs, unknownMs], () =>
    sumDay(fills.slice(0, known), payments, dayMs, unknownMs),
  );
}

function sumDay(
  held: readonly Fill[],
  payments: readonly Payment[],
  dayMs: number,
  unknownMs: number,
): DayProfit {
  const oldestMs = held.at(-1)?.timeMs ?? unknownMs;
  const fromMs = Math.max(dayMs, oldestMs);
  const isSince = ({ timeMs }: { readonly timeMs: number | undefined }) =>
    timeMs !== undefined && timeMs >= fromMs;
  const fills = held.filter(isSince);
  const realised = sumOf(fills, (fill) => fill.realised);
  const fees = sumOf(fills, ({ fee }) => fee);
  const funding = sumOf(payments.filter(isSince), ({ amount }) => amount);
  const known = [realised, fees, funding].filter((value) => value !== undefined);
  const total = sumOf(known, (value) => value);
  return { sinceMs: oldestMs > dayMs ? oldestMs : undefined, realised, fees, funding, total };
}

/** How a sum of the day is called that may lack its beginning. */
export function dayWord({ sinceMs }: DayProfit, display: Display): string {
  return sinceMs === undefined ? "today" : `since ${formatTime(sinceMs, display).slice(0, 5)}`;
}

/** The smallest distance to liquidation of a subaccount's positions, in percent. */
export function nearestLiquidation(positions: readonly Position[]): Position | undefined {
  return positions
    .filter(({ distancePercent }) => distancePercent !== undefined)
    .reduce<Position | undefined>((best, each) => {
      const isNearer =
        best?.distancePercent === undefined ||
        Number(formatDecimal(each.distancePercent ?? { mantissa: 0n, places: 0 })) <
          Number(formatDecimal(best.distancePercent));
      return isNearer ? each : best;
    }, undefined);
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
