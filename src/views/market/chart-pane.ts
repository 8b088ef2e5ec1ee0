// The chart of a market as a pane: candles of last or mark prices, average price, profile, study, own marks and lines.

import { positionSideOf } from "../../dialect/fields.ts";
import {
  type Fill,
  fillLog,
  selectOrders,
  selectPositions,
  textOfDecimal,
} from "../../rows/account.ts";
import { formatDayTime, formatNumber } from "../../rows/format.ts";
import { atTick, channelsOf, parseMarketName } from "../../rows/market.ts";
import { drawFacts, type Fact } from "../../screen/frame.ts";
import type { Key, Pane } from "../../screen/pane.ts";
import { formatState, themeOf } from "../../screen/states.ts";
import type { Ui } from "../../screen/ui.ts";
import type { Candles } from "../../state/candles.ts";
import type { Moment } from "../../state/moment.ts";
import { select } from "../../state/store.ts";
import { formatDecimal } from "../../units/decimal.ts";
import { Running } from "../../units/memo.ts";
import { INTERVAL_MS } from "../../wire/channels.ts";
import type { Candle } from "../../wire/frames.ts";
import {
  axisWidthOf,
  type ChartInput,
  type ChartLine,
  type ChartMark,
  candleCapacity,
  drawChart,
} from "./chart.ts";
import {
  averageLine,
  flowFigures,
  flowTitle,
  footprintFault,
  footprintOf,
  profileOf,
  studyOf,
} from "./chart-flow.ts";
import { average, footprint, interval, pitch, profile, shownOf, source, study } from "./choices.ts";
import { FOOTPRINT_PITCH } from "./footprint.ts";
import type { PriceScale } from "./price-scale.ts";

/** With fewer rows the figures of a candle have no line. */
const MIN_ROWS_WITH_LINE = 8;

const PRICE_SUBJECTS: ReadonlySet<string> = new Set(["last", "bid", "ask", "mark", "vwap"]);

const intervalMs = (ui: Ui): number => INTERVAL_MS[interval.get(ui)];

/** The crosshair moves over the shown candles, and beyond them moves these. */
const goBack = (candles: number) => (ui: Ui) => {
  const shown = shownOf(ui);
  const next = (shown.crosshair ?? 0) + candles;
  const isInside = next >= 0 && next < shown.candles;
  if (shown.crosshair !== undefined && isInside) shown.crosshair = next;
  else shown.pan = Math.max(0, shown.pan + candles);
};

/** The close of the candle under the crosshair. */
export function crosshairPrice(ui: Ui): string | undefined {
  const { crosshair, pan } = shownOf(ui);
  if (crosshair === undefined) return undefined;
  return candlesOf(ui.moment, ui)?.items.at(-1 - pan - crosshair)?.close;
}

/** Those that are shown, and as many before them, so that walking back finds them there. */
export function candlesWanted(ui: Ui): number {
  const { capacity, pan } = shownOf(ui);
  const { items } = candlesOf(ui.moment, ui) ?? { items: [] };
  const [newest, shown] = [items.at(-1), items.at(-1 - pan)];
  const backMs = newest && shown ? newest.open_time_ms - shown.open_time_ms : 0;
  return Math.round(backMs / intervalMs(ui)) + 2 * capacity;
}

/** Do both fit, at their times? */
function isShownWith(newer: Candle | undefined, older: Candle | undefined, ui: Ui): boolean {
  const { capacity } = shownOf(ui);
  const apartMs = (newer?.open_time_ms ?? 0) - (older?.open_time_ms ?? 0);
  return apartMs < capacity * intervalMs(ui);
}

/** Why nothing is shown before the oldest candle, where that one is shown. */
function earlierText({ store }: Moment, ui: Ui, all: Candles | undefined): string {
  const end = select(store, "trades", `trades/${ui.market}`)?.earlierEnd;
  const isShown = isShownWith(all?.items.at(-1 - shownOf(ui).pan), all?.items[0], ui);
  return end === undefined || source.get(ui) === "mark" || !isShown ? "" : `earlier: ${end}`;
}

