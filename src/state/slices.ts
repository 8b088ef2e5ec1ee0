// The table behind the store: the state of each channel kind, and the fold that changes it.

import type { BboUpdate } from "../wire/channels/bbo.ts";
import type { LastCandle, MarkCandle } from "../wire/channels/candles.ts";
import type { ChannelKind, Updates } from "../wire/channels.ts";
import type { ChainPosition, StreamEvent } from "../wire/stream-event.ts";
import type { OpenRecord, SequencedUpdate } from "../wire/update.ts";
import { AccountState } from "./account.ts";
import { type AccountsState, noAccounts, reduceAccounts, suspectAccounts } from "./accounts.ts";
import type { Aliases } from "./aliases.ts";
import type { AuditResult } from "./audits.ts";
import { type BboState, noBbo, reduceBbo } from "./bbo.ts";
import { type CandlesState, interruptCandles, noCandles, reduceCandles } from "./candles.ts";
import type { SliceFacts } from "./facts-schema.ts";
import type { Feed } from "./feed.ts";
import { FundingRatesState } from "./funding-rates.ts";
import { OrderbookState } from "./orderbook.ts";
import { MARKET_KEYS, RecordsState } from "./records.ts";
import { TradesState } from "./trades.ts";

export interface SliceData {
  bbo: BboState;
  orderbook: OrderbookState;
  trades: TradesState;
  candles: CandlesState<LastCandle>;
  "mark-candles": CandlesState<MarkCandle>;
  markets: RecordsState;
  "market-stats": RecordsState;
  "funding-rates": FundingRatesState;
  accounts: AccountsState;
  account: AccountState;
}

/** One channel as the store holds it. `version` grows with every change of feed or data. */
export interface Slice<out K extends ChannelKind = ChannelKind> {
  readonly channel: string;
  readonly kind: K;
  readonly feed: Feed;
  readonly data: SliceData[K];
  readonly version: number;
}

/** How the state of one kind is created and changed. Functions that change data return it: the same object if changed in place. */
export interface Fold<D, U, F = unknown> {
  initial(aliases: Aliases): D;
  apply(data: D, frame: U, position: ChainPosition, atMs: number): D;
  /** Advances time while the channel is received. */
  advance?(data: D, nowMs: number): void;
  /** Why it should be fetched again; undefined while it is accepted. */
  needsResync?(data: D): string | undefined;
  /** True when it must not be shown as live. */
  isInconsistent?(data: D): boolean;
  /** The connection is lost. @param aliveAtMs monotonic time of its last sign of life; undefined if there was none */
  interrupt?(data: D, aliveAtMs: number | undefined): D;
  /** An unreadable message may have been for this channel, and no later sequence will reveal the gap. */
  miss?(data: D): D;
  /** An event of its subscription other than an update. */
  note?(data: D, event: StreamEvent): void;
  /** Missed data was fetched from the listing. */
  fill?(data: D, event: Extract<StreamEvent, { type: "filled" }>): void;
  readonly evidenceForKind?: ChannelKind;
  /** Takes an update of another channel as evidence; without a frame, earlier evidence no longer counts. */
  applyEvidence?(data: D, frame: BboUpdate | undefined, atMs: number): void;
  /**
   * Compares the state with a snapshot of the same sequence and remembers the differences: one that two audits agree on changes
   * the interpretation and replaces the rows. Absent where nothing can be compared.
   */
  audit?(data: D, snapshot: U, atMs: number): AuditResult;
  /** The `previous_sequence` of frames of this kind was misinterpreted: conclusions drawn from those frames are void. */
  markSuspect?(data: D): void;
  /** True when there is no other evidence, so that an audit is useful. Absent: always true. */
  needsAudit?(data: D): boolean;
  /** The whole state as fields of one frame that would recreate it; undefined if nothing was received. */
  snapshot(data: D): Partial<U> | undefined;
  /** State that such a frame cannot contain. */
  facts?(data: D): F;
  /** Restores the facts of an earlier state, after such a frame was applied. @throws when the facts are malformed */
  restore?(data: D, facts: F, frame: U): D;
  /** How many rows are in question: a snapshot may settle them. Absent: always none. */
  questions?(data: D): number;
}

/** The fold of any kind, for callers that keep data and frame of the same kind together. */
export type AnyFold = Fold<SliceData[ChannelKind], Updates[ChannelKind], SliceFacts[ChannelKind]>;

/** True for the frame that starts a snapshot: what was held is gone unless it is sent again. */
function beginsSnapshot({ isFirst, isSnapshot, continues }: ChainPosition): boolean {
  return isFirst || (isSnapshot && !continues);
}

function candlesFold<C extends LastCandle | MarkCandle>(): Fold<
  CandlesState<C>,
  { readonly candles: readonly C[] },
  SliceFacts["candles"]
