// Order flow on the chart: running delta or delta by candle, the day's average price, the profile, the footprint. All of it is known
// from a time on, which the title says.
import {
  coverageOf,
  dayStartMs,
  type KnownFlow,
  type Span,
  selectCvd,
  selectDelta,
  selectProfile,
  selectVwapLine,
  type Vwap,
} from "../../rows/flow.ts";
import { formatNumber, formatSigned, formatSpan, formatTime } from "../../rows/format.ts";
import { knownFlow } from "../../rows/known-flow.ts";
import { scaleOf } from "../../rows/market.ts";
import type { Fact } from "../../screen/frame.ts";
import type { Ui } from "../../screen/ui.ts";
import { type Moment, serviceMs } from "../../state/moment.ts";
import { approximate, type Decimal, divideHalfEven, formatDecimal } from "../../units/decimal.ts";
import { formatUnits, type Scale } from "../../units/scale.ts";
import { MINUTE_MS } from "../../units/time.ts";
import type { Candle } from "../../wire/frames.ts";
import type { ProfileBar, Study } from "./chart.ts";
import { MIN_FOOTPRINT_ROWS, selectFootprint } from "./footprint.ts";
import type { PriceScale } from "./price-scale.ts";
import { average, footprint, profile, source, study } from "./state.ts";

/** From the UTC day on, or from the minute of the first trade that is known. */
function dayAnchor(moment: Moment, { sinceMs }: KnownFlow): number {
  const day = dayStartMs(serviceMs(moment));
  return Math.max(day, sinceMs === undefined ? day : Math.floor(sinceMs / MINUTE_MS) * MINUTE_MS);
}

export function averageLine(moment: Moment, ui: Ui, periods: readonly Span[]) {
  const { store } = moment;
  const scale = scaleOf(store, ui.market);
  if (scale === undefined) return [];
  const known = knownFlow(store, ui.market);
  const anchor = dayAnchor(moment, known);
  return selectVwapLine({ ...known, sinceMs: anchor }, anchor, periods).map(
    (vwap) => vwap && approximate(averagePrice(vwap, scale)),
  );
}

/** With the tick's decimals. */
function averagePrice({ numerator, denominator }: Vwap, { tickSize }: Scale): Decimal {
  const { mantissa } = divideHalfEven(numerator * tickSize.mantissa, denominator, 0);
  return { mantissa, places: tickSize.places };
}

export function studyOf(
  moment: Moment,
  ui: Ui,
  items: readonly Candle[],
  periods: readonly Span[],
): Study | undefined {
  const form = study.get(ui);
  if (form === "none") return undefined;
  if (form === "volume")
    return {
      form,
      values: items.map(({ volume_base }) =>
        volume_base === undefined ? undefined : Number(volume_base),
      ),
    };
  const values = deltasOf(moment, ui, periods).map((lots) =>
    lots === undefined ? undefined : Number(lots),
  );
  return { form: form === "cvd" ? "line" : "delta", values };
}

/** The delta of each candle, or its running sum of the day; undefined where that is not known. */
function deltasOf(moment: Moment, ui: Ui, periods: readonly Span[]) {
  const known = knownFlow(moment.store, ui.market);
  const { sinceMs } = known;
  if (sinceMs === undefined) return [];
  if (study.get(ui) === "cvd") {
    const anchor = dayAnchor(moment, known);
    return selectCvd({ ...known, sinceMs: anchor }, anchor, periods);
  }
  return periods.map((period) =>
    period.untilMs <= sinceMs || coverageOf(known, period).openHoles > 0
      ? undefined
      : selectDelta(known, period).deltaLots,
  );
}

/** Lots by price of the day. */
export function profileOf(moment: Moment, ui: Ui): readonly ProfileBar[] {
  const { store } = moment;
  const scale = scaleOf(store, ui.market);
  if (scale === undefined || !profile.get(ui)) return [];
  const known = knownFlow(store, ui.market);
  const span = { fromMs: dayAnchor(moment, known), untilMs: Number.POSITIVE_INFINITY };
  const tick = approximate(scale.tickSize);
  return selectProfile(known, span).levels.map(({ priceTicks, boughtLots, soldLots }) => ({
    price: Number(priceTicks) * tick,
    bought: Number(boughtLots),
    sold: Number(soldLots),
  }));
}

/** Delta of the last candle or running delta up to it, and the day's average price. */
export function flowFigures(
  moment: Moment,
  ui: Ui,
  periods: readonly Span[],
): readonly (Fact | undefined)[] {
  const last = periods.at(-1);
  return last === undefined ? [] : [deltaFact(moment, ui, periods), averageFact(moment, ui, last)];
}

function deltaFact(moment: Moment, ui: Ui, periods: readonly Span[]): Fact | undefined {
  const form = study.get(ui);
  if (form !== "delta" && form !== "cvd") return undefined;
  const deltaLots = deltasOf(moment, ui, periods).at(-1);
  if (deltaLots === undefined) return undefined;
  const size = formatUnits(`${deltaLots}`, scaleOf(moment.store, ui.market)?.lotSize);
  const tone = deltaLots < 0n ? "loss" : "gain";
  const word = form === "cvd" ? "CVD" : "delta";
  return { word, text: formatSigned(size, ui.display), tone, goes: 3 };
}

function averageFact(moment: Moment, ui: Ui, period: Span): Fact | undefined {
  const { store } = moment;
  const scale = scaleOf(store, ui.market);
  if (!average.get(ui) || scale === undefined) return undefined;
  const known = knownFlow(store, ui.market);
  const anchor = dayAnchor(moment, known);
  const [vwap] = selectVwapLine({ ...known, sinceMs: anchor }, anchor, [period]);
  return (
    vwap && {
      ...{ word: "VWAP", goes: 3 },
      text: formatNumber(formatDecimal(averagePrice(vwap, scale)), ui.display),
    }
  );
}

export const hasFootprint = ({ store }: Moment, ui: Ui) =>
  footprint.get(ui) && source.get(ui) === "last" && scaleOf(store, ui.market) !== undefined;

export function footprintOf(
  { store }: Moment,
  ui: Ui,
  periods: readonly Span[],
  prices: PriceScale,
) {
  const scale = scaleOf(store, ui.market);
  if (scale === undefined || prices.rows < MIN_FOOTPRINT_ROWS) return [];
  return selectFootprint(knownFlow(store, ui.market), periods, prices, scale);
}

/** Since when order flow is known, and what is missing of it. */
export function flowTitle(moment: Moment, ui: Ui): string {
  const form = study.get(ui);
  const isShown =
    form === "delta" || form === "cvd" || average.get(ui) || profile.get(ui) || footprint.get(ui);
  if (!isShown) return "";
  const known = knownFlow(moment.store, ui.market);
  if (known.sinceMs === undefined) return "no trades yet";
  const untilMs = serviceMs(moment);
  const { openHoles, openMs } = coverageOf(known, { fromMs: known.sinceMs, untilMs });
  const since = `flow since ${formatTime(known.sinceMs, ui.display).slice(0, 5)}`;
  if (openHoles === 0) return since;
  return `${since} ${openHoles} hole${openHoles === 1 ? "" : "s"} ${formatSpan(openMs)}`;
}
