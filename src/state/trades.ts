// Folds the trades of one market (the tape), with the spans in which some may be missing. Stream trades carry no id: within a
// subscription each is new, and the backlog of the next one is merged into what is held. Interpretation: docs/adr/0005.

import { msOfNs, NS_PER_MS, nsOfMs } from "../units/time.ts";
import type { Trade, TradesUpdate } from "../wire/channels/trades.ts";
import type { ChainPosition, StreamEvent } from "../wire/stream-event.ts";
import {
  compareNs,
  compareTime,
  isEqualTrade,
  type LaidBacklog,
  layBacklog,
  withoutListed,
} from "./backlog.ts";
import type { TapeFacts } from "./facts-schema.ts";
import { FlowState } from "./flow.ts";
import { firstTrades, getEdges, type HoleEdges, positionOfHole } from "./missed-trades.ts";
import { MAX_LATE_NS, max, TradeTimes } from "./trade-times.ts";

/** Trades that are kept; older ones are released. */
export const MAX_TRADES = 2000;
/** Holes that are kept; more of them become one. */
export const MAX_HOLES = 100;
/** How long a frame of a living channel may be on its way: a sign of life is no evidence of the time since. */
const LIVE_GRACE_MS = 1000;

/** A span of server time, nanoseconds in digit text; `untilNs` is never before `afterNs`. */
export interface TapeSpan {
  readonly afterNs: string;
  readonly untilNs: string;
}

export interface UncertainSpan extends TapeSpan {
  /** The first moment of all, which may be cut in two: nothing was lost there. */
  readonly isFirstMoment: boolean;
}

/**
 * Why trades may have been missed: the first thing that went wrong since the last update. `snapshot` where nothing did, and
 * the service began anew by itself; `since` for a past that is requested and not read yet; `several` where holes of different causes became one.
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
  /** The held trade right behind it; undefined while none was received since. */
  readonly next: Trade | undefined;
}

/** What was held when a backlog began. */
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
  /** What has been received of it, oldest first. */
  readonly trades: readonly Trade[];
}

/** The tape of one market, up to a cap, and where trades may be missing in it. Only the fold changes it. */
export class TradesState {
  /** Oldest first, in the order of the service. */
  private trades: Trade[] = [];
  total = 0;
  /** Those of them that were filled in from the listing. */
  private filledTotal = 0;
  private isNewestFirst = false;
  /** Spans in which trades may be missing, oldest first; at most as many as can still be seen. */
  holes: readonly TapeHole[] = [];
  /** Held trades that are from the listing, by the millisecond, and the spans that they fill. */
  private listed: ReadonlySet<Trade> = new Set();
  /** Spans that were filled from the listing: what stands there is no evidence of its own. */
  filled: readonly TapeSpan[] = [];
  private backlog: Backlog | undefined;
  private cause: HoleCause | undefined;
  /** What the flow has added and taken out since the backlog began, in this order. */
  private folded: { readonly trade: Trade; readonly isAdded: boolean }[] = [];
  private readonly times = new TradeTimes();
  /** What traded where, over all trades that were ever accepted. */
  readonly flow = new FlowState();
  /** Spans that are known again after something was lost: a backlog overlapped, or the listing had what was missed. */
  healed: readonly TapeSpan[] = [];
  /** Holes that are open still, but that no held trade shows any more, oldest first. */
  releasedHoles: readonly HoleEdges[] = [];
  private flowHoles: readonly TapeSpan[] = [];
  private flowReleasedHoles: readonly HoleEdges[] = [];
  private flowLateNs = 0n;
  /** Time of the newest trade that was released. */
  private releasedNs = "0";
  /** Unix milliseconds from which on the past is requested; undefined when it is that of the first update. */
  private requestedMs: number | undefined;
  /** Time of the oldest trade of all: its moment may be cut in two, until that is known. Undefined where it is not to be known. */
  private firstNs: string | undefined;
  /** Nanoseconds: the end of the past that is requested and was not held from the first update on. */
  private pastUntilNs = "0";
  /** True when a message was lost since the last update, and no new subscription shows what it was. */
  private hasMissed = false;
  /** Held trades that a service, whose backlog ended before them, is expected to send again, one by one. */
  private ahead = 0;
  /** Stamps of the first and of the last update; undefined and empty before them. */
  private firstFrameNs: string | undefined;
  private lastFrameNs = "";
  /** Monotonic, when the last one came. */
  private lastFrameAtMs: number | undefined;
  /** Monotonic: until then the feed was known to live; undefined when only the last update is known. */
  private liveUntilMs: number | undefined;
  /** All trades that are held, oldest first, as a frame that brings them. Undefined before the first update. */
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

