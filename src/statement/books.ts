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

type Sizes = ReadonlyMap<string, Decimal | undefined>;
type Fills = ReadonlyMap<string, Pick<MarketFills, "net" | "netAt">>;

/** Without positions to compare with. */
export function openBooks(fills: Fills): Books {
  return new Map([...fills].map(([name, { net }]) => [name, bookOf(name, net, undefined)]));
}

/** @param ms the time of the positions: later fills are not in them */
export function balanceBooks(fills: Fills, held: Sizes, ms = Number.POSITIVE_INFINITY): Books {
  const names = new Set([...fills.keys(), ...held.keys()]);
  const all = [...names].map((name): readonly [string, Book] => {
    const net = fills.get(name)?.netAt(ms) ?? ZERO;
    return [name, bookOf(name, trimDecimal(net), held)];
  });
  return new Map(all);
}

function bookOf(market: string, fills: Decimal, held: Sizes | undefined): Book {
  const isShown = held?.has(market) ?? false;
  const isNothing = held !== undefined && !isShown && HAS_POSITIONS.test(market);
  const position = isNothing ? ZERO : held?.get(market);
  if (position === undefined) return { fills, position, difference: undefined };
  const difference = trimDecimal(subtractDecimal(position, fills));
  return { fills, position: trimDecimal(position), difference };
}

/** Clocks of listing and stream may be so far apart, in steps of so much. */
const MOST_APART_MS = 2000;
const APART_STEP_MS = 50;

/**
 * The books at the last moment. Where they differ by the service's times, and balance at every moment when these are taken to be apart
 * by one and the same difference, they balance.
 * @param moments at least one
 */
export function balanceAt(
  fills: Fills,
  moments: readonly { readonly ms: number; readonly sizes: Sizes }[],
): BooksAt {
  const booksAt = (apartMs: number) =>
    moments.map(({ ms, sizes }) => ({
      books: balanceBooks(fills, sizes, ms + apartMs),
      ms: ms + apartMs,
    }));
  const last = booksAt(0).at(-1) ?? { books: openBooks(fills), ms: undefined };
  if (!hasDifference(last.books) || moments.length === 1) return last;
  for (let apartMs = -MOST_APART_MS; apartMs <= MOST_APART_MS; apartMs += APART_STEP_MS) {
    const all = booksAt(apartMs);
    if (!all.some(({ books }) => hasDifference(books))) return all.at(-1) ?? last;
  }
  return last;
}

/** Books, and the time that they are of: Unix milliseconds; undefined where they are of no position. */
export interface BooksAt {
  readonly books: Books;
  readonly ms: number | undefined;
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
