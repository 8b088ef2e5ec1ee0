// Do the fills add up to the position held? Per market: signed fills next to the position that the stream reports.
import { compareDecimal, type Decimal, subtractDecimal, trimDecimal } from "../units/decimal.ts";
import { type Net, ZERO } from "./fold.ts";

/** Base currency, signed: long is positive. */
export interface Reconciled {
  readonly fills: Decimal;
  /** Undefined if unknown, or not in base currency. */
  readonly position: Decimal | undefined;
  /** Position minus fills; undefined if either is undefined. */
  readonly difference: Decimal | undefined;
}

export type Reconciliation = ReadonlyMap<string, Reconciled>;

/** Positions by market at a time in Unix milliseconds; undefined where one is unknown. */
export interface Held {
  readonly ms: number;
  readonly sizes: ReadonlyMap<string, Decimal | undefined>;
}

/** The clocks of listing and stream may be this far apart. */
const APART_MS = 2000;
/** Balances of a spot market are no position, because they include transfers. */
const HAS_POSITIONS = /^perp\//;

/** @param held undefined: nothing is compared */
export function reconcile(nets: ReadonlyMap<string, readonly Net[]>, held?: Held): Reconciliation {
  const names = new Set([...nets.keys(), ...(held?.sizes.keys() ?? [])]);
  return new Map([...names].map((name) => [name, reconciledOf(name, nets.get(name) ?? [], held)]));
}

function reconciledOf(market: string, nets: readonly Net[], held: Held | undefined): Reconciled {
  if (held === undefined)
    return { fills: nets.at(-1)?.net ?? ZERO, position: undefined, difference: undefined };
  const { ms, sizes } = held;
  const isFlat = !sizes.has(market) && HAS_POSITIONS.test(market);
  const position = isFlat ? ZERO : sizes.get(market);
  const then = nets.findLast((each) => each.ms <= ms)?.net ?? ZERO;
  if (position === undefined) return { fills: then, position, difference: undefined };
  // A fill of that moment may be in one of the two and not yet in the other.
  const near = nets.filter((each) => Math.abs(each.ms - ms) <= APART_MS).map(({ net }) => net);
  const before = nets.findLast((each) => each.ms < ms - APART_MS)?.net ?? ZERO;
  const balanced = [then, before, ...near].find((net) => compareDecimal(net, position) === 0);
  const fills = balanced ?? then;
  const difference = trimDecimal(subtractDecimal(position, fills));
  return { fills, position: trimDecimal(position), difference };
}

export function hasDifference(books: Reconciliation): boolean {
  return [...books.values()].some(({ difference }) => isDifferent(difference));
}

export function isDifferent(difference: Decimal | undefined): boolean {
  return difference !== undefined && difference.mantissa !== 0n;
}
