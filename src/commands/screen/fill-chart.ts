// Backfills the chart with what the stream did not deliver: the time before the subscription, outages, other intervals. It
// reads listed trades of each market shown while periods are missing and its request budget lasts, and compares them with the
import { type Bounds, type Page, Pager } from "../../listing/pager.ts";
import type { Source } from "../../listing/source.ts";
import { type BackgroundListings, listingWholeUntilMs } from "../../live/background-listings.ts";
import { MarketTasks } from "../../live/upkeep.ts";
import type { Dashboard } from "../../screen/dashboard.ts";
import { marketView } from "../../screen/views/market/market.tsx";
import { formatMarket, type Market } from "../../select/market.ts";
import { MAX_CANDLES_KEPT } from "../../state/candles.ts";
import type { PastCandles, PastRun } from "../../state/rebuilt-candles.ts";
import type { Clock } from "../../units/clock.ts";
import { pause } from "../../units/clock.ts";
import { errorText } from "../../units/monitor-error.ts";
import { addSpan, type Span, spansLacking } from "../../units/spans.ts";
import { MINUTE_MS } from "../../units/time.ts";
import type { LastCandle } from "../../wire/channels/candles.ts";
import { INTERVAL_MS, parseChannel } from "../../wire/channels.ts";
import { MAX_PAGE_LIMIT } from "../../wire/limits.ts";
import type { TradeRecord } from "../../wire/rest/trades.ts";

/** Periods to fill: the width of a wide chart, or twice as many as the user has scrolled back. */
const PERIODS = 240;
/** Requests for the time before the subscription, while a market is shown: five minutes of the default budget. */
const MAX_REQUESTS = 600;
/** Requests for a gap that appears later. */
const MAX_REQUESTS_OF_SPAN = 200;
/** Interval between checks for missing periods. */
const LOOK_MS = 1000;
/** Backoff between attempts to read a span, which the listing may not have yet: first delay, factor, longest delay. */
const RETRY_MS = 5000;
const RETRY_FACTOR = 4;
const MAX_RETRY_MS = 3_600_000;
const COMPARE_MS = 300_000;

/** Fills the chart on screen. @param trades undefined if the listings are not known */
export function fillChart(
  dashboard: Dashboard,
  trades: BackgroundListings | undefined,
  clock: Clock,
) {
  const fillings = new MarketTasks(
    (market) => trades && new ChartFilling(dashboard, clock, market, trades.of(market)),
  );
  return {
    stop: () => fillings.stop(),
    follow() {
      const { market, channels } = dashboard;
      const isShown = market !== undefined && isCharted(channels, formatMarket(market));
      fillings.hold(isShown ? [market] : []);
    },
  };
}

function isCharted(channels: readonly string[], market: string): boolean {
  return channels.some((channel) => channel.startsWith(`candles/${market}/`));
}

/** The run of pages that goes back before the subscription, as far as it has been read. */
interface DeepRun {
  readonly pager: Pager<TradeRecord>;
  readonly pages: AsyncGenerator<Page<TradeRecord>, void, void>;
  readonly run: PastRun;
  isOver: boolean;
}

/** The chart of one market, for as long as it is shown. */
class ChartFilling {
  readonly #dashboard: Dashboard;
  readonly #clock: Clock;
  readonly #name: string;
  readonly #listing: Source<TradeRecord>;
  readonly #past: PastCandles;
  readonly #stop = new AbortController();
  readonly #signal = this.#stop.signal;
  #deep: DeepRun | undefined;
  /** When a span that is still missing is read again, by its start; key 0 stands for all spans, after an error. */
  readonly #retries = new Map<number, { readonly atMs: number; readonly waitMs: number }>();
  #comparedAtMs = Number.NEGATIVE_INFINITY;
  /** Why the deep run ended before the beginning of the listing. */
  #fault = "";

