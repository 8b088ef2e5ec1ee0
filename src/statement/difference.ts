// Possible explanations of a difference between fills and position: trades missing from the fills, and liquidations without a
// fill.
import { type Listing, liquidationsListing, tradesListing } from "../listing/listing.ts";
import { Pager } from "../listing/paging/pager.ts";
import type { Source } from "../listing/paging/source.ts";
import type { Verdict } from "../listing/paging/verdict.ts";
import { type FillsOwner, ownFill } from "../select/listing-rows.ts";
import { readMarketName } from "../select/market.ts";
import type { Clock } from "../units/clock.ts";
import {
  addDecimal,
  type Decimal,
  formatDecimal,
  parseDecimal,
  subtractDecimal,
  trimDecimal,
} from "../units/decimal.ts";
import { HistoryError } from "../units/monitor-error.ts";
import { formatIsoMs } from "../units/time.ts";
import { MAX_PAGE_LIMIT } from "../wire/limits.ts";
import type { LiquidationRecord } from "../wire/rest/liquidations.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import { type MarketFills, ZERO } from "./fold.ts";

/** The listed fills, identified by the fields in which fills can differ. */
export class ListedFills {
  readonly #counts = new Map<string, number>();
  readonly #times = new Set<number>();

  add(fill: TradeRecord): void {
    const key = keyOf(fill);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    this.#times.add(fill.timestamp_ms);
  }

  /** Removes one occurrence. @returns false when none is left */
  take(trade: TradeRecord): boolean {
    const key = keyOf(trade);
    const count = this.#counts.get(key) ?? 0;
    if (count > 0) this.#counts.set(key, count - 1);
    return count > 0;
  }

  hasAt(ms: number): boolean {
    return this.#times.has(ms);
  }
}

function keyOf(trade: TradeRecord): string {
  const { trade_id, tx_hash, market_id, price, quantity, taker_is_bid, timestamp_ms } = trade;
  return [market_id, trade_id, tx_hash, price, quantity, taker_is_bid, timestamp_ms].join(" ");
}

