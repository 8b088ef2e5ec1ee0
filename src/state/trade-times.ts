// Learns the times of one tape: how late trades are received, how far the stamps of frames run ahead of them, whether two equal
// trades can share a nanosecond, and the offset of the service's clock to ours. Interpretation: docs/adr/0005.
import { NS_PER_MS } from "../units/time.ts";
import type { Trade } from "../wire/channels/trades.ts";
import { compareNs, isEqualTrade } from "./backlog.ts";
import type { TapeFacts } from "./facts-schema.ts";

/** A trade that is older than one before it came late; one that is older than this has another clock. */
export const MAX_LATE_NS = 10_000_000_000n;
/** Trades of one nanosecond that a new one is compared with. */
const MAX_OF_MOMENT = 100;
/** Between two looks at how far the clock of the service is from that of the events. */
const CLOCK_PERIOD_MS = 1000;
/** Looks in a row at which the clock was further back than any trade comes late: it was ahead before, or was set back. */
const LOOKS_ACCEPTED = 3;

type Facts = Pick<
  TapeFacts,
  "clock" | "newestNs" | "ofNewestMoment" | "hasTwins" | "looksBack" | "lateNs" | "behindNs"
>;

export class TradeTimes {
  /** How much older than one received before it a trade was, at the most. */
  lateNs = 0n;
  /** How much older than the stamp of the frame before its own a trade was, at the most. */
  behindNs = 0n;
  /** Two equal trades of one nanosecond were received: one that is in a backlog again may be another one. */
  hasTwins = false;
  private newestNs = "0";
  /** Trades of the newest time since the last beginning, no two alike. */
  private ofNewestMoment: readonly Trade[] = [];
  /** Server time less the time of the events, by the quickest update, and when it was looked at. */
  private clock: { readonly offsetMs: number; readonly atMs: number } | undefined;
  /** Looks in a row that found the clock of the service far behind where it was. */
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

  /** Unix milliseconds by the clock of the service, at a moment of the events; undefined before the first update. */
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
   * Takes note of the trades of a frame, the oldest first as the service orders them.
   * @param frameBeforeNs stamp of the frame before; undefined where what is held may be received again
   * @returns by how much more than was known stamps run ahead of trades
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
