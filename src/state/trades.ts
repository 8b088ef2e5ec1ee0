// Folds the trades of one market (the tape), with the spans in which some may be missing. Stream trades carry no id: within a
// subscription each is new, and the backlog of the next one is merged into the held trades.

import { msOfNs, NS_PER_MS, nsOfMs } from "../units/time.ts";
import type { Trade, TradesUpdate } from "../wire/channels/trades.ts";
import type { ChainPosition, StreamEvent } from "../wire/stream-event.ts";
import { namesAnother } from "../wire/update.ts";
import {
  compareNs,
  compareTime,
  isEqualTrade,
  type MergedBacklog,
  mergeBacklog,
  withoutListed,
} from "./backlog.ts";
import type { TapeFacts } from "./facts-schema.ts";
import { FlowState } from "./flow.ts";
import { firstTrades, getEdges, type HoleEdges, positionOfHole } from "./missed-trades.ts";
import { MAX_LATE_NS, max, TradeTimes } from "./trade-times.ts";

/** Trades kept; older ones are released. */
export const MAX_TRADES = 2000;
/** Holes kept; beyond that, the oldest are joined. */
export const MAX_HOLES = 100;
/** Maximum time in flight of a frame: a sign of life proves nothing about the time since. */
const LIVE_GRACE_MS = 1000;

/** A span of server time, nanoseconds as digit text; `untilNs` is never before `afterNs`. */
export interface TapeSpan {
  readonly afterNs: string;
  readonly untilNs: string;
}

export interface UncertainSpan extends TapeSpan {
  /** The first moment of the tape, of which the backlog may hold only a part: nothing was lost there. */
  readonly isFirstMoment: boolean;
}

/**
 * Why trades may have been missed: the first fault since the last update. `snapshot` if there was none and the service restarted
 * by itself; `since` for a requested past that is not read yet; `several` for joined holes with different causes.
 */
export const HOLE_CAUSES = [
  "connection",
  "gap",
  "resync",
  "lost",
  "unavailable",
  "refused",
  "unsubscribed",
  "unreadable",
  "snapshot",
  "since",
  "several",
] as const;

export type HoleCause = (typeof HOLE_CAUSES)[number];

/** A span in which trades may have been missed. */
export interface TapeHole extends TapeSpan {
  readonly cause: HoleCause;
  /** The first held trade after it; undefined while there is none. */
  readonly next: Trade | undefined;
}

/** State from before a backlog. */
interface BeforeBacklog {
  readonly holes: readonly TapeHole[];
  readonly healed: readonly TapeSpan[];
  readonly total: number;
  readonly lastFrameNs: string;
  readonly lastFrameAtMs: number | undefined;
  readonly liveUntilMs: number | undefined;
  readonly cause: HoleCause | undefined;
}

interface Backlog {
  readonly mayHaveLost: boolean;
  readonly held: readonly Trade[];
  readonly before: BeforeBacklog;
  /** Its trades received so far, oldest first. */
  readonly trades: readonly Trade[];
}

/** The tape of one market, up to a maximum number of trades, and where some may be missing. Only the fold changes it. */
export class TradesState {
  /** Oldest first, in the service's order. */
  private trades: Trade[] = [];
  total = 0;
  /** Those filled in from the listing. */
  private filledTotal = 0;
  private isNewestFirst = false;
  /** Spans in which trades may be missing, oldest first; only those that held trades still adjoin. */
  holes: readonly TapeHole[] = [];
  /** Held trades from the listing, whose times are in whole milliseconds. */
  private listed: ReadonlySet<Trade> = new Set();
  /** Spans filled from the listing: trades there are no independent evidence. */
  filled: readonly TapeSpan[] = [];
  private backlog: Backlog | undefined;
  private cause: HoleCause | undefined;
  /** What the flow has added and removed since the backlog began, in order. */
  private folded: { readonly trade: Trade; readonly isAdded: boolean }[] = [];
  private readonly times = new TradeTimes();
  /** Sums by minute and price of all trades ever accepted. */
  readonly flow = new FlowState();
  /** Spans recovered after a loss: a backlog overlapped, or the listing had the missing trades. */
  healed: readonly TapeSpan[] = [];
  /** Holes still open but no longer adjacent to held trades, oldest first. */
  releasedHoles: readonly HoleEdges[] = [];
  private flowHoles: readonly TapeSpan[] = [];
  private flowReleasedHoles: readonly HoleEdges[] = [];
  private flowLateNs = 0n;
  /** Time of the newest released trade. */
  private releasedNs = "0";
  /** Unix milliseconds from which the past is requested; undefined if the tape starts with the first update. */
  private requestedMs: number | undefined;
  /** Time of the oldest trade, whose moment may be incomplete until it is filled. Undefined if that does not apply. */
  private firstNs: string | undefined;
  /** Nanoseconds: end of the requested past from before the first update. */
  private pastUntilNs = "0";
  /** True when a message was lost since the last update and no new subscription will make up for it. */
  private hasMissed = false;
  /** Held trades that the service is expected to repeat one by one, because its backlog ended before them. */
  private ahead = 0;
  /** Stamps of the first and the last update; undefined and empty before them. */
  private firstFrameNs: string | undefined;
  private lastFrameNs = "";
  /** Monotonic; when the last update arrived. */
  private lastFrameAtMs: number | undefined;
  /** Monotonic; until then the feed was known to be alive. Undefined if only the last update is known. */
  private liveUntilMs: number | undefined;
  /** All held trades, oldest first, as a frame that would recreate them. Undefined before the first update. */
  snapshot(): { readonly timestamp_ns: string; readonly trades: readonly Trade[] } | undefined {
    if (this.firstFrameNs === undefined) return undefined;
    return { timestamp_ns: this.lastFrameNs, trades: [...this.trades] };
  }

