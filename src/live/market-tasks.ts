// What runs beside the stream for some markets, for as long as these are shown: the measurement of a scale, the healing of a tape,
// the filling of a chart.
import { formatMarket, type Market } from "../select/market.ts";

/** What runs for one market. */
interface MarketTask {
  stop(): void;
}

/** One task for each market. */
export class MarketTasks {
  readonly #start: (market: Market) => MarketTask | undefined;
  readonly #running = new Map<string, MarketTask | undefined>();
  #isOver = false;

  /** @param start starts one; undefined where there is nothing to do */
  constructor(start: (market: Market) => MarketTask | undefined) {
    this.#start = start;
  }

  /** Runs for these markets, and for no other. */
  hold(markets: readonly Market[]): void {
    if (this.#isOver) return;
    const named = new Map(markets.map((market) => [formatMarket(market), market]));
    for (const [name, task] of this.#running) {
      if (named.has(name)) continue;
      this.#running.delete(name);
      task?.stop();
    }
    for (const [name, market] of named) {
      if (!this.#running.has(name)) this.#running.set(name, this.#start(market));
    }
  }

  /** For good. */
  stop(): void {
    this.hold([]);
    this.#isOver = true;
  }
}