export const CHART_KEYS: readonly Key[] = [
  { key: "i", says: "chart: next interval", hint: "interval", run: interval.next },
  { key: "m", says: "chart: last prices or mark prices", run: source.next },
  { key: "r", says: "chart: crosshair", hint: "crosshair", run: toggleCrosshair },
  { key: "left", says: "chart: back in time", run: goBack(1) },
  { key: "right", says: "chart: on in time", run: goBack(-1) },
  { key: "d", says: "chart: volume, delta or running delta below", run: study.next },
  { key: "o", says: "chart: average price of the day (VWAP)", run: average.next },
  { key: "P", says: "chart: profile of what traded at which price", run: profile.next },
  {
    key: "u",
    says: "chart: footprint, what was sold and bought at each price",
    run: footprint.next,
  },
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
  return select(store, channel.startsWith("mark-") ? "mark-candles" : "candles", channel);
};

export const CHART_PANE: Pane = {
  name: "chart",
  channels: (ui) => [channelOf(ui), `trades/${ui.market}`],
  title(moment, ui) {
    const { text } = formatState(moment, channelOf(ui));
    return [
      `Chart ${interval.get(ui)} ${source.get(ui)}`,
      text,
      flowTitle(moment, ui),
      earlierText(moment, ui, candlesOf(moment, ui)),
    ];
  },
  draw(surface, moment, ui) {
    const theme = themeOf(moment, channelOf(ui), ui);
    const all = candlesOf(moment, ui);
    const shown = shownOf(ui);
    if (all === undefined || all.items.length === 0) {
      surface.text(1, 0, "no candle yet", theme.tones.dim);
      return;
    }
    const axis = axisWidthOf(all.items.slice(-1), ui.display);
    const bars = profileOf(moment, ui);
    const fault = footprintFault(moment, ui, surface);
    const hasFootprint = footprint.get(ui) && fault === "";
    const form = { pitch: hasFootprint ? FOOTPRINT_PITCH : pitch.get(ui), profile: bars };
    const capacity = candleCapacity(surface.width, axis, form);
    shown.capacity = capacity;
    const [oldest] = all.items;
    const first = all.items.findIndex((each) => !isShownWith(each, oldest, ui));
    shown.pan = first < 0 ? 0 : Math.min(shown.pan, all.items.length - first);
    const end = all.items.length - shown.pan;
    const items = all.items
      .slice(Math.max(0, end - capacity), end)
      .filter((each) => isShownWith(all.items[end - 1], each, ui));
    shown.candles = items.length;
    const line = surface.height >= MIN_ROWS_WITH_LINE ? 1 : 0;
    if (line > 0) {
      const why: Fact = { text: fault, tone: "notice", goes: 0 };
      const facts = [why, ...figures(moment, ui, all, items)];
      drawFacts(surface, 1, 0, theme, facts, surface.width < 64 ? 1 : 2);
    }
    const area = surface.part(0, line, surface.width, surface.height - line);
    const input = { ...inputOf(moment, ui, all, items), ...form };
    const periods = periodsOf(items, ui);
    const drawn = (scale: PriceScale) => footprintOf(moment, ui, periods, scale);
    drawChart(area, { ...input, footprint: hasFootprint ? drawn : undefined }, theme, ui.display);
  },
  point({ action }, ui) {
    if (action === "wheel-up") pitch.more(ui);
    if (action === "wheel-down") pitch.less(ui);
  },
  sheet(moment, ui) {
    const { items = [] } = candlesOf(moment, ui) ?? {};
    return {
      name: "candles",
      columns: ["time", "open", "high", "low", "close", "volume"],
      rows: items.map(({ open_time_ms: ms, open, high, low, close, volume_base = "" }) => [
        ...[new Date(ms).toISOString(), open, high, low, close, volume_base],
      ]),
    };
  },
};

function periodsOf(items: readonly Candle[], ui: Ui) {
  const ms = intervalMs(ui);
  return items.map(({ open_time_ms: fromMs }) => ({ fromMs, untilMs: fromMs + ms }));
}

function inputOf(
  moment: Moment,
  ui: Ui,
  { unfinished }: Candles,
  candles: readonly Candle[],
): Omit<ChartInput, "profile" | "pitch" | "footprint"> {
  const periods = periodsOf(candles, ui);
  const { crosshair } = shownOf(ui);
  const candleMs = intervalMs(ui);
  const own = ui.isMasked ? [] : ownMarks(moment, ui, periods[0]?.fromMs ?? 0, candleMs);
  return {
    ...{ candles, unfinished, intervalMs: candleMs },
    lines: [...alertLines(ui), ...(ui.isMasked ? [] : ownLines(moment, ui))],
    marks: [...liquidationMarks(moment, ui), ...own],
    average: averageLine(moment, ui, periods),
    study: studyOf(moment, ui, candles, periods),
    cursor: crosshair === undefined ? undefined : candles.length - 1 - crosshair,
  };
}