  facts(): TapeFacts {
    const positions = new Map(this.trades.map((trade, position) => [trade, position]));
    const positionOf = (trade: Trade | undefined) => trade && positions.get(trade);
    const { total, filledTotal, isNewestFirst, filled, healed, releasedHoles, releasedNs } = this;
    const { requestedMs, firstNs, pastUntilNs, hasMissed, cause, ahead, firstFrameNs } = this;
    const { lastFrameNs, lastFrameAtMs, liveUntilMs } = this;
    return {
      total,
      filledTotal,
      isNewestFirst,
      filled,
      healed,
      releasedHoles,
      releasedNs,
      requestedMs,
      firstNs,
      pastUntilNs,
      hasMissed,
      cause,
      ahead,
      firstFrameNs,
      lastFrameNs,
      lastFrameAtMs,
      liveUntilMs,
      ...this.times.facts(),
      holes: this.holes.map(({ next, ...hole }) => ({ ...hole, next: positionOf(next) })),
      listed: Array.from(this.listed, positionOf).filter((position) => position !== undefined),
      flow: this.flow.facts(positionOf),
    };
  }

  /** A tape with these trades, oldest first, and the given facts. */
  static restored(trades: readonly Trade[], facts: TapeFacts): TradesState {
    const { holes, listed, flow, ...others } = facts;
    const { clock, newestNs, ofNewestMoment, hasTwins, looksBack, lateNs, behindNs, ...plain } =
      others;
    const tape = new TradesState();
    Object.assign(tape, plain);
    tape.times.restore({ clock, newestNs, ofNewestMoment, hasTwins, looksBack, lateNs, behindNs });
    tape.trades = [...trades];
    tape.holes = holes.map(({ next, ...hole }) => ({
      ...hole,
      next: next === undefined ? undefined : trades[next],
    }));
    tape.listed = new Set(listed.flatMap((position) => trades[position] ?? []));
    tape.flow.restore(flow, tape.uncertain, trades);
    tape.flowLateNs = tape.times.lateNs;
    tape.flowHoles = tape.holes;
    tape.flowReleasedHoles = tape.releasedHoles;
    return tape;
  }

  get size(): number {
    return this.trades.length;
  }

  /** Spans in which trades may be missing, over the whole time of the flow; oldest first if the service's clock is monotonic. */
  get open(): readonly TapeSpan[] {
    return [...this.releasedHoles.map(({ span }) => span), ...this.holes];
  }

  /**
   * The same, widened where trades may arrive late: then late trades from before a loss may be missing, and some from before the
   * oldest trade after it. The lateness of that oldest trade itself is unknown.
   */
  get uncertain(): readonly UncertainSpan[] {
    const { firstMoment } = this;
    const { lateNs } = this.times;
    return this.open.map((span) => {
      const isFirstMoment = span === firstMoment;
      if (lateNs === 0n) return { ...span, isFirstMoment };
      const afterNs = isFirstMoment ? span.afterNs : `${max(BigInt(span.afterNs) - lateNs, 0n)}`;
      return { afterNs, untilNs: `${BigInt(span.untilNs) + 2n * lateNs}`, isFirstMoment };
    });
  }

