// The scale of each market (the value of a tick and a lot): from the config, from the market's record, or measured, in this
// order, with whatever contradicts it.
import {
  compareDecimal,
  type Decimal,
  formatDecimal,
  multiplyDecimal,
  parseDecimal,
  trimDecimal,
} from "../units/decimal.ts";
import { type Scale, type ScaleSource, toUnits, unitSize } from "../units/scale.ts";
import { msOfNs, NS_PER_MS } from "../units/time.ts";
import type { LastCandle } from "../wire/channels/candles.ts";
import type { Trade } from "../wire/channels/trades.ts";
import { INTERVAL_MS, parseChannel } from "../wire/channels.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import { compareNs } from "./backlog.ts";
import type { ScaleFacts } from "./facts-schema.ts";
import { HEAT_SECONDS } from "./heatmap.ts";
import type { Slice } from "./slices.ts";
import type { Store } from "./store.ts";
import {
  type ComparedTape,
  type MatchedMoment,
  matchTrades,
  type UnitPair,
} from "./trade-pairs.ts";
import type { TapeSpan } from "./trades.ts";

// Independent evidence of a scale: candles of last prices are decimal text. Each price of a candle must be the price of some
// trade in its period, and its volume a whole number of lots.

/** Candles and trades may be stamped by different clocks: trades this far outside the period count, too. */
const MARGIN_MS = 1000;

/** How a candle contradicts the scale, empty if it does not; undefined if it is still forming or the tape does not cover it. */
function askCandle(
  candle: LastCandle,
  intervalMs: number,
  { trades, holes }: ComparedTape,
  scale: Scale,
): string | undefined {
  const from = BigInt(candle.open_time_ms - MARGIN_MS) * NS_PER_MS;
  const until = BigInt(candle.open_time_ms + intervalMs + MARGIN_MS) * NS_PER_MS;
  const times = trades.map(({ timestamp_ns }) => BigInt(timestamp_ns));
  const isCovered = times.some((time) => time < from) && times.some((time) => time > until);
  if (!isCovered || candle.trades === 0 || holes.some((hole) => isBetween(hole, from, until)))
    return undefined;
  const inside = trades.filter((_, i) => {
    const time = times[i] ?? 0n;
    return time >= from && time <= until;
  });
  return findContradiction(candle, inside, scale);
}

function isBetween({ afterNs, untilNs }: TapeSpan, from: bigint, until: bigint): boolean {
  return BigInt(afterNs) <= until && BigInt(untilNs) >= from;
}

function findContradiction(
  { high, low, close, volume_base }: LastCandle,
  trades: readonly Trade[],
  { tickSize, lotSize }: Scale,
): string {
  const prices = new Set(
    trades.map(({ price_ticks }) => formatPrice(BigInt(price_ticks), tickSize)),
  );
  for (const price of [high, low, close]) {
    const value = parseDecimal(price);
    if (value === undefined || prices.has(formatDecimal(trimDecimal(value)))) continue;
    return `candle price ${price} is no trade's price × ${formatDecimal(tickSize)}`;
  }
  const volume = parseDecimal(volume_base);
  if (volume === undefined || toUnits(volume, lotSize) !== undefined) return "";
  return `candle volume ${volume_base} is not × ${formatDecimal(lotSize)}`;
}

function formatPrice(ticks: bigint, tickSize: Decimal): string {
  return formatDecimal(trimDecimal(multiplyDecimal({ mantissa: ticks, places: 0 }, tickSize)));
}

// The value of a tick and a lot, measured: the same trade on the stream and in REST gives price / ticks and quantity / lots as
// exact fractions. Never averaged, never floating point.

/** Pairs that must agree before a measured scale is accepted, and distinct prices among them. */
const PAIRS_NEEDED = 20;
const PRICES_NEEDED = 3;
/** Each contradiction multiplies the pairs needed for the next scale by ten, up to the maximum. */
const DEARER = 10;
const MAX_PAIRS_NEEDED = 20_000;
/** Moments remembered to recognise repeats: as many as a tape can hold. */
const MAX_MOMENTS = 4000;

/** Evidence from all matched trades. */
export interface ScaleEvidence {
  /** The value on which all pairs since the last contradiction agree; undefined before the first. */
  readonly tickSize: Decimal | undefined;
  readonly lotSize: Decimal | undefined;
  readonly pairs: number;
  /** Distinct prices among them, counted up to the number needed. */
  readonly prices: ReadonlySet<bigint>;
  /** Pairs needed for acceptance. */
  readonly needed: number;
  /** How often a trade contradicted the others. */
  readonly contradictions: number;
  readonly contradiction: string | undefined;
  /** Keys of the moments used so far, oldest first. */
  readonly seen: ReadonlySet<string>;
}

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

