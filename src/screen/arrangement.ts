// How the user wants the panes of a market: which are shown, and how large each is beside the others. The size of the
// terminal decides where they go (`layout.ts`).
import type { Action } from "./keys.ts";

/** A pane of the view of a market. */
export type Pane = "orderbook" | "trades" | "candles";

/** Which panes are wanted, and how large. */
export interface Arrangement {
  /** At least one, each once. */
  readonly shown: readonly Pane[];
  /** Steps by which a pane is larger (or, negative, smaller) than usual. */
  readonly sizes: Readonly<Record<Pane, number>>;
}

/** Panes in the order in which they are kept when there is no room for all. */
export const PANES: readonly Pane[] = ["orderbook", "trades", "candles"];

/** Steps to either side: from a third of the usual size to three times as much. */
export const MAX_STEPS = 8;

/** As it is before the user has changed anything. */
export const USUAL_ARRANGEMENT: Arrangement = {
  shown: PANES,
  sizes: { orderbook: 0, trades: 0, candles: 0 },
};

/** The presets, by the action of their key. */
export const PRESETS = {
  layoutAll: PANES,
  layoutBook: ["orderbook"],
  layoutTape: ["trades"],
  layoutChart: ["candles"],
  layoutBookTape: ["orderbook", "trades"],
  layoutChartBook: ["candles", "orderbook"],
  layoutChartTape: ["candles", "trades"],
} as const satisfies Partial<Record<Action, readonly Pane[]>>;

/** The same without one pane; the last one stays. Never throws. */
export function hidePane(arrangement: Arrangement, pane: Pane): Arrangement {
  const shown = arrangement.shown.filter((each) => each !== pane);
  return shown.length === 0 ? arrangement : { ...arrangement, shown };
}

/** The same with one pane shown. Never throws. */
export function showPane(arrangement: Arrangement, pane: Pane): Arrangement {
  if (arrangement.shown.includes(pane)) return arrangement;
  return { ...arrangement, shown: [...arrangement.shown, pane] };
}

/** The same with one pane larger or smaller by some steps. Never throws. */
export function resizePane(arrangement: Arrangement, pane: Pane, steps: number): Arrangement {
  const size = Math.max(-MAX_STEPS, Math.min(MAX_STEPS, arrangement.sizes[pane] + steps));
  return { ...arrangement, sizes: { ...arrangement.sizes, [pane]: size } };
}

/** Reads what an earlier run kept, from a file that anybody may have changed; undefined when it is none. Never throws. */
export function readArrangement(kept: unknown): Arrangement | undefined {
  const { shown, sizes } = membersOf(kept);
  if (!Array.isArray(shown)) return undefined;
  const panes = PANES.filter((pane) => shown.includes(pane));
  if (panes.length === 0) return undefined;
  const steps = membersOf(sizes);
  const size = (pane: Pane) => {
    const step = steps[pane];
    return Number.isInteger(step) && Math.abs(Number(step)) <= MAX_STEPS ? Number(step) : 0;
  };
  return {
    shown: panes,
    sizes: { orderbook: size("orderbook"), trades: size("trades"), candles: size("candles") },
  };
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
