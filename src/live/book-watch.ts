// Holds each book to the best bid and offer of its market, and says what follows when they contradict each other: first both are
// asked for again, then the other value of `book` is taken if the frames fit it, then the book is not believed for a while.
import {
  type BookCheck,
  contradictionOf,
  createBookCheck,
  isCrossed,
  noteBbo,
  noteBook,
} from "../dialect/book-check.ts";
import { contradict, type Point, uphold } from "../dialect/dialect.ts";
import { type Book, fitsShape } from "../state/book.ts";
import { type Store, select } from "../state/store.ts";
import type { Place } from "../stream/chain.ts";
import { doubt, type Subscription } from "../stream/subscription.ts";
import type { Update } from "../wire/frames.ts";

interface BookWatchOptions {
  readonly store: Store;
  readonly subs: ReadonlyMap<string, Subscription>;
  event(event: "contradiction", channel: string, detail: string): void;
  take(point: Point, value: string, because: string): void;
}

/** A second contradiction within this time is more than a bad moment; without one, the book is believed again. */
const AGAIN_WITHIN_MS = 60_000;

export function createBookWatch({ store, subs, event, take }: BookWatchOptions) {
  /** By market, `/perp/1`. */
  const checks = new Map<string, BookCheck>();
  const contradictions = new Map<string, { atMs: number; times: number }>();

  function checkOf(market: string, nowMs: number): BookCheck {
    const check = checks.get(market) ?? createBookCheck(nowMs);
    checks.set(market, check);
    return check;
  }

  /** A new first frame is compared anew, with what the bbo said in the last second. */
  function beginAnew(market: string, nowMs: number): BookCheck {
    const { bbo } = checkOf(market, nowMs);
    const check = { ...createBookCheck(nowMs), bbo: { prices: bbo.prices, frames: 0 } };
    checks.set(market, check);
    return check;
  }

  function note(update: Update<"bbo"> | Update<"orderbook">, place: Place, nowMs: number): void {
    const market = update.channel.slice(update.channel.indexOf("/"));
    if (update.kind === "bbo") {
      noteBbo(checkOf(market, nowMs), update.body.bbo, nowMs);
      return;
    }
    const book = select(store, "orderbook", update.channel);
    const check = place === "first" ? beginAnew(market, nowMs) : checkOf(market, nowMs);
    noteBook(check, book?.bids[0]?.price_ticks, book?.asks[0]?.price_ticks, nowMs);
    judge(market);
  }

  /** A crossed book is never shown as live. */
  function judge(market: string): void {
    const status = store.channels.get(`orderbook${market}`);
    const book = select(store, "orderbook", `orderbook${market}`);
    if (status === undefined || book === undefined) return;
    const isDoubted = (contradictions.get(market)?.times ?? 0) > 1;
    status.isContradicted =
      (isDoubted && store.dialect.book.source === "contradicted") ||
      isCrossed(book.bids[0]?.price_ticks, book.asks[0]?.price_ticks);
  }

  function tick(nowMs: number): void {
    for (const [market, check] of checks) lookAt(market, check, nowMs);
    for (const [market, { atMs }] of contradictions)
      if (nowMs - atMs > AGAIN_WITHIN_MS) believe(market);
  }

  function lookAt(market: string, check: BookCheck, nowMs: number): void {
    const sub = subs.get(`orderbook${market}`);
    const because = contradictionOf(check, nowMs);
    if (because === undefined || sub?.status.phase !== "open" || sub.status.isBroken) return;
    checks.set(market, createBookCheck(nowMs));
    react(market, sub, because, nowMs);
  }

  function believe(market: string): void {
    contradictions.delete(market);
    uphold(store.dialect, "book");
    judge(market);
  }

  function react(market: string, sub: Subscription, because: string, nowMs: number): void {
    const { channel } = sub.status;
    event("contradiction", channel, because);
    const times = (contradictions.get(market)?.times ?? 0) + 1;
    contradictions.set(market, { atMs: nowMs, times });
    const book = select(store, "orderbook", channel);
    if (times > 1 && book !== undefined && !takeOther(book, times, because))
      contradict(store.dialect, "book");
    judge(market);
    doubt(sub, because, nowMs);
    const bbo = subs.get(`bbo${market}`);
    if (bbo !== undefined) doubt(bbo, because, nowMs);
  }

  /** Once: the other value explains it, or it does not. */
  function takeOther(book: Book, times: number, because: string): boolean {
    const { value, source } = store.dialect.book;
    const other = value === "changes" ? "snapshots" : "changes";
    if (times > 2 || source === "configured" || !fitsShape(book, other)) return false;
    take("book", other, because);
    return store.dialect.book.value === other;
  }

  return {
    note,
    tick,
    /** The connection is gone. */
    forget: () => checks.clear(),
  };
}