  recent(count = MAX_TRADES): readonly Trade[] {
    return this.trades.slice(Math.max(0, this.trades.length - count)).reverse();
  }

  /**
   * Applies an update; the first of a new subscription may repeat held trades.
   * @param atMs monotonic arrival time
   */
  update(frame: TradesUpdate, isFirst: boolean, atMs: number, position?: ChainPosition): this {
    if (isChangeInSnapshot(frame, position) && this.endsWith(frame.trades)) return this;
    const { timestamp_ns } = frame;
    this.times.noteStamp(timestamp_ns, atMs);
    const isAnew = isFirst || position?.isSnapshot === true;
    const isBeginning = isAnew || this.repeatsMoments(frame);
    const trades = this.oldestFirst(frame.trades, isBeginning);
    const firstNs = trades[0]?.timestamp_ns ?? timestamp_ns;
    if (this.firstFrameNs === undefined) this.flow.begin(this.requestedMs ?? msOfNs(firstNs));
    if (!isPartOfSnapshot(position))
      this.backlog = isBeginning ? this.beginBacklog(isAnew) : undefined;
    if (this.backlog === undefined) this.addChange(trades, timestamp_ns);
    else this.addToBacklog(this.backlog, trades, timestamp_ns, atMs);
    this.noteFrame(timestamp_ns, atMs);
    this.openFirstMoment();
    this.syncFlow();
    return this;
  }

  private noteFrame(timestampNs: string, atMs: number): void {
    this.firstFrameNs ??= timestampNs;
    this.lastFrameNs = timestampNs;
    this.lastFrameAtMs = atMs;
    this.hasMissed = false;
    this.cause = undefined;
    this.liveUntilMs = undefined;
  }

  /**
   * A frame with a null previous sequence may list trades again. If it repeats several whole moments, it is not all new; if it
   * repeats one, only where no two equal trades of one nanosecond were ever received.
   */
  private repeatsMoments({ previous_sequence, sequence, trades }: TradesUpdate): boolean {
    const newest = this.trades.at(-1);
    if (previous_sequence !== null || trades.length < 2 || newest === undefined) return false;
    const [oldest, ...others] = [...trades].sort(compareTime);
    if (oldest === undefined || compareTime(oldest, newest) > 0) return false;
    const since = this.trades.findLastIndex((trade) => compareTime(trade, oldest) < 0) + 1;
    const laid = mergeBacklog(this.trades.slice(since), [oldest, ...others], true);
    return laid.isContinuous || (laid.isOverlapping && !this.times.hasTwins && sequence !== null);
  }

  private syncFlow(): void {
    const { holes, releasedHoles } = this;
    const { lateNs } = this.times;
    const isSame = holes === this.flowHoles && releasedHoles === this.flowReleasedHoles;
    if (isSame && lateNs === this.flowLateNs) return;
    this.flow.setOpen(this.uncertain, this.trades, this.releasedNs);
    this.flowLateNs = lateNs;
    this.flowHoles = holes;
    this.flowReleasedHoles = releasedHoles;
  }

  private addToFlow(trades: readonly Trade[]): void {
    for (const trade of trades) this.flow.add(trade);
    if (this.backlog !== undefined)
      for (const trade of trades) this.folded.push({ trade, isAdded: true });
  }

  private addChange(trades: readonly Trade[], frameNs: string): void {
    if (this.hasMissed)
      this.addHole(this.knownUntilNs(undefined), trades[0]?.timestamp_ns ?? frameNs);
    this.append(this.ahead > 0 ? this.withoutRepeated(trades) : trades);
  }

  private endsWith(trades: readonly Trade[]): boolean {
    const last = trades.length === 0 ? [] : this.trades.slice(-trades.length);
    return mergeBacklog(last, trades).fresh.length === 0;
  }

  /** The connection is lost. @param aliveAtMs monotonic time of the last sign of life; undefined if there was none */
  interrupt(aliveAtMs: number | undefined): this {
    // A connection opened and lost in between proves nothing about the channel.
    if (this.cause === undefined) this.liveUntilMs = aliveAtMs;
    this.cause ??= "connection";
    return this;
  }

  /** An unreadable message may have held trades, and nothing numbers them. */
  miss(): this {
    this.hasMissed = this.firstFrameNs !== undefined;
    this.cause ??= "unreadable";
    return this;
  }

  note(event: StreamEvent): void {
    if (event.type === "since") this.requestedMs = event.sinceMs;
    else if (isCause(event.type)) this.cause ??= event.type;
  }

