// The scale of each market: from the config, from fields of its own record, or measured, in this order; and what was
// found against it. Interpretation: docs/adr/0015.

import { compareDecimal, type Decimal, formatDecimal, parseDecimal } from "../units/decimal.ts";
import type { Scale, ScaleSource } from "../units/scale.ts";
import { msOfNs } from "../units/time.ts";
import type { LastCandle } from "../wire/channels/candles.ts";
import { INTERVAL_MS, parseChannel } from "../wire/channels.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import { compareNs } from "./backlog.ts";
import { HEAT_SECONDS } from "./heatmap.ts";
import {
  contradictScale,
  formatEvidence,
  measuredScale,
  noEvidence,
  reduceScale,
  type ScaleEvidence,
} from "./scale.ts";
import { askCandle, type ComparedTape } from "./scale-candles.ts";
import type { Slice } from "./slices.ts";
import type { Store } from "./store.ts";
import { matchTrades } from "./trade-pairs.ts";

/** The scale in force, and how it is known. */
export interface MarketScale {
  /** Undefined: ticks and lots are shown. */
  readonly scale: Scale | undefined;
  readonly source: ScaleSource;
  /** How far it is tested: `34 trades`, `7 of 20 trades`, `untested`. */
  readonly evidence: string;
  /** What contradicts it, or has contradicted it; empty while nothing does. */
  readonly inconsistency: string;
  readonly pairs: number;
  readonly contradictions: number;
}

/** What is known beforehand, and where trades are compared. */
export interface ScalesOptions {
  readonly store: Store;
  /** By market: `perp/1`. */
  readonly known: Readonly<Record<string, Scale>>;
  /** What a market's record says of its scale; undefined where it says nothing. */
  readonly claimOf: (market: string) => Scale | undefined;
}

/** What was measured of a market's scale, as plain values: decimals as text. */
export interface ScaleFacts {
  readonly market: string;
  readonly tickSize?: string | undefined;
  readonly lotSize?: string | undefined;
  readonly pairs: number;
  readonly prices: readonly string[];
  readonly needed: number;
  readonly contradictions: number;
  readonly contradiction?: string | undefined;
  /** Why nothing can be measured; empty while trades are listed. */
  readonly obstacle: string;
}

interface Held {
  readonly evidence: ScaleEvidence;
  /** Why nothing can be measured; empty while trades are listed. */
  readonly obstacle: string;
  /** What the market's record said last of its scale. */
  readonly claim?: Scale | undefined;
  /** The scale that was accepted last, and the server time of the newest trade when it was not any more. */
  readonly accepted?: Scale | undefined;
  /** It was right then: by trades, or because the market's record has named another one since. */
  readonly wasRight?: boolean;
  readonly untilNs?: string | undefined;
  /** What was answered last, and the version of the list of markets that it was answered by. */
  readonly answer: MarketScale | undefined;
  readonly version: number;
}

const NOTHING_HELD: Held = { evidence: noEvidence, obstacle: "", answer: undefined, version: -1 };

