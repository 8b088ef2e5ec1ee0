// Fills the gaps of one market's tape from the listing, if it is proven which trades were missed.
import { Pager } from "../listing/pager.ts";
import type { Source } from "../listing/source.ts";
import { formatMarket, type Market } from "../select/market.ts";
import {
  edgesSpan,
  findEdges,
  findMissedTrades,
  type HoleEdges,
  type ListedRun,
} from "../state/missed-trades.ts";
import type { Scales } from "../state/scales.ts";
import type { Store } from "../state/store.ts";
import type { TapeSpan } from "../state/trades.ts";
import { type Clock, pause } from "../units/clock.ts";
import { msOfNs, nsOfMs } from "../units/time.ts";
import type { Trade } from "../wire/channels/trades.ts";
import { MAX_PAGE_LIMIT } from "../wire/limits.ts";
import type { TradeRecord } from "../wire/rest/trades.ts";
import type { StreamListener } from "../wire/stream-event.ts";
import { listingWholeUntilMs } from "./background-listings.ts";

/** Per attempt. */
const MAX_REQUESTS = 200;
const LOOK_MS = 1000;
/** From the end of a hole to the first attempt; doubles up to the maximum. */
const RETRY_MS = 2000;
const MAX_RETRY_MS = 300_000;
/** Maximum trades per event, since lines of a recording are limited. */
const MAX_PIECE = 5000;

export interface TapeHealerOptions {
  readonly store: Store;
  readonly scales: Scales;
  readonly market: Market;
  readonly listing: Source<TradeRecord>;
  readonly clock: Clock;
  readonly publish: StreamListener;
}

/** Heals until `stop`. */
export class TapeHealer {
  readonly #options: TapeHealerOptions;
  readonly #name: string;
  readonly #stop = new AbortController();
  /** By the start of the hole. */
  readonly #tries = new Map<string, { readonly atMs: number; readonly waitMs: number }>();

  constructor(options: TapeHealerOptions) {
    this.#options = options;
    this.#name = formatMarket(options.market);
    // Rejects only when aborted by `stop`.
    this.#run().catch(() => {});
  }

  stop(): void {
    this.#stop.abort();
  }

  get #tape() {
    return this.#options.store.slice("trades", `trades/${this.#name}`);
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stop;
    for (;;) {
      await pause(clock, LOOK_MS, signal);
      const hole = this.#dueHole();
      if (hole === undefined) continue;
      try {
        await this.#heal(hole);
      } catch {
        // Retried later.
        signal.throwIfAborted();
      }
      this.#retryLater(hole);
    }
  }

  /** The newest hole that is due. */
  #dueHole(): TapeSpan | undefined {
    const { store, scales } = this.#options;
    const { data, feed } = this.#tape;
    const { open } = data;
    const begins = new Set(open.map(({ afterNs }) => afterNs));
    for (const begin of this.#tries.keys()) if (!begins.has(begin)) this.#tries.delete(begin);
    const isReceived = store.link?.state === "open" && feed.phase === "receiving";
    if (!isReceived || scales.of(this.#name).scale === undefined) return undefined;
    return open.findLast((hole) => this.#isDue(hole));
  }

  #isDue(hole: TapeSpan): boolean {
    const known = this.#tries.get(hole.afterNs);
    // The time before the first frame is listed already, so it is due at once.
    if (known === undefined && this.#tape.data.firstMoment === hole) return true;
    if (known === undefined) this.#retryLater(hole);
    return known !== undefined && known.atMs <= this.#options.clock.now();
  }

  #retryLater({ afterNs }: TapeSpan): void {
    const { waitMs = RETRY_MS / 2 } = this.#tries.get(afterNs) ?? {};
    const next = Math.min(waitMs * 2, MAX_RETRY_MS);
    this.#tries.set(afterNs, { atMs: this.#options.clock.now() + next, waitMs: next });
  }

  async #heal(hole: TapeSpan): Promise<void> {
    const { clock, publish, scales } = this.#options;
    const before = findEdges(this.#tape.data, hole.afterNs);
    if (before === undefined) return;
    const { fromMs, untilMs } = this.#spanToRead(before);
    const run = await this.#read(fromMs, untilMs);
    // The tape may have changed in the meantime.
    const edges = findEdges(this.#tape.data, hole.afterNs);
    const { scale } = scales.of(this.#name);
    if (run === undefined || edges === undefined || scale === undefined) return;
    const { data } = this.#tape;
    const span = edgesSpan(edges, data.lateMs);
    if (span.fromMs < fromMs || span.untilMs > untilMs || data.isNearOtherHole(edges.span)) return;
    const missed = findMissedTrades(edges, run, scale, data.lateMs);
    if (!missed.isProven) return;
    const channel = `trades/${this.#name}`;
    for (const piece of splitPieces(edges, missed.trades)) {
      publish({ atMs: clock.now(), type: "filled", channel, ...piece });
    }
  }

  /** Unix milliseconds. Does not extend to the present, or an old hole would cost more requests with each attempt. */
  #spanToRead(edges: HoleEdges): { readonly fromMs: number; readonly untilMs: number } {
    const { data } = this.#tape;
    const { fromMs, untilMs } = edgesSpan(edges, data.lateMs);
    const [newest] = data.recent(1);
    // At the end of the tape, trades arriving in the meantime belong to the edge, too.
    const isWhole = newest !== undefined && msOfNs(newest.timestamp_ns) > untilMs;
    return { fromMs, untilMs: isWhole ? untilMs : Number.POSITIVE_INFINITY };
  }

  /** Undefined if not proven complete. */
  async #read(sinceMs: number, untilMs: number): Promise<ListedRun | undefined> {
    const { clock, listing: source, store } = this.#options;
    const wholeUntilMs = listingWholeUntilMs(store, clock);
    const { signal } = this.#stop;
    const bounds = { sinceMs, untilMs };
    const pager = new Pager({ source, limit: MAX_PAGE_LIMIT, bounds, signal });
    const records: TradeRecord[] = [];
    for await (const { rows } of pager.pages()) {
      for (const row of rows) records.push(row);
      if (pager.requests >= MAX_REQUESTS) return undefined;
    }
    if (pager.verdict?.isComplete !== true) return undefined;
    return { records, newestMs: pager.state.newestMs, wholeUntilMs };
  }
}

/** A long past is filled in pieces of whole milliseconds, starting from its end. */
function splitPieces(
  { span, before }: HoleEdges,
  trades: readonly Trade[],
): readonly (TapeSpan & { readonly trades: readonly Trade[] })[] {
  const pieces: (TapeSpan & { readonly trades: readonly Trade[] })[] = [];
  let [rest, untilNs] = [trades, span.untilNs];
  while (before.length === 0 && rest.length > MAX_PIECE) {
    const ms = msOfNs(rest[rest.length - MAX_PIECE]?.timestamp_ns ?? "0");
    const at = rest.findIndex(({ timestamp_ns }) => msOfNs(timestamp_ns) >= ms);
    if (at <= 0) break;
    const afterNs = `${BigInt(nsOfMs(ms)) - 1n}`;
    pieces.push({ afterNs, untilNs, trades: rest.slice(at) });
    [rest, untilNs] = [rest.slice(0, at), afterNs];
  }
  return [...pieces, { ...span, untilNs, trades: rest }];
}