  /**
   * The listing has supplied the trades of the holes within a span, perhaps none; or those of the end of a hole.
   * @param trades oldest first, with times in whole milliseconds
   */
  fill({ afterNs, untilNs }: TapeSpan, trades: readonly Trade[]): void {
    const isMeant = (hole: TapeSpan) => {
      if (compareNs(hole.untilNs, untilNs) > 0) return false;
      return compareNs(hole.afterNs, afterNs) >= 0 || compareNs(hole.untilNs, afterNs) > 0;
    };
    const hole = this.holes.find(isMeant);
    if (hole === undefined) {
      this.fillReleased({ afterNs, untilNs }, isMeant, trades);
      return;
    }
    this.insertListed(Math.max(0, this.positionOf(hole)), trades, { afterNs, untilNs });
    this.holes = this.holes.flatMap((each) => {
      if (!isMeant(each)) return [each];
      if (this.heal(each, afterNs)) return [];
      return [{ ...each, untilNs: afterNs, next: trades[0] ?? each.next }];
    });
    // Before the trades are added, so that they are counted and not set aside as lying in a hole.
    this.syncFlow();
    this.addToFlow(trades);
    if (this.trades.length > MAX_TRADES * 2) this.trim();
    this.syncFlow();
  }

  /** Fills released holes, which concern only the flow; the rest of the first moment goes before the first trade. */
  private fillReleased(
    filled: TapeSpan,
    isMeant: (hole: TapeSpan) => boolean,
    trades: readonly Trade[],
  ): void {
    const { firstMoment } = this;
    if (!this.releasedHoles.some(({ span }) => isMeant(span))) return;
    if (firstMoment !== undefined && isMeant(firstMoment) && !this.hasReleased)
      this.insertListed(0, trades, filled);
    const { afterNs } = filled;
    this.releasedHoles = this.releasedHoles.flatMap((edges) => {
      const { span } = edges;
      if (!isMeant(span)) return [edges];
      if (this.heal(span, afterNs)) return [];
      return [{ ...edges, span: { ...span, untilNs: afterNs }, behind: trades }];
    });
    this.syncFlow();
    this.addToFlow(trades);
  }

  private insertListed(position: number, trades: readonly Trade[], span: TapeSpan): void {
    this.trades = [...this.trades.slice(0, position), ...trades, ...this.trades.slice(position)];
    this.total += trades.length;
    this.filledTotal += trades.length;
    this.listed = new Set([...this.listed, ...trades]);
    this.filled = [...this.filled, span].slice(-MAX_HOLES);
    // A continuation of the backlog must not revert what has been filled meanwhile.
    this.backlog = undefined;
  }

  /** An open span is complete from a time on. @returns true when that covers all of it */
  private heal({ afterNs, untilNs }: TapeSpan, fromNs: string): boolean {
    const isWhole = compareNs(afterNs, fromNs) >= 0;
    this.noteHealed({ afterNs: isWhole ? afterNs : fromNs, untilNs });
    return isWhole;
  }

  private noteHealed(span: TapeSpan): void {
    // The requested past was never lost.
    if (compareNs(span.untilNs, this.pastUntilNs) <= 0) return;
    const last = this.healed.at(-1);
    // Extends the last healed span, which is filled piece by piece from its end.
    this.healed =
      last?.afterNs === span.untilNs
        ? [...this.healed.slice(0, -1), { ...last, afterNs: span.afterNs }]
        : [...this.healed, span].slice(-MAX_HOLES);
  }

  private beginBacklog(mayHaveLost: boolean): Backlog {
    this.folded = [];
    const { holes, healed, total, lastFrameNs, lastFrameAtMs, liveUntilMs, cause } = this;
    const before = { holes, healed, total, lastFrameNs, lastFrameAtMs, liveUntilMs, cause };
    return { mayHaveLost, held: [...this.trades], before, trades: [] };
  }

  private addToBacklog(
    backlog: Backlog,
    received: readonly Trade[],
    frameNs: string,
    atMs: number,
  ): void {
    const trades = [...backlog.trades, ...received].sort(compareTime);
    this.backlog = { ...backlog, trades };
    this.trades = [...backlog.held];
    for (const { trade, isAdded } of this.folded.splice(0).reverse()) {
      if (isAdded) this.flow.remove(trade);
      else this.flow.add(trade);
    }
    Object.assign(this, backlog.before);
    if (this.lastFrameNs === "") {
      this.openPast(trades[0]?.timestamp_ns ?? frameNs);
      this.append(trades);
    } else {
      this.rejoin(trades, frameNs, atMs, backlog.mayHaveLost);
      this.times.forgetClock();
      this.times.noteStamp(frameNs, atMs);
    }
  }

