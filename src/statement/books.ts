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
}

/** What the stream shows of each market; undefined without an account. */
export interface HeldPositions {
  /** Those that are not 0; undefined where the size is not said in base currency. */
  readonly sizes: ReadonlyMap<string, Decimal | undefined>;
}

/** Balances of a spot market have no position: transfers are in them, too. */
const HAS_POSITIONS = /^perp\//;

export function balanceBooks(
  fills: ReadonlyMap<string, MarketFills>,
  held: HeldPositions | undefined,
): ReadonlyMap<string, Book> {
  const names = [...fills.keys(), ...(held?.sizes.keys() ?? [])];
  return new Map(
    [...new Set(names)].map((name) => {
      const net = fills.get(name)?.net ?? ZERO;
      const isSaid = held !== undefined && (HAS_POSITIONS.test(name) || held.sizes.has(name));
      const size = held?.sizes.has(name) ? held.sizes.get(name) : ZERO;
      const position = isSaid ? size : undefined;
      const difference = position && trimDecimal(subtractDecimal(position, net));
      return [name, { fills: net, position: position && trimDecimal(position), difference }];
    }),
  );
}

export function hasDifference(books: ReadonlyMap<string, Book>): boolean {
  return [...books.values()].some(({ difference }) => difference?.mantissa);
}

export function bookJson({ fills, position, difference }: Book): object {
  const text = (value: Decimal | undefined) => (value === undefined ? null : formatDecimal(value));
  return { fills: text(fills), position: text(position), difference: text(difference) };
}
