// Measures what ticks and lots are worth in the markets of a subaccount, for as long as it is shown.

import { accountChannel, type Subaccount } from "../select/account.ts";
import { readMarketName } from "../select/market.ts";
import { marketsInUnits } from "../select/scale.ts";
import { isAnswered } from "../state/feed.ts";
import type { Scales } from "../state/scales.ts";
import type { Store } from "../state/store.ts";
import type { Stream } from "../stream/stream.ts";
import type { Recorder } from "../timeline/recorder.ts";
import type { Clock } from "../units/clock.ts";
import type { BackgroundListings } from "./background-listings.ts";
import { ScaleProbe } from "./scale-probe.ts";

/** Each needs a channel of trades: others than the first ones are as their own records say. */
const MAX_PROBES = 8;

/** What is measured with, and who is notified. */
interface AccountScaleProbesOptions {
  readonly store: Store;
  readonly stream: Pick<Stream, "subscribe">;
  readonly scales: Scales;
  /** The listings; undefined where their address is not known. */
  readonly trades: BackgroundListings | undefined;
  readonly clock: Clock;
  readonly recorder?: Recorder | undefined;
  /** Something was received: what is shown may have changed. */
  readonly onReceived: () => void;
}

/** Between two looks at what markets there are. */
const LOOK_MS = 1000;

interface Running {
  readonly channel: string;
  readonly probe: ScaleProbe;
  readonly release: () => void;
}

/** A probe for each market that the rows of one subaccount are of. No method throws. */
export class AccountScaleProbes {
  readonly #options: AccountScaleProbesOptions;
  readonly #running = new Map<string, Running>();
  #account = "";
  #version = -1;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: AccountScaleProbesOptions) {
    this.#options = options;
  }

  /** This subaccount is shown now, or none. Cheap while nothing of it has changed. */
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
    if (version === this.#version || nowMs - this.#lookedAtMs < LOOK_MS) return;
    this.#version = version;
    this.#lookedAtMs = nowMs;
    for (const name of marketsInUnits(store, account)) {
      if (this.#running.size >= MAX_PROBES) return;
      // What the user has said is not measured.
      if (!this.#running.has(name) && scales.of(name).source !== "config") this.#start(name);
    }
  }

  /** True when each of the markets has been asked for what it says itself, and measured, or cannot be. */
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
    const { store, stream, scales, trades, clock, recorder, onReceived } = this.#options;
    const market = readMarketName(name);
    if (market === undefined) return;
    const channel = `trades/${name}`;
    const release = stream.subscribe(channel);
    const listing = trades?.of(market).source;
    const probe = new ScaleProbe({ store, scales, market, listing, recorder, clock, onReceived });
    this.#running.set(name, { channel, probe, release });
  }
}
