// What a house style is: how one real exchange names, shapes and sends what the interface document leaves open. Written from
// the public documentation of that exchange.
import type {
  Balance,
  Exchange,
  Figures,
  Fill,
  FundingRate,
  Market,
  Mode,
  Order,
  Payment,
  Position,
} from "../exchange.ts";

export type Row = Readonly<Record<string, unknown>>;
export type ListName = "positions" | "orders" | "balances" | "leverages" | "markets" | "stats";

/** Lists whose rows are held to the ledger. */
export type ToldList = "positions" | "orders" | "balances" | "fills" | "funding_payments";

export interface Style {
  readonly name: string;
  /** The market's number in channels and REST. */
  id(market: Market): number;
  symbol(market: Market): string;

  market(market: Market): Row;
  stats(market: Market, figures: Figures): Row;
  rate(rate: FundingRate, figures: Figures): Row;
  summary(account: Exchange): Row;
  balance(balance: Balance, locked: bigint): Row;
  /** Closed ones too: their size is 0. */
  position(position: Position, account: Exchange): Row;
  /** Ended ones too. */
  order(order: Order): Row;
  fill(fill: Fill): Row;
  payment(payment: Payment): Row;

  /** The fields, nested ones with dots, that say which row it is, its side and its size: held to the ledger. */
  readonly tells: Readonly<Record<ToldList, readonly string[]>>;
  /** A turned position is another row, beside the end of the old one. */
  readonly hasPositionIds: boolean;
  /** Closed positions stay in the list with size 0. */
  readonly keepsFlat: boolean;
  readonly lists: Readonly<Record<ListName, "changes" | "whole">>;
  /** Lists whose rows come with only what changed, and what is in each row none the less. */
  readonly partial: Partial<Record<"orders" | "stats", readonly string[]>>;
  readonly mode: Mode;

  readonly book: "changes" | "snapshots";
  /** Levels of a side that a snapshot shows. */
  readonly depth: number;
  /**
   * `channel`: previous names the frame before on the channel. `service`: frames of the whole service are counted, and
   * previous is the number before. `unnamed`: numbers, but no previous. `none`: no numbers.
   */
  readonly chain: "channel" | "service" | "unnamed" | "none";
  /** Sequence numbers are transactions, or times in nanoseconds. */
  readonly numbers: "transactions" | "times";
  readonly first: {
    /** A first frame names what was before it. */
    readonly hasPrevious: boolean;
    /** How much of a log it tells again; without, it is empty and its sequence null. */
    readonly trades: number;
    readonly fills: number;
  };
  readonly newestFirst: { readonly first: boolean; readonly later: boolean };
  /** What `before` of the listings compares; `index` stands in no field. */
  readonly cursor: "trade_id" | "timestamp" | "index";
  readonly everyMs: {
    readonly bbo: number;
    readonly book: number;
    readonly trades: number;
    readonly account: number;
    readonly stats: number;
  };
}

/** Exact decimal text of a whole number of the smallest unit. */
export function decimal(units: number | bigint, digits: number): string {
  const text = `${units < 0 ? -BigInt(units) : BigInt(units)}`.padStart(digits + 1, "0");
  const point = text.length - digits;
  const whole = digits === 0 ? text : `${text.slice(0, point)}.${text.slice(point)}`;
  return units < 0 ? `-${whole}` : whole;
}

export const price = ({ plan }: Market, ticks: number | undefined) =>
  decimal(ticks ?? 0, plan.tickDigits);
export const size = ({ plan }: Market, lots: number) => decimal(lots, plan.lotDigits);
export const money = (micro: bigint) => decimal(micro, 6);
/** Of funding, in hundred-millionths. */
export const rate = (units: number) => decimal(units, 8);
/** The same number in billionths of a billionth. */
export const x18 = (units: number | bigint, digits: number) =>
  `${BigInt(units) * 10n ** BigInt(18 - digits)}`;

/** Average entry price, cut after eight digits; 0 when nothing is open. */
export function entry({ market, size: lots, cost }: Position): string {
  if (lots === 0) return decimal(0, 8);
  return decimal((cost * 10n ** BigInt(market.plan.lotDigits + 2)) / BigInt(Math.abs(lots)), 8);
}

export const ms = (ns: bigint) => Number(ns / 1_000_000n);
export const iso = (ns: bigint) => new Date(ms(ns)).toISOString();
export const remaining = (order: Order) => order.size - order.filled;
export const abs = (units: bigint) => (units < 0n ? -units : units);

/** Everything that the account is worth, in millionths. */
export const equity = (account: Exchange): bigint =>
  account.positions.reduce(
    (sum, position) => sum + account.unrealised(position),
    account.balances[0]?.total ?? 0n,
  );

export const changePercent = ({ last, first }: Figures): string =>
  last === undefined || first === undefined ? "0" : (((last - first) * 100) / first).toFixed(2);

/** What most venues do. */
export const USUAL = {
  hasPositionIds: false,
  keepsFlat: false,
  lists: {
    positions: "changes",
    orders: "changes",
    balances: "changes",
    leverages: "changes",
    markets: "changes",
    stats: "changes",
  },
  partial: {},
  mode: "net",
  book: "changes",
  depth: Number.POSITIVE_INFINITY,
  chain: "channel",
  numbers: "transactions",
  first: { hasPrevious: false, trades: 50, fills: 20 },
  newestFirst: { first: true, later: false },
  cursor: "trade_id",
  everyMs: { bbo: 100, book: 100, trades: 100, account: 200, stats: 1000 },
} as const satisfies Partial<Style>;
