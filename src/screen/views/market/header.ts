// The header of a market: name, last price, best bid and offer, and figures, each in its own slot:
//
//    ★ BTC-PERP  ▲ 97,114.00  +0.12%  97,113.98 │ 97,114.00  spread 0.02 (0.0021 bp)           ● live 0.4 ms  SIM
//    mark 97,113.42 -0.58  funding +0.0013%/h in 23:11  OI 50.9 BTC  24h vol 34.9M USDC  high 97,188.00  low 96,941.00

import { selectMarkGap, selectSpread } from "../../../select/bbo.ts";
import { MISSING, withSign } from "../../../select/fields.ts";
import { selectTradeRate, selectWindowCoverage } from "../../../select/flow.ts";
import { formatFundingRate, selectNextFunding } from "../../../select/funding.ts";
import { formatMarket, type StatName, selectStat } from "../../../select/market.ts";
import { selectChange } from "../../../select/stats.ts";
import { isCurrent, type PaneState } from "../../../state/pane-state.ts";
import type { MarketScale } from "../../../state/scales.ts";
import { readTimeNs } from "../../../state/time-value.ts";
import type { TradesState } from "../../../state/trades.ts";
import type { Surface } from "../../../terminal/cells/surface.ts";
import { textWidth } from "../../../terminal/cells/text-cells.ts";
import { visible } from "../../../terminal/visible.ts";
import { divideInteger, formatDecimal, parseDecimal } from "../../../units/decimal.ts";
import { areSame } from "../../../units/memo.ts";
import { formatUnits } from "../../../units/scale.ts";
import { msOfNs } from "../../../units/time.ts";
import type { PriceLevel } from "../../../wire/channels/orderbook.ts";
import { STATE_STYLES } from "../../panes/frame.tsx";
import { signStyle } from "../../panes/pieces.ts";
import { type StyleName, type Theme, themeFor } from "../../theme/theme.ts";
import type { MarketData } from "./data.ts";
import { selectSign } from "./flow-views.ts";
import type { MarketModel } from "./model.ts";

/** With less room, words go first, then sizes, then `perp/1`; the last price goes last. */
const PRICES = {
  left: ["name", "last", "change", "best", "spread", "mid"],
  right: ["state", "origin"],
  growth: [
    ["last", "state", "state", "name", "origin", "change", "best", "name", "name"],
    ["state", "state", "best", "spread", "origin", "spread", "state", "mid"],
  ],
} as const;
type PriceSlot = (typeof PRICES)["left" | "right"][number];

const FIGURES = {
  left: ["mark", "funding", "interest", "volume", "high", "low", "index", "scale", "inconsistency"],
  right: ["rate"],
  growth: [
    ["inconsistency", "mark", "funding", "volume", "scale", "interest", "funding"],
    ["high", "low", "rate", "mark", "volume", "high", "low", "rate", "scale", "index", "mark"],
  ],
} as const;
type FigureSlot = (typeof FIGURES)["left" | "right"][number];

const PERCENT_PLACES = 2;

/** Result of painting the header: the widths that its slots have had, and what they belong to. */
export interface PaintedHeader {
  readonly of: readonly unknown[];
  readonly widths: readonly (SpanWidths | undefined)[];
}

/** Paints one or two lines, as many as the surface has. @param before the previous result */
export function paintHeader(
  surface: Surface,
  model: MarketModel,
  theme: Theme,
  before?: PaintedHeader,
): PaintedHeader {
  const { data, parts } = model;
  const { market, notice, display } = parts.shown;
  if (data === undefined || market === undefined) {
    surface.text(1, 0, market === undefined ? visible(notice) : formatName(model), theme.title);
    return { of: [], widths: [] };
  }
  const of = [formatMarket(market), display, data.scale.scale];
  const [first, second] = before !== undefined && areSame(before.of, of) ? before.widths : [];
  const line = (y: number) => ({ surface, y, theme });
  return {
    of,
    widths: [
      paintSlots(line(0), PRICES, formatPrices(model, data, surface.width), first),
      surface.height < 2
        ? second
        : paintSlots(line(1), FIGURES, formatFigures(model, data), second),
    ],
  };
}

