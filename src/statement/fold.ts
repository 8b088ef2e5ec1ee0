// Folds fills, oldest first, into sums by day and market: exact, except for two half-even roundings (average price, realised
// amount of a day).
import {
  absoluteDecimal,
  addDecimal,
  type Decimal,
  divideHalfEven,
  multiplyDecimal,
  parseDecimal,
  subtractDecimal,
  trimDecimal,
  widenDecimal,
} from "../units/decimal.ts";
import { type FillsOwner, ownFill } from "../wire/rest/own-fill.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";

/** Decimal places of an average price, and of a day's realised amount. */
const AVERAGE_PLACES = 30;
const REALISED_PLACES = 6;

export const ZERO: Decimal = { mantissa: 0n, places: 0 };

/** Sums in quote currency have one over all markets. */
const IN_QUOTE = [
  "boughtQuote",
  "soldQuote",
  /** A fill with the subaccount on both sides counts once. */
  "volumeQuote",
  /** With the service's sign: negative means received. */
  "feesQuote",
  "makerFeesQuote",
  "takerFeesQuote",
  /** By average cost, without fees. */
  "realisedQuote",
] as const;

const AMOUNTS = ["bought", "sold", ...IN_QUOTE] as const;
type Amount = (typeof AMOUNTS)[number];

/** Exact amounts without trailing zeros; `bought` and `sold` in base currency. */
export type QuoteSums = { readonly [Name in (typeof IN_QUOTE)[number]]: Decimal };
export type StatementSums = QuoteSums & {
  readonly fills: number;
  /** Fills where the subaccount was the maker. */
  readonly makerFills: number;
  readonly bought: Decimal;
  readonly sold: Decimal;
};

export type StatementDay = StatementSums & {
  /** `2026-05-28` */
  readonly day: string;
  /** `perp/1` */
  readonly market: string;
};

export interface Statement {
  /** Oldest first, then by market. */
  readonly days: readonly StatementDay[];
  /** Sums over these days, by market. */
  readonly markets: ReadonlyMap<string, StatementSums>;
  readonly totals: QuoteSums;
  readonly fills: number;
}

type Sums = { -readonly [Name in keyof StatementSums]: StatementSums[Name] };

function noSums(): Sums {
  const amounts = Object.fromEntries(AMOUNTS.map((name) => [name, ZERO])) as Record<
    Amount,
    Decimal
  >;
  return { fills: 0, makerFills: 0, ...amounts };
}

function addAmount(sums: Sums, name: Amount, amount: Decimal): void {
  sums[name] = addDecimal(sums[name], amount);
}

function addSums(sums: Sums, more: StatementSums): void {
  sums.fills += more.fills;
  sums.makerFills += more.makerFills;
  for (const name of AMOUNTS) sums[name] = trimDecimal(addDecimal(sums[name], more[name]));
}

/** A position built up by fills, starting at 0. */
class AverageCost {
  /** Base currency: long is positive. */
  position = ZERO;
  /** Per unit, with 30 decimal places; meaningless while the position is 0. */
  #average: Decimal = { mantissa: 0n, places: AVERAGE_PLACES };

