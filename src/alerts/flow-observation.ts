// What an alert reads of the order flow: sums over a window of time, and the trades of a taker. Where the window has an open
// hole, or is not covered yet, nothing is read.

import {
  type FlowSpan,
  formatWindowCoverage,
  selectPriceBefore,
  selectTradeDelta,
  selectVwap,
  selectWindowCoverage,
  WHOLE_FLOW,
} from "../select/flow.ts";
import type { Market } from "../select/market.ts";
import { selectFreshSweeps } from "../select/trades.ts";
import type { TradesState } from "../state/trades.ts";
import {
  type Decimal,
  divideHalfEven,
  divideInteger,
  multiplyDecimal,
  trimDecimal,
} from "../units/decimal.ts";
import type { Scale } from "../units/scale.ts";
import { MINUTE_MS, msOfNs, SECOND_MS } from "../units/time.ts";
import {
  type AlertObservation,
  observeNone,
  observeValue,
  observeValues,
  observeWorth,
} from "./alert-crossing.ts";
import type { AlertFacts } from "./alert-observation.ts";
import type { AlertUnit, MarketNumber } from "./alert-rule.ts";

/** What the rule names, and where it is read. */
export interface FlowQuery {
  readonly tape: TradesState;
  readonly market: Market;
  readonly unit: AlertUnit;
  /** Length of the window, milliseconds. */
  readonly windowMs: number;
  readonly facts: AlertFacts;
}

type FlowReader = (query: FlowQuery) => AlertObservation;

/** A tick of the dearest market is a hundred thousandth of a percent. */
const PERCENT_PLACES = 8;
/** Digits of a VWAP in ticks. */
const VWAP_PLACES = 8;

export const FLOW_NUMBERS = {
  delta: readDelta,
  cvd: readCvd,
  vwap: readVwap,
  trade: readTrades,
  change: readChange,
} satisfies Partial<Record<MarketNumber, FlowReader>>;

export type FlowNumber = keyof typeof FLOW_NUMBERS;

export function isFlowNumber(name: MarketNumber): name is FlowNumber {
  return Object.hasOwn(FLOW_NUMBERS, name);
}

function readDelta(query: FlowQuery): AlertObservation {
  const { tape } = query;
  const span = getWindow(query);
  if (span === undefined) return observeNone("nothing received yet");
  const why = lack(tape, span);
  if (why !== undefined) return observeNone(why);
  return inLots([selectTradeDelta(tape.flow, span).deltaLots], query);
}

/** Since the sums begin. */
function readCvd(query: FlowQuery): AlertObservation {
  const why = lackOfAll(query.tape);
  if (why !== undefined) return observeNone(why);
  return inLots([selectTradeDelta(query.tape.flow, WHOLE_FLOW).deltaLots], query);
}

function readVwap({ tape, market, unit, facts }: FlowQuery): AlertObservation {
  const vwap = selectVwap(tape.flow);
  const why = lackOfAll(tape) ?? (vwap === undefined ? "no trade yet" : undefined);
  if (why !== undefined || vwap === undefined) return observeNone(why ?? "no trade yet");
  const ticks = divideHalfEven(vwap.numerator, vwap.denominator, VWAP_PLACES);
  return unit === "ticks"
    ? observeValues([ticks])
    : observeWorth([ticks], "tick", market, facts.scales);
}

/** Price now against that at the beginning of the window, in percent. */
function readChange(query: FlowQuery): AlertObservation {
  const { tape } = query;
  const span = getWindow(query);
  const [last] = tape.recent(1);
  if (span === undefined || last === undefined) return observeNone("nothing received yet");
  const before = selectPriceBefore(tape.flow, span.fromMs);
  // Since that trade the price has not changed until the window begins, if none was missed.
  const fromMs = before?.openMs ?? span.fromMs;
  const why = lack(tape, span) ?? openIn(tape, { ...span, fromMs });
  if (why !== undefined) return observeNone(why);
  if (before === undefined) return observeNone("no trade before the window");
  const [then, now] = [BigInt(before.priceTicks), BigInt(last.price_ticks)];
  const percent = divideInteger((now - then) * 100n, then, PERCENT_PLACES);
  return observeValue(percent && trimDecimal(percent), "the price was 0");
}

/** Each taker's trades count as one; what of them was seen before does not count twice. */
function readTrades(query: FlowQuery): AlertObservation {
  const { tape, facts, unit } = query;
  const fresh = facts.tradesSeen === undefined ? 0 : tape.streamed - facts.tradesSeen;
  const sizes = selectFreshSweeps(tape, fresh).flatMap((sweep) =>
    unit === "quote" ? [sweep.valueBefore, sweep.value] : [sweep.lotsBefore, sweep.lots],
  );
  return inLots(sizes.length === 0 ? [0n] : sizes, query);
}

/** Whole seconds, the last one that of now by the clock of the service. */
function getWindow({ tape, windowMs, facts }: FlowQuery): FlowSpan | undefined {
  const clockMs = tape.serverMs(facts.nowMs);
  if (clockMs === undefined) return undefined;
  const newestMs = msOfNs(tape.flow.newestNs ?? "0");
  // Stamps of frames may be behind the times of trades.
  const isAhead = newestMs > clockMs && newestMs < clockMs + MINUTE_MS;
  const nowMs = isAhead ? newestMs : clockMs;
  const untilMs = (Math.floor(nowMs / SECOND_MS) + 1) * SECOND_MS;
  return { fromMs: untilMs - windowMs, untilMs };
}

/** What the window lacks, in words; undefined where it is known whole. */
function lack(tape: TradesState, span: FlowSpan): string | undefined {
  const coverage = selectWindowCoverage(tape, span);
  return coverage.open > 0 || coverage.reached < 1 ? formatWindowCoverage(coverage) : undefined;
}

function openIn(tape: TradesState, span: FlowSpan): string | undefined {
  const coverage = selectWindowCoverage(tape, span);
  return coverage.open > 0 ? formatWindowCoverage({ ...coverage, reached: 1 }) : undefined;
}

function lackOfAll(tape: TradesState): string | undefined {
  const { sinceMs, newestNs } = tape.flow;
  if (sinceMs === undefined) return "nothing received yet";
  const untilMs = msOfNs(newestNs ?? "0") + 1;
  return openIn(tape, { fromMs: sinceMs, untilMs: Math.max(untilMs, sinceMs + 1) });
}

/** @param lots of quote currency: ticks times lots */
function inLots(lots: readonly bigint[], { market, unit, facts }: FlowQuery): AlertObservation {
  const plain = lots.map((mantissa): Decimal => ({ mantissa, places: 0 }));
  if (unit === "lots") return observeValues(plain);
  const inQuote = ({ lotSize, tickSize }: Scale) => multiplyDecimal(lotSize, tickSize);
  return observeWorth(plain, "lot", market, facts.scales, unit === "quote" ? inQuote : undefined);
}
