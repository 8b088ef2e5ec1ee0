// Measures the scale of the market that is shown: reads the newest trades until enough of them agree, and now and
// then afterwards, so that a contradiction is found. Interpretation: docs/adr/0015.
import type { Source } from "../listing/paging/source.ts";
import { accountChannel, type Subaccount } from "../select/account.ts";
import { formatMarket, type Market, readMarketName } from "../select/market.ts";
import { marketsInUnits } from "../select/scale.ts";
import { isAnswered } from "../state/feed.ts";
import type { Scales } from "../state/scales.ts";
import type { Store } from "../state/store.ts";
import type { Stream } from "../stream/stream.ts";
import type { Recorder } from "../timeline/recorder.ts";
import { type Clock, pause } from "../units/clock.ts";
import { errorText } from "../units/monitor-error.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import type { BackgroundListings } from "./background-listings.ts";

/** As many trades as a usual backlog of the stream, parsed in a few milliseconds. */
const PAGE_SIZE = 500;
/** Between two looks at the tape before its first trade, doubling. */
const LOOK_MS = 250;
const MAX_LOOK_MS = 2000;
/** Between two requests while more matches are wanted, doubling while none come. */
const MEASURE_MS = 1000;
const MAX_MEASURE_MS = 15_000;
/** Between two requests once it is settled, or when the listing does not answer. */
const CHECK_MS = 60_000;

export interface ScaleProbeOptions {
  readonly store: Store;
  readonly scales: Scales;
  readonly market: Market;
  /** Undefined when its address is not known. */
  readonly listing: Source<TradeRecord> | undefined;
  readonly clock: Clock;
  readonly recorder?: Recorder | undefined;
  readonly onReceived: () => void;
}

/** Measures until `stop`. No method throws. */
export class ScaleProbe {
  readonly #options: ScaleProbeOptions;
  readonly #market: string;
  readonly #stop = new AbortController();
  #hasAsked = false;

  constructor(options: ScaleProbeOptions) {
    this.#options = options;
    this.#market = formatMarket(options.market);
    // Rejects only when its own signal is aborted.
    this.#run().catch(() => {});
  }

  /** Once the listing was read, or while the tape is empty. */
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
      waitMs = Math.min(waitMs * 2, MAX_LOOK_MS);
    }
    for (let waitMs = MEASURE_MS; ; ) {
      const before = scales.of(this.#market).pairs;
      const isAnswered = await this.#ask(signal);
      this.#hasAsked = true;
      this.#options.onReceived();
      const isNew = scales.of(this.#market).pairs !== before;
      waitMs = isNew ? MEASURE_MS : Math.min(waitMs * 2, MAX_MEASURE_MS);
      const isBusy = isAnswered && scales.isMeasuring(this.#market);
      await pause(clock, isBusy ? waitMs : CHECK_MS, signal);
    }
  }

  /** @returns whether the listing has answered. Candles are observed in any case. */
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

// The same for the markets of a subaccount, for as long as it is shown.

/** Each needs a trades channel; further markets are shown in the units of the service. */
const MAX_PROBES = 8;

interface AccountScaleProbesOptions extends Omit<ScaleProbeOptions, "market" | "listing"> {
  readonly stream: Pick<Stream, "subscribe">;
  readonly trades: BackgroundListings | undefined;
}

/** Between two looks at the markets of the account. */
const ACCOUNT_LOOK_MS = 1000;

interface Running {
  readonly channel: string;
  readonly probe: ScaleProbe;
  readonly release: () => void;
}

/** No method throws. */
export class AccountScaleProbes {
  readonly #options: AccountScaleProbesOptions;
  readonly #running = new Map<string, Running>();
  #account = "";
  #version = -1;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: AccountScaleProbesOptions) {
    this.#options = options;
  }

  /** Cheap while nothing has changed. */
  follow(account: Subaccount | undefined): void {
    const channel = account === undefined ? "" : accountChannel(account);
    if (channel !== this.#account) {
      this.stop();
      this.#account = channel;
    }
    if (account === undefined) return;
    const { store, scales, clock } = this.#options;
    const { feed, version } = store.slice("account", channel);
    // A look at nothing must not delay the first look at something.
    if (feed.frames === 0) return;
    const nowMs = clock.now();
    if (version === this.#version || nowMs - this.#lookedAtMs < ACCOUNT_LOOK_MS) return;
    this.#version = version;
    this.#lookedAtMs = nowMs;
    for (const name of marketsInUnits(store, account)) {
      if (this.#running.size >= MAX_PROBES) return;
      // Scales from the config are not measured.
      if (!this.#running.has(name) && scales.of(name).source !== "config") this.#start(name);
    }
  }

  /** Each of the markets has been measured, or cannot be. */
  get hasTried(): boolean {
    const { store } = this.#options;
    const running = [...this.#running.values()];
    if (running.length > 0 && !isAnswered(store.slice("markets", "markets").feed)) return false;
    return running.every(
      ({ channel, probe }) => isAnswered(store.slice("trades", channel).feed) && probe.hasTried,
    );
  }

  stop(): void {
    for (const { probe, release } of this.#running.values()) {
      probe.stop();
      release();
    }
    this.#running.clear();
    this.#account = "";
    this.#version = -1;
    this.#lookedAtMs = Number.NEGATIVE_INFINITY;
  }

  #start(name: string): void {
    const { stream, trades } = this.#options;
    const market = readMarketName(name);
    if (market === undefined) return;
    const channel = `trades/${name}`;
    const release = stream.subscribe(channel);
    const listing = trades?.of(market).source;
    const probe = new ScaleProbe({ ...this.#options, market, listing });
    this.#running.set(name, { channel, probe, release });
  }
}