export interface DifferenceSearch {
  readonly owner: FillsOwner;
  /** The account's address on the stream: liquidations may name it instead of the owner. */
  readonly address: string;
  readonly listed: ListedFills;
  /** Unix milliseconds of the position: it does not include later trades. */
  readonly untilMs: number | undefined;
  /** Unix milliseconds; undefined if there are no fills. */
  readonly oldestFillMs: number | undefined;
  readonly sourceOf: <T>(listing: Listing<T>) => Source<T>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Maximum rows searched: this is not an export. */
const MAX_TRADES = 100_000;
const MAX_LIQUIDATIONS = 10_000;
/** Maximum rows named individually. */
const MAX_NAMED = 8;

/**
 * Explanations as text, most certain first; never empty. A listing that fails explains nothing, but is mentioned.
 * @throws the signal's reason when aborted
 */
export async function explainDifference(
  market: string,
  { difference = ZERO }: Book,
  search: DifferenceSearch,
): Promise<readonly string[]> {
  const named = readMarketName(market);
  if (named === undefined) return [unlisted(search)];
  const trades = await orFailed(search, async () => {
    const found = await findTrades(tradesListing(named), difference, search);
    return formatTrade(found, difference);
  });
  const liquidations =
    named.type === "spot"
      ? []
      : await orFailed(search, () =>
          formatLiquidation(liquidationsListing(named.id), named.id, search),
        );
  return [...trades, ...liquidations, unlisted(search)];
}

async function orFailed(
  { signal }: DifferenceSearch,
  find: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  try {
    return await find();
  } catch (error) {
    if (signal.aborted || !(error instanceof HistoryError)) throw error;
    return [`a listing that could say more failed: ${error.message}`];
  }
}

interface FoundTrades {
  /** Newest first. */
  readonly missing: readonly { readonly trade: TradeRecord; readonly size: Decimal }[];
  readonly looked: number;
  readonly oldestMs: number | undefined;
  readonly isWhole: boolean;
}

/** Reads back until the missing trades add up to the difference, or to the end. */
async function findTrades(
  listing: Listing<TradeRecord>,
  difference: Decimal,
  search: DifferenceSearch,
): Promise<FoundTrades> {
  const { owner, listed } = search;
  const pager = pagerOf(listing, MAX_TRADES, search);
  const missing: { trade: TradeRecord; size: Decimal }[] = [];
  let [left, looked, oldestMs] = [difference, 0, undefined as number | undefined];
  for await (const page of pager.pages()) {
    for (const trade of page) {
      const { side } = ownFill(trade, owner);
      if (side === "" || listed.take(trade) || side === "both") continue;
      const size = signedSize(trade, side);
      missing.push({ trade, size });
      left = subtractDecimal(left, size);
    }
    looked += page.length;
    oldestMs = page.at(-1)?.timestamp_ms;
    if (missing.length > 0 && left.mantissa === 0n) break;
  }
  return { missing, looked, oldestMs, isWhole: isToEnd(pager.verdict) };
}

function signedSize({ quantity }: TradeRecord, side: "buy" | "sell"): Decimal {
  const size = parseDecimal(quantity) ?? ZERO;
  return side === "buy" ? size : { ...size, mantissa: -size.mantissa };
}

function isToEnd(verdict: Verdict | undefined): boolean {
  return verdict?.isComplete === true && verdict.reach === "end";
}

function pagerOf<T extends object>(
  listing: Listing<T>,
  max: number,
  { sourceOf, clock, signal, untilMs }: DifferenceSearch,
): Pager<T> {
  const { fields } = listing;
  const options = { fields, limit: MAX_PAGE_LIMIT, bounds: { max, untilMs }, clock, signal };
  return new Pager({ ...options, source: sourceOf(listing) });
}

function formatTrade(found: FoundTrades, difference: Decimal): readonly string[] {
  const { missing, looked, oldestMs, isWhole } = found;
  if (missing.length === 0) {
    const back = oldestMs === undefined || isWhole ? "" : ` back to ${formatIsoMs(oldestMs)}`;
    return [
      `no own trade among ${looked} listed trades of the market${back} is missing from the fills`,
    ];
  }
  const sum = missing.reduce((total, { size }) => addDecimal(total, size), ZERO);
  const isAll = subtractDecimal(difference, sum).mantissa === 0n;
  const part = isAll ? "all of it" : `${formatDecimal(sum)} of it`;
  const more = missing.length - MAX_NAMED;
  return [
    ...missing.slice(0, MAX_NAMED).map(({ trade, size }) => {
      const { trade_id, timestamp_ms, price } = trade;
      const what = `${size.mantissa < 0n ? "sold" : "bought"} ${trade.quantity} at ${price}`;
      return `missing fill: trade ${trade_id} of ${formatIsoMs(timestamp_ms)}, ${what}, is listed for the market and not for the subaccount`;
    }),
    ...(more > 0 ? [`and ${more} more such trades`] : []),
    `missing fills explain ${part}`,
  ];
}

async function formatLiquidation(
  listing: Listing<LiquidationRecord>,
  marketId: string,
  search: DifferenceSearch,
): Promise<readonly string[]> {
  const { owner, address, listed } = search;
  const names = [owner.owner.toLowerCase(), address.toLowerCase()];
  const words: string[] = [];
  for await (const page of pagerOf(listing, MAX_LIQUIDATIONS, search).pages()) {
    for (const { liquidatee, liquidatee_subaccount, timestamp_ms, positions } of page) {
      const isOwn =
        liquidatee_subaccount === owner.subaccountId && names.includes(liquidatee.toLowerCase());
      if (!isOwn || listed.hasAt(timestamp_ms)) continue;
      const inMarket = positions.filter(({ market_id }) => String(market_id) === marketId);
      const sizes = inMarket.map(({ side, size }) => `${side} ${size}`).join(", ");
      words.push(
        `a liquidation of ${formatIsoMs(timestamp_ms)} (${sizes}) without a fill of that time`,
      );
    }
  }
  const more = words.length - MAX_NAMED;
  return [...words.slice(0, MAX_NAMED), ...(more > 0 ? [`and ${more} more liquidations`] : [])];
}

/** What no listing of the interface would show. */
function unlisted({ oldestFillMs }: DifferenceSearch): string {
  const oldest =
    oldestFillMs === undefined ? "" : ` (the oldest is of ${formatIsoMs(oldestFillMs)})`;
  return `what no listing shows: a transfer of the position, or fills older than those listed${oldest}`;
}

// Do the fills add up to the position held? Per market: signed fills next to the position reported by the stream.

/** Base currency, signed: long is positive. */
interface Book {
  readonly fills: Decimal;
  /** Undefined if unknown, or not in base currency. */
  readonly position: Decimal | undefined;
  /** Position minus fills; undefined if either is undefined. */
  readonly difference: Decimal | undefined;
  /** Possible explanations of a difference, as text. */
  readonly couldExplain?: readonly string[];
}

export type Books = ReadonlyMap<string, Book>;

/** Balances of a spot market are not a position, because they include transfers. */
const HAS_POSITIONS = /^perp\//;

type Sizes = ReadonlyMap<string, Decimal | undefined>;
type Fills = ReadonlyMap<string, Pick<MarketFills, "net" | "netAt">>;

/** Books without positions to compare with. */
export function openBooks(fills: Fills): Books {
  return new Map([...fills].map(([name, { net }]) => [name, bookOf(name, net, undefined)]));
}

/** @param ms time of the positions, which do not include later fills */
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

/** The clocks of listing and stream may be this far apart; offsets are tried in these steps. */
const MAX_APART_MS = 2000;
const APART_STEP_MS = 50;

/**
 * The books at the last moment. If they do not balance by the service's times, but one constant clock offset makes them balance
 * at every moment, they balance.
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
  for (let apartMs = -MAX_APART_MS; apartMs <= MAX_APART_MS; apartMs += APART_STEP_MS) {
    const all = booksAt(apartMs);
    if (!all.some(({ books }) => hasDifference(books))) return all.at(-1) ?? last;
  }
  return last;
}

/** Books, and the time they are valid for: Unix milliseconds; undefined without positions. */
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