/** Adds matched trades, each only once. Returns the same object if nothing is new. */
export function reduceScale(
  evidence: ScaleEvidence,
  moments: readonly MatchedMoment[],
): ScaleEvidence {
  const fresh = moments.filter(({ key }) => !evidence.seen.has(key));
  if (fresh.length === 0) return evidence;
  const keys = [...evidence.seen, ...fresh.map(({ key }) => key)];
  return fresh.reduce(observeMoment, { ...evidence, seen: new Set(keys.slice(-MAX_MOMENTS)) });
}

/** The accepted scale; undefined until enough trades agree. */
export function measuredScale(evidence: ScaleEvidence): Scale | undefined {
  const { tickSize, lotSize, pairs, prices, needed } = evidence;
  if (tickSize === undefined || lotSize === undefined) return undefined;
  return pairs >= needed && prices.size >= PRICES_NEEDED ? { tickSize, lotSize } : undefined;
}

/** Progress of the measurement: `7 of 20 trades`. */
function formatEvidence({ pairs, needed }: ScaleEvidence): string {
  return pairs < needed ? `${pairs} of ${needed} trades` : `${pairs} trades`;
}

/** One contradiction discards everything accepted so far. */
function contradictScale(evidence: ScaleEvidence, words: string): ScaleEvidence {
  return {
    ...evidence,
    tickSize: undefined,
    lotSize: undefined,
    pairs: 0,
    prices: new Set(),
    needed: Math.min(evidence.needed * DEARER, MAX_PAIRS_NEEDED),
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

/** The unit size by these pairs; a description if they contradict each other or the known size. */
function agreeOn(
  what: string,
  known: Decimal | undefined,
  pairs: readonly UnitPair[],
): Decimal | string | undefined {
  let size = known;
  for (const pair of pairs) {
    // Zero is zero in any unit, so it proves nothing.
    if (pair.units === 0n && pair.value.mantissa === 0n) continue;
    const measured = unitSize(pair.value, pair.units);
    const text = `${what} ${pair.units} is ${formatDecimal(pair.value)}`;
    if (measured === undefined) return `${text}: not a whole unit`;
    if (size !== undefined && formatDecimal(measured) !== formatDecimal(size)) {
      return `${text}, which is not × ${formatDecimal(size)}`;
    }
    size = measured;
  }
  return size;
}

/** The scale in force, and its source. */
export interface MarketScale {
  /** Undefined: ticks and lots are shown. */
  readonly scale: Scale | undefined;
  readonly source: ScaleSource;
  /** How far it has been verified: `34 trades`, `7 of 20 trades`, `untested`. */
  readonly evidence: string;
  /** What contradicts it, or did; empty if nothing does. */
  readonly inconsistency: string;
  readonly pairs: number;
  readonly contradictions: number;
}

/** Known scales, and the store with the trades to compare. */
export interface ScalesOptions {
  readonly store: Store;
  /** By market: `perp/1`. */
  readonly known: Readonly<Record<string, Scale>>;
  /** The scale in a market's record; undefined if it has none. */
  readonly claimOf: (market: string) => Scale | undefined;
}

interface Held {
  readonly evidence: ScaleEvidence;
  /** Why nothing can be measured; empty while trades are listed. */
  readonly obstacle: string;
  /** The last scale in the market's record. */
  readonly claim?: Scale | undefined;
  /** The scale accepted last, and the server time of the newest trade when it ceased to be accepted. */
  readonly accepted?: Scale | undefined;
  /** It was right at the time: confirmed by trades, or superseded by a change of the market's record. */
  readonly wasRight?: boolean;
  readonly untilNs?: string | undefined;
  /** The cached result, and the version of the market list on which it is based. */
  readonly answer: MarketScale | undefined;
  readonly version: number;
}

const NOTHING_HELD: Held = { evidence: noEvidence, obstacle: "", answer: undefined, version: -1 };

export class Scales {
  readonly #options: ScalesOptions;
  readonly #held = new Map<string, Held>();
  /** By channel, the open time of the newest candle that was checked. */
  readonly #asked = new Map<string, number>();

  constructor(options: ScalesOptions) {
    this.#options = options;
  }

  of(market: string): MarketScale {
    const held = this.#held.get(market) ?? NOTHING_HELD;
    const { version } = this.#options.store.slice("markets", "markets");
    if (held.answer !== undefined && held.version === version) return held.answer;
    const known = this.#options.known[market];
    const claim = this.#options.claimOf(market);
    const changed = { ...unsettle(held, claim), claim: claim ?? held.claim, version };
    const chosen = choose(changed, known, claim);
    const next = this.#accept(market, chosen, changed);
    const answer = next.isMixed ? mixed(chosen, held) : chosen;
    // A mixed result depends on old data, which expires, so it is not cached.
    const kept = next.isMixed ? undefined : answer;
    this.#held.set(market, { ...changed, ...next.change, answer: kept });
    return answer;
  }

  #accept(market: string, chosen: MarketScale, held: Held) {
    const { accepted } = held;
    const { scale } = chosen;
    const isSame = scale !== undefined && (accepted === undefined || isSameScale(scale, accepted));
    const untilNs =
      isSame || accepted === undefined ? undefined : (held.untilNs ?? this.#newestNs(market));
    const isOther = !isSame && isOtherThanAccepted(chosen, held);
    const isMixed = isOther && this.#isHeld(market, untilNs);
    // No data under the old scale is left; sums that mix both scales would be meaningless.
    if (isOther && !isMixed) this.#tape(market).flow.raiseFloor(untilNs ?? "0");
    const isNew = scale !== undefined && !isMixed;
    const change = isNew
      ? { accepted: scale, wasRight: chosen.pairs > 0, untilNs: undefined }
      : { untilNs };
    return { isMixed, change };
  }

  /** True while trades or books from before the change of scale are held: no single scale fits all data. */
  #isHeld(market: string, untilNs = "0"): boolean {
    const trades = this.#tape(market).recent();
    const [newest, oldest] = [trades[0], trades.at(-1)];
    if (newest === undefined || oldest === undefined) return false;
    const isOver = msOfNs(newest.timestamp_ns) - msOfNs(untilNs) > HEAT_SECONDS * 1000;
    return !isOver || compareNs(oldest.timestamp_ns, untilNs) <= 0;
  }

  #newestNs(market: string): string | undefined {
    return this.#tape(market).recent(1)[0]?.timestamp_ns;
  }

  #tape(market: string) {
    return this.#options.store.slice("trades", `trades/${market}`).data;
  }

  facts(): readonly ScaleFacts[] {
    return Array.from(this.#held, ([market, { evidence, obstacle }]) => {
      const { tickSize, lotSize, prices, seen, ...counts } = evidence;
      return {
        market,
        obstacle,
        ...counts,
        tickSize: tickSize && formatDecimal(tickSize),
        lotSize: lotSize && formatDecimal(lotSize),
        prices: Array.from(prices, String),
      };
    });
  }

  /** Replaces the measurements of a market. @throws {SyntaxError} when a price is not an integer */
  restore({ market, obstacle, tickSize = "", lotSize = "", prices, ...counts }: ScaleFacts): void {
    const evidence: ScaleEvidence = {
      ...noEvidence,
      ...counts,
      tickSize: parseDecimal(tickSize),
      lotSize: parseDecimal(lotSize),
      prices: new Set(prices.map(BigInt)),
    };
    this.#held.set(market, { ...NOTHING_HELD, evidence, obstacle });
  }

  /** True while more matched trades are needed soon. */
  isMeasuring(market: string): boolean {
    return measuredScale((this.#held.get(market) ?? NOTHING_HELD).evidence) === undefined;
  }

  /** Adds the newest trades of the REST listing, and the candles that have ended since. */
  observe(market: string, records: readonly TradeRecord[]): void {
    const held = this.#held.get(market) ?? NOTHING_HELD;
    const tape = this.#tapeOf(market);
    const measured = reduceScale(held.evidence, matchTrades(tape, records));
    const evidence = this.#askCandles(market, tape, measured);
    const isNew = evidence !== held.evidence || held.obstacle !== "";
    if (isNew) this.#held.set(market, { ...held, evidence, obstacle: "", answer: undefined });
  }

  /** The name now refers to another market: discards all measurements. */
  forget(market: string): void {
    this.#held.delete(market);
    for (const channel of this.#asked.keys()) {
      if (channel.startsWith(`candles/${market}/`)) this.#asked.delete(channel);
    }
  }

  /** Records why nothing can be measured at present. */
  markUnavailable(market: string, obstacle: string): void {
    const held = this.#held.get(market) ?? NOTHING_HELD;
    this.#held.set(market, { ...held, obstacle, answer: undefined });
  }

  #tapeOf(market: string): ComparedTape {
    const data = this.#tape(market);
    return { trades: data.recent(), holes: [...data.holes, ...data.filled] };
  }

  #askCandles(market: string, tape: ComparedTape, evidence: ScaleEvidence): ScaleEvidence {
    const claim = this.#options.claimOf(market);
    const isRefuted = claim !== undefined && differs(claim, evidence);
    const scale = measuredScale(evidence) ?? (isRefuted ? undefined : claim);
    if (scale === undefined) return evidence;
    for (const [channel, candle] of this.#endedCandles(market)) {
      if (candle.open_time_ms <= (this.#asked.get(channel) ?? 0)) continue;
      const contradiction = askCandle(candle, getInterval(channel), tape, scale);
      if (contradiction === undefined) continue;
      this.#asked.set(channel, candle.open_time_ms);
      if (contradiction !== "") return contradictScale(evidence, contradiction);
    }
    return evidence;
  }

  /** The newest ended candle of each interval held. */
  #endedCandles(market: string): readonly (readonly [string, LastCandle])[] {
    return this.#options.store.slices.flatMap((slice) => {
      if (slice.kind !== "candles" || !slice.channel.startsWith(`candles/${market}/`)) return [];
      const { candles, unfinished } = (slice as Slice as Slice<"candles">).data;
      const ended = candles.at(-2);
      if (ended === undefined || unfinished.has(ended.open_time_ms)) return [];
      return [[slice.channel, ended] as const];
    });
  }
}

