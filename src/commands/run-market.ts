// The market view in each of its forms: on the screen, as a line a second, or once as text or JSON.

import type { Context } from "../args/context.ts";
import type { MarketArgument } from "../args/market-argument.ts";
import { type LiveRun, runLive } from "./run-live.ts";

/** What the view of a market is made from. */
export interface MarketRun extends Omit<LiveRun, "start" | "isListingOnly"> {
  readonly market: MarketArgument;
}

/**
 * The view of a market. Answers the exit code.
 * @throws as `runLive`, and what ends the view: no such market, no WebSocket at that address
 */
export function runMarket(context: Context, run: MarketRun): Promise<number> {
  const print = async () => {
    const { runHeadless } = await import("../print/headless-market.ts");
    return runHeadless(context, run);
  };
  return runLive(context, print, run);
}