  /** The tape that holds these trades, oldest first, and is otherwise as the facts say. */
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

  /** Spans in which trades may be missing, of all time that the flow knows; oldest first as far as the service's clock is. */
  get open(): readonly TapeSpan[] {
    return [...this.releasedHoles.map(({ span }) => span), ...this.holes];
  }

  /**
   * The same as far as times say it: where trades come late, some from before a loss may be lost with it, and some of before the
   * oldest one behind it. How late a trade before that one may have been is not seen in it.
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
   * Folds in an update; the first of a new subscription may repeat what is held.
   * @param atMs monotonic, when it came
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
   * A frame that names none may list trades once more. One with several moments as they were is not all new; with one, where no
   * two equal trades of a nanosecond were received, that moment is suspect.
   */
  private repeatsMoments({ previous_sequence, sequence, trades }: TradesUpdate): boolean {
    const newest = this.trades.at(-1);
    if (previous_sequence !== null || trades.length < 2 || newest === undefined) return false;
    const [oldest, ...others] = [...trades].sort(compareTime);
    if (oldest === undefined || compareTime(oldest, newest) > 0) return false;
    const since = this.trades.findLastIndex((trade) => compareTime(trade, oldest) < 0) + 1;
    const laid = layBacklog(this.trades.slice(since), [oldest, ...others], true);
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
    this.append(this.ahead > 0 ? this.withoutRetold(trades) : trades);
  }

  private endsWith(trades: readonly Trade[]): boolean {
    const last = trades.length === 0 ? [] : this.trades.slice(-trades.length);
    return layBacklog(last, trades).fresh.length === 0;
  }

  /** The connection is lost. @param aliveAtMs monotonic, the last sign of life; undefined when there was none */
  interrupt(aliveAtMs: number | undefined): this {
    // A connection that was opened and lost since is no evidence of the channel.
    if (this.cause === undefined) this.liveUntilMs = aliveAtMs;
    this.cause ??= "connection";
    return this;
  }