function formatPrices(
  model: MarketModel,
  data: MarketData,
  columns: number,
): Readonly<Record<PriceSlot, Forms>> {
  const { bbo, stats } = data;
  const { scale } = data.scale;
  const { display, store, market, isFrozen } = model.parts.shown;
  const { state } = model.statusOf("bbo");
  const of = (text: string, style: StyleName, isRight = false): Span => ({
    text,
    style,
    state,
    isRight,
  });
  const price = (level: PriceLevel | null | undefined) =>
    level ? display.number(formatUnits(level.price_ticks, scale?.tickSize)) : MISSING;
  const size = (level: PriceLevel | null | undefined) =>
    level ? ` × ${display.number(formatUnits(level.size_base_lots, scale?.lotSize))}` : "";
  const [bid, ask] = [of(price(bbo?.bid), "bid", true), of(price(bbo?.ask), "ask")];
  const bar = of(" │ ", "dim");
  const spread = bbo && selectSpread(bbo, scale);
  const width = of(display.number(spread?.width ?? MISSING), "text");
  const points = of(spread === undefined ? "" : ` (${spread.basisPoints} bp)`, "dim");
  const change = stats && selectChange(stats, store.aliases);
  const name = formatName(model);
  const id = market === undefined ? name : formatMarket(market);
  const last = formatLast(model, data);
  const star = market !== undefined && model.parts.watchlist.has(market) ? "★ " : "";
  return {
    name: [
      [{ text: name, style: "title" }],
      [{ text: `${star}${name}`, style: "title" }],
      [{ text: id === name ? `${star}${name}` : `${star}${name} ${id}`, style: "title" }],
    ],
    // A frozen price is not shown without room for the word that it is frozen.
    last: isFrozen && columns < textWidth(last.text) + GAP + 1 + 2 * MARGIN ? [] : [[last]],
    change: [change === undefined ? [] : [formatChange(model, change)]],
    best: [
      [bid, bar, ask],
      [bid, of(size(bbo?.bid), "text"), bar, ask, of(size(bbo?.ask), "text")],
    ],
    spread: [
      [of("spread ", "dim"), width],
      [of("spread ", "dim"), width, points],
    ],
    mid: [spread === undefined ? [] : [of("mid ", "dim"), of(display.number(spread.mid), "text")]],
    state: formatState(model),
    origin: formatOrigin(model),
  };
}

/** The last trade, coloured by its direction; if none is known, the price in the statistics. */
function formatLast(model: MarketModel, { trades, scale, stats }: MarketData): Span {
  const { display, store } = model.parts.shown;
  const [last] = trades(1);
  if (last !== undefined) {
    const price = display.number(formatUnits(last.price_ticks, scale.scale?.tickSize));
    const { state } = model.statusOf("trades");
    return last.taker_is_bid
      ? { text: `▲ ${price}`, style: "bidStrong", state }
      : { text: `▼ ${price}`, style: "askStrong", state };
  }
  const named = selectStat(stats, "lastPrice", store.aliases);
  const text = named === undefined ? MISSING : `  ${display.number(named)}`;
  return { text, style: "strong", state: model.figureStates.stats };
}

function formatChange(model: MarketModel, change: string): Span {
  const [, digits = "", unit = ""] = /^\+?([^%]*)(%?)$/.exec(change) ?? [];
  const value = parseDecimal(digits);
  const percent =
    value && divideInteger(value.mantissa, 10n ** BigInt(value.places), PERCENT_PLACES);
  const figure = unit === "%" && percent !== undefined ? formatDecimal(percent) : digits;
  return {
    text: `${withSign(model.parts.shown.display.number(figure))}${unit}`,
    style: signStyle(change),
    state: model.figureStates.stats,
    isRight: true,
  };
}

/** Badge if the data does not come from a live service. */
function formatOrigin({ parts: { options } }: MarketModel): Forms {
  const of = (...forms: string[]): Forms => forms.map((text) => [{ text, style: "badge" }]);
  if (options.replay !== undefined) {
    return options.isSimulated ? of("R SIM", " REPLAY SIM ") : of("R", " REPLAY ");
  }
  return options.isSimulated ? of("SIM", " SIM ") : [];
}

