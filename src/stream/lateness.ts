// Is the stream late? It is when one of its channels is. Channels may be stamped for different moments, so each is
// measured by stamps of its own, and against the others where they seem to have one clock. Reading: docs/adr/0021.
import type { Clock } from "../units/clock.ts";
import { ChannelLateness } from "./channel-lateness.ts";

/** A late stream is opened anew, but not more often than this: where it is the service that lags, it is no use. */
const RESTART_PERIOD_MS = 300_000;

/** Channels whose stamps run further ahead of most others than this are stamped for something else. */
const OTHER_CLOCK_MS = 60_000;

/** How late the whole stream is; all times in milliseconds. Never throws. */
export class Lateness {
  readonly #channels = new Map<string, ChannelLateness>();
  #restartAtMs = Number.NEGATIVE_INFINITY;
  /** Smallest offset of the channels that seem to have one clock, and the offset of the one in the middle. */
  #quickestMs = Number.POSITIVE_INFINITY;
  #middleMs: number | undefined;

  get isLate(): boolean {
    for (const { isLate } of this.#channels.values()) if (isLate) return true;
    return false;
  }

  /** The largest lag of a late channel. */
  get lagMs(): number {
    const late = [...this.#channels.values()].filter(({ isLate }) => isLate);
    return Math.max(0, ...late.map(({ lagMs }) => lagMs));
  }

  /** See ChannelLateness. */
  lagOf(channel: string, stampMs: number, nowMs: number): number | undefined {
    return this.#channels.get(channel)?.lagOf(stampMs, nowMs, this.#quickestMs);
  }

  /** Takes note of a stamp that arrived. Answers true when the channel has just become late. */
  note(channel: string, stampMs: number, nowMs: number): boolean {
    const lateness = this.#channels.get(channel) ?? this.#add(channel);
    const before = lateness.offsetMs;
    const hasBecomeLate = lateness.note(stampMs, nowMs);
    if (lateness.offsetMs !== before) this.#compare();
    return hasBecomeLate;
  }

  /** Our wall clock less the server's stamps, as most channels have it; undefined before the first stamp. */
  skewMs(clock: Pick<Clock, "now" | "wall">): number | undefined {
    return this.#middleMs === undefined ? undefined : this.#middleMs + clock.wall() - clock.now();
  }

  /** True when the connection may be opened anew because of it; counts as done. */
  takeRestart(nowMs: number): boolean {
    if (nowMs - this.#restartAtMs < RESTART_PERIOD_MS) return false;
    this.#restartAtMs = nowMs;
    return true;
  }

  /** A new connection: another way, other delays. */
  reset(): void {
    this.#channels.clear();
    this.#compare();
  }

  #add(channel: string): ChannelLateness {
    const lateness = new ChannelLateness();
    this.#channels.set(channel, lateness);
    return lateness;
  }

  #compare(): void {
    const offsets = [...this.#channels.values()]
      .flatMap(({ offsetMs }) => offsetMs ?? [])
      .sort((a, b) => a - b);
    const middleMs = offsets[Math.floor(offsets.length / 2)];
    const leastMs = (middleMs ?? 0) - OTHER_CLOCK_MS;
    this.#middleMs = middleMs;
    this.#quickestMs = offsets.find((offset) => offset >= leastMs) ?? Number.POSITIVE_INFINITY;
  }
}
