// What a pane of a market is: its title, and how it paints itself.

import type { MarketData } from "../../select/market-data.ts";
import type { Surface } from "../../terminal/cells/surface.ts";
import type { Theme } from "../theme.ts";
import type { MarketModel } from "../views/market/market-model.ts";
import type { Inner } from "./frame.ts";

/** What a pane paints with. */
export interface PaintContext {
  readonly surface: Surface;
  /** The room inside the frame. */
  readonly inner: Inner;
  readonly data: MarketData;
  readonly model: MarketModel;
  readonly theme: Theme;
}

/** How one pane shows its market. */
export interface MarketPane {
  /** What stands in the frame: what is shown, and how; the most important first. */
  title(model: MarketModel): readonly string[];
  /** Draws what is inside the frame. Never throws. */
  paint(context: PaintContext): void;
}

/** Marks what is of the account that is watched, left of the row. */
export const OWN = "◆";
