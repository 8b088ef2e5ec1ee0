// What an account has in the current market: open orders at their prices, fills, and the prices of entry and liquidation.
// Only prices that the service sends are marked; nothing is derived from other fields.

import { freshRows } from "../../../select/columns.ts";
import { getSide, readDecimal } from "../../../select/fields.ts";
import { isOfMarket, type Market } from "../../../select/market.ts";
import { getStep } from "../../../select/orderbook.ts";
import type { AccountState } from "../../../state/account.ts";
import type { Aliases, Meaning } from "../../../state/aliases.ts";
import { readTimeNs } from "../../../state/time-value.ts";
import { type Decimal, formatDecimal, multiplyDecimal } from "../../../units/decimal.ts";
import { Memo } from "../../../units/memo.ts";
import { roundToUnit, type Scale, toUnits } from "../../../units/scale.ts";
import { NS_PER_MS } from "../../../units/time.ts";
import type { OpenRecord } from "../../../wire/update.ts";

/** Marks what belongs to the watched account, left of the row. */
export const OWN = "◆";
/** Likewise for what may have ended. */
const IN_QUESTION = "?";
type OwnSign = typeof OWN | typeof IN_QUESTION;

export interface OwnOrder {
  readonly isBid: boolean;
  readonly priceTicks: bigint;
  /** Remaining size; undefined if it is unknown in lots. */
  readonly sizeLots: bigint | undefined;
  /** `?` if newer frames leave open whether the order still stands. */
  readonly sign: OwnSign;
}

export interface OwnFill {
  readonly isBuy: boolean;
  /** Unix nanoseconds, and the same in whole milliseconds. */
  readonly timeNs: bigint;
  readonly timeMs: number;
  /** True for the taker; undefined if the service sends no role. */
  readonly isTaker: boolean | undefined;
  /** Undefined while ticks cannot be converted to a price. */
  readonly price: Decimal | undefined;
  /** Undefined if it is unknown in lots. */
  readonly sizeLots: bigint | undefined;
}

/** A price of the position, as a line across the chart. */
export interface OwnLine {
  readonly word: string;
  /** Rounded to the nearest tick. */
  readonly text: string;
  readonly price: Decimal;
  readonly isDanger: boolean;
}

export interface OwnMarks {
  readonly orders: readonly OwnOrder[];
  /** In two parts: the first stays the same array while the second one grows. */
  readonly fills: readonly (readonly OwnFill[])[];
  /** Those of one moment, in Unix nanoseconds. */
  readonly fillsAt: (timeNs: bigint) => readonly OwnFill[];
  readonly lines: readonly OwnLine[];
}

export const noMarks: OwnMarks = {
  orders: [],
  fills: [],
  fillsAt: () => [],
  lines: [],
};

/** The same object until rows, market or scale change. */
export class OwnMarksReader {
  readonly #aliases: Aliases;
  readonly #fills = new Memo<OwnFills>();
  readonly #marks = new Memo<OwnMarks>();

  constructor(aliases: Aliases) {
    this.#aliases = aliases;
  }

