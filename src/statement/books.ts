// Do the fills add up to what is held? By market: signed fills beside the position that the stream shows.
import { type Decimal, formatDecimal, subtractDecimal, trimDecimal } from "../units/decimal.ts";
import { type MarketFills, ZERO } from "./fold.ts";

/** Base currency, signed: long is positive. */
export interface Book {
  readonly fills: Decimal;
  /** Undefined where nobody has said it, or not in base currency. */
  readonly position: Decimal | undefined;
  /** Position less fills; undefined where one of them is. */
  readonly difference: Decimal | undefined;
  /** What could explain a difference, in words. */
  readonly couldExplain?: readonly string[];
}

export type Books = ReadonlyMap<string, Book>;

/** Balances of a spot market are no position: transfers are in them, too. */
const HAS_POSITIONS = /^perp\//;

/** @param held positions by market, as the stream shows them; undefined without an account */
export function balanceBooks(
  fills: ReadonlyMap<string, MarketFills>,
  held: ReadonlyMap<string, Decimal | undefined> | undefined,
): Books {
  const names = new Set([...fills.keys(), ...(held?.keys() ?? [])]);
  return new Map(
    [...names].map((name) => [name, bookOf(name, fills.get(name)?.net ?? ZERO, held)]),
  );
}

function bookOf(
  market: string,
  fills: Decimal,
  held: ReadonlyMap<string, Decimal | undefined> | undefined,
): Book {
  const isShown = held?.has(market) ?? false;
  const isNothing = held !== undefined && !isShown && HAS_POSITIONS.test(market);
  const position = isNothing ? ZERO : held?.get(market);
  if (position === undefined) return { fills, position, difference: undefined };
  const difference = trimDecimal(subtractDecimal(position, fills));
  return { fills, position: trimDecimal(position), difference };
}

/** The first of the ways that positions may have been by which the books balance; else the last. */
export function balanceBest(
  fills: ReadonlyMap<string, MarketFills>,
  held: readonly ReadonlyMap<string, Decimal | undefined>[],
): Books {
  const all = held.map((sizes) => balanceBooks(fills, sizes));
  return all.find((books) => !hasDifference(books)) ?? all.at(-1) ?? balanceBooks(fills, undefined);
}

export function hasDifference(books: Books): boolean {
  return [...books.values()].some(isDifferent);
}

export function isDifferent({ difference }: Book): boolean {
  return difference !== undefined && difference.mantissa !== 0n;
}

export function bookJson({ fills, position, difference, couldExplain }: Book): object {
  const text = (value: Decimal | undefined) => (value === undefined ? null : formatDecimal(value));
  const book = { fills: text(fills), position: text(position), difference: text(difference) };
  return couldExplain === undefined ? book : { ...book, could_explain: couldExplain };
}