  private openPast(firstNs: string): void {
    const { requestedMs } = this;
    if (requestedMs === undefined) this.firstNs = firstNs;
    if (requestedMs === undefined || requestedMs >= msOfNs(firstNs)) return;
    this.pastUntilNs = firstNs;
    this.addHole(nsOfMs(requestedMs), firstNs, "since");
    this.syncFlow();
  }

  /**
   * If milliseconds hold several trades, the first backlog may contain only part of its first one: that one counts once the rest
   * has been proven from the listing.
   */
  private openFirstMoment(): void {
    const { firstNs, trades } = this;
    if (firstNs === undefined || this.pastUntilNs === firstNs) return;
    if (this.times.lateNs > 0n && this.hasReleased) {
      this.firstNs = undefined;
      this.flow.raiseFloor(`${BigInt(firstNs) + 2n * this.times.lateNs}`);
      return;
    }
    if (this.times.lateNs === 0n) {
      if (this.hasReleased || this.holes.length + this.releasedHoles.length > 0) return;
      const isShared = trades.some(
        (trade, i) =>
          i > 0 && msOfNs(trade.timestamp_ns) === msOfNs(trades[i - 1]?.timestamp_ns ?? "0"),
      );
      if (!isShared) return;
    }
    this.pastUntilNs = firstNs;
    const span = { afterNs: nsOfMs(msOfNs(firstNs)), untilNs: firstNs };
    this.releasedHoles = [
      { span, before: [], behind: [...firstTrades(this)] },
      ...this.releasedHoles,
    ];
  }

  /** The first moment of the first backlog, while it may be incomplete. */
  get firstMoment(): TapeSpan | undefined {
    const { firstNs } = this;
    return firstNs === undefined
      ? undefined
      : this.releasedHoles.find(({ span }) => span.untilNs === firstNs)?.span;
  }

  private rejoin(
    trades: readonly Trade[],
    frameNs: string,
    atMs: number,
    mayHaveLost: boolean,
  ): void {
    const [oldest, newest] = [trades[0], trades.at(-1)];
    this.ahead = 0;
    if (oldest === undefined || newest === undefined) {
      const afterNs = this.knownUntilNs(undefined);
      this.addHole(afterNs, latest(frameNs, this.times.serverNs(atMs)));
      return;
    }
    const { fresh, isOverlapping, isContinuous } = this.lay(
      trades,
      this.times.hasTwins || !mayHaveLost,
    );
    // An empty tape begins before its first update, so a backlog reaching further back leaves nothing out.
    const isFromBefore =
      this.trades.length === 0 && compareNs(oldest.timestamp_ns, this.firstFrameNs ?? "0") < 0;
    if (isContinuous || isFromBefore) this.goOn(oldest, newest, mayHaveLost);
    else this.missUntil(oldest.timestamp_ns, atMs, isOverlapping);
    this.insert(fresh, isOverlapping);
  }

  /** The backlog continues the held trades: nothing is missing since its oldest trade. */
  private goOn(oldest: Trade, newest: Trade, mayHaveLost: boolean): void {
    const lostNs = this.knownUntilNs(oldest.timestamp_ns);
    if (mayHaveLost)
      this.noteHealed({ afterNs: lostNs, untilNs: latest(lostNs, newest.timestamp_ns) });
    const held = this.trades.at(-1);
    const isBehind = held !== undefined && compareTime(held, newest) > 0;
    if (isBehind) this.ahead = this.countAfter(newest);
    this.close(oldest.timestamp_ns, isBehind ? newest.timestamp_ns : undefined);
    if (mayHaveLost && held !== undefined) this.openLateHole(oldest.timestamp_ns, lostNs);
  }

  /** Trades that arrived late in the meantime may be older than the backlog. */
  private openLateHole(firstNs: string, lostNs: string): void {
    if (this.times.lateNs === 0n || BigInt(firstNs) + this.times.lateNs <= BigInt(lostNs)) return;
    this.addHole(firstNs, firstNs, undefined, this.firstAt(firstNs));
  }

