// The panes of a market: one row each. Layout, focus, copying and what is subscribed follow from this table;
// the presets are below it. A new pane is a row here and a file beside it: docs/architecture.md has the steps.

import type { SteadyColumns } from "../../../select/columns.ts";
import type { MarketChannels } from "../../../select/market.ts";
import type { Surface } from "../../../terminal/cells/surface.ts";
import type { ChannelKind } from "../../../wire/channels.ts";
import type { Action } from "../../keys.ts";
import type { Inner, TitlePart } from "../../panes/frame.tsx";
import type { Theme } from "../../theme/theme.ts";
import { candles, type PaintedChart } from "./candles.ts";
import type { MarketData } from "./data.ts";
import { heatmap, type PaintedHeat } from "./heatmap.ts";
import type { MarketChoices, MarketModel } from "./model.ts";
import { type BookLine, orderbook, type PaintedBook } from "./orderbook.ts";
import { type PaintedTape, trades } from "./trades.ts";

export interface PaneFeed {
  readonly kind: ChannelKind;
  readonly channel: string;
}

export interface PaintContext {
  readonly surface: Surface;
  readonly inner: Inner;
  readonly data: MarketData;
  readonly model: MarketModel;
  readonly theme: Theme;
  /** Requests another frame of the pane after this many milliseconds. */
  readonly repaintAfter: (afterMs: number) => void;
}

export interface PaintedPane {
  /** Scroll offset, limited to what there is to see. */
  readonly scrolled: number;
  /** Rows of the book, from top to bottom; undefined for a blank one. */
  readonly lines?: readonly (BookLine | undefined)[];
  /** Row of the pane that has the first of these lines. */
  readonly top?: number;
  readonly columns?: SteadyColumns;
  readonly chart?: PaintedChart;
  readonly book?: PaintedBook;
  readonly heat?: PaintedHeat;
  readonly tape?: PaintedTape | undefined;
}

/** A cursor in a pane, moved by keys and the mouse. */
export interface PaneCursor {
  isSet(choices: MarketChoices): boolean;
  /** Sets it at its initial place, or removes it. */
  toggle(model: MarketModel): void;
  /** Moves it up or down. @returns false if the pane is to be scrolled instead */
  scroll(model: MarketModel, rows: number): boolean;
  /** Moves it left or right, in panes that have columns; without a cursor, scrolls. */
  walk?(model: MarketModel, columns: number): void;
  /** What changes for it when the pane is scrolled back to the newest. */
  home?(model: MarketModel): Partial<MarketChoices>;
  point(model: MarketModel, x: number, y: number): void;
}

export interface MarketPane {
  readonly label: string;
  /** Minimum height in rows, and share of the height among stacked panes. */
  readonly minHeight: number;
  readonly weight: number;
  /** Columns beside the chart, in a view of this width. */
  readonly widthIn: (viewWidth: number) => number;
  /** True if it scrolls in both directions; the others only into the past. */
  readonly scrollsUp?: boolean;
  readonly cursor?: PaneCursor;
  /** What it shows; the first determines its state. */
  feeds(channels: MarketChannels, choices: MarketChoices): readonly PaneFeed[];
  /** Parts of the title: what is shown, and how; most important first. */
  title(model: MarketModel): readonly TitlePart[];
  /** Draws the inside of the frame. @param before the previous result */
  paint(context: PaintContext, before: PaintedPane | undefined): PaintedPane;
  /** Rows for the clipboard; the first has the titles. */
  copy(data: MarketData, model: MarketModel): readonly (readonly string[])[];
}

/** By priority, if there is no room for all. */
export const PANES = { orderbook, trades, candles, heatmap } as const satisfies Readonly<
  Record<string, MarketPane>
>;

export type Pane = keyof typeof PANES;

export const PANE_NAMES = Object.keys(PANES) as readonly Pane[];

export const DEFAULT_PANES: readonly Pane[] = ["orderbook", "trades", "candles"];

export function forEachPane<T>(of: (pane: Pane) => T): Readonly<Record<Pane, T>> {
  return Object.fromEntries(PANE_NAMES.map((pane) => [pane, of(pane)])) as Record<Pane, T>;
}

/** The panes that a preset key shows, and the one that it focuses. */
export const PRESETS = {
  panesAll: { shown: DEFAULT_PANES, focus: undefined },
  panesBookTrades: { shown: ["orderbook", "trades"], focus: undefined },
  panesChartBook: { shown: ["candles", "orderbook"], focus: "candles" },
  panesHeatmapBook: { shown: ["heatmap", "orderbook"], focus: "heatmap" },
} as const satisfies Partial<
  Record<Action, { readonly shown: readonly Pane[]; readonly focus: Pane | undefined }>
>;