  constructor(dashboard: Dashboard, clock: Clock, market: Market, listing: Source<TradeRecord>) {
    this.#dashboard = dashboard;
    this.#clock = clock;
    this.#name = formatMarket(market);
    this.#listing = listing;
    this.#past = dashboard.pastCandles.of(this.#name);
    // Ends only by the abort of its own signal.
    this.#run().catch(() => {});
  }

  stop(): void {
    this.#stop.abort();
    this.#past.isFilling = false;
  }

  async #run(): Promise<void> {
    for (;;) {
      const span = this.#dueSpan();
      if (span !== undefined) await this.#attempt(() => this.#read(span), span.fromMs);
      else {
        await pause(this.#clock, LOOK_MS, this.#signal);
        if (this.#isCompareDue()) await this.#attempt(() => this.#compare(), 0);
      }
    }
  }

  /** If the listing fails, the chart shows that it has no past. */
  async #attempt(read: () => Promise<boolean>, key: number): Promise<void> {
    try {
      const hasAll = await read();
      this.#past.markUnavailable(this.#fault);
      this.#retries.delete(0);
      if (hasAll) this.#retries.delete(key);
      else this.#retryLater(key);
    } catch (error) {
      this.#signal.throwIfAborted();
      this.#past.markUnavailable(errorText(error));
      this.#retryLater(0);
    }
    this.#past.isFilling = false;
    this.#dashboard.tick();
  }

