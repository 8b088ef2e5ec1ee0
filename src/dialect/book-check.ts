// Does the book agree with the best bid and offer? Both channels run at their own pace: a best price is compared with those that
// the other channel had within a second, not only with its newest.
import type { Bbo } from "../wire/frames.ts";

interface Best {
  readonly atMs: number;
  readonly bid: string | undefined;
  readonly ask: string | undefined;
}

interface Seen {
  /** Best prices of the last second, and the newest however old it is; oldest first. */
  prices: Best[];
  /** Frames since both last agreed, that did not. */
  frames: number;
}

export interface BookCheck {
  readonly bbo: Seen;
  readonly book: Seen;
  agreedAtMs: number;
  crossedAtMs: number | undefined;
}

const WINDOW_MS = 1000;
/** A book that is sent at a slow pace of its own has so long. */
const SLOW_MS = 3000;
const MIN_BOOK_FRAMES = 2;
/** Having just agreed, they are not compared again. */
const RECENT_MS = 100;
const MAX_SEEN = 500;

export function createBookCheck(nowMs: number): BookCheck {
  return {
    bbo: { prices: [], frames: 0 },
    book: { prices: [], frames: 0 },
    agreedAtMs: nowMs,
    crossedAtMs: undefined,
  };
}

export function noteBbo(check: BookCheck, { bid, ask }: Bbo, nowMs: number): void {
  const best = { atMs: nowMs, bid: bid?.price_ticks, ask: ask?.price_ticks };
  note(check, check.bbo, check.book, best);
}

/** @param bid, ask best prices of the book */
export function noteBook(
  check: BookCheck,
  bid: string | undefined,
  ask: string | undefined,
  nowMs: number,
): void {
  check.crossedAtMs = isCrossed(bid, ask) ? (check.crossedAtMs ?? nowMs) : undefined;
  note(check, check.book, check.bbo, { atMs: nowMs, bid, ask });
}

/** @param bid, ask digit texts without leading zeros */
export function isCrossed(bid: string | undefined, ask: string | undefined): boolean {
  if (bid === undefined || ask === undefined) return false;
  return bid.length === ask.length ? bid >= ask : bid.length > ask.length;
}

function note(check: BookCheck, own: Seen, other: Seen, best: Best): void {
  const { prices } = own;
  const last = prices.at(-1);
  if (last === undefined || last.bid !== best.bid || last.ask !== best.ask) prices.push(best);
  while (prices.length > 1 && (prices.length > MAX_SEEN || isOld(prices[1], best.atMs)))
    prices.shift();
  if (best.atMs - check.agreedAtMs < RECENT_MS) return;
  if (has(other, "bid", best.bid) && has(other, "ask", best.ask)) {
    check.agreedAtMs = best.atMs;
    check.bbo.frames = 0;
    check.book.frames = 0;
  } else own.frames++;
}

function isOld(best: Best | undefined, nowMs: number): boolean {
  return best !== undefined && best.atMs < nowMs - WINDOW_MS;
}

/** Nothing on a side says nothing. */
function has({ prices }: Seen, side: "bid" | "ask", price: string | undefined): boolean {
  if (price === undefined || prices.length === 0) return true;
  return prices.findLast((each) => each[side] === price || each[side] === undefined) !== undefined;
}

/** What is wrong with the book, if it has been so for a second. A channel that is silent is no evidence. */
export function contradictionOf(check: BookCheck, nowMs: number): string | undefined {
  const { bbo, book, agreedAtMs, crossedAtMs } = check;
  if (crossedAtMs !== undefined && nowMs - crossedAtMs > WINDOW_MS) return "the book is crossed";
  if (bbo.frames === 0 || book.frames === 0) return undefined;
  const forMs = nowMs - agreedAtMs;
  const isLong = forMs > SLOW_MS || (forMs > WINDOW_MS && book.frames >= MIN_BOOK_FRAMES);
  return isLong ? "its best prices are not those of the bbo channel" : undefined;
}