  /** A message that could not be read may have held trades, and nothing numbers them. */
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
   * The listing has the trades of the holes between these times, or none; or those of the end of a hole.
   * @param trades oldest first, by the millisecond
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
    // Before they are added: what lies in a hole is held one by one.
    this.syncFlow();
    this.addToFlow(trades);
    if (this.trades.length > MAX_TRADES * 2) this.trim();
    this.syncFlow();
  }

  /** What no held trade shows any more is of the flow only; the rest of the first moment stands before the first trade. */
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
    // What a backlog goes on with must not bring back what was filled meanwhile.
    this.backlog = undefined;
  }

  /** Nothing is missing any more behind a time within an open span. @returns true where that is all of it */
  private heal({ afterNs, untilNs }: TapeSpan, fromNs: string): boolean {
    const isWhole = compareNs(afterNs, fromNs) >= 0;
    this.noteHealed({ afterNs: isWhole ? afterNs : fromNs, untilNs });
    return isWhole;
  }

  private noteHealed(span: TapeSpan): void {
    // The past that was asked for was never lost.
    if (compareNs(span.untilNs, this.pastUntilNs) <= 0) return;
    const last = this.healed.at(-1);
    // The next piece of what is healed from its end.
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
   * Where milliseconds have several trades, the first backlog may have cut its first one in two: it counts when the listing has
   * been proven to have the rest of it.
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

  /** The first moment of the first backlog, while it may be cut in two. */
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
    // A tape that was empty begins before its first update, so a backlog from before then leaves nothing out.
    const isFromBefore =
      this.trades.length === 0 && compareNs(oldest.timestamp_ns, this.firstFrameNs ?? "0") < 0;
    if (isContinuous || isFromBefore) this.goOn(oldest, newest, mayHaveLost);
    else this.missUntil(oldest.timestamp_ns, atMs, isOverlapping);
    this.insert(fresh, isOverlapping);
  }

  /** What is held goes on with a backlog: nothing was missed since its oldest trade. */
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

  /** What was received late meanwhile may be from before a backlog that does not reach back far enough. */
  private openLateHole(firstNs: string, lostNs: string): void {
    if (this.times.lateNs === 0n || BigInt(firstNs) + this.times.lateNs <= BigInt(lostNs)) return;
    this.addHole(firstNs, firstNs, undefined, this.firstAt(firstNs));
  }

  /** What was received before a backlog that does not go on with what is held was missed. @param firstNs its oldest trade */
  private missUntil(firstNs: string, atMs: number, isOverlapping: boolean): void {
    const knownNs = this.knownUntilNs(firstNs);
    const backNs = BigInt(knownNs) - BigInt(firstNs);
    if (isOverlapping || backNs <= MAX_LATE_NS) {
      const isInHole = (span: TapeSpan) =>
        compareNs(span.afterNs, firstNs) <= 0 && compareNs(firstNs, span.untilNs) <= 0;
      // It is older than what was known to be whole, and none of it: it came late.
      if (!isOverlapping && !this.open.some(isInHole))
        this.times.lateNs = max(this.times.lateNs, backNs);
      this.addHole(knownNs, firstNs);
      return;
    }
    // The service has set its clock back meanwhile: what was missed has times by the one, by the other, or some by each.
    const knownAtMs = this.liveUntilMs ?? this.lastFrameAtMs ?? atMs;
    const lostNs = BigInt(Math.ceil(atMs - knownAtMs + LIVE_GRACE_MS)) * NS_PER_MS;
    this.addHole(knownNs, `${BigInt(knownNs) + lostNs}`);
    this.addHole(`${max(BigInt(firstNs) - lostNs, 0n)}`, firstNs);
  }

  /** Trades from the listing, which have a time by the millisecond, make way for those of a backlog that overlaps. */
  private lay(trades: readonly Trade[], hasTwins: boolean): LaidBacklog {
    const { listed } = this;
    const exact = withoutListed(this.trades, listed, trades, true);
    const laid = layBacklog(exact, trades, hasTwins);
    const isContinuous = laid.isContinuous || exact.length === this.trades.length;
    this.keepOnly(isContinuous ? exact : withoutListed(this.trades, listed, trades, false));
    return isContinuous ? laid : layBacklog(this.trades, trades, hasTwins);
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
   * Server time until which nothing was missed before a new subscription.
   * @param refutingNs time of a trade that was not seen, if there is one: until then the feed cannot have lived
   */
  private knownUntilNs(refutingNs: string | undefined): string {
    const tradeNs = this.trades.at(-1)?.timestamp_ns;
    // Where another trade of the time of an older one may come, no stamp says until when all have.
    if (this.times.hasTwins && tradeNs !== undefined) return tradeNs;
    const liveNs =
      this.liveUntilMs === undefined ? "0" : this.times.serverNs(this.liveUntilMs - LIVE_GRACE_MS);
    const stampNs = max(BigInt(latest(this.lastFrameNs, liveNs)) - this.times.behindNs, 0n);
    const knownNs = latest(tradeNs ?? "0", `${stampNs}`);
    if (refutingNs === undefined || compareNs(knownNs, refutingNs) <= 0) return knownNs;
    return tradeNs ?? this.firstFrameNs ?? knownNs;
  }

  /** Trades that the stream has brought: the newest are those that an observer has not seen. */
  get streamed(): number {
    return this.total - this.filledTotal;
  }

  /** True when the oldest trades are not held any more. */
  get hasReleased(): boolean {
    return this.releasedNs !== "0";
  }

  /** How much older than one before it a trade was received, at the most, in milliseconds rounded up. */
  get lateMs(): number {
    return this.times.lateMs;
  }

  /** True where what may be missing of a hole cannot be distinguished from what may be missing of another one. */
  isCrowded({ afterNs, untilNs }: TapeSpan): boolean {
    const { lateNs } = this.times;
    if (lateNs === 0n) return false;
    const [from, until] = [BigInt(afterNs) - 4n * lateNs, BigInt(untilNs) + 4n * lateNs];
    const isInside = (span: TapeSpan) =>
      compareNs(span.afterNs, afterNs) >= 0 && compareNs(span.untilNs, untilNs) <= 0;
    return this.open.some(
      (span) => !isInside(span) && BigInt(span.untilNs) >= from && BigInt(span.afterNs) <= until,
    );
  }

  /** Unix milliseconds by the clock of the service, at a moment of the events; undefined before the first update. */
  serverMs(atMs: number): number | undefined {
    return this.times.serverMs(atMs);
  }

  /** The trades of a service that is behind what is held: as long as it sends the same once more, one by one. */
  private withoutRetold(trades: readonly Trade[]): readonly Trade[] {
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

  /** Count of held trades after the last one that is not newer than this. */
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
    // The sums cannot separate known time between two holes that become one.
    if (isFull) this.flow.raiseFloor(second.untilNs);
    this.holes = isFull ? [joined(first, second), ...rest] : [...this.holes, hole];
  }

  /** From a time on, until another or now, nothing is missing any more. */
  private close(fromNs: string, toNs: string | undefined): void {
    this.holes = this.holes.flatMap((hole) => {
      const isBeyond = toNs !== undefined && compareNs(hole.untilNs, toNs) > 0;
      if (isBeyond || compareNs(fromNs, hole.untilNs) >= 0) return [hole];
      this.noteHealed({ ...hole, afterNs: latest(fromNs, hole.afterNs) });
      // The ends of a backlog may cut a moment in two.
      if (compareNs(fromNs, hole.afterNs) >= 0) return [{ ...hole, untilNs: fromNs }];
      // What was missed may be older than what was held before it.
      const isReached = BigInt(fromNs) <= BigInt(hole.afterNs) - this.times.lateNs;
      if (isReached) return [];
      return [{ ...hole, afterNs: fromNs, untilNs: fromNs, next: this.firstAt(fromNs) }];
    });
  }

  /** Trades at their position by time, or all behind what is held. */
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

  /** A hole goes with the trades before it: without them the listing could not be compared with what was there. */
  private placeToTrimAt(from: number): number {
    // However many may have been received late: the tape is not cut away.
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

  /** Holes that are released stay open for the flow, with what the listing is compared with. */
  private releaseHoles(holes: readonly HoleEdges[]): void {
    if (holes.length === 0) return;
    const all = [...this.releasedHoles, ...holes];
    for (const { span } of all.slice(0, -MAX_HOLES)) this.flow.raiseFloor(span.untilNs);
    this.releasedHoles = all.slice(-MAX_HOLES);
  }

  /** Stamps say so much less of the trades before them: holes that begin with one begin so much earlier. */
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

  /** The order of trades within a frame is not shown: their times tell, and the habit of the service. */
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
 * True for a frame of the sequence of a snapshot that names another one before it: a part of the snapshot, or the change
 * that led to it and came once more.
 */
function isChangeInSnapshot(frame: TradesUpdate, position: ChainPosition | undefined): boolean {
  const { previous_sequence, sequence } = frame;
  return isPartOfSnapshot(position) && previous_sequence !== null && previous_sequence !== sequence;
}

function isOrdered(trades: readonly Trade[]): boolean {
  return trades.every((trade, i) => {
    const before = trades[i - 1];
    return before === undefined || compareTime(before, trade) <= 0;
  });
}