> {
  return {
    initial: () => noCandles,
    apply: (state, { candles }, { isFirst }) => reduceCandles(state, candles, isFirst),
    // The last update of the candle that was forming may have been missed.
    interrupt: interruptCandles,
    miss: interruptCandles,
    snapshot: ({ candles }) => (candles.length === 0 ? undefined : { candles }),
    facts: ({ unfinished }) => ({ unfinished: [...unfinished] }),
    restore: ({ candles }, { unfinished }) => ({ candles, unfinished: new Set(unfinished) }),
  };
}

function recordsFold<F extends string, R extends RecordsState>(
  field: F,
  create: (aliases: Aliases) => R,
): Fold<R, SequencedUpdate & Readonly<Record<F, readonly OpenRecord[]>>, SliceFacts["markets"]> {
  return {
    initial: create,
    apply(records, frame, position) {
      records.update(frame[field], position, frame.previous_sequence);
      return records;
    },
    snapshot: (records) =>
      ({ [field]: records.records }) as Partial<
        SequencedUpdate & Readonly<Record<F, readonly OpenRecord[]>>
      >,
    facts: (records) => records.facts(),
    restore: (records, facts) => records.restore(facts),
  };
}

const createMarketRecords = (aliases: Aliases) => new RecordsState(aliases, MARKET_KEYS);

export const FOLDS: {
  readonly [K in ChannelKind]: Fold<SliceData[K], Updates[K], SliceFacts[K]>;
} = {
  bbo: {
    initial: () => noBbo,
    apply: reduceBbo,
    evidenceForKind: "orderbook",
    snapshot: ({ bbo, timestampNs }) =>
      bbo === undefined || timestampNs === undefined
        ? undefined
        : { bbo, timestamp_ns: timestampNs },
  },
  orderbook: {
    initial: () => new OrderbookState(),
    apply: (book, frame, { isFirst, isSnapshot, continues }, atMs) =>
      book.update(frame, isFirst, atMs, continues, isSnapshot),
    advance: (book, nowMs) => book.advance(nowMs),
    needsResync: (book) => book.suspect,
    isInconsistent: (book) => book.isInconsistent,
    interrupt: (book) => book.loseEvidence(),
    applyEvidence(book, frame, atMs) {
      if (frame === undefined) book.loseEvidence();
      else book.observe(frame, atMs);
    },
    markSuspect: (book) => book.markSuspect(),
    audit: (book, snapshot, atMs) => book.audit(snapshot, atMs),
    // Once the interpretation of its frames is decided, a book that can be checked against the BBO needs no audit.
    needsAudit: (book) => !book.hasEvidence || book.isOpen,
    snapshot: (book) => book.snapshot(),
    facts: (book) => book.facts(),
    restore: (book, facts) => book.restore(facts),
  },
  trades: {
    initial: () => new TradesState(),
    apply: (tape, frame, position, atMs) => tape.update(frame, position.isFirst, atMs, position),
    interrupt: (tape, aliveAtMs) => tape.interrupt(aliveAtMs),
    miss: (tape) => tape.miss(),
    note: (tape, event) => tape.note(event),
    fill: (tape, event) => tape.fill(event, event.trades),
    snapshot: (tape) => tape.snapshot(),
    facts: (tape) => tape.facts(),
    restore: (_, facts, { trades }) => TradesState.restored(trades, facts),
  },
  candles: candlesFold<LastCandle>(),
  "mark-candles": candlesFold<MarkCandle>(),
  markets: {
    ...recordsFold("markets", createMarketRecords),
    audit: (records, { markets }) => records.audit(markets, "markets"),
  },
  "market-stats": recordsFold("market_stats", createMarketRecords),
  "funding-rates": {
    ...recordsFold("funding_rates", (aliases) => new FundingRatesState(aliases)),
    snapshot: ({ rates }) => ({ funding_rates: rates }),
  },
  accounts: {
    initial: () => noAccounts,
    apply: (state, frame, position) =>
      reduceAccounts(state, frame, beginsSnapshot(position), position.continues),
    needsResync: suspectAccounts,
    snapshot: ({ subaccounts, delegations }) => ({ subaccounts, delegations }),
    facts: ({ changes, isCut, omitted, harmless }) => ({
      changes: [...changes],
      isCut,
      omitted: [...omitted.keys()],
      ways: [...omitted.values()],
      harmless: [...harmless],
    }),
    restore: (state, { changes, isCut, omitted, ways, harmless }) => ({
      ...state,
      changes: new Map(changes),
      isCut,
      omitted: new Map(omitted.map((text, i) => [text, ways[i] ?? ""])),
      harmless: new Set(harmless),
    }),
  },
  account: {
    initial: (aliases) => new AccountState(aliases),
    apply(account, frame, { isFirst, isSnapshot, continues }, atMs) {
      account.update(frame, isFirst || isSnapshot, atMs, continues);
      return account;
    },
    advance: (account, nowMs) => account.advance(nowMs),
    needsResync: (account) => account.suspect,
    markSuspect: (account) => account.markSuspect(),
    audit: (account, snapshot) => account.audit(snapshot),
    questions: (account) => account.questions,
    snapshot: (account) => account.snapshot(),
    facts: (account) => account.facts(),
    restore: (account, facts, frame) => account.restore(facts, frame),
  },
};
