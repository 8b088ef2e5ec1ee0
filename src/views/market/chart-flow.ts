// Order flow on the chart: running delta or delta by candle, the day's average price, the profile, the footprint. All of it is known
// from a time on, which the title says.
import {
  coverageOf,
  dayStartMs,
  type Span,
  selectCvd,
  selectDelta,
  selectProfile,
  selectVwapLine,
} from "../../rows/flow.ts";
import { formatNumber, formatSigned, formatSpan, formatWhen } from "../../rows/format.ts";
import { knownFlow } from "../../rows/known-flow.ts";
import type { Fact } from "../../screen/frame.ts";
import type { Ui } from "../../screen/ui.ts";
import { type Moment, serviceMs } from "../../state/moment.ts";
import type { Surface } from "../../terminal/surface.ts";
import { approximate, type Decimal, divideHalfEven, formatDecimal } from "../../units/decimal.ts";
import { MINUTE_MS } from "../../units/time.ts";
import type { Candle } from "../../wire/frames.ts";
import type { ProfileBar, Study } from "./chart.ts";
import { average, footprint, profile, source, study } from "./choices.ts";
import { figuresOf } from "./figures.ts";
import { MIN_FOOTPRINT, selectFootprint } from "./footprint.ts";
import type { PriceScale } from "./price-scale.ts";

const scaleOf = ({ store }: Moment, ui: Ui) => figuresOf(store, ui.market).scale;

/** The trades that are known, from the UTC day on, or from the minute of the first one. */
function dayFlow(moment: Moment, ui: Ui) {
  const known = knownFlow(moment.store, ui.market);
  const dayMs = dayStartMs(serviceMs(moment));
  const { sinceMs = dayMs } = known;
  const anchor = Math.max(dayMs, Math.floor(sinceMs / MINUTE_MS) * MINUTE_MS);
  return { known: { ...known, sinceMs: anchor }, anchor };
}

/** The day's average price at the end of each candle, with the tick's decimals. */
function averagesOf(moment: Moment, ui: Ui, periods: readonly Span[]) {
  const tick = average.get(ui) ? scaleOf(moment, ui)?.tickSize : undefined;
  if (tick === undefined) return [];
  const { known, anchor } = dayFlow(moment, ui);
  return selectVwapLine(known, anchor, periods).map((vwap): Decimal | undefined => {
    if (vwap === undefined) return undefined;
    const { numerator, denominator } = vwap;
    const { mantissa } = divideHalfEven(numerator * tick.mantissa, denominator, 0);
    return { mantissa, places: tick.places };
  });
}

export function averageLine(moment: Moment, ui: Ui, periods: readonly Span[]) {
  return averagesOf(moment, ui, periods).map((value) => value && approximate(value));
}

export function studyOf(
  moment: Moment,
  ui: Ui,
  items: readonly Candle[],
  periods: readonly Span[],
): Study | undefined {
  const form = study.get(ui);
  if (form === "none") return undefined;
  const values = form === "volume" ? items.map(volumeOf) : deltasOf(moment, ui, periods);
  return {
    form: form === "cvd" ? "line" : form,
    values: values.map((value) => (value === undefined ? undefined : Number(value))),
  };
}

const volumeOf = ({ volume_base }: Candle) => volume_base;

/** The delta of each candle, or its running sum of the day; undefined where that is not known. */
function deltasOf(moment: Moment, ui: Ui, periods: readonly Span[]) {
  const known = knownFlow(moment.store, ui.market);
  const { sinceMs } = known;
  if (sinceMs === undefined) return [];
  if (study.get(ui) === "cvd") {
    const day = dayFlow(moment, ui);
    return selectCvd(day.known, day.anchor, periods);
  }
  return periods.map((period) =>
    period.untilMs <= sinceMs || coverageOf(known, period).openHoles > 0
      ? undefined
      : selectDelta(known, period).deltaLots,
  );
}

/** Lots by price of the day. */
export function profileOf(moment: Moment, ui: Ui): readonly ProfileBar[] {
  const scale = profile.get(ui) ? scaleOf(moment, ui) : undefined;
  if (scale === undefined) return [];
  const { known, anchor } = dayFlow(moment, ui);
  const span = { fromMs: anchor, untilMs: Number.POSITIVE_INFINITY };
  const tick = approximate(scale.tickSize);
  return selectProfile(known, span).levels.map(({ priceTicks, boughtLots, soldLots }) => ({
    price: Number(priceTicks) * tick,
    bought: Number(boughtLots),
    sold: Number(soldLots),
  }));
}

/** Delta of the last candle or running delta up to it, and the day's average price. */
export function flowFigures(moment: Moment, ui: Ui, periods: readonly Span[]): readonly Fact[] {
  const form = study.get(ui);
  const isDelta = form === "delta" || form === "cvd";
  const delta = isDelta ? deltasOf(moment, ui, periods).at(-1) : undefined;
  const [vwap] = averagesOf(moment, ui, periods.slice(-1));
  const size = delta === undefined ? "" : figuresOf(moment.store, ui.market).size(delta);
  return [
    {
      word: form === "cvd" ? "CVD" : "delta",
      text: formatSigned(size, ui.display),
      tone: (delta ?? 0n) < 0n ? "loss" : "gain",
      goes: 3,
    },
    { word: "VWAP", text: formatNumber(vwap ? formatDecimal(vwap) : "", ui.display), goes: 3 },
  ];
}

/** Why a footprint that was asked for cannot be drawn; empty if it can, or was not. */
export function footprintFault(moment: Moment, ui: Ui, { width, height }: Surface): string {
  if (!footprint.get(ui)) return "";
  if (source.get(ui) === "mark") return "no footprint of mark prices";
  if (scaleOf(moment, ui) === undefined) return "no footprint without tick and lot";
  const { columns, rows } = MIN_FOOTPRINT;
  return width + 2 < columns || height + 2 < rows ? "no room for a footprint" : "";
}

export function footprintOf(moment: Moment, ui: Ui, periods: readonly Span[], prices: PriceScale) {
  const scale = scaleOf(moment, ui);
  if (scale === undefined) return [];
  return selectFootprint(knownFlow(moment.store, ui.market), periods, prices, scale);
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
  const since = `flow since ${formatWhen(known.sinceMs, ui.displayAt).slice(0, -3)}`;
  if (openHoles === 0) return since;
  return `${since} ${openHoles} hole${openHoles === 1 ? "" : "s"} ${formatSpan(openMs)}`;
}