/** State of the best prices, or that the screen does not follow them. */
function formatState(model: MarketModel): Forms {
  const { frozenText, store } = model.parts.shown;
  if (frozenText !== undefined) {
    const [word = ""] = frozenText.split(" ");
    const forms = [word[0] ?? "", word, word, frozenText, ` ${frozenText} `];
    return forms.map((text) => [{ text, style: "alarm" }]);
  }
  const { state, age } = model.statusOf("bbo");
  const [glyph, style] = STATE_STYLES[state];
  const trip = store.link?.roundTripMs;
  const delay = trip === undefined ? "" : ` ${trip < 10 ? trip.toFixed(1) : Math.round(trip)} ms`;
  const isOld = !isCurrent(state) && age !== "";
  const texts = isOld
    ? [`${glyph} ${age}`, `${glyph} ${state} ${age} old`]
    : [state, state, `${state}${state === "live" ? delay : ` ${age}`}`].map(
        (text) => `${glyph} ${text}`,
      );
  return [glyph, glyph, ...texts].map((text) => [{ text: text.trimEnd(), style, isRight: true }]);
}

function formatName({ parts, data }: MarketModel): string {
  const { market, store } = parts.shown;
  const symbol = selectStat(data?.market, "symbol", store.aliases);
  if (market === undefined || symbol !== undefined) return visible(symbol ?? "");
  return formatMarket(market);
}

const VOLUME = ["vol", "24h vol"];

function formatFigures(model: MarketModel, data: MarketData): Readonly<Record<FigureSlot, Forms>> {
  const { aliases } = model.parts.shown.store;
  const { display } = model.parts.shown;
  const { stats: state } = model.figureStates;
  const { stats } = data;
  const label = (text: string): Span => ({ text: `${text} `, style: "dim" });
  const figure = (text: string, style: StyleName = "text"): Span => ({ text, style, state });
  // Amounts of an asset are abbreviated: the exact figure is in the list of markets.
  const stat = (name: StatName, labels: readonly string[], asset?: StatName): Forms => {
    const value = selectStat(stats, name, aliases);
    if (value === undefined) return [];
    const unit = asset && selectStat(data.market, asset, aliases);
    const amount = asset === undefined ? display.number(value) : display.compact(value);
    const text = unit === undefined ? amount : `${amount} ${visible(unit)}`;
    return labels.map((word) => [label(word), figure(text)]);
  };
  const mark = selectStat(stats, "markPrice", aliases);
  const last = selectStat(stats, "lastPrice", aliases);
  const [trade] = data.trades(1);
  const gap = selectMarkGap({ mark, last, trade, scale: data.scale.scale });
  const marked = mark === undefined ? [] : [label("mark"), figure(display.number(mark))];
  const apart = figure(gap === undefined ? "" : ` ${display.number(gap.width)}`, "dim");
  const points = figure(gap === undefined ? "" : ` (${gap.basisPoints} bp)`, "dim");
  const volume = stat("volumeQuote24h", VOLUME, "quoteAsset");
  return {
    mark: mark === undefined ? [] : [marked, [...marked, apart], [...marked, apart, points]],
    funding: formatFunding(model, data),
    interest: stat("openInterest", ["OI"], "baseAsset"),
    volume: volume.length > 0 ? volume : stat("volumeBase24h", VOLUME, "baseAsset"),
    high: stat("high24h", ["H", "high"]),
    low: stat("low24h", ["L", "low"]),
    index: stat("indexPrice", ["index"]),
    ...formatScale(data.scale),
    rate: formatRate(model, data),
  };
}

/** Windows of the current trade rate, and of the average that it is compared with. */
const RATE_MS = 10_000;
const AVERAGE_MS = 900_000;

