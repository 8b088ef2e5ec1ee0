// Order flow for `--json`: exact sums over the time of which the trades are known, and what that time lacks.

import { type KnownFlow, selectDelta, selectProfile, selectVwap } from "../rows/flow.ts";
import { knownFlow } from "../rows/known-flow.ts";
import { type Store, select } from "../state/store.ts";
import { divideHalfEven, formatDecimal } from "../units/decimal.ts";
import type { Scale } from "../units/scale.ts";
import { MINUTE_MS, msOfNs } from "../units/time.ts";

/**
 * @param sinceMs from the minute of this time on; undefined: from the oldest trade of the first frame on
 * @returns null before the first trades
 */
export function flowJson(
  store: Store,
  market: string,
  scale: Scale | undefined,
  sinceMs: number | undefined,
) {
  const tape = select(store, "trades", `trades/${market}`);
  const { oldestNs, newestNs } = tape?.flow ?? {};
  if (tape === undefined || oldestNs === undefined || newestNs === undefined) return null;
  const known = knownFlow(store, market);
  const from = sinceMs === undefined ? undefined : Math.floor(sinceMs / MINUTE_MS) * MINUTE_MS;
  const shown: KnownFlow = from === undefined ? { ...known, flows: [tape.flow] } : known;
  const span = { fromMs: from ?? Number.NEGATIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY };
  const { boughtLots, soldLots, deltaLots, trades } = selectDelta(shown, span);
  const vwap = selectVwap(shown, span);
  const { groupingTicks, levels, pointOfControl } = selectProfile(shown, span);
  const since = from ?? msOfNs(oldestNs);
  return {
    since_ms: since,
    until_ms: msOfNs(newestNs),
    coverage: coverageJson(known, since, msOfNs(newestNs)),
    bought_lots: `${boughtLots}`,
    sold_lots: `${soldLots}`,
    delta_lots: `${deltaLots}`,
    trades,
    vwap: vwap && {
      numerator_ticks_lots: `${vwap.numerator}`,
      denominator_lots: `${vwap.denominator}`,
      price: scale && formatDecimal(roundedPrice(vwap, scale)),
    },
    profile: {
      grouping_ticks: `${groupingTicks}`,
      levels: levels.map((level) => ({
        price_ticks: `${level.priceTicks}`,
        bought_lots: `${level.boughtLots}`,
        sold_lots: `${level.soldLots}`,
      })),
      poc_ticks: pointOfControl === undefined ? undefined : `${pointOfControl}`,
    },
  };
}

/** With the decimals of a tick. */
function roundedPrice(
  { numerator, denominator }: { readonly numerator: bigint; readonly denominator: bigint },
  { tickSize: { mantissa, places } }: Scale,
) {
  return { ...divideHalfEven(numerator * mantissa, denominator, 0), places };
}

function coverageJson({ holes, sinceMs = 0 }: KnownFlow, fromMs: number, untilMs: number) {
  const within = holes.filter(({ until_ns }) => msOfNs(until_ns) >= fromMs);
  const missingMs = within.reduce(
    (sum, { after_ns, until_ns, healed }) =>
      healed ? sum : sum + Math.max(0, msOfNs(until_ns) - Math.max(fromMs, msOfNs(after_ns))),
    // Trades from before the first known one are not known either.
    Math.max(0, sinceMs - fromMs),
  );
  return {
    known_ms: Math.max(0, untilMs - fromMs - missingMs),
    holes: within.map(({ after_ns, until_ns, healed }) => ({ after_ns, until_ns, healed })),
  };
}