  select({ lists, logs }: AccountState, market: Market, scale: Scale | undefined): OwnMarks {
    const [orders, fills, positions] = [lists.orders.rows, logs.fills.rows, lists.positions.rows];
    const [ordersInQuestion, inQuestion] = [lists.orders.inQuestion, lists.positions.inQuestion];
    const { type, id } = market;
    const of = [orders, fills, positions, ordersInQuestion, inQuestion, scale, type, id];
    return this.#marks.get(of, () => {
      const here = (row: OpenRecord) => isOfMarket(row, market, this.#aliases);
      const ownFills = this.#fills.get([scale, type, id], () => new OwnFills());
      const held = positions.filter(here);
      return {
        orders: orders.filter(here).flatMap((row) => {
          return this.#orderOf(row, scale, ordersInQuestion.has(row) ? IN_QUESTION : OWN) ?? [];
        }),
        ...ownFills.update(fills, (row) => (here(row) ? this.#fillOf(row, scale) : undefined)),
        lines: held.flatMap((row) => this.#linesOf(row, scale, inQuestion.has(row))),
      };
    });
  }

  #orderOf(row: OpenRecord, scale: Scale | undefined, sign: OwnSign): OwnOrder | undefined {
    const side = getSide(row, this.#aliases);
    const priceTicks =
      this.#units(row, "priceTicks") ?? this.#inUnits(row, "price", scale?.tickSize);
    if (side === undefined || priceTicks === undefined) return undefined;
    const sizeLots =
      this.#units(row, "remainingLots") ??
      this.#inUnits(row, "remaining", scale?.lotSize) ??
      this.#units(row, "sizeLots") ??
      this.#inUnits(row, "size", scale?.lotSize);
    return { isBid: side === "buy", priceTicks, sizeLots, sign };
  }

  #fillOf(row: OpenRecord, scale: Scale | undefined): OwnFill | undefined {
    const side = getSide(row, this.#aliases);
    const timeNs = readTimeNs(this.#aliases.value(row, "time"));
    if (side === undefined || timeNs === undefined) return undefined;
    const ticks = this.#units(row, "priceTicks");
    const named = readDecimal(row, "price", this.#aliases);
    const ofTicks =
      ticks === undefined || scale === undefined
        ? undefined
        : multiplyDecimal({ mantissa: ticks, places: 0 }, scale.tickSize);
    const role = this.#aliases.text(row, "role") ?? "";
    return {
      isBuy: side === "buy",
      timeNs,
      timeMs: Number(timeNs / NS_PER_MS),
      isTaker: /^(?:taker|maker)$/i.test(role) ? /^t/i.test(role) : undefined,
      price: named ?? ofTicks,
      sizeLots: this.#lotsOf(row, scale),
    };
  }

  /** The size in lots, with its sign as received. */
  #lotsOf(row: OpenRecord, scale: Scale | undefined): bigint | undefined {
    const lots = this.#aliases.text(row, "sizeLots") ?? "";
    if (/^-?[0-9]{1,39}$/.test(lots)) return BigInt(lots);
    return this.#inUnits(row, "size", scale?.lotSize);
  }

  /** An average price has more digits than a tradable one: it is labelled with the nearest tick. */
  #linesOf(row: OpenRecord, scale: Scale | undefined, isInQuestion: boolean): OwnLine[] {
    const lineOf = (word: string, meaning: Meaning, isDanger: boolean): OwnLine[] => {
      const price = readDecimal(row, meaning, this.#aliases);
      if (price === undefined || price.mantissa <= 0n) return [];
      const shown = formatDecimal(scale === undefined ? price : roundToUnit(price, scale.tickSize));
      return [{ word: isInQuestion ? `${word}?` : word, text: shown, price, isDanger }];
    };
    return [
      ...lineOf("entry", "entryPrice", false),
      ...lineOf("liquidation", "liquidationPrice", true),
    ];
  }

  #units(row: OpenRecord, meaning: Meaning): bigint | undefined {
    const text = this.#aliases.text(row, meaning) ?? "";
    return /^[0-9]{1,39}$/.test(text) ? BigInt(text) : undefined;
  }

  /** Decimal text in whole units; undefined without a scale, or if it is not a whole number of units. */
  #inUnits(row: OpenRecord, meaning: Meaning, unit: Decimal | undefined): bigint | undefined {
    const value = readDecimal(row, meaning, this.#aliases);
    return value === undefined || unit === undefined ? undefined : toUnits(value, unit);
  }
}

export interface OwnStep {
  readonly count: number;
  /** Undefined if the size of one of them is unknown. */
  readonly sizeLots: bigint | undefined;
  /** `?` if all of them are in question. */
  readonly sign: OwnSign;
}

/**
 * Own orders by steps of a ladder: `bid 9680` is the step of bids at 9680 ticks.
 * @param grouping width of a step in ticks: bids are rounded down to it, asks up
 */
export function groupOwnOrders(
  orders: readonly OwnOrder[],
  grouping: bigint,
): ReadonlyMap<string, OwnStep> {
  const steps = new Map<string, OwnStep>();
  for (const { isBid, priceTicks, sizeLots, sign } of orders) {
    const side = isBid ? "bid" : "ask";
    const key = `${side} ${getStep(priceTicks, grouping, side)}`;
    const before = steps.get(key) ?? { count: 0, sizeLots: 0n, sign };
    const isKnown = before.sizeLots !== undefined && sizeLots !== undefined;
    steps.set(key, {
      count: before.count + 1,
      sizeLots: isKnown ? before.sizeLots + sizeLots : undefined,
      sign: before.sign === OWN ? OWN : sign,
    });
  }
  return steps;
}

export function isOwnTrade(
  { fillsAt }: OwnMarks,
  { timestampNs, takerIsBid }: { readonly timestampNs: string; readonly takerIsBid: boolean },
): boolean {
  return fillsAt(BigInt(timestampNs)).some(
    ({ isBuy, isTaker }) => isTaker === undefined || (isBuy === takerIsBid) === isTaker,
  );
}

type FillsByTime = ReadonlyMap<bigint, readonly OwnFill[]>;

/** Maximum number of fills received since the older ones were last put in order. */
const MAX_RECENT = 128;

/** The fills of a list, for one market and scale: each row is parsed once and sorted once; earlier results never change. */
class OwnFills {
  readonly #read = new WeakMap<OpenRecord, OwnFill | null>();
  /** The rows that the older fills are of. */
  #rows: readonly OpenRecord[] = [];
  #older: readonly OwnFill[] = [];
  #olderByTime: FillsByTime = new Map();

  update(
    rows: readonly OpenRecord[],
    read: (row: OpenRecord) => OwnFill | undefined,
  ): Pick<OwnMarks, "fills" | "fillsAt"> {
    const fillsIn = (some: readonly OpenRecord[]) =>
      some.flatMap((row) => {
        const known = this.#read.get(row);
        const fill = known === undefined ? (read(row) ?? null) : known;
        if (known === undefined) this.#read.set(row, fill);
        return fill ?? [];
      });
    let fresh = freshRows(this.#rows, rows);
    // Rows are other objects, or of another account, where the list has not only grown at its beginning.
    const isGrown =
      fresh.length + this.#rows.length === rows.length && rows[fresh.length] === this.#rows[0];
    if (!isGrown || fresh.length > MAX_RECENT) {
      this.#rows = rows;
      this.#older = fillsIn(rows);
      this.#olderByTime = byTime(this.#older);
      fresh = [];
    }
    const recent = fillsIn(fresh);
    const [older, newer] = [this.#olderByTime, byTime(recent)];
    const fillsAt = (ns: bigint) => [...(newer.get(ns) ?? []), ...(older.get(ns) ?? [])];
    return { fills: [this.#older, recent], fillsAt };
  }
}

function byTime(fills: readonly OwnFill[]): FillsByTime {
  const found = new Map<bigint, OwnFill[]>();
  for (const fill of fills) {
    const list = found.get(fill.timeNs) ?? [];
    list.push(fill);
    found.set(fill.timeNs, list);
  }
  return found;
}