function formatRate(model: MarketModel, data: MarketData): Forms {
  const { tape, serverNowMs: nowMs } = data;
  if (nowMs === undefined) return [];
  const context = { data, model, repaintAfter: () => {} };
  const second = Math.floor(nowMs / 1000);
  const [now, average] = model.flowCache.read("rate", context, [second], () =>
    ratesAt(tape, nowMs),
  );
  if (now === undefined) return [];
  const { state } = model.statusOf("trades");
  const spans: readonly Span[] = [
    { text: now, style: "text", state, isRight: true },
    { text: " trades/s", style: "dim" },
  ];
  if (average === undefined) return [spans];
  return [spans, [...spans, { text: ` (15m ${average})`, style: "dim", state }]];
}

/** Undefined for a window that is not covered in full. */
function ratesAt(
  tape: TradesState,
  nowMs: number,
): readonly [now: string | undefined, average: string | undefined] {
  const rate = selectTradeRate(tape, nowMs);
  const figure = (value: number | undefined, spanMs: number) => {
    const span = { fromMs: nowMs - spanMs, untilMs: nowMs };
    if (value === undefined || selectWindowCoverage(tape, span).reached < 1) return undefined;
    return `${selectSign(tape, span, false)}${value.toFixed(1)}`;
  };
  return [figure(rate?.perSecond, RATE_MS), figure(rate?.average, AVERAGE_MS)];
}

/** The newest rate of the funding channel takes precedence over the statistics. */
function formatFunding(
  { parts, figureStates }: MarketModel,
  { funding, stats }: MarketData,
): Forms {
  // No countdown while the screen is frozen.
  const { store, wallMs: nowMs } = parts.shown;
  const named = selectStat(stats, "fundingRate", store.aliases);
  const ofChannel = funding?.newest?.rate;
  const rate = ofChannel ?? parseDecimal(named ?? "");
  if (rate === undefined) return [];
  const state: PaneState = figureStates[ofChannel === undefined ? "stats" : "funding"];
  const text = formatFundingRate(rate);
  const nextNs = stats && readTimeNs(store.aliases.value(stats, "nextFunding"));
  const nextMs =
    nextNs === undefined ? funding && selectNextFunding(funding, nowMs) : msOfNs(`${nextNs}`);
  const rated: Span[] = [
    { text: "funding ", style: "dim" },
    { text: `${text}${intervalUnit(funding?.intervalMs)}`, style: signStyle(text), state },
  ];
  if (nextMs === undefined) return [rated];
  return [rated, [...rated, { text: ` ${countdown(nextMs - nowMs)}`, style: "text", state }]];
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
] as const;

/** `/h`, `/8h`; empty if the interval is unknown, or rounds to no minute. */
function intervalUnit(ms: number | undefined): string {
  if (ms === undefined) return "";
  const minutes = Math.round(ms / 60_000) * 60_000;
  const [unit, length] = UNITS.find(([, each]) => minutes > 0 && minutes % each === 0) ?? [];
  if (unit === undefined) return "";
  const count = minutes / length;
  return `/${count === 1 ? "" : count}${unit}`;
}

/** `in 23:11`, `in 7:59:58`. */
function countdown(ms: number): string {
  if (ms < 0) return "due";
  const seconds = Math.floor(ms / 1000);
  const two = (value: number) => `${value}`.padStart(2, "0");
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const short = `${two(minutes)}:${two(seconds % 60)}`;
  return hours === 0 ? `in ${short}` : `in ${hours}:${short}`;
}

/** Tick and lot size, whether trades prove them, and how; a contradiction is as important as the prices. */
function formatScale(
  market: MarketScale,
): Pick<Record<FigureSlot, Forms>, "scale" | "inconsistency"> {
  const { scale, source, evidence, inconsistency, pairs } = market;
  const span = (text: string, style: StyleName = "dim"): Span => ({ text, style });
  if (inconsistency !== "") {
    const words = scale === undefined ? "ticks, lots" : `scale ${source}`;
    return { scale: [], inconsistency: [[span(`${words}: ${visible(inconsistency)}`, "notice")]] };
  }
  if (scale === undefined) {
    return {
      scale: [[span("ticks, lots")], [span(`ticks, lots, ${visible(evidence)}`)]],
      inconsistency: [],
    };
  }
  const worth = `tick ${formatDecimal(scale.tickSize)} lot ${formatDecimal(scale.lotSize)}`;
  const short = `${worth} ${pairs > 0 ? "✓" : "untested"}`;
  const long =
    pairs > 0 ? `${short} ${source}, ${visible(evidence)}` : `${worth} ${source}, untested`;
  return { scale: [[span(short)], [span(long)]], inconsistency: [] };
}

