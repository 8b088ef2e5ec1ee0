// Folds fills, oldest first, into sums by day and market: exact, except for two half-even roundings (average price, realised
// amount per day).
import { type FillsOwner, ownFill } from "../select/listing-rows.ts";
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
import type { TradeRecord } from "../wire/rest/trades.ts";

/** Decimal places of an average price, and of a day's realised amount. */
const AVERAGE_PLACES = 30;
const REALISED_PLACES = 6;

export const ZERO: Decimal = { mantissa: 0n, places: 0 };

/** Exact amounts without trailing zeros. In quote currency, except `bought` and `sold`. */
export interface StatementSums {
  readonly fills: number;
  /** Fills where the subaccount was the maker. */
  readonly makerFills: number;
  /** Base currency. */
  readonly bought: Decimal;
  readonly sold: Decimal;
  readonly boughtQuote: Decimal;
  readonly soldQuote: Decimal;
  /** A fill with the subaccount on both sides counts once. */
  readonly volumeQuote: Decimal;
  /** With the service's sign: negative means received. */
  readonly feesQuote: Decimal;
  readonly makerFeesQuote: Decimal;
  readonly takerFeesQuote: Decimal;
  /** By average cost, without fees. */
  readonly realisedQuote: Decimal;
}

export interface StatementDay extends StatementSums {
  /** `2026-05-28` */
  readonly day: string;
  /** `perp/1` */
  readonly market: string;
}

export interface MarketFills {
  readonly fills: number;
  /** Base currency: bought minus sold. */
  readonly net: Decimal;
  /** The same as of a time in Unix milliseconds, including all fills of that time. */
  netAt(ms: number): Decimal;
}

/** Number of fills of a market that `netAt` covers: minutes of continuous trading. */
const RECENT = 4096;

export interface Statement {
  /** Oldest first, then by market. */
  readonly days: readonly StatementDay[];
  /** Sums over these days. */
  readonly totals: StatementSums;
}

const NO_SUMS: StatementSums = {
  fills: 0,
  makerFills: 0,
  bought: ZERO,
  sold: ZERO,
  boughtQuote: ZERO,
  soldQuote: ZERO,
  volumeQuote: ZERO,
  feesQuote: ZERO,
  makerFeesQuote: ZERO,
  takerFeesQuote: ZERO,
  realisedQuote: ZERO,
};

type Sums = { -readonly [Name in keyof StatementSums]: StatementSums[Name] };
type AmountName = Exclude<keyof StatementSums, "fills" | "makerFills">;
const AMOUNTS = Object.keys(NO_SUMS).filter(
  (name) => name !== "fills" && name !== "makerFills",
) as AmountName[];

