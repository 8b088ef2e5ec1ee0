// Measures the scale of a market: reads the newest trades until enough of them agree, and occasionally afterwards to detect a
import type { Source } from "../listing/source.ts";
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

/** As many trades as in a typical backlog of the stream, parsed in a few milliseconds. */
const PAGE_SIZE = 500;
/** Interval of checking the tape for its first trade, doubling. */
const LOOK_MS = 250;
const MAX_LOOK_MS = 2000;
/** Interval of requests while more matches are needed, doubling while there are no new ones. */
const MEASURE_MS = 1000;
const MAX_MEASURE_MS = 15_000;
/** Interval once the scale is settled, or if the listing does not respond. */
const CHECK_MS = 60_000;

export interface ScaleProbeOptions {
  readonly store: Store;
  readonly scales: Scales;
  readonly market: Market;
  /** Undefined if its address is unknown. */
  readonly listing: Source<TradeRecord> | undefined;
  readonly clock: Clock;
  readonly recorder?: Recorder | undefined;
  readonly onReceived: () => void;
}

/** Measures until `stop`. Its methods never throw. */
export class ScaleProbe {
  readonly #options: ScaleProbeOptions;
  readonly #market: string;
  readonly #stop = new AbortController();
  #hasAsked = false;

  constructor(options: ScaleProbeOptions) {
    this.#options = options;
    this.#market = formatMarket(options.market);
    // Rejects only when aborted by `stop`.
    this.#run().catch(() => {});
  }

  /** True once the listing was read, or while the tape is empty. */
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

  /** @returns whether the listing has responded. Candles are observed in any case. */
  async #ask(signal: AbortSignal): Promise<boolean> {
    const { listing } = this.#options;
    try {
      const page = await listing?.page(undefined, PAGE_SIZE, signal);
      signal.throwIfAborted();
      this.#observe(page ?? []);
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

// The same for the markets of a subaccount, while it is shown.

/** Each needs a trades channel; further markets are shown in the service's units. */
const MAX_PROBES = 8;

interface AccountScaleProbesOptions extends Omit<ScaleProbeOptions, "market" | "listing"> {
  readonly stream: Pick<Stream, "subscribe">;
  readonly trades: BackgroundListings | undefined;
}

/** Minimum time between checks of the account's markets. */
const ACCOUNT_LOOK_MS = 1000;

interface Running {
  readonly channel: string;
  readonly probe: ScaleProbe;
  readonly release: () => void;
}

/** Its methods never throw. */
export class AccountScaleProbes {
  readonly #options: AccountScaleProbesOptions;
  readonly #running = new Map<string, Running>();
  #account = "";
  #version = -1;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: AccountScaleProbesOptions) {
    this.#options = options;
  }

  /** Cheap if nothing has changed. */
  follow(account: Subaccount | undefined): void {
    const channel = account === undefined ? "" : accountChannel(account);
    if (channel !== this.#account) {
      this.stop();
      this.#account = channel;
    }
    if (account === undefined) return;
    const { store, scales, clock } = this.#options;
    const { feed, version } = store.slice("account", channel);
    // An empty account must not delay the first real check.
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

  /** True once each of the markets has been measured, or cannot be. */
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
    const listing = trades?.of(market);
    const probe = new ScaleProbe({ ...this.#options, market, listing });
    this.#running.set(name, { channel, probe, release });
  }
}