  /** The backlog does not continue the held trades: those in between were missed. @param firstNs its oldest trade */
  private missUntil(firstNs: string, atMs: number, isOverlapping: boolean): void {
    const knownNs = this.knownUntilNs(firstNs);
    const backNs = BigInt(knownNs) - BigInt(firstNs);
    if (isOverlapping || backNs <= MAX_LATE_NS) {
      const isInHole = (span: TapeSpan) =>
        compareNs(span.afterNs, firstNs) <= 0 && compareNs(firstNs, span.untilNs) <= 0;
      // It is older than a time known to be complete, and not held: so it was late.
      if (!isOverlapping && !this.open.some(isInHole))
        this.times.lateNs = max(this.times.lateNs, backNs);
      this.addHole(knownNs, firstNs);
      return;
    }
    // The service has set its clock back: missed trades may have times by the old clock, by the new one, or both.
    const knownAtMs = this.liveUntilMs ?? this.lastFrameAtMs ?? atMs;
    const lostNs = BigInt(Math.ceil(atMs - knownAtMs + LIVE_GRACE_MS)) * NS_PER_MS;
    this.addHole(knownNs, `${BigInt(knownNs) + lostNs}`);
    this.addHole(`${max(BigInt(firstNs) - lostNs, 0n)}`, firstNs);
  }

  /** Listed trades, whose times are in milliseconds, are replaced by those of an overlapping backlog. */
  private lay(trades: readonly Trade[], hasTwins: boolean): MergedBacklog {
    const { listed } = this;
    const exact = withoutListed(this.trades, listed, trades, true);
    const laid = mergeBacklog(exact, trades, hasTwins);
    const isContinuous = laid.isContinuous || exact.length === this.trades.length;
    this.keepOnly(isContinuous ? exact : withoutListed(this.trades, listed, trades, false));
    return isContinuous ? laid : mergeBacklog(this.trades, trades, hasTwins);
  }

  private keepOnly(kept: readonly Trade[]): void {
    if (kept.length === this.trades.length) return;
    const all = new Set(kept);
    for (const trade of this.trades) {
      if (all.has(trade)) continue;
      this.flow.remove(trade);
      this.folded.push({ trade, isAdded: false });
    }
    this.total -= this.trades.length - kept.length;
    this.trades = [...kept];
  }

  /**
   * Server time up to which nothing was missed before a new subscription.
   * @param refutingNs time of a missed trade, if there is one: the feed cannot have been alive until then
   */
  private knownUntilNs(refutingNs: string | undefined): string {
    const tradeNs = this.trades.at(-1)?.timestamp_ns;
    // If equal trades may share a nanosecond, no stamp shows that all of them have arrived.
    if (this.times.hasTwins && tradeNs !== undefined) return tradeNs;
    const liveNs =
      this.liveUntilMs === undefined ? "0" : this.times.serverNs(this.liveUntilMs - LIVE_GRACE_MS);
    const stampNs = max(BigInt(latest(this.lastFrameNs, liveNs)) - this.times.behindNs, 0n);
    const knownNs = latest(tradeNs ?? "0", `${stampNs}`);
    if (refutingNs === undefined || compareNs(knownNs, refutingNs) <= 0) return knownNs;
    return tradeNs ?? this.firstFrameNs ?? knownNs;
  }

  /** Trades received on the stream, without those filled in from the listing. */
  get streamed(): number {
    return this.total - this.filledTotal;
  }

  /** True when the oldest trades have been released. */
  get hasReleased(): boolean {
    return this.releasedNs !== "0";
  }

  /** Maximum lateness of a trade relative to one received before it, in milliseconds, rounded up. */
  get lateMs(): number {
    return this.times.lateMs;
  }

  /** True when trades missing from a hole cannot be distinguished from those missing from another one. */
  isNearOtherHole({ afterNs, untilNs }: TapeSpan): boolean {
    const { lateNs } = this.times;
    if (lateNs === 0n) return false;
    const [from, until] = [BigInt(afterNs) - 4n * lateNs, BigInt(untilNs) + 4n * lateNs];
    const isInside = (span: TapeSpan) =>
      compareNs(span.afterNs, afterNs) >= 0 && compareNs(span.untilNs, untilNs) <= 0;
    return this.open.some(
      (span) => !isInside(span) && BigInt(span.untilNs) >= from && BigInt(span.afterNs) <= until,
    );
  }

  /** Unix milliseconds by the service's clock at an event time; undefined before the first update. */
  serverMs(atMs: number): number | undefined {
    return this.times.serverMs(atMs);
  }

