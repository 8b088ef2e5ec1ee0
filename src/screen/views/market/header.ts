// The head of the dashboard: what market it is, its best prices, its last trade and its figures. One piece
// after the other, the most important first; what does not fit whole is left out.
import { selectMarkGap, selectSpread } from "../../../select/bbo.ts";
import type { Display } from "../../../select/display.ts";
import { MISSING, withSign } from "../../../select/fields.ts";
import { formatMarket, type StatName, selectStat } from "../../../select/market.ts";
import type { Aliases } from "../../../state/aliases.ts";
import { isCurrent } from "../../../state/pane-state.ts";
import type { MarketScale } from "../../../state/scales.ts";
import type { Surface } from "../../../terminal/cells/surface.ts";
import { visible } from "../../../terminal/visible.ts";
import { formatUnits, type Scale } from "../../../units/scale.ts";
import type { PriceLevel } from "../../../wire/channels/orderbook.ts";
import { STATE_STYLES } from "../../panes/frame.tsx";
import { badges, ofState, type Piece, paintPieces, piece, signStyle } from "../../panes/pieces.ts";
import type { StyleName, Theme } from "../../theme/theme.ts";
import { formatPercent } from "../funding/select.ts";
import { selectChange } from "../watchlist/select.ts";
import type { MarketData } from "./data.ts";
import type { MarketModel } from "./model.ts";

/** Figures of the second line, the most important first. */
const FIGURES: readonly (readonly [label: string, name: StatName])[] = [
  ["mark", "markPrice"],
  ["funding", "fundingRate"],
  ["high", "high24h"],
  ["low", "low24h"],
  ["volume", "volumeBase24h"],
  ["index", "indexPrice"],
  ["open interest", "openInterest"],
];

/**
 * Paints one or two lines, as many as the surface has. @param isAlone no pane says of what state its data is.
 */
export function paintHeader(
  surface: Surface,
  model: MarketModel,
  theme: Theme,
  isAlone = false,
): void {
  const { data } = model;
  const lines = data === undefined ? [[name(model)]] : linesOf(model, data, isAlone);
  if (isAlone) lines[0]?.push(statePiece(model));
  for (const [y, pieces] of lines.entries()) paintPieces(surface, y, pieces, theme);
}

function linesOf(model: MarketModel, data: MarketData, isAlone: boolean): Piece[][] {
  const { aliases } = model.parts.shown.store;
  const states = model.figureStates;
  const [mark = [], ...others] = FIGURES.map(([label, stat], i) => {
    const funding = fundingOf(data, stat);
    const exact = funding ?? selectStat(data.stats, stat, aliases);
    if (exact === undefined) return [];
    const value = model.parts.shown.display.number(exact);
    const state = states[funding === undefined ? "stats" : "funding"];
    return ofState(state, [piece(label, value, figureStyle(stat, value), i * 2)]);
  });
  const change = data.stats && selectChange(data.stats, aliases);
  return [
    bestPrices(model, data, isAlone),
    [
      ...mark,
      ...ofState(states.stats, [
        ...markGap(data, aliases),
        ...(change === undefined ? [] : [piece("24h", change, signStyle(change), 3)]),
      ]),
      ...others.flat(),
      scalePiece(data.scale),
    ],
  ];
}

/** The newest rate of the market's own channel, where there is one, goes before what its figures say. */
function fundingOf({ fundingRate }: MarketData, stat: StatName): string | undefined {
  if (stat !== "fundingRate" || fundingRate === undefined) return undefined;
  return `${withSign(formatPercent(fundingRate))}%`;
}

/** How far the mark price is from the last one. */
function markGap({ stats, trades, scale: { scale } }: MarketData, aliases: Aliases): Piece[] {
  const [trade] = trades(1);
  const mark = selectStat(stats, "markPrice", aliases);
  const last = selectStat(stats, "lastPrice", aliases);
  const gap = selectMarkGap({ mark, last, trade, scale });
  return gap === undefined
    ? []
    : [piece("mark-last", `${gap.width} ${gap.basisPoints} bp`, signStyle(gap.width), 5)];
}

function bestPrices(model: MarketModel, data: MarketData, isAlone: boolean): Piece[] {
  const {
    bbo,
    scale: { scale },
  } = data;
  const spread = bbo === undefined ? undefined : selectSpread(bbo, scale);
  const [last] = data.trades(1);
  const direction = last?.taker_is_bid === true ? "up" : "down";
  const best = model.statusOf("bbo");
  const { display } = model.parts.shown;
  return [
    name(model),
    ...ofState(best.state, [
      piece("bid", formatLevel(bbo?.bid, scale, display), "bid", 1),
      piece("ask", formatLevel(bbo?.ask, scale, display), "ask", 2),
      piece(
        "spread",
        spread === undefined ? MISSING : `${display.number(spread.width)} ${spread.basisPoints} bp`,
        "text",
        5,
      ),
      ...(spread === undefined ? [] : [piece("mid", display.number(spread.mid), "text", 7)]),
    ]),
    ...ofState(model.statusOf("trades").state, [
      last === undefined
        ? piece("last", MISSING, "dim", 4)
        : piece(
            "last",
            `${direction === "up" ? "▲" : "▼"} ${display.number(formatUnits(last.price_ticks, scale?.tickSize))}`,
            direction,
            4,
          ),
    ]),
    ...(isCurrent(best.state) || best.age === "" || isAlone
      ? []
      : [piece("", `${best.age} old`, "notice", 3)]),
    ...badges(model.parts),
  ];
}

/** What the best prices are: it counts as much as they do. */
function statePiece(model: MarketModel): Piece {
  const { state, age } = model.statusOf("bbo");
  const [glyph, look] = STATE_STYLES[state];
  return piece("", `${glyph} ${state} ${age}`.trimEnd(), look, 0);
}

/** A market that is watched has a star. */
function name({ parts, data }: MarketModel): Piece {
  const { market, notice, store } = parts.shown;
  if (market === undefined) return piece("", visible(notice), "title", 0);
  const symbol = selectStat(data?.market, "symbol", store.aliases);
  const text =
    symbol === undefined ? formatMarket(market) : `${visible(symbol)} ${formatMarket(market)}`;
  return piece("", parts.watchlist.has(market) ? `★ ${text}` : text, "title", 0);
}

/** Where the scale is from; what contradicts it counts as much as the prices themselves. */
function scalePiece({ scale, source, evidence, doubt }: MarketScale): Piece {
  const words = scale === undefined ? "ticks, lots" : source;
  if (doubt !== "") return piece("scale", `${words}: ${visible(doubt)}`, "notice", -1);
  return piece("scale", `${words}, ${visible(evidence)}`, "dim", 1);
}

/** A funding rate is paid or got by its sign; other figures have no direction. */
function figureStyle(stat: StatName, value: string): StyleName {
  return stat === "fundingRate" ? signStyle(value) : "text";
}

function formatLevel(
  level: PriceLevel | null | undefined,
  scale: Scale | undefined,
  display: Display,
): string {
  if (!level) return MISSING;
  const { price_ticks, size_base_lots } = level;
  const [price, size] = [
    formatUnits(price_ticks, scale?.tickSize),
    formatUnits(size_base_lots, scale?.lotSize),
  ];
  return `${display.number(price)} × ${display.number(size)}`;
}
