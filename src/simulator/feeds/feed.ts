// A feed is what the service says on one channel: a first frame to each subscriber, then one for each
// transaction that concerns it, the same text to all. A feed only reads the exchange; nothing that
// happens there depends on it.
import { type Decimal, divideInteger, formatDecimal } from "../../units/decimal.ts";
import { formatUnits } from "../../units/scale.ts";
import { US_PER_MS } from "../../units/time.ts";
import type { Channel, ChannelKind, MarketType, Updates } from "../../wire/channels.ts";
import type { SequencedUpdate } from "../../wire/update.ts";
import type { Catalogue, Owner } from "../exchange/account.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Market } from "../exchange/market.ts";
import { QUOTE_PLACES } from "../exchange/money.ts";
import type { Interpretations } from "../scenarios/interpretations.ts";
import type { MarketSpec } from "../scenarios/market-spec.ts";

/** What feeds and listings read, and how they word it. */
export interface FeedContext {
  readonly exchange: Exchange;
  readonly catalogue: Catalogue;
  readonly liquidator: Owner;
  readonly interpretations: Interpretations;
  readonly scale: StreamScale;
  readonly time: WallTime;
}

export type Payload<K extends ChannelKind> = Omit<Updates[K], keyof SequencedUpdate>;

export interface Feed<K extends ChannelKind = ChannelKind> {
  /** Index of the last transaction that the channel's state had folded in when the feed was opened; 0: none yet. */
  readonly sequence: number;
  /** What a new subscriber gets at once; undefined when there is nothing to say yet. */
  first(): Payload<K> | undefined;
  /** What the transaction that just happened changes; undefined when nothing. Called for every transaction. */
  change(index: number): Payload<K> | undefined;
  /** True when what changed last replaces all that was before: its frame follows none. */
  isReset?: boolean;
}

export type OpenFeed<K extends ChannelKind> = (
  context: FeedContext,
  channel: Extract<Channel, { kind: K }>,
) => Feed<K> | undefined;

/** Ids are matched as text: `01` is no market. */
export function findMarket(
  { exchange }: FeedContext,
  type: MarketType,
  id: string,
): Market | undefined {
  return exchange.markets.find(({ spec }) => spec.type === type && String(spec.id) === id);
}

/** The newest rows of a table that match, oldest of them first. */
export function newestRows(
  count: number,
  { first, end }: { readonly first: number; readonly end: number },
  matches: (row: number) => boolean,
): number[] {
  const rows: number[] = [];
  for (let row = end - 1; row >= first && rows.length < count; row--) {
    if (matches(row)) rows.push(row);
  }
  return rows.reverse();
}

// Numbers of the exchange as text of the wire: always exact.

/** A price in quote currency. */
export function priceText(spec: MarketSpec, ticks: number | bigint): string {
  return formatUnits(String(ticks), spec.tickSize);
}

/** A size in base currency. */
export function sizeText(spec: MarketSpec, lots: number): string {
  return formatUnits(String(lots), spec.lotSize);
}

/** An amount of quote currency. */
export function quoteText(atoms: bigint): string {
  return formatDecimal({ mantissa: atoms, places: QUOTE_PLACES });
}

/** A rate in millionths as a fraction of 1. */
export function ppmText(ppm: bigint): string {
  return formatDecimal({ mantissa: ppm, places: 6 });
}

/** numerator / denominator, rounded to some places; "0" where there is nothing to divide by. */
export function quotientText(numerator: bigint, denominator: bigint, places: number): string {
  const quotient = divideInteger(numerator, denominator, places);
  return quotient === undefined ? "0" : formatDecimal(quotient);
}

/** Ticks and lots of the stream, with the zeros that a scenario may add to make them large. */
export class StreamScale {
  readonly #tickZeros: string;
  readonly #lotZeros: string;

  constructor({ extra_tick_digits, extra_lot_digits }: Interpretations) {
    this.#tickZeros = "0".repeat(extra_tick_digits);
    this.#lotZeros = "0".repeat(extra_lot_digits);
  }

  ticks(ticks: number | bigint): string {
    return `${ticks}${this.#tickZeros}`;
  }

  lots(lots: number): string {
    return lots === 0 ? "0" : `${lots}${this.#lotZeros}`;
  }

  tickSize({ tickSize }: MarketSpec): string {
    return formatDecimal(shrink(tickSize, this.#tickZeros.length));
  }

  lotSize({ lotSize }: MarketSpec): string {
    return formatDecimal(shrink(lotSize, this.#lotZeros.length));
  }
}

function shrink({ mantissa, places }: Decimal, digits: number): Decimal {
  return { mantissa, places: places + digits };
}

export class WallTime {
  readonly epochMs: number;

  constructor(epochMs: number) {
    this.epochMs = epochMs;
  }

  /** Unix nanoseconds, digit text. The simulated clock counts microseconds: the last three digits are zeros. */
  ns(timeUs: number): string {
    return `${this.epochMs * US_PER_MS + timeUs}000`;
  }

  ms(timeUs: number): number {
    return this.epochMs + Math.floor(timeUs / US_PER_MS);
  }
}