/** Of price alerts in this market. */
function alertLines({ market, services }: Ui): readonly ChartLine[] {
  return services.alerts.all().flatMap(({ rule, isPaused, isDone }) => {
    if (rule.kind !== "level" || isPaused || isDone || rule.target.market !== market) return [];
    const { subject, target, comparison, level } = rule;
    if (!PRICE_SUBJECTS.has(subject.name) || target.unit !== "") return [];
    const label = `⚑ ${subject.name} ${comparison}`;
    return [{ price: formatDecimal(level), label, tone: "notice" as const }];
  });
}

/** Entry, liquidation and orders of the own account. */
function ownLines({ store }: Moment, { account, market }: Ui): readonly ChartLine[] {
  if (account === undefined) return [];
  const isHere = (row: { readonly market: string | undefined }) => row.market === market;
  const positions = (selectPositions(store, account) ?? []).filter(isHere);
  const orders = (selectOrders(store, account) ?? []).filter(isHere);
  const line = (price: string | undefined, label: string, tone: ChartLine["tone"]) =>
    price === undefined ? [] : [{ price, label, tone }];
  return [
    ...positions.flatMap(({ entry, liquidation, side }) => [
      ...line(entry && atTick(store, market, entry), "entry", side === "short" ? "loss" : "gain"),
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

const ownCounts = new Running<Fill, Map<string, ChartMark>>();

/** How many fills a candle has, from a time on. */
function ownMarks(
  { store }: Moment,
  { account, market }: Ui,
  fromMs: number,
  candleMs: number,
): readonly ChartMark[] {
  const fills = account === undefined ? undefined : fillLog(store, account)?.oldestFirst;
  if (fills === undefined) return [];
  const count = (marks: Map<string, ChartMark>, { market: of, timeMs = 0, side: kind }: Fill) => {
    if (of !== market || timeMs < fromMs || kind === undefined) return marks;
    const ms = timeMs - (timeMs % candleMs);
    return marks.set(`${ms}${kind}`, {
      ...{ ms, kind },
      count: (marks.get(`${ms}${kind}`)?.count ?? 0) + 1,
    });
  };
  const marks = ownCounts.get(fills, [market, fromMs, candleMs], () => new Map(), count);
  return [...marks.values()];
}

/** As far as the listing has been read. */
function liquidationMarks({ store }: Moment, { market, services }: Ui): readonly ChartMark[] {
  const { names } = store.dialect;
  const id = parseMarketName(market)?.id;
  return (services.listings?.knownLiquidations(market) ?? []).flatMap(
    ({ timestamp_ms: ms, positions }) =>
      positions
        .filter(({ market_id }) => String(market_id) === id)
        .map((position): ChartMark => {
          const isShort = positionSideOf(position, names) === "short";
          return { ms, kind: isShort ? "short liquidated" : "long liquidated", count: 1 };
        }),
  );
}

/** Of the candle under the crosshair, else of the newest one: open, high, low, close, volume, and what is drawn besides. */
function figures(
  moment: Moment,
  ui: Ui,
  all: Candles,
  items: readonly Candle[],
): readonly (Fact | undefined)[] {
  const { crosshair } = shownOf(ui);
  const upTo = items.slice(0, items.length - (crosshair ?? 0));
  const candle = upTo.at(-1);
  if (candle === undefined) return [];
  const { open_time_ms: fromMs, open, close, volume_base } = candle;
  const number = (text: string) => formatNumber(text, ui.display);
  const isMissing = all.unfinished.includes(fromMs);
  return [
    crosshair === undefined
      ? undefined
      : { text: formatDayTime(fromMs, ui.display).slice(5, 16), tone: "accent" },
    { word: "O", text: number(open), goes: 6 },
    { word: "H", text: number(candle.high), goes: 4 },
    { word: "L", text: number(candle.low), goes: 5 },
    {
      word: "C",
      text: number(close),
      tone: Number(close) < Number(open) ? "loss" : "gain",
      goes: 1,
    },
    isMissing ? { text: "updates missed", tone: "notice", goes: 2 } : undefined,
    ...flowFigures(moment, ui, periodsOf(upTo, ui)),
    volume_base === undefined ? undefined : { word: "V", text: number(volume_base) },
  ];
}
