// The chart of a market as a pane: candles of last or mark prices, average price, profile, study, own marks and lines.

import { selectFills, selectOrders, selectPositions, textOfDecimal } from "../../rows/account.ts";
import {
  coverageOf,
  dayStartMs,
  type Span,
  selectCvd,
  selectDelta,
  selectProfile,
  selectVwapLine,
} from "../../rows/flow.ts";
import { formatDayTime, formatNumber, formatSigned, formatSpan } from "../../rows/format.ts";
import { knownFlow } from "../../rows/known-flow.ts";
import { channelsOf, scaleOf } from "../../rows/market.ts";
import type { Moment } from "../../rows/moment.ts";
import type { Key, Pane } from "../../screen/pane.ts";
import type { Ui } from "../../screen/ui.ts";
import type { Candles } from "../../state/candles.ts";
import { select } from "../../state/store.ts";
import { divideHalfEven, formatDecimal } from "../../units/decimal.ts";
import { formatUnits } from "../../units/scale.ts";
import type { Candle } from "../../wire/frames.ts";
import { formatState, isCurrent } from "../states.ts";
import {
  axisWidthOf,
  type ChartCandle,
  type ChartInput,
  type ChartLine,
  type ChartMark,
  candleCapacity,
  drawChart,
  type ProfileBar,
  type Study,
} from "./chart.ts";
import { average, interval, pitch, profile, type Shown, shownOf, source, study } from "./state.ts";

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export function intervalMs(ui: Ui): number {
  const name = interval.get(ui);
  return Number.parseInt(name, 10) * UNIT_MS[name.slice(-1) as keyof typeof UNIT_MS];
}

const panBy = (candles: number) => (ui: Ui) => {
  const shown = shownOf(ui);
  if (shown.crosshair === undefined) shown.pan = Math.max(0, shown.pan + candles);
  else shown.crosshair = Math.max(0, shown.crosshair + candles);
};

export const CHART_KEYS: readonly Key[] = [
  { key: "i", says: "chart: next interval", hint: "interval", run: interval.next },
  { key: "m", says: "chart: last prices or mark prices", run: source.next },
  { key: "r", says: "chart: crosshair", hint: "crosshair", run: toggleCrosshair },
  { key: "d", says: "chart: volume, delta or running delta below", run: study.next },
  { key: "o", says: "chart: average price of the day (VWAP)", run: average.next },
  { key: "P", says: "chart: profile of what traded at which price", run: profile.next },
  { key: "<", says: "chart: fewer candles", run: pitch.more },
  { key: ">", says: "chart: more candles", run: pitch.less },
];

function toggleCrosshair(ui: Ui): void {
  const shown = shownOf(ui);
  shown.crosshair = shown.crosshair === undefined ? 0 : undefined;
}

const channelOf = (ui: Ui) => {
  const { candles, markCandles } = channelsOf(ui.market, interval.get(ui));
  return source.get(ui) === "mark" ? (markCandles ?? candles) : candles;
};

const candlesOf = ({ store }: Moment, ui: Ui): Candles | undefined => {
  const channel = channelOf(ui);
  return channel.startsWith("mark-")
    ? select(store, "mark-candles", channel)
    : select(store, "candles", channel);
};