/** The scale of each market, with its source. */
export class Scales {
  readonly #options: ScalesOptions;
  readonly #held = new Map<string, Held>();
  /** The newest candle that has been asked, by channel: its open time. */
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
    // What is held of before leaves with time: then the answer is another one.
    const kept = next.isMixed ? undefined : answer;
    this.#held.set(market, { ...changed, ...next.change, answer: kept });
    return answer;
  }

  /** What is accepted from now on, and whether what is held is of more than one scale. */
  #accept(market: string, chosen: MarketScale, held: Held) {
    const { accepted } = held;
    const { scale } = chosen;
    const isSame = scale !== undefined && (accepted === undefined || isSameScale(scale, accepted));
    const untilNs =
      isSame || accepted === undefined ? undefined : (held.untilNs ?? this.#newestNs(market));
    const isOther = !isSame && isOtherThanAccepted(chosen, held);
    const isMixed = isOther && this.#isHeld(market, untilNs);
    // Nothing of before is there any more; sums of before and of now would be of nothing.
    if (isOther && !isMixed) this.#tape(market).flow.raiseFloor(untilNs ?? "0");
    const isNew = scale !== undefined && !isMixed;
    const change = isNew
      ? { accepted: scale, wasRight: chosen.pairs > 0, untilNs: undefined }
      : { untilNs };
    return { isMixed, change };
  }

  /** True while trades or books are held that came before the scale was another one: no one scale is that of all. */
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

  /** Of every market that was looked at. */
  facts(): readonly ScaleFacts[] {
    return Array.from(this.#held, ([market, { evidence, obstacle }]) => ({
      market,
      tickSize: evidence.tickSize && formatDecimal(evidence.tickSize),
      lotSize: evidence.lotSize && formatDecimal(evidence.lotSize),
      pairs: evidence.pairs,
      prices: Array.from(evidence.prices, String),
      needed: evidence.needed,
      contradictions: evidence.contradictions,
      contradiction: evidence.contradiction,
      obstacle,
    }));
  }

  /** Takes the place of what was measured of a market. @throws {SyntaxError} where a price is no integer */
  restore({ market, obstacle, tickSize, lotSize, prices, ...counts }: ScaleFacts): void {
    const evidence: ScaleEvidence = {
      ...noEvidence,
      pairs: counts.pairs,
      needed: counts.needed,
      contradictions: counts.contradictions,
      contradiction: counts.contradiction,
      tickSize: tickSize === undefined ? undefined : parseDecimal(tickSize),
      lotSize: lotSize === undefined ? undefined : parseDecimal(lotSize),
      prices: new Set(prices.map(BigInt)),
    };
    this.#held.set(market, { ...NOTHING_HELD, evidence, obstacle });
  }

  /** True while more matched trades are wanted soon. */
  isMeasuring(market: string): boolean {
    return measuredScale((this.#held.get(market) ?? NOTHING_HELD).evidence) === undefined;
  }

  /** Observes the newest trades of the REST listing, and the candles that have ended since. */
  observe(market: string, records: readonly TradeRecord[]): void {
    const held = this.#held.get(market) ?? NOTHING_HELD;
    const tape = this.#tapeOf(market);
    const measured = reduceScale(held.evidence, matchTrades({ ...tape, records }));
    const evidence = this.#askCandles(market, tape, measured);
    const isNew = evidence !== held.evidence || held.obstacle !== "";
    if (isNew) this.#held.set(market, { ...held, evidence, obstacle: "", answer: undefined });
  }

  /** The name means another market now: nothing that was measured holds. */
  forget(market: string): void {
    this.#held.delete(market);
    for (const channel of this.#asked.keys()) {
      if (channel.startsWith(`candles/${market}/`)) this.#asked.delete(channel);
    }
  }

  /** Says why nothing can be measured now. */
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
    const scale = measuredScale(evidence) ?? (isContradicted(claim, evidence) ? undefined : claim);
    if (scale === undefined) return evidence;
    for (const [channel, candle] of this.#endedCandles(market)) {
      if (candle.open_time_ms <= (this.#asked.get(channel) ?? 0)) continue;
      const { isObserved, contradiction } = askCandle(candle, getInterval(channel), tape, scale);
      if (isObserved) this.#asked.set(channel, candle.open_time_ms);
      if (contradiction !== undefined) return contradictScale(evidence, contradiction);
    }
    return evidence;
  }

  /** The newest ended candle of each interval that is held. */
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
 * What is held is in ticks and lots of before, and what comes may be of either: trades of after the change have to show what
 * they are worth now.
 */
function unsettle(held: Held, claim: Scale | undefined): Held {
  const { claim: before, evidence } = held;
  if (claim === undefined || before === undefined) return held;
  if (isSameScale(claim, before)) return held;
  const words = `before ${wordScale(before)}`;
  return { ...held, evidence: contradictScale(evidence, words), wasRight: true };
}

function isSameScale(a: Scale, b: Scale): boolean {
  return compareDecimal(a.tickSize, b.tickSize) === 0 && compareDecimal(a.lotSize, b.lotSize) === 0;
}

/** True of another scale than one that was right. */
function isOtherThanAccepted({ scale, source }: MarketScale, { accepted, wasRight = false }: Held) {
  return scale !== undefined && source !== "config" && accepted !== undefined && wasRight;
}

/** Ticks and lots are true of what came before and of what has come since. */
function mixed(answer: MarketScale, { accepted }: Held): MarketScale {
  const [now, before] = [answer.scale, accepted].map((scale) => scale && wordScale(scale));
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
  const base = { pairs, contradictions };
  const said = formatReason(evidence);
  const measured = measuredScale(evidence);
  if (known !== undefined) {
    const inconsistency = differs(known, evidence)
      ? `config says ${wordScale(known)}, ${said}`
      : "";
    return {
      ...base,
      scale: known,
      source: "config",
      evidence: formatTest(evidence),
      inconsistency,
    };
  }
  const inconsistency = isContradicted(claim, evidence)
    ? `market says ${wordScale(claim)}, ${said}`
    : "";
  if (claim !== undefined && inconsistency === "") {
    return {
      ...base,
      scale: claim,
      source: "market",
      evidence: formatTest(evidence),
      inconsistency,
    };
  }
  const shown = obstacle === "" ? formatEvidence(evidence) : obstacle;
  const why =
    inconsistency === "" && measured === undefined ? (evidence.contradiction ?? "") : inconsistency;
  if (measured === undefined) {
    return { ...base, scale: undefined, source: "none", evidence: shown, inconsistency: why };
  }
  return {
    ...base,
    scale: measured,
    source: "measured",
    evidence: formatEvidence(evidence),
    inconsistency,
  };
}

function formatTest(evidence: ScaleEvidence): string {
  return evidence.pairs === 0 ? "untested" : formatEvidence(evidence);
}

/** Matched trades, or a candle, speak against it. */
function isContradicted(claim: Scale | undefined, evidence: ScaleEvidence): claim is Scale {
  return claim !== undefined && differs(claim, evidence);
}

function differs({ tickSize, lotSize }: Scale, evidence: ScaleEvidence): boolean {
  // Where trades contradict each other, at least one of them contradicts the claim.
  if (evidence.contradictions > 0 && measuredScale(evidence) === undefined) return true;
  return isOther(evidence.tickSize, tickSize) || isOther(evidence.lotSize, lotSize);
}

function isOther(measured: Decimal | undefined, known: Decimal): boolean {
  return measured !== undefined && compareDecimal(measured, known) !== 0;
}

function formatReason(evidence: ScaleEvidence): string {
  const { tickSize, lotSize } = evidence;
  if (tickSize === undefined || lotSize === undefined) return evidence.contradiction ?? "";
  return `trades say ${wordScale({ tickSize, lotSize })}`;
}

function wordScale({ tickSize, lotSize }: Scale): string {
  return `tick ${formatDecimal(tickSize)} lot ${formatDecimal(lotSize)}`;
}