  #retryLater(key: number): void {
    const { waitMs = RETRY_MS / RETRY_FACTOR } = this.#retries.get(key) ?? {};
    const next = Math.min(waitMs * RETRY_FACTOR, MAX_RETRY_MS);
    this.#retries.set(key, { atMs: this.#clock.now() + next, waitMs: next });
  }

  #isWaiting(key: number): boolean {
    return this.#clock.now() < (this.#retries.get(key)?.atMs ?? Number.NEGATIVE_INFINITY);
  }

  /** The newest missing span that can be read and is not in backoff. */
  #dueSpan(): Span | undefined {
    const channel = getChannel(this.#dashboard, this.#name);
    if (channel === undefined || !this.#isReceived(channel) || this.#isWaiting(0)) return undefined;
    const missing = this.#missing(channel);
    return missing.findLast((span) => this.#isReachable(span) && !this.#isWaiting(span.fromMs));
  }

  /** Spans before the newest candle that neither the stream nor the listing has delivered, oldest first. */
  #missing(channel: string): readonly Span[] {
    const { candles, unfinished } = this.#slice(channel).data;
    const intervalMs = getInterval(channel);
    const newestMs = candles.at(-1)?.open_time_ms;
    if (newestMs === undefined) return [];
    const shown = this.#dashboard.modelOf(marketView).periods;
    const periods = Math.min(MAX_CANDLES_KEPT, Math.max(PERIODS, shown * 2));
    const target = { fromMs: newestMs - periods * intervalMs, untilMs: newestMs };
    const unread = this.#past.lacking(target);
    if (unread.length === 0) return [];
    const whole = candles
      .filter(({ open_time_ms }) => !unfinished.has(open_time_ms))
      .reduce<readonly Span[]>(
        (spans, { open_time_ms: fromMs }) =>
          addSpan(spans, { fromMs, untilMs: fromMs + intervalMs }),
        [],
      );
    return unread.flatMap((span) => spansLacking(whole, span));
  }

  #isReachable(span: Span): boolean {
    const deep = this.#deep;
    if (deep === undefined || !isBelow(span, deep)) return true;
    return !deep.isOver && !this.#past.isFull && deep.pager.requests < MAX_REQUESTS;
  }

  async #read(span: Span): Promise<boolean> {
    const isDeep = this.#deep === undefined || isBelow(span, this.#deep);
    this.#past.isFilling = span.untilMs - span.fromMs > MINUTE_MS;
    this.#dashboard.tick();
    await (isDeep ? this.#readDeep(span) : this.#readSpan(span));
    return this.#past.lacking(span).length === 0;
  }

  /** Continues the deep run until it covers the span or its requests are spent. */
  async #readDeep({ fromMs }: Span): Promise<void> {
    this.#deep ??= this.#openDeep();
    const deep = this.#deep;
    try {
      while (!deep.isOver && deep.pager.requests < MAX_REQUESTS && !this.#past.isFull) {
        if (deep.run.fromMs !== undefined && deep.run.fromMs <= fromMs) return;
        const { value, done } = await deep.pages.next();
        if (done === true) this.#endDeep(deep);
        else deep.run.take(value.rows);
        this.#dashboard.tick();
      }
    } catch (error) {
      this.#deep = undefined;
      throw error;
    }
  }

  #openDeep(): DeepRun {
    const pager = this.#openPager({});
    const run = this.#past.begin(this.#wholeUntilMs());
    return { pager, pages: pager.pages(), run, isOver: false };
  }

  #endDeep(deep: DeepRun): void {
    deep.isOver = true;
    const { verdict } = deep.pager;
    if (verdict?.isComplete === true) deep.run.end(Number.NEGATIVE_INFINITY);
    else if (verdict !== undefined) this.#fault = `not proven: ${verdict.why}`;
  }

  /** A separate run, from the newest row back to the start of the span. */
  async #readSpan({ fromMs }: Span): Promise<void> {
    const pager = this.#openPager({ sinceMs: fromMs });
    const run = this.#past.begin(this.#wholeUntilMs());
    for await (const { rows } of pager.pages()) {
      run.take(rows);
      this.#dashboard.tick();
      if (pager.requests >= MAX_REQUESTS_OF_SPAN) return;
    }
    if (pager.verdict?.isComplete === true) run.end(fromMs);
  }

  #openPager(bounds: Bounds): Pager<TradeRecord> {
    return new Pager({
      source: this.#listing,
      limit: MAX_PAGE_LIMIT,
      bounds,
      signal: this.#signal,
    });
  }

  #wholeUntilMs(): number {
    return listingWholeUntilMs(this.#dashboard.options.store, this.#clock);
  }

  #isCompareDue(): boolean {
    if (this.#clock.now() - this.#comparedAtMs < COMPARE_MS || this.#isWaiting(0)) return false;
    const channel = getChannel(this.#dashboard, this.#name);
    return channel !== undefined && this.#isReceived(channel) && this.#ended(channel).length > 0;
  }

  async #compare(): Promise<boolean> {
    this.#comparedAtMs = this.#clock.now();
    await pause(this.#clock, RETRY_MS, this.#signal);
    const records = (await this.#listing.page(undefined, MAX_PAGE_LIMIT, this.#signal)) ?? [];
    const channel = getChannel(this.#dashboard, this.#name);
    if (channel !== undefined) {
      this.#past.compare(records, this.#ended(channel), getInterval(channel));
    }
    return true;
  }

  #slice(channel: string) {
    return this.#dashboard.options.store.slice("candles", channel);
  }

  #isReceived(channel: string): boolean {
    const { link } = this.#dashboard.options.store;
    return link?.state === "open" && this.#slice(channel).feed.phase === "receiving";
  }

  #ended(channel: string): readonly LastCandle[] {
    const { candles, unfinished } = this.#slice(channel).data;
    return candles.slice(0, -1).filter(({ open_time_ms }) => !unfinished.has(open_time_ms));
  }
}

/** The candle channel of a market on screen; undefined if there is none. */
function getChannel(dashboard: Dashboard, market: string): string | undefined {
  return dashboard.channels.find((channel) => channel.startsWith(`candles/${market}/`));
}

/** True if the span lies beyond what the deep run has read. */
function isBelow({ untilMs }: Span, { run }: DeepRun): boolean {
  return run.fromMs === undefined || untilMs <= run.fromMs;
}

function getInterval(channel: string): number {
  const parts = parseChannel(channel);
  return parts?.kind === "candles" ? INTERVAL_MS[parts.interval] : 0;
}