  /**
   * @param size signed: negative is sold
   * @param value of the whole fill in quote currency; with a contract multiplier it is not price × size
   * @returns the amount realised in quote currency, exact with respect to the stored average
   */
  add(size: Decimal, value: Decimal): Decimal {
    const held = this.position;
    this.position = addDecimal(held, size);
    if (size.mantissa === 0n) return ZERO;
    const isReduced = held.mantissa !== 0n && held.mantissa > 0n !== size.mantissa > 0n;
    if (!isReduced) {
      const cost = addDecimal(multiplyDecimal(this.#average, absoluteDecimal(held)), value);
      this.#average = ofOneUnit(cost, absoluteDecimal(this.position));
      return ZERO;
    }
    const [isLong, isLeft] = [held.mantissa > 0n, this.position.mantissa > 0n];
    const isTurned = this.position.mantissa !== 0n && isLong !== isLeft;
    if (!isTurned) {
      const cost = multiplyDecimal(this.#average, absoluteDecimal(size));
      return isLong ? subtractDecimal(value, cost) : subtractDecimal(cost, value);
    }
    const before = this.#average;
    this.#average = ofOneUnit(value, absoluteDecimal(size));
    return multiplyDecimal(held, subtractDecimal(this.#average, before));
  }
}

/** @param size greater than 0 */
function ofOneUnit(value: Decimal, size: Decimal): Decimal {
  const places = Math.max(value.places, size.places);
  const [whole, parts] = [widenDecimal(value, places), widenDecimal(size, places)];
  return divideHalfEven(whole.mantissa, parts.mantissa, AVERAGE_PLACES);
}

/** Positions after the last fills of a market that are kept: minutes of continuous trading. */
const RECENT = 4096;

/** Base currency, as of a time in Unix milliseconds: long is positive. */
export interface Net {
  readonly ms: number;
  readonly net: Decimal;
}

interface Market {
  readonly cost: AverageCost;
  readonly days: Map<string, Sums>;
  /** The position after each of the most recent fills. */
  nets: Net[];
}

/** For one subaccount. Fills are added oldest first. */
export class StatementFold {
  readonly #owner: FillsOwner;
  readonly #dayOf: (ms: number) => string;
  /** By name. */
  readonly #markets = new Map<string, Market>();
  /** Fills that name the subaccount on neither side in a comparable form: they are in no sum. */
  unassigned = 0;
  fills = 0;

  /** @param dayOf the calendar day of Unix milliseconds: `2026-05-28` */
  constructor(owner: FillsOwner, dayOf: (ms: number) => string) {
    this.#owner = owner;
    this.#dayOf = dayOf;
  }

  add(fill: TradeRecord): void {
    this.fills++;
    const { role, side, fee_quote } = ownFill(fill, this.#owner);
    if (side === "") {
      this.unassigned++;
      return;
    }
    const market = this.#marketOf(fill);
    const sums = sumsOf(market, this.#dayOf(fill.timestamp_ms));
    const [size, value] = [read(fill.quantity), read(fill.quote_notional)];
    sums.fills++;
    if (role !== "taker") {
      sums.makerFills++;
      addAmount(sums, "makerFeesQuote", read(fill.maker_fee_quote));
    }
    if (role !== "maker") addAmount(sums, "takerFeesQuote", read(fill.taker_fee_quote));
    addAmount(sums, "feesQuote", read(fee_quote));
    addAmount(sums, "volumeQuote", absoluteDecimal(value));
    if (side !== "sell") {
      addAmount(sums, "bought", size);
      addAmount(sums, "boughtQuote", value);
    }
    if (side !== "buy") {
      addAmount(sums, "sold", size);
      addAmount(sums, "soldQuote", value);
    }
    if (side === "both") return;
    const signed = side === "buy" ? size : { ...size, mantissa: -size.mantissa };
    addAmount(sums, "realisedQuote", market.cost.add(signed, value));
    market.nets.push({ ms: fill.timestamp_ms, net: trimDecimal(market.cost.position) });
    if (market.nets.length >= RECENT * 2) market.nets = market.nets.slice(-RECENT);
  }

  /** @param isWithin which days to include; default all */
  statement(isWithin: (day: string) => boolean = () => true): Statement {
    const days = [...this.#markets]
      .sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true }))
      .flatMap(([market, { days: all }]) =>
        [...all]
          .filter(([day]) => isWithin(day))
          .map(([day, sums]) => ({ day, market, ...rounded(sums) })),
      )
      // A stable sort keeps the markets of a day in order.
      .sort((a, b) => (a.day < b.day ? -1 : Number(a.day > b.day)));
    const all = noSums();
    const markets = new Map<string, Sums>();
    for (const day of days) {
      const sums = markets.get(day.market) ?? noSums();
      markets.set(day.market, sums);
      addSums(sums, day);
      addSums(all, day);
    }
    const totals = Object.fromEntries(IN_QUOTE.map((name) => [name, all[name]])) as QuoteSums;
    return { days, markets, totals, fills: all.fills };
  }

  /** For each market the positions after its last fills, oldest first. */
  get nets(): ReadonlyMap<string, readonly Net[]> {
    return new Map([...this.#markets].map(([name, { nets }]) => [name, nets]));
  }

  #marketOf(fill: TradeRecord): Market {
    const name = fillMarket(fill);
    const market = this.#markets.get(name) ?? {
      cost: new AverageCost(),
      days: new Map(),
      nets: [],
    };
    this.#markets.set(name, market);
    return market;
  }
}

function sumsOf({ days }: Market, day: string): Sums {
  const sums = days.get(day) ?? noSums();
  days.set(day, sums);
  return sums;
}

/** `perp/1`, by the interface's name of the type if the service's begins with it. */
export function fillMarket({ market_type, market_id }: TradeRecord): string {
  const word = market_type.toLowerCase();
  return `${["perp", "spot"].find((ours) => word.startsWith(ours)) ?? word}/${market_id}`;
}

/** Every numeric text of a record has been validated. */
function read(text: string): Decimal {
  return parseDecimal(text) ?? ZERO;
}

function rounded(sums: Sums): Sums {
  const { mantissa, places } = sums.realisedQuote;
  const realisedQuote =
    places <= REALISED_PLACES
      ? sums.realisedQuote
      : divideHalfEven(mantissa, 10n ** BigInt(places), REALISED_PLACES);
  const whole = noSums();
  addSums(whole, { ...sums, realisedQuote });
  return whole;
}