export const CHART_PANE: Pane = {
  name: "chart",
  channels: (ui) => [channelOf(ui), `trades/${ui.market}`],
  keys: [
    { key: "left", says: "chart: back in time", run: panBy(1) },
    { key: "right", says: "chart: on in time", run: panBy(-1) },
  ],
  title(moment, ui) {
    const { text } = formatState(moment, channelOf(ui));
    return [
      `Chart ${interval.get(ui)} ${source.get(ui)}`,
      figures(moment, ui),
      studyTitle(moment, ui),
      text,
    ];
  },
  draw(surface, moment, ui) {
    const { state } = formatState(moment, channelOf(ui));
    const theme = isCurrent(state) ? ui.theme : ui.theme.outdated;
    const all = candlesOf(moment, ui);
    const shown = shownOf(ui);
    if (all === undefined || all.items.length === 0) {
      surface.text(1, 0, "no candle yet", theme.tones.dim);
      return;
    }
    const capacity = candleCapacity(
      surface.width,
      axisWidthOf(all.items.slice(-1).map(toChart(all)), ui.display),
      pitch.get(ui),
    );
    shown.pan = Math.min(shown.pan, Math.max(0, all.items.length - capacity));
    const end = all.items.length - shown.pan;
    const items = all.items.slice(Math.max(0, end - capacity), end);
    drawChart(surface, inputOf(moment, ui, all, items, shown), theme, ui.display);
  },
  point({ action }, ui) {
    if (action === "wheel-up") pitch.more(ui);
    if (action === "wheel-down") pitch.less(ui);
  },
  sheet(moment, ui) {
    const columns = ["time", "open", "high", "low", "close", "volume"];
    const rows = (candlesOf(moment, ui)?.items ?? []).map((candle) => [
      new Date(candle.open_time_ms).toISOString(),
      candle.open,
      candle.high,
      candle.low,
      candle.close,
      candle.volume_base ?? "",
    ]);
    return { name: "candles", columns, names: columns, rows };
  },
};

const toChart =
  ({ unfinished }: Candles) =>
  (candle: Candle): ChartCandle => ({
    openMs: candle.open_time_ms,
    open: candle.open,
    high: candle.high,
    low: candle.low,
    close: candle.close,
    isUnfinished: unfinished.includes(candle.open_time_ms),
  });

function inputOf(
  moment: Moment,
  ui: Ui,
  all: Candles,
  items: readonly Candle[],
  shown: Shown,
): ChartInput {
  const ms = intervalMs(ui);
  const periods = items.map(({ open_time_ms }) => ({
    fromMs: open_time_ms,
    untilMs: open_time_ms + ms,
  }));
  const crosshair = shown.crosshair === undefined ? undefined : items.length - 1 - shown.crosshair;
  return {
    candles: items.map(toChart(all)),
    intervalMs: ms,
    lines: ui.isMasked ? [] : linesOf(moment, ui),
    marks: ui.isMasked ? [] : marksOf(moment, ui),
    average: average.get(ui) ? averageLine(moment, ui, periods) : [],
    study: studyOf(moment, ui, items, periods),
    profile: profile.get(ui) ? profileOf(moment, ui, periods) : [],
    cursor: crosshair === undefined || crosshair < 0 ? undefined : crosshair,
    pitch: pitch.get(ui),
  };
}

/** Entry, liquidation and orders of the own account. */
function linesOf({ store }: Moment, { account, market }: Ui): readonly ChartLine[] {
  if (account === undefined) return [];
  const isHere = (row: { readonly market: string | undefined }) => row.market === market;
  const positions = (selectPositions(store, account) ?? []).filter(isHere);
  const orders = (selectOrders(store, account) ?? []).filter(isHere);
  const line = (price: string | undefined, label: string, tone: ChartLine["tone"]) =>
    price === undefined ? [] : [{ price, label, tone }];
  return [
    ...positions.flatMap(({ entry, liquidation, side }) => [
      ...line(textOfDecimal(entry), "entry", side === "short" ? "loss" : "gain"),
      ...line(textOfDecimal(liquidation), "liquidation", "bad"),
    ]),
    ...orders.flatMap(({ side, price, size }) =>
      line(
        textOfDecimal(price),
        `${side ?? "order"} ${textOfDecimal(size) ?? ""}`,
        side === "sell" ? "loss" : "gain",
      ),
    ),
  ];
}

function marksOf({ store }: Moment, { account, market }: Ui): readonly ChartMark[] {
  if (account === undefined) return [];
  return (selectFills(store, account) ?? []).flatMap(({ market: of, timeMs, price, side }) =>
    of !== market || timeMs === undefined || price === undefined
      ? []
      : [
          {
            ms: timeMs,
            price: formatDecimal(price),
            glyph: side === "sell" ? "▼" : "▲",
            tone: side === "sell" ? ("loss" as const) : ("gain" as const),
          },
        ],
  );
}