/**
 * The scale in the market's record has changed: held data is in old ticks and lots, and new data may be in either, so trades
 * from after the change must show the new values.
 */
function unsettle(held: Held, claim: Scale | undefined): Held {
  const { claim: before, evidence } = held;
  if (claim === undefined || before === undefined) return held;
  if (isSameScale(claim, before)) return held;
  const words = `before ${formatScaleNote(before)}`;
  return { ...held, evidence: contradictScale(evidence, words), wasRight: true };
}

function isSameScale(a: Scale, b: Scale): boolean {
  return compareDecimal(a.tickSize, b.tickSize) === 0 && compareDecimal(a.lotSize, b.lotSize) === 0;
}

/** True when the scale differs from one that was right. */
function isOtherThanAccepted({ scale, source }: MarketScale, { accepted, wasRight = false }: Held) {
  return scale !== undefined && source !== "config" && accepted !== undefined && wasRight;
}

/** Falls back to ticks and lots, which are right for data from before and after the change. */
function mixed(answer: MarketScale, { accepted }: Held): MarketScale {
  const [now, before] = [answer.scale, accepted].map((scale) => scale && formatScaleNote(scale));
  const inconsistency = `${now} now, ${before} before: what is held is of both`;
  return { ...answer, scale: undefined, source: "none", inconsistency };
}

