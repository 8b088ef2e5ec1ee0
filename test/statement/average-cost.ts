// What fills come to, by average cost and in exact fractions: an oracle that shares no line with the fold.
import { expect } from "vitest";
import { statementJson } from "../../src/print/statement.ts";
import type { StatementFold } from "../../src/statement/fold.ts";
import { type Held, reconcile } from "../../src/statement/reconcile.ts";

export type Fraction = readonly [n: bigint, d: bigint];

const ZERO: Fraction = [0n, 1n];
const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b));
function fraction(n: bigint, d: bigint): Fraction {
  const by = gcd(n, d) || 1n;
  return d < 0n ? [-n / by, -d / by] : [n / by, d / by];
}
const plus = ([a, b]: Fraction, [c, d]: Fraction) => fraction(a * d + c * b, b * d);
export const times = ([a, b]: Fraction, [c, d]: Fraction) => fraction(a * c, b * d);
const over = (a: Fraction, [c, d]: Fraction) => times(a, [d, c]);
const negative = ([n, d]: Fraction): Fraction => [-n, d];
const minus = (a: Fraction, b: Fraction) => plus(a, negative(b));
const absolute = (a: Fraction) => (a[0] < 0n ? negative(a) : a);
const isBelow = (a: Fraction, b: Fraction) => minus(a, b)[0] < 0n;

export function fractionOf(text: string): Fraction {
  const [whole = "", part = ""] = text.split(".");
  return fraction(BigInt(whole + part), 10n ** BigInt(part.length));
}

/** What an account did in a fill, as maker or as taker. */
interface Side {
  readonly role: "maker" | "taker";
  readonly isBuy: boolean;
  readonly fee: Fraction;
}

export interface OwnFill {
  readonly day: string;
  /** `perp/1` */
  readonly market: string;
  readonly size: Fraction;
  readonly value: Fraction;
  /** Both for a fill of the account with itself. */
  readonly sides: readonly Side[];
}

const AMOUNTS = [
  ...(["bought", "sold", "bought_quote", "sold_quote", "volume_quote"] as const),
  ...(["fees_quote", "maker_fees_quote", "taker_fees_quote", "realised_quote"] as const),
];
type Amounts = Record<(typeof AMOUNTS)[number], Fraction>;
type Sums = Amounts & { fills: number; maker_fills: number };
/** As it is printed. */
type Shown = Readonly<Record<keyof Amounts | "day" | "market", string>>;

const noAmounts = () => Object.fromEntries(AMOUNTS.map((name) => [name, ZERO])) as Amounts;

export class AverageCost {
  /** By market: long is positive. */
  readonly position = new Map<string, Fraction>();
  readonly #days = new Map<string, Sums>();
  readonly #cost = new Map<string, Fraction>();

  constructor(fills: readonly OwnFill[]) {
    for (const fill of fills) this.#add(fill);
  }

  #add(fill: OwnFill): void {
    const key = `${fill.day} ${fill.market}`;
    const sums = this.#days.get(key) ?? { fills: 0, maker_fills: 0, ...noAmounts() };
    this.#days.set(key, sums);
    const add = (name: keyof Amounts, amount: Fraction) => {
      sums[name] = plus(sums[name], amount);
    };
    sums.fills++;
    add("volume_quote", absolute(fill.value));
    for (const { role, isBuy, fee } of fill.sides) {
      if (role === "maker") sums.maker_fills++;
      add("fees_quote", fee);
      add(`${role}_fees_quote`, fee);
      add(isBuy ? "bought" : "sold", fill.size);
      add(isBuy ? "bought_quote" : "sold_quote", fill.value);
    }
    const [side, more] = fill.sides;
    const isMoved = side !== undefined && more === undefined && fill.size[0] > 0n;
    if (isMoved) add("realised_quote", this.#book(fill, side.isBuy));
  }

  /** A part of a position that is closed takes its part of the cost with it. */
  #book({ market, size, value }: OwnFill, isBuy: boolean): Fraction {
    const held = this.position.get(market) ?? ZERO;
    const cost = this.#cost.get(market) ?? ZERO;
    const isReduced = held[0] !== 0n && held[0] > 0n !== isBuy;
    const least = isBelow(size, absolute(held)) ? size : absolute(held);
    const closed = isReduced ? least : ZERO;
    const price = over(value, size);
    const paid = isReduced ? over(times(cost, closed), absolute(held)) : ZERO;
    this.position.set(market, plus(held, isBuy ? size : negative(size)));
    this.#cost.set(market, plus(minus(cost, paid), times(price, minus(size, closed))));
    const gain = minus(times(price, closed), paid);
    return isBuy ? negative(gain) : gain;
  }

  /** Expects the days that are shown to be these, and the totals to be their sums. */
  expectShown(shown: readonly (Shown & { symbol: null })[], totals: Record<string, string>): void {
    const days = shown.map(({ symbol, ...day }) => day);
    const sorted = [...this.#days].sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true }));
    expect(days.map(exact)).toEqual(
      sorted.map(([key, sums], i) => {
        const [day, market] = key.split(" ");
        const realised = fractionOf(days[i]?.realised_quote ?? "0");
        // Half a millionth for the rounding of the day, and far less for averages at 30 decimals.
        const off = absolute(minus(sums.realised_quote, realised));
        const isNear = isBelow(off, [10n ** 6n + 1n, 2n * 10n ** 12n]);
        return { ...sums, day, market, ...(isNear && { realised_quote: realised }) };
      }),
    );
    for (const [name, total] of Object.entries(totals)) {
      const all = days.map((day) => fractionOf(day[name as keyof Amounts]));
      expect(fractionOf(total), name).toEqual(all.reduce(plus, ZERO));
    }
  }
}

function exact<S extends Readonly<Record<keyof Amounts, string>>>(shown: S) {
  const amounts = AMOUNTS.map((name) => [name, fractionOf(shown[name])]);
  return { ...shown, ...(Object.fromEntries(amounts) as Amounts) };
}

/** What `statement --json` prints of a fold, beside what is held. */
export function printed(fold: StatementFold, held?: Held) {
  return JSON.parse(
    statementJson({
      owner: { owner: "", subaccountId: 0 },
      isComplete: true,
      ...{ proof: "", currencies: [] },
      statement: fold.statement(),
      symbolOf: () => undefined,
      books: reconcile(fold.nets, held),
    }),
  );
}