  /** Drops trades that a service lagging behind the held trades repeats, one by one, until one differs. */
  private withoutRepeated(trades: readonly Trade[]): readonly Trade[] {
    for (const [i, trade] of trades.entries()) {
      const held = this.trades.at(-this.ahead);
      if (this.ahead === 0 || held === undefined || !isEqualTrade(held, trade)) {
        this.ahead = 0;
        return trades.slice(i);
      }
      this.ahead--;
    }
    return [];
  }

  /** Number of held trades after the last one that is not newer than this. */
  private countAfter(trade: Trade): number {
    return (
      this.trades.length - 1 - this.trades.findLastIndex((held) => compareTime(held, trade) <= 0)
    );
  }

  private addHole(
    afterNs: string,
    untilNs: string,
    cause = this.cause ?? "snapshot",
    next?: Trade,
  ): void {
    const hole = { afterNs, untilNs: latest(afterNs, untilNs), next, cause };
    const [first, second, ...rest] = [...this.holes, hole];
    const isFull = first !== undefined && second !== undefined && rest.length > MAX_HOLES - 2;
    // The sums cannot separate the known time between two holes that are joined.
    if (isFull) this.flow.raiseFloor(second.untilNs);
    this.holes = isFull ? [joined(first, second), ...rest] : [...this.holes, hole];
  }

  /** Nothing is missing any more between two times, or since the first. */
  private close(fromNs: string, toNs: string | undefined): void {
    this.holes = this.holes.flatMap((hole) => {
      const isBeyond = toNs !== undefined && compareNs(hole.untilNs, toNs) > 0;
      if (isBeyond || compareNs(fromNs, hole.untilNs) >= 0) return [hole];
      this.noteHealed({ ...hole, afterNs: latest(fromNs, hole.afterNs) });
      // A backlog may begin or end within a moment.
      if (compareNs(fromNs, hole.afterNs) >= 0) return [{ ...hole, untilNs: fromNs }];
      // Missing trades may be older than the trades held before the hole.
      const isReached = BigInt(fromNs) <= BigInt(hole.afterNs) - this.times.lateNs;
      if (isReached) return [];
      return [{ ...hole, afterNs: fromNs, untilNs: fromNs, next: this.firstAt(fromNs) }];
    });
  }

  /** Inserts trades by time, or appends them all. */
  private insert(trades: readonly Trade[], isByTime: boolean): void {
    const newest = this.trades.at(-1);
    const isLater = (trade: Trade) => newest === undefined || compareTime(trade, newest) >= 0;
    const [earlier, later] = isByTime
      ? [trades.filter((trade) => !isLater(trade)), trades.filter(isLater)]
      : [[], trades];
    if (earlier.length > 0) {
      this.trades = [...this.trades, ...earlier].sort(compareTime);
      this.total += earlier.length;
      this.addToFlow(earlier);
      this.holes = this.holes.map((hole) => ({ ...hole, next: this.firstSince(hole) }));
    }
    this.append(later);
  }

  private firstSince({ untilNs, next }: TapeHole): Trade | undefined {
    return this.firstAt(untilNs) ?? next;
  }

  private firstAt(ns: string): Trade | undefined {
    return this.trades.find(({ timestamp_ns }) => compareNs(timestamp_ns, ns) >= 0);
  }

  private append(trades: readonly Trade[]): void {
    const first = trades[0];
    if (first === undefined) return;
    if (this.holes.length > 0 && this.holes.at(-1)?.next === undefined) {
      this.holes = this.holes.map((hole) => ({ ...hole, next: hole.next ?? first }));
    }
    this.trades.push(...trades.slice(-MAX_TRADES));
    this.addToFlow(trades);
    this.release(trades.slice(0, -MAX_TRADES));
    this.total += trades.length;
    if (this.trades.length > MAX_TRADES * 2) this.trim();
  }

  private positionOf(hole: TapeHole): number {
    return positionOfHole(this.trades, hole);
  }

  private trim(): void {
    const { trades, holes, lateMs } = this;
    const from = this.placeToTrimAt(trades.length - MAX_TRADES);
    const gone = new Set(holes.filter((hole) => this.positionOf(hole) <= from));
    this.release(trades.slice(0, from));
    this.trades = trades.slice(from);
    if (holes.length + this.filled.length === 0) return;
    this.releaseHoles(Array.from(gone, (hole) => getEdges(trades, holes, hole, lateMs)));
    this.holes = holes.filter((hole) => !gone.has(hole));
    const kept = new Set(this.trades);
    this.listed = new Set([...this.listed].filter((trade) => kept.has(trade)));
    const oldest = this.trades[0]?.timestamp_ns ?? "0";
    this.filled = this.filled.filter(({ untilNs }) => compareNs(untilNs, oldest) >= 0);
  }

