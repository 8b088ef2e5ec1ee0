// Measures the scale of whatever market the dashboard shows, for as long as its trades are received.
import type { Dashboard } from "../ui/dashboard.ts";
import type { Clock } from "../units/clock.ts";
import { formatMarket } from "../view/market.ts";
import type { RecentTrades } from "./recent-trades.ts";
import { ScaleProbe } from "./scale-probe.ts";

export class LiveScale {
  readonly #dashboard: Dashboard;
  readonly #trades: RecentTrades | undefined;
  readonly #clock: Clock;
  #probe: { readonly of: string; readonly probe: ScaleProbe } | undefined;

  constructor(dashboard: Dashboard, trades: RecentTrades | undefined, clock: Clock) {
    this.#dashboard = dashboard;
    this.#trades = trades;
    this.#clock = clock;
  }

  /** The dashboard may show another market now, or none. */
  follow(): void {
    const { market, channels, store, scales } = this.#dashboard;
    const name = market === undefined ? undefined : formatMarket(market);
    const of = channels.includes(`trades/${name}`) ? name : undefined;
    if (of === this.#probe?.of) return;
    this.stop();
    if (of === undefined || market === undefined) return;
    const probe = new ScaleProbe({
      store,
      scales,
      market,
      listing: this.#trades?.of(market).source,
      clock: this.#clock,
      onHeard: () => this.#dashboard.tick(),
    });
    this.#probe = { of, probe };
  }

  stop(): void {
    this.#probe?.probe.stop();
    this.#probe = undefined;
  }
}
