// Measures the scale of the market that is shown: asks for the newest trades until enough of them agree, and now and
// then afterwards, so that a contradiction is found. Interpretation: docs/adr/0015.
import type { Source } from "../listing/paging/source.ts";
import { formatMarket, type Market } from "../select/market.ts";
import type { Scales } from "../state/scales.ts";
import type { Store } from "../state/store.ts";
import type { Recorder } from "../timeline/recorder.ts";
import type { Clock } from "../units/clock.ts";
import { errorText } from "../units/monitor-error.ts";
import { pause } from "../units/pause.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";

/** Trades in each request: as many as a usual backlog of the stream, parsed in a few milliseconds. */
const PAGE_SIZE = 500;
/** Between two looks at the tape, before its first trade; longer and longer in a market where nobody trades. */
const LOOK_MS = 250;
const LONGEST_LOOK_MS = 2000;
/** Between two requests while more matched trades are wanted; longer where none come. */
const MEASURE_MS = 1000;
const LONGEST_MEASURE_MS = 15_000;
/** Between two requests once it is settled, or when the listing does not answer. */
const CHECK_MS = 60_000;

/** What is measured with, and who is notified. */
export interface ScaleProbeOptions {
  readonly store: Store;
  readonly scales: Scales;
  readonly market: Market;
  /** The listing; undefined when its address is not known. */
  readonly listing: Source<TradeRecord> | undefined;
  readonly clock: Clock;
  /** Writes down what is received. */
  readonly recorder?: Recorder | undefined;
  /** Something was received: what is shown may have changed. */
  readonly onReceived: () => void;
}

/** Measures from the time that it is made until `stop`. No method throws. */
export class ScaleProbe {
  readonly #options: ScaleProbeOptions;
  readonly #market: string;
  readonly #stop = new AbortController();
  #hasAsked = false;

  constructor(options: ScaleProbeOptions) {
    this.#options = options;
    this.#market = formatMarket(options.market);
    // It ends with nothing but the abort of its own signal.
    this.#run().catch(() => {});
  }

  /** True when the listing has been asked once, or there is nothing to ask it about yet. */
  get hasTried(): boolean {
    return this.#hasAsked || this.#options.listing === undefined || this.#tapeSize() === 0;
  }

  stop(): void {
    this.#stop.abort();
  }

  async #run(): Promise<void> {
    const { clock, scales } = this.#options;
    const { signal } = this.#stop;
    for (let waitMs = LOOK_MS; this.#tapeSize() === 0; ) {
      await pause(clock, waitMs, signal);
      waitMs = Math.min(waitMs * 2, LONGEST_LOOK_MS);
    }
    for (let waitMs = MEASURE_MS; ; ) {
      const before = scales.of(this.#market).pairs;
      const isAnswered = await this.#ask(signal);
      this.#hasAsked = true;
      this.#options.onReceived();
      const isNew = scales.of(this.#market).pairs !== before;
      waitMs = isNew ? MEASURE_MS : Math.min(waitMs * 2, LONGEST_MEASURE_MS);
      const isBusy = isAnswered && scales.isMeasuring(this.#market);
      await pause(clock, isBusy ? waitMs : CHECK_MS, signal);
    }
  }

  /** Answers whether the listing has answered. Candles are, in any case. */
  async #ask(signal: AbortSignal): Promise<boolean> {
    const { listing } = this.#options;
    try {
      const page = await listing?.get({ before: undefined, limit: PAGE_SIZE }, signal);
      signal.throwIfAborted();
      this.#observe(page?.records() ?? []);
      if (page !== undefined) return true;
      this.#markUnavailable("not measured: no --base-url");
    } catch (error) {
      signal.throwIfAborted();
      this.#observe([]);
      this.#markUnavailable(`not measured: ${errorText(error)}`);
    }
    return false;
  }

  #observe(trades: readonly TradeRecord[]): void {
    this.#options.recorder?.trades(this.#market, trades);
    this.#options.scales.observe(this.#market, trades);
  }

  #markUnavailable(obstacle: string): void {
    this.#options.recorder?.obstacle(this.#market, obstacle);
    this.#options.scales.markUnavailable(this.#market, obstacle);
  }

  #tapeSize(): number {
    const { store } = this.#options;
    return store.slice("trades", `trades/${this.#market}`).data.size;
  }
}
