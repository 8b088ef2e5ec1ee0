// Measures the program's throughput and cost: updates, frames, CPU, event loop lag, memory.
import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import type { Store } from "../state/store.ts";
import type { ScreenStatistics } from "../terminal/screen/screen.ts";
import type { Clock } from "../units/clock.ts";

/** Sampling the event loop causes wake-ups, so it runs only while statistics are shown. */
const RESOLUTION_MS = 10;
/** The line is also read at every change of the layout, but should change only about once a second. */
const LINE_PERIOD_MS = 900;
const NS_PER_MS = 1e6;
const US_PER_MS = 1000;
const MEGABYTE = 1024 * 1024;

/** Measures until `stop`. */
export class PerformanceMeter {
  readonly #clock: Pick<Clock, "now">;
  readonly #store: Store;
  readonly #screen: () => ScreenStatistics | undefined;
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #atMs: number;
  /** Frame count of each channel at the last sample. */
  #frames = new Map<string, number>();
  #cpuMs: number;
  #drawn: ScreenStatistics | undefined;
  #line = "";

  constructor(
    clock: Pick<Clock, "now">,
    store: Store,
    screen: () => ScreenStatistics | undefined = () => undefined,
  ) {
    this.#clock = clock;
    this.#store = store;
    this.#screen = screen;
    this.#atMs = clock.now();
    this.#countUpdates();
    this.#cpuMs = cpuMs();
    this.#delay.enable();
  }

  json(): object {
    const { seconds, updates, cpuMs: cpu, loopLagMs, rssBytes, screen } = this.#read();
    return {
      seconds: round(seconds),
      updates_per_second: round(updates / seconds),
      cpu_percent: round(cpu / (seconds * 10)),
      loop_lag_p99_ms: round(loopLagMs),
      rss_bytes: rssBytes,
      frames_per_second: screen === undefined ? null : round(screen.frames / seconds),
      bytes_per_second: screen === undefined ? null : round(screen.bytes / seconds),
      coalesced: screen === undefined ? null : screen.coalesced,
    };
  }

  line(): string {
    if (this.#line === "" || this.#clock.now() - this.#atMs >= LINE_PERIOD_MS) {
      this.#line = this.#makeLine();
    }
    return this.#line;
  }

  #makeLine(): string {
    const { seconds, updates, cpuMs: cpu, loopLagMs, rssBytes, screen } = this.#read();
    const { frames = 0, bytes = 0, coalesced = 0, lastPaintMs = 0 } = screen ?? {};
    return [
      `${Math.round(updates / seconds)} updates/s`,
      `${Math.round(frames / seconds)} frames/s`,
      `${frames === 0 ? 0 : Math.round(bytes / frames)} B each`,
      `last ${lastPaintMs.toFixed(2)} ms`,
      `coalesced ${coalesced}`,
      `CPU ${(cpu / (seconds * 10)).toFixed(1)}%`,
      `loop lag ${loopLagMs.toFixed(1)} ms`,
      `RSS ${Math.round(rssBytes / MEGABYTE)} MB`,
    ].join("  ");
  }

  stop(): void {
    this.#delay.disable();
  }

  /** Values since the last call. */
  #read() {
    const now = this.#clock.now();
    const cpu = cpuMs();
    const drawn = this.#screen();
    const sample = {
      // Never 0.
      seconds: Math.max(1, now - this.#atMs) / 1000,
      updates: this.#countUpdates(),
      cpuMs: cpu - this.#cpuMs,
      // 99th percentile.
      loopLagMs: Math.max(0, this.#delay.percentile(99) / NS_PER_MS - RESOLUTION_MS),
      rssBytes: process.memoryUsage.rss(),
      screen: drawn && difference(drawn, this.#drawn),
    };
    this.#atMs = now;
    this.#cpuMs = cpu;
    this.#drawn = drawn;
    this.#delay.reset();
    return sample;
  }

  /** Updates since the last sample. A channel that was dropped in the meantime restarts from 0, or is gone. */
  #countUpdates(): number {
    let updates = 0;
    const frames = new Map(this.#store.slices.map(({ channel, feed }) => [channel, feed.frames]));
    for (const [channel, count] of frames) {
      const before = this.#frames.get(channel) ?? 0;
      updates += count < before ? count : count - before;
    }
    this.#frames = frames;
    return updates;
  }
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / US_PER_MS;
}

function difference(now: ScreenStatistics, then: ScreenStatistics | undefined): ScreenStatistics {
  return {
    frames: now.frames - (then?.frames ?? 0),
    bytes: now.bytes - (then?.bytes ?? 0),
    coalesced: now.coalesced - (then?.coalesced ?? 0),
    lastPaintMs: now.lastPaintMs,
    isSlowLine: now.isSlowLine,
  };
}

/** To two decimal places. */
function round(value: number): number {
  return Math.round(value * 100) / 100;
}