function addAmount(sums: Sums, name: AmountName, amount: Decimal): void {
  sums[name] = addDecimal(sums[name], amount);
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
    const isReduced = held.mantissa !== 0n && held.mantissa > 0n !== size.mantissa > 0n;
    if (size.mantissa === 0n) return ZERO;
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

function roundHalfEven(value: Decimal, places: number): Decimal {
  if (value.places <= places) return value;
  return divideHalfEven(value.mantissa, 10n ** BigInt(value.places), places);
}

interface Market {
  readonly id: number;
  readonly type: string;
  readonly cost: AverageCost;
  readonly days: Map<string, Sums>;
  /** The position after each of the most recent fills. */
  recent: { readonly ms: number; readonly net: Decimal }[];
  fills: number;
  /** The newest transaction, with its sides so far. */
  last?: { readonly key: string; readonly side: string; count: number; isMixed: boolean };
}

/** For one subaccount. Fills are added oldest first. */
export class StatementFold {
  readonly #owner: FillsOwner;
  readonly #dayOf: (ms: number) => string;
  /** By `listedName`. */
  readonly #markets = new Map<string, Market>();
  /** Fills that name the subaccount on neither side in a comparable format: they are not in any sum. */
  unassigned = 0;
  /** Fills whose value is not price × quantity: sums and realised amounts use the listed value. */
  otherValues = 0;
  /** Fills of transactions that both bought and sold in one market: their order is that of the listing. */
  unordered = 0;
  fills = 0;
  /** Unix milliseconds. */
  oldestMs: number | undefined;

  /** @param dayOf the calendar day of Unix milliseconds: `2026-05-28` */
  constructor(owner: FillsOwner, dayOf: (ms: number) => string) {
    this.#owner = owner;
    this.#dayOf = dayOf;
  }

  add(fill: TradeRecord): void {
    this.fills++;
    this.oldestMs ??= fill.timestamp_ms;
    const { role, side } = ownFill(fill, this.#owner);
    if (role === "" || side === "") {
      this.unassigned++;
      return;
    }
    const market = this.#marketOf(fill);
    market.fills++;
    const sums = this.#sumsOf(market, fill.timestamp_ms);
    sums.fills++;
    if (role !== "taker") sums.makerFills++;
    this.#addFees(sums, fill, role);
    const [size, price, value] = amountsOf(fill);
    if (subtractDecimal(multiplyDecimal(price, size), value).mantissa !== 0n) this.otherValues++;
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
    this.#noteOrder(market, fill, side);
    const signed = side === "buy" ? size : { ...size, mantissa: -size.mantissa };
    addAmount(sums, "realisedQuote", market.cost.add(signed, value));
    market.recent.push({ ms: fill.timestamp_ms, net: market.cost.position });
    if (market.recent.length >= RECENT * 2) market.recent = market.recent.slice(-RECENT);
  }

  /** The order of the rows of one transaction is unknown. */
  #noteOrder(market: Market, { tx_hash, timestamp_ms }: TradeRecord, side: string): void {
    const key = `${timestamp_ms} ${tx_hash}`;
    const { last } = market;
    if (last?.key !== key) {
      market.last = { key, side, count: 1, isMixed: false };
      return;
    }
    last.count++;
    if (last.isMixed) this.unordered++;
    else if (last.side !== side) {
      last.isMixed = true;
      this.unordered += last.count;
    }
  }

  #addFees(sums: Sums, fill: TradeRecord, role: "maker" | "taker" | "both"): void {
    if (role !== "taker") {
      const fee = read(fill.maker_fee_quote);
      addAmount(sums, "makerFeesQuote", fee);
      addAmount(sums, "feesQuote", fee);
    }
    if (role !== "maker") {
      const fee = read(fill.taker_fee_quote);
      addAmount(sums, "takerFeesQuote", fee);
      addAmount(sums, "feesQuote", fee);
    }
  }

  #marketOf({ market_type: type, market_id: id }: TradeRecord): Market {
    // The same name in another case is not another market.
    const key = listedName(type, id);
    const known = this.#markets.get(key);
    if (known !== undefined) return known;
    const cost = new AverageCost();
    const market: Market = { id, type, cost, days: new Map(), recent: [], fills: 0 };
    this.#markets.set(key, market);
    return market;
  }

  #sumsOf({ days }: Market, ms: number): Sums {
    const day = this.#dayOf(ms);
    const sums = days.get(day) ?? { ...NO_SUMS };
    days.set(day, sums);
    return sums;
  }

  /** @param isWithin which days to include; default all */
  statement(isWithin: (day: string) => boolean = () => true): Statement {
    const totals = { ...NO_SUMS };
    const days = this.#named
      .flatMap(([name, market]) =>
        [...market.days]
          .filter(([day]) => isWithin(day))
          .map(([day, sums]) => ({ day, market: name, ...rounded(sums) })),
      )
      // A stable sort keeps the markets of a day in order.
      .sort((a, b) => (a.day < b.day ? -1 : Number(a.day > b.day)));
    for (const day of days) {
      totals.fills += day.fills;
      totals.makerFills += day.makerFills;
      for (const name of AMOUNTS) addAmount(totals, name, day[name]);
    }
    return { days, totals: trimmed(totals) };
  }

  /** By market, sorted. */
  get markets(): ReadonlyMap<string, MarketFills> {
    return new Map(
      this.#named.map(([name, { fills, cost, recent }]) => {
        const net = trimDecimal(cost.position);
        const netAt = (ms: number) => recent.findLast((each) => each.ms <= ms)?.net ?? ZERO;
        return [name, { fills, net, netAt }];
      }),
    );
  }

  /** Names of markets by `listedName`, once all fills have been added. */
  get names(): ReadonlyMap<string, string> {
    return new Map(this.#named.map(([name, { type, id }]) => [listedName(type, id), name]));
  }

  /** Markets named by the interface's types where that is unique, else by the type as listed. */
  get #named(): readonly (readonly [name: string, market: Market])[] {
    const all = [...this.#markets.values()].sort(
      (a, b) => (a.type < b.type ? -1 : Number(a.type > b.type)) || a.id - b.id,
    );
    const names = all.map(({ type, id }) => `${ourWord(type)}/${id}`);
    return all.map((market, i) => {
      const name = names[i] ?? "";
      const isOne = names.indexOf(name) === names.lastIndexOf(name);
      return [isOne ? name : `${market.type}/${market.id}`, market];
    });
  }
}

/** A market as listed, in lower case: `perp/1` for `PERP`. */
export function listedName(type: string, id: number): string {
  return `${type.toLowerCase()}/${id}`;
}

/** The interface's name of a market type, if the service's name begins with it. */
function ourWord(type: string): string {
  const word = type.toLowerCase();
  return ["perp", "spot"].find((ours) => word.startsWith(ours)) ?? type;
}

function amountsOf({ quantity, price, quote_notional }: TradeRecord) {
  return [read(quantity), read(price), read(quote_notional)] as const;
}

/** Every numeric text of a record has been validated. */
function read(text: string): Decimal {
  return parseDecimal(text) ?? ZERO;
}

function rounded(sums: StatementSums): StatementSums {
  return trimmed({ ...sums, realisedQuote: roundHalfEven(sums.realisedQuote, REALISED_PLACES) });
}

function trimmed(sums: Sums): StatementSums {
  for (const name of AMOUNTS) sums[name] = trimDecimal(sums[name]);
  return sums;
}
