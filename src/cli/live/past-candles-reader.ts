// Fills the chart with the time before the subscription: reads a bounded run of listed trades for whatever market is
// shown, again after an outage, and compares it with the stream's own candles now and then. Reading: docs/adr/0016.
import { Pager } from "../../history/paging/pager.ts";
import { pause } from "../../history/pause.ts";
import { INTERVAL_MS, parseChannel } from "../../protocol/channel.ts";
import type { LastCandle } from "../../protocol/channels/candles.ts";
import type { TradeRecord } from "../../protocol/rest/trades.ts";
import type { ListedTrades, PastCandles } from "../../store/rebuilt-candles.ts";
import type { Dashboard } from "../../ui/dashboard.ts";
import type { Clock } from "../../units/clock.ts";
import { errorText } from "../../units/monitor-error.ts";
import { formatMarket, type Market } from "../../view/market.ts";
import { MarketFollower } from "./market-follower.ts";
import type { RecentTrades } from "./recent-trades.ts";

/** The largest page of the interface, and so many of them: enough for a chart of a busy market's last hour. */
const PAGE_SIZE = 1000;
const MAX_TRADES = 10 * PAGE_SIZE;
/** Between two looks at what the stream has told. */
const LOOK_MS = 1000;
/** Between two comparisons. */
const COMPARE_MS = 300_000;
/** How long a listing may take to tell what the stream has told. */
const LISTING_LAG_MS = 5000;

/** Reads from the time that a market is shown until `stop`. No method throws. */
export class PastCandlesReader {
  readonly #dashboard: Dashboard;
  readonly #trades: RecentTrades | undefined;
  readonly #clock: Clock;
  readonly #follower: MarketFollower;

  constructor(dashboard: Dashboard, trades: RecentTrades | undefined, clock: Clock) {
    this.#dashboard = dashboard;
    this.#trades = trades;
    this.#clock = clock;
    this.#follower = new MarketFollower({
      dashboard,
      isHeld: (name) => this.#channelOf(name) !== undefined,
      start: (market) => this.#start(market),
    });
  }

  /** The dashboard may show another market now, or no chart of last prices. */
  follow(): void {
    this.#follower.follow();
  }

  stop(): void {
    this.#follower.stop();
  }

  #start(market: Market): () => void {
    if (this.#trades === undefined) return () => {};
    const stop = new AbortController();
    // It ends with nothing but the abort of its own signal.
    this.#run(market, this.#trades, stop.signal).catch(() => {});
    return () => stop.abort();
  }

  async #run(market: Market, trades: RecentTrades, signal: AbortSignal): Promise<void> {
    const past = this.#dashboard.pastCandles.of(formatMarket(market));
    for (;;) {
      while (!this.#isReceived(market)) await pause(this.#clock, LOOK_MS, signal);
      const { reconnects } = this.#dashboard.options.store.link ?? {};
      await this.#attempt(past, signal, () => this.#fill(past, market, trades, signal));
      let comparedAtMs = Number.NEGATIVE_INFINITY;
      while (this.#dashboard.options.store.link?.reconnects === reconnects) {
        await pause(this.#clock, LOOK_MS, signal);
        const isDue = this.#clock.now() - comparedAtMs >= COMPARE_MS;
        if (!isDue || !this.#hasEnded(market)) continue;
        comparedAtMs = this.#clock.now();
        await this.#attempt(past, signal, () => this.#compare(past, market, trades, signal));
      }
    }
  }

  /** A listing that does not answer leaves the chart without a past, and says so. */
  async #attempt(past: PastCandles, signal: AbortSignal, read: () => Promise<void>): Promise<void> {
    try {
      await read();
      past.obstruct("");
    } catch (error) {
      signal.throwIfAborted();
      past.obstruct(errorText(error));
    }
    this.#dashboard.tick();
  }

  async #fill(
    past: PastCandles,
    market: Market,
    trades: RecentTrades,
    signal: AbortSignal,
  ): Promise<void> {
    const { source, reading } = trades.of(market);
    const bounds = { max: MAX_TRADES };
    const pager = new Pager<TradeRecord>({
      ...{ source, reading, limit: PAGE_SIZE, clock: this.#clock, signal, bounds },
    });
    const records: TradeRecord[] = [];
    for await (const page of pager.pages()) {
      // The newest page is on the screen before the others have come.
      if (records.length === 0) this.#show(past, { records: page, reachesBeginning: false });
      records.push(...page);
    }
    const { verdict } = pager;
    const reachesBeginning = verdict?.isComplete === true && verdict.reach === "end";
    this.#show(past, { records, reachesBeginning });
  }

  #show(past: PastCandles, listed: ListedTrades): void {
    past.replace(listed);
    this.#dashboard.tick();
  }

  async #compare(
    past: PastCandles,
    market: Market,
    trades: RecentTrades,
    signal: AbortSignal,
  ): Promise<void> {
    await pause(this.#clock, LISTING_LAG_MS, signal);
    const { source } = trades.of(market);
    const page = await source.get({ before: undefined, limit: PAGE_SIZE }, signal);
    const listed = { records: page.records(), reachesBeginning: false };
    const channel = this.#channelOf(formatMarket(market));
    if (channel !== undefined) past.compare(listed, this.#ended(channel), intervalOf(channel));
  }

  /** The candles' channel of a market that is on the screen; undefined while none is. */
  #channelOf(market: string): string | undefined {
    return this.#dashboard.channels.find((channel) => channel.startsWith(`candles/${market}/`));
  }

  #isReceived(market: Market): boolean {
    const { store } = this.#dashboard.options;
    const channel = this.#channelOf(formatMarket(market));
    return (
      channel !== undefined &&
      store.link?.state === "open" &&
      store.slice("candles", channel).feed.phase === "receiving"
    );
  }

  #hasEnded(market: Market): boolean {
    const channel = this.#channelOf(formatMarket(market));
    return channel !== undefined && this.#ended(channel).length > 0;
  }

  #ended(channel: string): readonly LastCandle[] {
    const { candles, unfinished } = this.#dashboard.options.store.slice("candles", channel).data;
    return candles.slice(0, -1).filter(({ open_time_ms }) => !unfinished.has(open_time_ms));
  }
}

function intervalOf(channel: string): number {
  const parts = parseChannel(channel);
  return parts?.kind === "candles" ? INTERVAL_MS[parts.interval] : 0;
}
