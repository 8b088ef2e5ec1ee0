// What traded where, as JSON: exact sums over the time that is said to be covered, less open holes. A field that is absent is
// unknown.

import {
  roundVwap,
  selectFlowCoverage,
  selectProfile,
  selectTradeDelta,
  selectVwap,
  WHOLE_FLOW,
} from "../select/flow.ts";
import type { TradesState } from "../state/trades.ts";
import { formatDecimal } from "../units/decimal.ts";
import type { Scale } from "../units/scale.ts";

/** @returns null before the first trades */
export function flowJson(tape: TradesState, scale: Scale | undefined): object | null {
  const coverage = selectFlowCoverage(tape);
  if (coverage === undefined) return null;
  const { sinceMs, untilMs, knownMs, holes } = coverage;
  const { flow } = tape;
  const { boughtLots, soldLots, deltaLots, trades } = selectTradeDelta(flow, WHOLE_FLOW);
  const vwap = selectVwap(flow);
  const { groupingTicks, levels, pointOfControl } = selectProfile(flow);
  return {
    since_ms: sinceMs,
    ...(untilMs !== undefined && { until_ms: untilMs }),
    coverage: {
      known_ms: knownMs,
      holes: holes.map(({ afterNs, untilNs, isHealed }) => ({
        after_ns: `${afterNs < 0n ? 0n : afterNs}`,
        until_ns: `${untilNs}`,
        healed: isHealed,
      })),
    },
    bought_lots: `${boughtLots}`,
    sold_lots: `${soldLots}`,
    delta_lots: `${deltaLots}`,
    trades,
    ...(vwap !== undefined && {
      vwap: {
        numerator_ticks_lots: `${vwap.numerator}`,
        denominator_lots: `${vwap.denominator}`,
        ...(scale !== undefined && { price: formatDecimal(roundVwap(vwap, scale)) }),
      },
    }),
    profile: {
      grouping_ticks: `${groupingTicks}`,
      levels: levels.map((level) => ({
        price_ticks: `${level.priceTicks}`,
        bought_lots: `${level.boughtLots}`,
        sold_lots: `${level.soldLots}`,
      })),
      ...(pointOfControl !== undefined && { poc_ticks: `${pointOfControl}` }),
    },
  };
}