  /** A hole is released along with the trades before it, which are needed to match it with the listing. */
  private placeToTrimAt(from: number): number {
    // However many trades arrived late, the tape is not trimmed beyond this.
    const most = from + MAX_TRADES / 2;
    const [next] = this.holes
      .map((hole) => ({ hole, position: this.positionOf(hole) }))
      .filter(({ position }) => position >= from && position <= most)
      .sort((a, b) => a.position - b.position);
    if (next === undefined) return from;
    const [oldest] = getEdges(this.trades, this.holes, next.hole, this.lateMs).before;
    return oldest !== undefined && this.trades.indexOf(oldest) < from ? next.position : from;
  }

  private release(trades: readonly Trade[]): void {
    for (const { timestamp_ns } of trades) this.releasedNs = latest(this.releasedNs, timestamp_ns);
  }

  /** Released holes stay open for the flow, with the trades needed to match the listing. */
  private releaseHoles(holes: readonly HoleEdges[]): void {
    if (holes.length === 0) return;
    const all = [...this.releasedHoles, ...holes];
    for (const { span } of all.slice(0, -MAX_HOLES)) this.flow.raiseFloor(span.untilNs);
    this.releasedHoles = all.slice(-MAX_HOLES);
  }

  /** Stamps lead trades by more than was known: holes that start at a stamp start that much earlier. */
  private lowerHoles(moreNs: bigint): void {
    const lowered = (afterNs: string, before: Trade | undefined) => {
      const least = before === undefined ? "0" : earliest(before.timestamp_ns, afterNs);
      return latest(least, `${max(BigInt(afterNs) - moreNs, 0n)}`);
    };
    this.holes = this.holes.map((hole) => {
      if (hole.cause === "since") return hole;
      const before = this.trades[this.positionOf(hole) - 1];
      return { ...hole, afterNs: lowered(hole.afterNs, before) };
    });
    const { firstMoment } = this;
    this.releasedHoles = this.releasedHoles.map((edges) => {
      const { span, before } = edges;
      if (span === firstMoment) return edges;
      return { ...edges, span: { ...span, afterNs: lowered(span.afterNs, before.at(-1)) } };
    });
  }

  /** The order of trades within a frame is not documented: it is inferred from their times and from earlier frames. */
  private oldestFirst(trades: readonly Trade[], isBeginning: boolean): readonly Trade[] {
    const first = trades[0];
    const last = trades.at(-1);
    if (first === undefined || last === undefined) return trades;
    const order = compareTime(first, last);
    if (order !== 0) this.isNewestFirst = order > 0;
    const ordered = this.isNewestFirst ? [...trades].reverse() : trades;
    if (this.ahead === 0) {
      const moreNs = this.times.noteOrder(ordered, isBeginning ? undefined : this.lastFrameNs);
      if (moreNs > 0n) this.lowerHoles(moreNs);
    }
    return isOrdered(ordered) ? ordered : [...ordered].sort(compareTime);
  }
}

function joined(earlier: TapeHole, later: TapeHole): TapeHole {
  const cause = earlier.cause === later.cause ? later.cause : "several";
  return { ...later, afterNs: earlier.afterNs, cause };
}

function isCause(type: StreamEvent["type"]): type is StreamEvent["type"] & HoleCause {
  return (HOLE_CAUSES as readonly string[]).includes(type);
}

function latest(a: string, b: string): string {
  return compareNs(a, b) >= 0 ? a : b;
}

function earliest(a: string, b: string): string {
  return compareNs(a, b) <= 0 ? a : b;
}

function isPartOfSnapshot(position: ChainPosition | undefined): boolean {
  return position?.isSnapshot === true && position.continues;
}

/**
 * True for a frame with the sequence of a snapshot that names another frame before it: a part of the snapshot, or a repeat of
 * the change that led to it.
 */
function isChangeInSnapshot(frame: TradesUpdate, position: ChainPosition | undefined): boolean {
  return isPartOfSnapshot(position) && namesAnother(frame);
}

function isOrdered(trades: readonly Trade[]): boolean {
  return trades.every((trade, i) => {
    const before = trades[i - 1];
    return before === undefined || compareTime(before, trade) <= 0;
  });
}
