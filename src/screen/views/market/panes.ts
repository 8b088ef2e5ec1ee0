// The panes of a market: one row each. Layout, focus, copying, what persists and what is subscribed follow from this table;
// the presets are below it. A new pane is a row here and a file beside it: docs/architecture.md has the steps.

import type { SteadyColumns } from "../../../select/columns.ts";
import type { MarketChannels } from "../../../select/market.ts";
import type { Surface } from "../../../terminal/cells/surface.ts";
import type { ChannelKind } from "../../../wire/channels.ts";
import { getMembers } from "../../../wire/json.ts";
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

/** The presets by the action of their key, each with the word typed for it. */
export const PRESETS = {
  layoutAll: { word: "all", panes: DEFAULT_PANES },
  layoutBook: { word: "book", panes: ["orderbook"] },
  layoutTape: { word: "tape", panes: ["trades"] },
  layoutChart: { word: "chart", panes: ["candles"] },
  layoutBookTape: { word: "book+tape", panes: ["orderbook", "trades"] },
  layoutChartBook: { word: "chart+book", panes: ["candles", "orderbook"] },
  layoutChartTape: { word: "chart+tape", panes: ["candles", "trades"] },
  layoutHeatmap: { word: "heatmap", panes: ["heatmap", "orderbook"] },
} as const satisfies Partial<Record<Action, { word: string; panes: readonly Pane[] }>>;

/** How the user arranged the panes. The size of the terminal decides where they go (`layout.ts`). */
export interface Arrangement {
  readonly shown: readonly Pane[];
  /** Steps by which a pane is larger (negative: smaller) than by default; fractional after a border was dragged. */
  readonly sizes: Readonly<Record<Pane, number>>;
}

/** Maximum steps in each direction: from a third of the default size to three times as much. */
export const MAX_STEPS = 8;

export const DEFAULT_ARRANGEMENT: Arrangement = {
  shown: DEFAULT_PANES,
  sizes: forEachPane(() => 0),
};

/** Removes a pane; the last one stays. */
export function hidePane(arrangement: Arrangement, pane: Pane): Arrangement {
  const shown = arrangement.shown.filter((each) => each !== pane);
  return shown.length === 0 ? arrangement : { ...arrangement, shown };
}

export function showPane(arrangement: Arrangement, pane: Pane): Arrangement {
  if (arrangement.shown.includes(pane)) return arrangement;
  return { ...arrangement, shown: [...arrangement.shown, pane] };
}

export function resizePane(arrangement: Arrangement, pane: Pane, steps: number): Arrangement {
  const size = Math.max(-MAX_STEPS, Math.min(MAX_STEPS, arrangement.sizes[pane] + steps));
  return { ...arrangement, sizes: { ...arrangement.sizes, [pane]: size } };
}

/** Reads an arrangement persisted by an earlier run, from a file that anybody may have changed; undefined if it is invalid. */
export function readArrangement(persisted: unknown): Arrangement | undefined {
  const { shown, sizes } = getMembers(persisted);
  if (!Array.isArray(shown)) return undefined;
  const panes = PANE_NAMES.filter((pane) => shown.includes(pane));
  if (panes.length === 0) return undefined;
  const steps = getMembers(sizes);
  return {
    shown: panes,
    sizes: forEachPane((pane) => {
      const step = steps[pane];
      return typeof step === "number" && Math.abs(step) <= MAX_STEPS ? step : 0;
    }),
  };
}
