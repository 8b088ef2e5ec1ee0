// What is kept of each channel kind, and how an update changes it: the table behind the store.

import type { LastCandle } from "../wire/channels/candles.ts";
import type { MarkCandle } from "../wire/channels/mark-candles.ts";
import type { ChannelKind, Updates } from "../wire/channels.ts";
import type { UpdatePlace } from "../wire/stream-event.ts";
import { AccountState } from "./account.ts";
import { type AccountsState, noAccounts, reduceAccounts } from "./accounts.ts";
import type { Aliases } from "./aliases.ts";
import type { AuditResult } from "./audit.ts";
import { type BboState, noBbo, reduceBbo } from "./bbo.ts";
import { type CandlesState, noCandles, reduceCandles } from "./candles.ts";
import type { Feed } from "./feed.ts";
import { FundingRatesState } from "./funding-rates.ts";
import { OrderbookState } from "./orderbook.ts";
import { MARKET_KEYS, type RecordsPlace, RecordsState } from "./records.ts";
import { TradesState } from "./trades.ts";

/** Data of each channel kind. */
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
export interface Slice<K extends ChannelKind = ChannelKind> {
  readonly channel: string;
  readonly kind: K;
  readonly feed: Feed;
  readonly data: SliceData[K];
  readonly version: number;
}

interface Fold<K extends ChannelKind> {
  initial(aliases: Aliases): SliceData[K];
  /** Data that later updates of the other do not reach: the same object where none is changed in place. */
  copy(data: SliceData[K]): SliceData[K];
  /** Answers the new data: the same object where it is changed in place. */
  update(
    data: SliceData[K],
    frame: Updates[K],
    isFirst: boolean,
    atMs: number,
    place: UpdatePlace,
  ): SliceData[K];
  /**
   * Compares what is held with a snapshot of the same sequence and remembers what it found: a difference that two
   * audits agree on changes the interpretation and replaces the rows. Absent where nothing can be compared.
   */
  audit?(data: SliceData[K], snapshot: Updates[K], atMs: number): AuditResult;
}

/** True for the frame from which on what was held is not there any more, unless it comes again. */
function beginsSnapshot({ isFirst, isSnapshot, continues }: UpdatePlace): boolean {
  return isFirst || (isSnapshot && !continues);
}

function recordsPlace(
  { isFirst, isSnapshot, continues }: UpdatePlace,
  previous: string | null,
): RecordsPlace {
  const isChained = !isFirst && !isSnapshot && !continues && previous !== null;
  return { isFirst, isUnchained: isSnapshot && !isFirst, isChained, continues };
}

const same = <T>(data: T): T => data;

/** How an update of each kind changes what is kept of its channel. */
export const FOLDS: { readonly [K in ChannelKind]: Fold<K> } = {
  bbo: { initial: () => noBbo, copy: same, update: reduceBbo },
  orderbook: {
    initial: () => new OrderbookState(),
    copy: (data) => data.copy(),
    update(book, frame, isFirst, atMs, { isSnapshot, continues }) {
      book.update(frame, isFirst, atMs, continues, isSnapshot);
      return book;
    },
    audit: (book, snapshot, atMs) => book.audit(snapshot, atMs),
  },
  trades: {
    initial: () => new TradesState(),
    copy: (data) => data.copy(),
    update(tape, frame, isFirst, atMs, place) {
      tape.update(frame, isFirst, atMs, place);
      return tape;
    },
  },
  candles: {
    initial: () => noCandles,
    copy: same,
    update: (state, { candles }, isFirst) => reduceCandles(state, candles, isFirst),
  },
  "mark-candles": {
    initial: () => noCandles,
    copy: same,
    update: (state, { candles }, isFirst) => reduceCandles(state, candles, isFirst),
  },
  markets: {
    initial: (aliases) => new RecordsState(aliases, MARKET_KEYS),
    copy: (data) => data.copy(),
    update(state, { markets, previous_sequence }, _isFirst, _atMs, place) {
      state.update(markets, recordsPlace(place, previous_sequence));
      return state;
    },
    audit: (state, { markets }) => state.audit(markets, "markets"),
  },
  "market-stats": {
    initial: (aliases) => new RecordsState(aliases, MARKET_KEYS),
    copy: (data) => data.copy(),
    update(state, { market_stats, previous_sequence }, _isFirst, _atMs, place) {
      state.update(market_stats, recordsPlace(place, previous_sequence));
      return state;
    },
  },
  "funding-rates": {
    initial: (aliases) => new FundingRatesState(aliases),
    copy: (data) => data.copy(),
    update(state, { funding_rates, previous_sequence }, _isFirst, _atMs, place) {
      state.update(funding_rates, recordsPlace(place, previous_sequence));
      return state;
    },
  },
  accounts: {
    initial: () => noAccounts,
    copy: same,
    update: (state, frame, _isFirst, _atMs, place) =>
      reduceAccounts(state, frame, beginsSnapshot(place)),
  },
  account: {
    initial: (aliases) => new AccountState(aliases),
    copy: (data) => data.copy(),
    update(state, frame, isFirst, atMs, { isSnapshot, continues }) {
      state.update(frame, isFirst || isSnapshot, atMs, continues);
      return state;
    },
    audit: (state, snapshot) => state.audit(snapshot),
  },
};
