// Background work for markets shown or watched: measuring scales and filling gaps of tapes.
import type { Context } from "../args/context.ts";
import type { Subaccount } from "../select/account.ts";
import { formatMarket, type Market } from "../select/market.ts";
import type { Scales } from "../state/scales.ts";
import { type BackgroundListings, openBackgroundListings } from "./background-listings.ts";
import { AccountScaleProbes, ScaleProbe } from "./scale-probe.ts";
import type { Service } from "./service.ts";
import type { Session } from "./session.ts";
import { TapeHealer } from "./tape-healer.ts";

interface MarketTask {
  stop(): void;
}

/** Runs one task per market in use. */
export class MarketTasks<Task extends MarketTask> {
  readonly #start: (market: Market) => Task | undefined;
  readonly #running = new Map<string, Task | undefined>();
  #isOver = false;

  /** @param start returns undefined if there is nothing to do */
  constructor(start: (market: Market) => Task | undefined) {
    this.#start = start;
  }

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

  of(market: Market): Task | undefined {
    return this.#running.get(formatMarket(market));
  }

  /** Final: `hold` has no effect afterwards. */
  stop(): void {
    this.hold([]);
    this.#isOver = true;
  }
}

export class Upkeep {
  /** Undefined if the address is unknown or background requests are disabled. */
  readonly listings: BackgroundListings | undefined;
  readonly #measuring: MarketTasks<ScaleProbe>;
  readonly #healing: MarketTasks<TapeHealer>;
  readonly #ofAccount: AccountScaleProbes;

  /** @param onReceived called when displayed values may have changed */
  constructor(
    context: Context,
    service: Service,
    { store, stream, publish }: Session,
    scales: Scales,
    onReceived: () => void = () => {},
  ) {
    const { clock } = context;
    const { recorder } = service;
    const listings = openBackgroundListings(context, service);
    const probing = { store, scales, clock, recorder, onReceived };
    this.listings = listings;
    this.#measuring = new MarketTasks((market) => {
      const listing = listings?.of(market);
      return new ScaleProbe({ ...probing, market, listing });
    });
    this.#healing = new MarketTasks((market) => {
      const listing = listings?.of(market);
      return listing && new TapeHealer({ store, scales, market, listing, clock, publish });
    });
    this.#ofAccount = new AccountScaleProbes({ ...probing, stream, trades: listings });
  }

  /** @param healed whose gaps are filled, where these are others */
  hold(measured: readonly Market[], healed = measured): void {
    this.#measuring.hold(measured);
    this.#healing.hold(healed);
  }

  follow(account: Subaccount | undefined): void {
    this.#ofAccount.follow(account);
  }

  /** True once the listing was read, or while the tape is empty. */
  hasMeasured(market: Market): boolean {
    return this.#measuring.of(market)?.hasTried ?? true;
  }

  /** The same for all markets of the subaccount. */
  get hasMeasuredAccount(): boolean {
    return this.#ofAccount.hasTried;
  }

  stop(): void {
    this.#ofAccount.stop();
    this.#measuring.stop();
    this.#healing.stop();
    this.listings?.close();
  }
}
