// What a tick and a lot are worth, measured: the same trade on the stream and in REST gives price / ticks and
// quantity / lots as exact fractions. Never averaged, never floating point. Interpretation: docs/adr/0015.
import { type Decimal, formatDecimal } from "../units/decimal.ts";
import { type Scale, unitSize } from "../units/scale.ts";
import type { MatchedMoment, UnitPair } from "./trade-pairs.ts";

/** Pairs that must agree before a measured scale is accepted, and the distinct prices among them. */
const PAIRS_NEEDED = 20;
const PRICES_NEEDED = 3;
/** Each contradiction makes the next scale need ten times as many, up to this. */
const DEARER = 10;
const MOST_PAIRS_NEEDED = 20_000;
/** Moments by which a repeated one is known: as many as a tape can hold. */
const MAX_MOMENTS = 4000;

/** What all matched trades say together. */
export interface ScaleEvidence {
  /** What every pair since the last contradiction says; undefined before the first. */
  readonly tickSize: Decimal | undefined;
  readonly lotSize: Decimal | undefined;
  /** Matched trades that say so. */
  readonly pairs: number;
  /** Distinct prices among them, counted up to what is needed. */
  readonly prices: ReadonlySet<bigint>;
  /** Pairs needed before they are accepted. */
  readonly needed: number;
  /** How often one trade contradicted the others. */
  readonly contradictions: number;
  /** The last of them, in words. */
  readonly contradiction: string | undefined;
  /** Keys of the moments that have been seen, oldest first. */
  readonly seen: ReadonlySet<string>;
}

/** Nothing has been compared yet. */
export const noEvidence: ScaleEvidence = {
  tickSize: undefined,
  lotSize: undefined,
  pairs: 0,
  prices: new Set(),
  needed: PAIRS_NEEDED,
  contradictions: 0,
  contradiction: undefined,
  seen: new Set(),
};

/** Takes matched trades into account, each only once. The same object when there was nothing new. */
export function reduceScale(
  evidence: ScaleEvidence,
  moments: readonly MatchedMoment[],
): ScaleEvidence {
  const fresh = moments.filter(({ key }) => !evidence.seen.has(key));
  if (fresh.length === 0) return evidence;
  const keys = [...evidence.seen, ...fresh.map(({ key }) => key)];
  return fresh.reduce(observeMoment, { ...evidence, seen: new Set(keys.slice(-MAX_MOMENTS)) });
}

/** The scale that is accepted; undefined until enough trades agree. */
export function measuredScale(evidence: ScaleEvidence): Scale | undefined {
  const { tickSize, lotSize, pairs, prices, needed } = evidence;
  if (tickSize === undefined || lotSize === undefined) return undefined;
  return pairs >= needed && prices.size >= PRICES_NEEDED ? { tickSize, lotSize } : undefined;
}

/** How far the measuring has come: `7 of 20 trades`. */
export function formatEvidence({ pairs, needed }: ScaleEvidence): string {
  return pairs < needed ? `${pairs} of ${needed} trades` : `${pairs} trades`;
}

/** One contradiction unsettles everything that was accepted. */
export function contradictScale(evidence: ScaleEvidence, words: string): ScaleEvidence {
  return {
    ...evidence,
    tickSize: undefined,
    lotSize: undefined,
    pairs: 0,
    prices: new Set(),
    needed: Math.min(evidence.needed * DEARER, MOST_PAIRS_NEEDED),
    contradictions: evidence.contradictions + 1,
    contradiction: words,
  };
}

function observeMoment(evidence: ScaleEvidence, moment: MatchedMoment): ScaleEvidence {
  const tick = agreeOn("price", evidence.tickSize, moment.prices);
  const lot = agreeOn("size", evidence.lotSize, moment.sizes);
  if (typeof tick === "string") return contradictScale(evidence, tick);
  if (typeof lot === "string") return contradictScale(evidence, lot);
  const prices = new Set(evidence.prices);
  for (const { units } of moment.prices) if (prices.size < PRICES_NEEDED) prices.add(units);
  return {
    ...evidence,
    tickSize: tick,
    lotSize: lot,
    pairs: evidence.pairs + moment.prices.length,
    prices,
  };
}

/** The size of one unit by these pairs; words where they contradict each other or what was known. */
function agreeOn(
  what: string,
  known: Decimal | undefined,
  pairs: readonly UnitPair[],
): Decimal | string | undefined {
  let size = known;
  for (const pair of pairs) {
    // Nothing is nothing in any unit: it says nothing.
    if (pair.units === 0n && pair.value.mantissa === 0n) continue;
    const said = unitSize(pair.value, pair.units);
    const text = `${what} ${pair.units} is ${formatDecimal(pair.value)}`;
    if (said === undefined) return `${text}: not a whole unit`;
    if (size !== undefined && formatDecimal(said) !== formatDecimal(size)) {
      return `${text}, which is not × ${formatDecimal(size)}`;
    }
    size = said;
  }
  return size;
}