function averageLine({ store, wallMs }: Moment, ui: Ui, periods: readonly Span[]) {
  const scale = scaleOf(store, ui.market);
  if (scale === undefined) return [];
  const anchor = dayStartMs(wallMs - (store.link.skewMs ?? 0));
  return selectVwapLine(knownFlow(store, ui.market), anchor, periods).map((vwap) => {
    if (vwap === undefined) return undefined;
    const ticks = divideHalfEven(vwap.numerator * scale.tickSize.mantissa, vwap.denominator, 2);
    return Number(ticks.mantissa) / 10 ** (ticks.places + scale.tickSize.places);
  });
}

function studyOf(
  { store }: Moment,
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
  const known = knownFlow(store, ui.market);
  if (form === "cvd")
    return {
      form: "line",
      values: selectCvd(known, periods).map((lots) =>
        lots === undefined ? undefined : Number(lots),
      ),
    };
  return {
    form: "delta",
    values: periods.map((period) =>
      coverageOf(known, period).openHoles > 0
        ? undefined
        : Number(selectDelta(known, period).deltaLots),
    ),
  };
}

function profileOf({ store }: Moment, ui: Ui, periods: readonly Span[]): readonly ProfileBar[] {
  const scale = scaleOf(store, ui.market);
  const [first] = periods;
  if (scale === undefined || first === undefined) return [];
  const { levels, groupingTicks, pointOfControl } = selectProfile(knownFlow(store, ui.market), {
    fromMs: first.fromMs,
    untilMs: Number.POSITIVE_INFINITY,
  });
  const price = (ticks: bigint) =>
    Number(ticks * scale.tickSize.mantissa) / 10 ** scale.tickSize.places;
  return levels.map(({ priceTicks, boughtLots, soldLots }) => ({
    low: price(priceTicks),
    high: price(priceTicks + groupingTicks),
    bought: Number(boughtLots),
    sold: Number(soldLots),
    isControl: priceTicks === pointOfControl,
  }));
}

/** Open, high, low, close of the candle under the crosshair, else of the newest one. */
function figures(moment: Moment, ui: Ui): string {
  const items = candlesOf(moment, ui)?.items ?? [];
  const shown = shownOf(ui);
  const candle = items[items.length - 1 - (shown.crosshair ?? 0) - shown.pan];
  if (candle === undefined) return "";
  const number = (text: string) => formatNumber(text, ui.display);
  const time =
    shown.crosshair === undefined ? "" : `${formatDayTime(candle.open_time_ms, ui.display)} `;
  return `${time}O ${number(candle.open)} H ${number(candle.high)} L ${number(candle.low)} C ${number(candle.close)}`;
}

/** The study's value of the newest candle, and since when it is known. */
function studyTitle({ store, wallMs }: Moment, ui: Ui): string {
  const form = study.get(ui);
  if (form === "none" || form === "volume") return "";
  const known = knownFlow(store, ui.market);
  const ms = intervalMs(ui);
  const serviceMs = wallMs - (store.link.skewMs ?? 0);
  const fromMs = form === "cvd" ? (known.sinceMs ?? serviceMs) : Math.floor(serviceMs / ms) * ms;
  const { deltaLots } = selectDelta(known, { fromMs, untilMs: Number.POSITIVE_INFINITY });
  const scale = scaleOf(store, ui.market);
  const text = formatSigned(formatUnits(`${deltaLots}`, scale?.lotSize), ui.display);
  const { openHoles, openMs } = coverageOf(known, { fromMs, untilMs: serviceMs });
  const holes =
    openHoles === 0 ? "" : ` ${openHoles} hole${openHoles === 1 ? "" : "s"} ${formatSpan(openMs)}`;
  return `${form === "cvd" ? "CVD" : "delta"} ${text}${holes}`;
}