function getInterval(channel: string): number {
  const parts = parseChannel(channel);
  return parts?.kind === "candles" ? INTERVAL_MS[parts.interval] : 0;
}

function choose(
  { evidence, obstacle }: Held,
  known: Scale | undefined,
  claim: Scale | undefined,
): MarketScale {
  const { pairs, contradictions } = evidence;
  const answer = (
    source: ScaleSource,
    scale: Scale | undefined,
    words: string,
    inconsistency: string,
  ): MarketScale => ({ scale, source, evidence: words, inconsistency, pairs, contradictions });
  const test = pairs === 0 ? "untested" : formatEvidence(evidence);
  const against = (by: string, scale: Scale) =>
    differs(scale, evidence)
      ? `${by} says ${formatScaleNote(scale)}, ${formatReason(evidence)}`
      : "";
  if (known !== undefined) return answer("config", known, test, against("config", known));
  const inconsistency = claim === undefined ? "" : against("market", claim);
  if (claim !== undefined && inconsistency === "") return answer("market", claim, test, "");
  const measured = measuredScale(evidence);
  if (measured !== undefined)
    return answer("measured", measured, formatEvidence(evidence), inconsistency);
  const why = inconsistency === "" ? (evidence.contradiction ?? "") : inconsistency;
  return answer("none", undefined, obstacle === "" ? formatEvidence(evidence) : obstacle, why);
}

/** True when matched trades, or a candle, contradict a scale. */
function differs({ tickSize, lotSize }: Scale, evidence: ScaleEvidence): boolean {
  // If trades contradict each other, at least one of them contradicts the claim.
  if (evidence.contradictions > 0 && measuredScale(evidence) === undefined) return true;
  return isOther(evidence.tickSize, tickSize) || isOther(evidence.lotSize, lotSize);
}

function isOther(measured: Decimal | undefined, known: Decimal): boolean {
  return measured !== undefined && compareDecimal(measured, known) !== 0;
}

function formatReason(evidence: ScaleEvidence): string {
  const { tickSize, lotSize } = evidence;
  if (tickSize === undefined || lotSize === undefined) return evidence.contradiction ?? "";
  return `trades say ${formatScaleNote({ tickSize, lotSize })}`;
}

function formatScaleNote({ tickSize, lotSize }: Scale): string {
  return `tick ${formatDecimal(tickSize)} lot ${formatDecimal(lotSize)}`;
}
