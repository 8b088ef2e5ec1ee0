// Folds the best bid and offer of one market: the newest frame replaces the one before.
import { isZero, stripZeros } from "../units/uint.ts";
import type { Bbo, BboUpdate } from "../wire/channels/bbo.ts";
import type { PriceLevel } from "../wire/channels/orderbook.ts";
import { isSameTop, type Top } from "./book.ts";

/** The latest best bid and offer, and the server time of its frame. */
export interface BboState {
  readonly bbo: Bbo | undefined;
  readonly timestampNs: string | undefined;
}

export const noBbo: BboState = { bbo: undefined, timestampNs: undefined };

/** Each frame replaces the state. A level of size 0 counts as null: no bid, or no ask. */
export function reduceBbo(_: BboState, { bbo, timestamp_ns: timestampNs }: BboUpdate): BboState {
  if (!isNothing(bbo.bid) && !isNothing(bbo.ask)) return { bbo, timestampNs };
  const [bid, ask] = [bbo.bid, bbo.ask].map((level) => (isNothing(level) ? null : level));
  return { bbo: { bid: bid ?? null, ask: ask ?? null }, timestampNs };
}

function isNothing(level: PriceLevel | null): boolean {
  return level !== null && isZero(level.size_base_lots);
}

// The best bid and offer as independent evidence about the order book: its recent tops and when each was in force.

export interface Quote {
  readonly timestampNs: bigint;
  readonly top: Top;
}

/** Recent tops kept with their server times: at 1,000 a second, at least one second's worth. */
const MAX_QUOTES = 2048;
/** Distinct tops for which the time they were last in force is kept. */
const MAX_TOPS = 4096;

/** A bounded history of BBO tops, to compare order books with. */
export class BboEvidence {
  /** In order of arrival. */
  private quotes: Quote[] = [];
  /** For each top, when another one replaced it, by our clock; oldest first. */
  private replacedAtMs = new Map<string, number>();
  private last: Top | undefined;
  /** Time of the last quote, whether or not it changed the top, by our clock. */
  quotedAtMs = Number.NEGATIVE_INFINITY;

  get hasQuotes(): boolean {
    return this.last !== undefined;
  }

  add({ timestamp_ns, bbo }: BboUpdate, atMs: number): void {
    const top = getTop(bbo);
    this.quotedAtMs = atMs;
    if (this.last !== undefined) {
      // Only sizes changed: the top has been in force since the time already recorded.
      if (isSameTop(this.last, top)) return;
      this.retire(this.last, atMs);
    }
    this.last = top;
    if (this.quotes.length >= MAX_QUOTES) {
      this.quotes = this.quotes.slice(MAX_QUOTES / 2);
    }
    this.quotes.push({ timestampNs: BigInt(timestamp_ns), top });
  }

  clear(): void {
    this.quotes = [];
    this.replacedAtMs.clear();
    this.last = undefined;
    this.quotedAtMs = Number.NEGATIVE_INFINITY;
  }

  isInForce(top: Top): boolean {
    return this.last !== undefined && isSameTop(this.last, top);
  }

  wasInForce(top: Top, sinceMs: number): boolean {
    if (this.isInForce(top)) return true;
    return (this.replacedAtMs.get(getKey(top)) ?? Number.NEGATIVE_INFINITY) >= sinceMs;
  }

  /** Tops in force at any time between two server times. Empty when nothing is known about that period. */
  inForceBetween(fromNs: bigint, untilNs: bigint): readonly Top[] {
    const tops: Top[] = [];
    for (let i = this.quotes.length - 1; i >= 0; i--) {
      const quote = this.quotes[i];
      if (quote === undefined || quote.timestampNs > untilNs) continue;
      tops.push(quote.top);
      if (quote.timestampNs <= fromNs) break;
    }
    return tops;
  }

  private retire(top: Top, atMs: number): void {
    const key = getKey(top);
    // Delete first, so that the map stays ordered by time.
    this.replacedAtMs.delete(key);
    this.replacedAtMs.set(key, atMs);
    if (this.replacedAtMs.size <= MAX_TOPS) return;
    for (const oldest of this.replacedAtMs.keys()) {
      this.replacedAtMs.delete(oldest);
      return;
    }
  }
}

function getKey({ bid, ask }: Top): string {
  return `${bid ?? ""}/${ask ?? ""}`;
}

export function getTop({ bid, ask }: BboUpdate["bbo"]): Top {
  return { bid: getPrice(bid), ask: getPrice(ask) };
}

function getPrice(level: PriceLevel | null): string | undefined {
  return level === null || isNothing(level) ? undefined : stripZeros(level.price_ticks);
}