// A line of slots: values with steady positions, whatever their current length. Each slot has several forms; with less
// room, slots use shorter ones, and the least important are dropped.

/** Text in one style; text of the service must have passed `visible` before. */
interface Span {
  readonly text: string;
  readonly style: StyleName;
  /** State of the data that it comes from; undefined counts as current. */
  readonly state?: PaneState | undefined;
  /** True if it is aligned to the right of its room. */
  readonly isRight?: boolean;
}

/** Forms of one value, shortest first; the same spans in the same order while the line shows the same thing. */
type Forms = readonly (readonly Span[])[];

interface SlotLine<Name extends string> {
  /** Slots aligned to the left, and to the right, both in order from the left. */
  readonly left: readonly Name[];
  readonly right: readonly Name[];
  /** Each entry grows a slot to its next longer form, if there is room; most important first. */
  readonly growth: readonly (readonly Name[])[];
}

/** The widest that each span has been, by the index of its form in `growth` and its own in the form. */
type SpanWidths = readonly (readonly number[])[];

const GAP = 2;
const MARGIN = 1;

/** Paints one line. @returns the widths of its spans from now on */
function paintSlots<Name extends string>(
  { surface, y, theme }: { readonly surface: Surface; readonly y: number; readonly theme: Theme },
  line: SlotLine<Name>,
  slots: Readonly<Record<Name, Forms>>,
  before: SpanWidths = [],
): SpanWidths {
  const growth = line.growth.flat();
  const forms = growth.map((name, i) => {
    const shorter = growth.slice(0, i).filter((each) => each === name);
    return slots[name][shorter.length] ?? [];
  });
  const needed = forms.map((spans) => spans.map(({ text }) => textWidth(text)));
  const steady = needed.map((each, place) =>
    each.map((width, i) => Math.max(before[place]?.[i] ?? 0, width)),
  );
  const room = surface.width - 2 * MARGIN;
  const choose = (widths: SpanWidths) => chooseForms(growth, forms, widths, room);
  const [roomy, tight] = [choose(steady), choose(needed)];
  // A value that was long once must not cost another slot for good.
  const isRoomy = [...tight.keys()].every((name) => roomy.has(name));
  const [chosen, widths] = isRoomy ? [roomy, steady] : [tight, needed];
  const paint = (x: number, { spans, widths }: Chosen) => {
    let at = x;
    for (const [i, { text, style, state, isRight = false }] of spans.entries()) {
      const width = widths[i] ?? 0;
      const { [style]: styleId } = state === undefined ? theme : themeFor(theme, state);
      if (isRight) surface.textRight(at + width, y, text, styleId);
      else surface.text(at, y, text, styleId);
      at += width;
    }
  };
  let x = MARGIN;
  for (const slot of line.left.flatMap((name) => chosen.get(name) ?? [])) {
    paint(x, slot);
    x += slot.width + GAP;
  }
  let end = surface.width - MARGIN;
  for (const slot of line.right.flatMap((name) => chosen.get(name) ?? []).reverse()) {
    paint(end - slot.width, slot);
    end -= slot.width + GAP;
  }
  return widths;
}

interface Chosen {
  readonly spans: readonly Span[];
  readonly widths: readonly number[];
  readonly width: number;
}

function chooseForms<Name extends string>(
  growth: readonly Name[],
  forms: Forms,
  widths: SpanWidths,
  available: number,
): ReadonlyMap<Name, Chosen> {
  const chosen = new Map<Name, Chosen>();
  let rest = available;
  for (const [place, name] of growth.entries()) {
    const own = widths[place] ?? [];
    const width = own.reduce((sum, each) => sum + each, 0);
    const known = chosen.get(name)?.width ?? (chosen.size === 0 ? 0 : -GAP);
    if (width === 0 || width - known > rest) continue;
    rest -= width - known;
    chosen.set(name, { spans: forms[place] ?? [], widths: own, width });
  }
  return chosen;
}
