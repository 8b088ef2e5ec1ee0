// Learns the timing of one tape: how late trades are received, how far frame stamps run ahead of them, whether two equal trades
// can share a nanosecond, and the offset of the service's clock.
import { NS_PER_MS } from "../units/time.ts";
import type { Trade } from "../wire/channels/trades.ts";
import { compareNs, isEqualTrade } from "./backlog.ts";
import type { TapeFacts } from "./facts-schema.ts";

/** A trade older than one before it is late, up to this much; beyond it, the service's clock has changed. */
export const MAX_LATE_NS = 10_000_000_000n;
/** Trades of one nanosecond with which a new one is compared. */
const MAX_OF_MOMENT = 100;
/** Time between two measurements of the offset between the service's clock and that of the events. */
const CLOCK_PERIOD_MS = 1000;
/** Consecutive measurements with the clock set back further than any trade is late, before the step back is accepted. */
const LOOKS_ACCEPTED = 3;

type Facts = Pick<
  TapeFacts,
  "clock" | "newestNs" | "ofNewestMoment" | "hasTwins" | "looksBack" | "lateNs" | "behindNs"
>;

export class TradeTimes {
  /** Maximum by which a trade was older than one received before it. */
  lateNs = 0n;
  /** Maximum by which a trade was older than the stamp of the frame before its own. */
  behindNs = 0n;
  /** Two equal trades of one nanosecond were received, so an equal trade in a backlog may be a different one. */
  hasTwins = false;
  private newestNs = "0";
  /** Trades of the newest timestamp since the last restart, all different. */
  private ofNewestMoment: readonly Trade[] = [];
  /** Server time less event time, by the quickest update, and when it was measured. */
  private clock: { readonly offsetMs: number; readonly atMs: number } | undefined;
  /** Consecutive measurements that found the service's clock far back. */
  private looksBack = 0;

  facts(): Facts {
    const { clock, newestNs, ofNewestMoment, hasTwins, looksBack, lateNs, behindNs } = this;
    const plain = { clock, newestNs, ofNewestMoment, hasTwins, looksBack };
    return { ...plain, lateNs: `${lateNs}`, behindNs: `${behindNs}` };
  }

  restore(facts: Facts): void {
    const { clock, newestNs = "0", ofNewestMoment = [], hasTwins = false, looksBack = 0 } = facts;
    Object.assign(this, { clock, newestNs, ofNewestMoment, hasTwins, looksBack });
    this.lateNs = BigInt(facts.lateNs ?? 0);
    this.behindNs = BigInt(facts.behindNs ?? 0);
  }

  /** Rounded up. */
  get lateMs(): number {
    return Number((this.lateNs + NS_PER_MS - 1n) / NS_PER_MS);
  }

  /** Unix milliseconds by the service's clock at an event time; undefined before the first update. */
  serverMs(atMs: number): number | undefined {
    return this.clock && atMs + this.clock.offsetMs;
  }

  /** The same in nanoseconds, digit text; 0 before the first update. */
  serverNs(atMs: number): string {
    return `${BigInt(Math.max(0, Math.floor(this.serverMs(atMs) ?? 0))) * NS_PER_MS}`;
  }

  forgetClock(): void {
    this.clock = undefined;
  }

  /** @param timestampNs stamp of a frame that arrives now */
  noteStamp(timestampNs: string, atMs: number): void {
    const known = this.clock;
    if (known !== undefined && atMs - known.atMs < CLOCK_PERIOD_MS) return;
    const offsetMs = Number(BigInt(timestampNs) / NS_PER_MS) - atMs;
    const backMs = (known?.offsetMs ?? offsetMs) - offsetMs;
    this.looksBack = backMs > Number(MAX_LATE_NS / NS_PER_MS) ? this.looksBack + 1 : 0;
    const isAccepted = backMs <= 0 || this.looksBack >= LOOKS_ACCEPTED;
    this.clock = { offsetMs: isAccepted ? offsetMs : offsetMs + backMs, atMs };
  }

  /**
   * Learns from the trades of a frame, which the service orders oldest first.
   * @param frameBeforeNs stamp of the frame before; undefined where held trades may be repeated
   * @returns by how much the maximum lead of stamps over trades has grown
   */
  noteOrder(trades: readonly Trade[], frameBeforeNs: string | undefined): bigint {
    const moreNs = frameBeforeNs === undefined ? 0n : this.noteBehind(trades[0], frameBeforeNs);
    if (frameBeforeNs === undefined) this.newestNs = "0";
    for (const trade of trades) {
      const { timestamp_ns } = trade;
      const order = compareNs(timestamp_ns, this.newestNs);
      if (order < 0) {
        const lateNs = BigInt(this.newestNs) - BigInt(timestamp_ns);
        if (lateNs <= MAX_LATE_NS) {
          this.lateNs = max(this.lateNs, lateNs);
          continue;
        }
      }
      if (order === 0) this.noteMoment(trade);
      else this.ofNewestMoment = [trade];
      this.newestNs = timestamp_ns;
    }
    return moreNs;
  }

  private noteBehind(first: Trade | undefined, frameBeforeNs: string): bigint {
    const behindNs =
      first === undefined ? 0n : BigInt(frameBeforeNs || 0) - BigInt(first.timestamp_ns);
    const moreNs = behindNs - this.behindNs;
    if (moreNs <= 0n || behindNs > MAX_LATE_NS) return 0n;
    this.behindNs = behindNs;
    return moreNs;
  }

  private noteMoment(trade: Trade): void {
    const { ofNewestMoment } = this;
    if (this.hasTwins || ofNewestMoment.length >= MAX_OF_MOMENT) return;
    this.hasTwins = ofNewestMoment.some((each) => isEqualTrade(each, trade));
    this.ofNewestMoment = [...ofNewestMoment, trade];
  }
}

export function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
