// What an alert reads from the store: exact numbers, and only while they are valid.
import {
  type AccountChoice,
  accountChannel,
  accountsChannel,
  chosenSubaccount,
} from "../select/account.ts";
import {
  isUnconfirmed,
  selectLiquidationShare,
  selectMarginRatio,
} from "../select/account-rows.ts";
import { positionDirection, readNumber, signedPositionSize } from "../select/fields.ts";
import {
  type FlowSpan,
  formatWindowCoverage,
  selectPriceBefore,
  selectTradeDelta,
  selectVwap,
  selectWindowCoverage,
  WHOLE_FLOW,
} from "../select/flow.ts";
import {
  findOwnRecord,
  formatMarket,
  isOfMarket,
  listedIn,
  type Market,
  marketChannels,
  parseMarketRecord,
  readRecordMarket,
  type StatName,
  selectStat,
} from "../select/market.ts";
import { selectFreshSweeps } from "../select/trades.ts";
import type { AccountState } from "../state/account.ts";
import type { Aliases, Meaning } from "../state/aliases.ts";
import { isCurrent, type PaneState } from "../state/pane-state.ts";
import type { Scales } from "../state/scales.ts";
import type { Slice } from "../state/slices.ts";
import type { Store } from "../state/store.ts";
import type { TradesState } from "../state/trades.ts";
import {
  compareDecimal,
  type Decimal,
  divideHalfEven,
  divideInteger,
  multiplyDecimal,
  parseDecimal,
  trimDecimal,
} from "../units/decimal.ts";
import { MINUTE_MS, msOfNs, SECOND_MS } from "../units/time.ts";
import type { PriceLevel } from "../wire/channels/orderbook.ts";
import type { Trade } from "../wire/channels/trades.ts";
import { exactText } from "../wire/exact-numbers.ts";
import { followPath } from "../wire/json.ts";
import type { OpenRecord } from "../wire/update.ts";
import type { AlertObservation } from "./alert-crossing.ts";
import {
  type AlertRule,
  type AlertSubject,
  type AlertUnit,
  type MarketFeed,
  type MarketNumber,
  numberRow,
} from "./alert-rule.ts";

export interface AlertFacts {
  readonly store: Store;
  readonly scales: Scales;
  /** Monotonic milliseconds. */
  readonly nowMs: number;
  /** The part of the tape that the alert has already evaluated; undefined before its first observation. */
  readonly tradesSeen: TradesSeen | undefined;
}

export interface TradesSeen {
  /** Number of trades received from the stream, and the newest of the tape. */
  readonly streamed: number;
  readonly newest: Trade | undefined;
}

export function getTradesSeen(tape: TradesState): TradesSeen {
  return { streamed: tape.streamed, newest: tape.recent(1)[0] };
}

/** Trades after the newest that was seen: those that a backlog inserts before it are older. */
function countFresh(tape: TradesState, { streamed, newest }: TradesSeen): number {
  const count = Math.max(0, tape.streamed - streamed);
  const position = newest === undefined ? -1 : tape.recent(count + 1).indexOf(newest);
  return position < 0 ? count : position;
}

type Subject<K extends AlertSubject["kind"]> = Extract<AlertSubject, { readonly kind: K }>;

function observeValues(values: readonly Decimal[]): AlertObservation {
  return { kind: "values", values: new Map([["", values]]) };
}

function observeValue(value: Decimal | undefined, why: string): AlertObservation {
  return value === undefined ? why : observeValues([value]);
}

/** The first is the channel of its data; for a rule over any subaccount, the catalogue. */
export function alertChannels({ subject }: AlertRule): readonly string[] {
  if (subject.kind === "offline") return [];
  if ("account" in subject) {
    const stats =
      subject.kind === "liquidation" && subject.market !== undefined
        ? [marketChannels(subject.market, "1m").marketStats]
        : [];
    const account = chosenSubaccount(subject.account);
    const own = account ? accountChannel(account) : accountsChannel(subject.account.address);
    return [own, "markets", ...stats];
  }
  const channels = marketChannels(subject.market, "1m");
  if (subject.kind !== "number") return [feedChannel(subject.market, subject.feed)];
  return [channels[numberRow(subject.name).channel], channels.markets];
}

export function observeAlert(
  { subject, crossing }: AlertRule,
  facts: AlertFacts,
): AlertObservation {
  const unit = crossing?.unit ?? "";
  switch (subject.kind) {
    case "number":
      return observeNumber(subject, unit, facts);
    case "stale":
      return readStale(subject, facts);
    case "gap":
      return readGap(subject, facts);
    case "offline":
      return { kind: "flag", isOn: facts.store.link?.state !== "open" };
    default:
      return readAccount(subject, facts);
  }
}

/** State of the pane with the alert's data, or of the connection. */
export function alertPaneState({ subject }: AlertRule, { store, nowMs }: AlertFacts): PaneState {
  if (subject.kind === "offline") return store.link?.state === "open" ? "live" : "offline";
  const [channel = ""] = alertChannels({ subject } as AlertRule);
  const slice = store.slices.find((each) => each.channel === channel);
  return slice === undefined ? "waiting" : store.paneState(slice, nowMs);
}

function observeNumber(
  { market, name, windowMs = 0 }: Subject<"number">,
  unit: AlertUnit,
  facts: AlertFacts,
): AlertObservation {
  const { channel } = numberRow(name);
  const channels = marketChannels(market, "1m");
  const slice = facts.store.slice(KINDS[channel], channels[channel]);
  return whyNot(slice, facts) ?? NUMBERS[name]({ market, channels, unit, windowMs, facts });
}

const KINDS = {
  bbo: "bbo",
  orderbook: "orderbook",
  trades: "trades",
  marketStats: "market-stats",
} as const;

interface NumberQuery {
  readonly market: Market;
  readonly channels: ReturnType<typeof marketChannels>;
  readonly unit: AlertUnit;
  readonly windowMs: number;
  readonly facts: AlertFacts;
}

type NumberReader = (query: NumberQuery) => AlertObservation;

const IMBALANCE_LEVELS = 10;
const PERCENT_PLACES = 4;
/** In the most expensive market, one tick is a hundred-thousandth of a percent. */
const CHANGE_PLACES = 8;
const BASIS_POINT_PLACES = 8;
const VWAP_PLACES = 8;

const NUMBERS: Readonly<Record<MarketNumber, NumberReader>> = {
  bid: (query) => readBest(query, "bid"),
  ask: (query) => readBest(query, "ask"),
  last: readLast,
  mark: (query) => readStat(query, "markPrice"),
  index: (query) => readStat(query, "indexPrice"),
  funding: (query) => readStat(query, "fundingRate"),
  spread: readSpread,
  imbalance: readImbalance,
  delta: readDelta,
  cvd: readCvd,
  vwap: readVwap,
  trade: readTrades,
  change: readChange,
};

/** @param amounts in ticks or lots; for the unit `quote`, ticks times lots */
function inUnit(amounts: readonly bigint[], query: NumberQuery): AlertObservation {
  const plain = amounts.map((mantissa): Decimal => ({ mantissa, places: 0 }));
  return observeAmounts(plain, query);
}

function observeAmounts(
  amounts: readonly Decimal[],
  { market, unit, facts: { scales } }: NumberQuery,
): AlertObservation {
  if (unit === "ticks" || unit === "lots") return observeValues(amounts);
  const { scale } = scales.of(formatMarket(market));
  const isPrice = unit === "";
  if (scale === undefined) {
    const step = isPrice ? "tick" : "lot";
    return `what a ${step} is worth is not known; ${step}s can be watched`;
  }
  const { tickSize, lotSize } = scale;
  const size = unit === "quote" ? multiplyDecimal(lotSize, tickSize) : lotSize;
  return observeValues(amounts.map((each) => multiplyDecimal(each, isPrice ? tickSize : size)));
}

function tapeOf({ channels, facts: { store } }: NumberQuery): TradesState {
  return store.slice("trades", channels.trades).data;
}

function bestPrices({ channels, facts: { store } }: NumberQuery) {
  return store.slice("bbo", channels.bbo).data.bbo;
}

function readBest(query: NumberQuery, side: "bid" | "ask"): AlertObservation {
  const level = bestPrices(query)?.[side];
  return level ? inUnit([BigInt(level.price_ticks)], query) : `no ${side}`;
}

/** Every trade since the last observation, so that no price within a frame is missed. */
function readLast(query: NumberQuery): AlertObservation {
  const tape = tapeOf(query);
  const { tradesSeen } = query.facts;
  const fresh = tradesSeen === undefined ? 1 : countFresh(tape, tradesSeen);
  const trades = tape.recent(Math.max(1, Math.min(fresh, tape.size)));
  if (trades.length === 0) return "no trade yet";
  return inUnit(trades.map(({ price_ticks }) => BigInt(price_ticks)).reverse(), query);
}

function readSpread(query: NumberQuery): AlertObservation {
  const { bid, ask } = bestPrices(query) ?? {};
  if (!bid || !ask) return "a side is missing";
  const [low, high] = [BigInt(bid.price_ticks), BigInt(ask.price_ticks)];
  if (query.unit !== "bp") return inUnit([high - low], query);
  const points = divideInteger((high - low) * 20_000n, high + low, BASIS_POINT_PLACES);
  return observeValue(points, "both prices are 0");
}

/** Bid share of the size at the best levels of both sides, in percent. */
function readImbalance({ channels, facts: { store } }: NumberQuery): AlertObservation {
  const book = store.slice("orderbook", channels.orderbook).data;
  const { bids, asks } = book.depth(IMBALANCE_LEVELS);
  const [bid, ask] = [sumSizes(bids), sumSizes(asks)];
  return observeValue(divideInteger(bid * 100n, bid + ask, PERCENT_PLACES), "the book is empty");
}

function sumSizes(levels: readonly PriceLevel[]): bigint {
  return levels.reduce((sum, { size_base_lots }) => sum + BigInt(size_base_lots), 0n);
}

function readStat(
  { market, channels, facts: { store } }: NumberQuery,
  name: StatName,
): AlertObservation {
  const { records } = store.slice("market-stats", channels.marketStats).data;
  const text = selectStat(findOwnRecord(records, market, listedIn(store)), name, store.aliases);
  return observeValue(
    text === undefined ? text : parseDecimal(text),
    "the service does not say it",
  );
}

function readDelta(query: NumberQuery): AlertObservation {
  const tape = tapeOf(query);
  const span = getWindow(query);
  if (span === undefined) return "nothing received yet";
  return findLack(tape, span) ?? inUnit([selectTradeDelta(tape.flow, span).deltaLots], query);
}

/** Since the start of the sums. */
function readCvd(query: NumberQuery): AlertObservation {
  const tape = tapeOf(query);
  const { deltaLots } = selectTradeDelta(tape.flow, WHOLE_FLOW);
  return findAnyHole(tape) ?? inUnit([deltaLots], query);
}

function readVwap(query: NumberQuery): AlertObservation {
  const tape = tapeOf(query);
  const vwap = selectVwap(tape.flow);
  const why = findAnyHole(tape);
  if (why !== undefined || vwap === undefined) return why ?? "no trade yet";
  return observeAmounts([divideHalfEven(vwap.numerator, vwap.denominator, VWAP_PLACES)], query);
}

function readChange(query: NumberQuery): AlertObservation {
  const tape = tapeOf(query);
  const span = getWindow(query);
  const [last] = tape.recent(1);
  if (span === undefined || last === undefined) return "nothing received yet";
  const before = selectPriceBefore(tape.flow, span.fromMs);
  // From that trade to the start of the window the price was unchanged, if no trade was missed.
  const fromMs = before?.openMs ?? span.fromMs;
  const why = findLack(tape, span) ?? findHole(tape, { ...span, fromMs });
  if (why !== undefined) return why;
  if (before === undefined) return "no trade before the window";
  const [then, now] = [BigInt(before.priceTicks), BigInt(last.price_ticks)];
  const percent = divideInteger((now - then) * 100n, then, CHANGE_PLACES);
  return observeValue(percent && trimDecimal(percent), "the price was 0");
}

/** Each sweep of a taker counts as one trade; the part of it seen before does not count again. */
function readTrades(query: NumberQuery): AlertObservation {
  const tape = tapeOf(query);
  const { tradesSeen } = query.facts;
  const fresh = tradesSeen === undefined ? 0 : countFresh(tape, tradesSeen);
  const sizes = selectFreshSweeps(tape, fresh).flatMap((sweep) =>
    query.unit === "quote" ? [sweep.valueBefore, sweep.value] : [sweep.lotsBefore, sweep.lots],
  );
  return inUnit(sizes.length === 0 ? [0n] : sizes, query);
}

/** Whole seconds, up to and including the current one by the service's clock. */
function getWindow(query: NumberQuery): FlowSpan | undefined {
  const tape = tapeOf(query);
  const clockMs = tape.serverMs(query.facts.nowMs);
  if (clockMs === undefined) return undefined;
  const newestMs = msOfNs(tape.flow.newestNs ?? "0");
  // Frame timestamps may lag behind trade times.
  const isAhead = newestMs > clockMs && newestMs < clockMs + MINUTE_MS;
  const nowMs = isAhead ? newestMs : clockMs;
  const untilMs = (Math.floor(nowMs / SECOND_MS) + 1) * SECOND_MS;
  return { fromMs: untilMs - query.windowMs, untilMs };
}

/** What the window lacks, as text. */
function findLack(tape: TradesState, span: FlowSpan): string | undefined {
  const coverage = selectWindowCoverage(tape, span);
  return coverage.open > 0 || coverage.reached < 1 ? formatWindowCoverage(coverage) : undefined;
}

function findHole(tape: TradesState, span: FlowSpan): string | undefined {
  const coverage = selectWindowCoverage(tape, span);
  return coverage.open > 0 ? formatWindowCoverage({ ...coverage, reached: 1 }) : undefined;
}

function findAnyHole(tape: TradesState): string | undefined {
  const { sinceMs, newestNs } = tape.flow;
  if (sinceMs === undefined) return "nothing received yet";
  const untilMs = msOfNs(newestNs ?? "0") + 1;
  return findHole(tape, { fromMs: sinceMs, untilMs: Math.max(untilMs, sinceMs + 1) });
}

function feedChannel(market: Market, feed: MarketFeed): string {
  const { bbo, orderbook, trades } = marketChannels(market, "1m");
  return { bbo, book: orderbook, trades }[feed];
}

function feedSlice(market: Market, feed: MarketFeed, { store }: AlertFacts): Slice {
  const kind = feed === "book" ? "orderbook" : feed;
  return store.slice(kind, feedChannel(market, feed));
}

/**
 * A feed that never arrived is not stale; one that is no longer received is, whatever the reason. While a feed is being resynced,
 * only rules with a duration count it as stale.
 */
function readStale(
  { market, feed, heldMs }: Subject<"stale">,
  facts: AlertFacts,
): AlertObservation {
  const slice = feedSlice(market, feed, facts);
  const state = facts.store.paneState(slice, facts.nowMs);
  const isUndecided = heldMs === undefined ? state === "resync" : slice.feed.frames === 0;
  if (state === "waiting" || isUndecided) return state;
  return { kind: "flag", isOn: !isCurrent(state) };
}

function readGap({ market, feed }: Subject<"gap">, facts: AlertFacts): AlertObservation {
  const { feed: feedState } = feedSlice(market, feed, facts);
  return feedState.frames === 0 ? "waiting" : { kind: "count", count: feedState.gaps };
}

type AccountSubject = Extract<AlertSubject, { readonly account: AccountChoice }>;

function readAccount(subject: AccountSubject, facts: AlertFacts): AlertObservation {
  const one = chosenSubaccount(subject.account);
  if (one === undefined) return "no subaccount";
  const slice = facts.store.slice("account", accountChannel(one));
  return whyNot(slice, facts) ?? readSubaccount(subject, slice.data, facts);
}

function readSubaccount(
  subject: AccountSubject,
  account: AccountState,
  facts: AlertFacts,
): AlertObservation {
  switch (subject.kind) {
    case "position":
      return readPosition(account, subject, facts);
    case "liquidation":
      return readPositions(account, subject, facts, liquidationShare);
    case "upnl":
      return readPositions(account, subject, facts, (row, { store: { aliases } }) =>
        readNumber(aliases.value(row, "unrealizedPnl")),
      );
    case "margin":
      return readMargin(account, facts);
    case "field":
      return readField(account, subject, facts);
    case "fill":
      return { kind: "count", count: account.logs.fills.total };
    default:
      return readOrders(account, facts);
  }
}

/** A number of one position; undefined if the service does not give it, or text why it is unknown now. */
type PositionNumber = (row: OpenRecord, facts: AlertFacts) => Decimal | string | undefined;

/** One number per position, keyed by market and direction: a position that flips is a different one. */
function readPositions(
  { lists: { positions } }: AccountState,
  subject: Subject<"liquidation" | "upnl">,
  facts: AlertFacts,
  numberOf: PositionNumber,
): AlertObservation {
  const { aliases } = facts.store;
  if (!positions.isReceived) return "no list of positions yet";
  const rows = positions.rows.filter((row) => isMeant(row, subject, aliases));
  if (hasQuestion(positions, rows)) return "rows in question";
  const values = new Map<string, readonly Decimal[]>();
  for (const row of rows) {
    const value = numberOf(row, facts);
    if (typeof value === "string") return value;
    const name = positionName(row, aliases);
    if (value === undefined) continue;
    const [other = value] = values.get(name) ?? [];
    // Of two positions with the same name, watch the worse one.
    values.set(name, [trimDecimal(compareDecimal(other, value) < 0 ? other : value)]);
  }
  if (rows.length === 0 || values.size > 0) return { kind: "values", values };
  return UNNAMED[subject.kind];
}

/** A row that may be closed merely because lists may omit such rows does not prevent evaluation. */
function hasQuestion(
  { inQuestion, unnamed }: AccountState["lists"]["positions"],
  rows: readonly OpenRecord[],
): boolean {
  return rows.some((row) => inQuestion.has(row) && !unnamed.has(row));
}

const UNNAMED = {
  liquidation: "no position names both prices",
  upnl: "no position names its profit",
} as const;

/** A position of size 0 does not count. */
function isMeant(
  row: OpenRecord,
  { market }: Subject<"liquidation" | "upnl">,
  aliases: Aliases,
): boolean {
  if (readNumber(aliases.value(row, "size"))?.mantissa === 0n) return false;
  return market === undefined || isOfMarket(row, market, aliases);
}

function positionName(row: OpenRecord, aliases: Aliases): string {
  const of = readRecordMarket(row, aliases) ?? aliases.text(row, "symbol");
  return `${of ?? ""} ${positionDirection(row, aliases) ?? ""}`;
}

/** By the position's own mark price; if it has none, by that of its market, while that is received. */
function liquidationShare(row: OpenRecord, facts: AlertFacts): Decimal | string | undefined {
  const { aliases } = facts.store;
  if (aliases.text(row, "liquidationPrice") === undefined) return undefined;
  if (aliases.text(row, "markPrice") !== undefined) return selectLiquidationShare(row, aliases);
  const market = parseMarketRecord(row, aliases);
  const mark = market && observeNumber({ kind: "number", market, name: "mark" }, "", facts);
  if (mark === undefined || typeof mark === "string") return mark;
  const [price] = mark.kind === "values" ? (mark.values.get("") ?? []) : [];
  return selectLiquidationShare(row, aliases, price);
}

const LEFT_OUT = "the newest summary leaves it out: it is in question";

function readMargin(account: AccountState, { store: { aliases } }: AlertFacts): AlertObservation {
  const { summary } = account;
  if (summary === undefined) return "no summary yet";
  if (isUnconfirmed(account, aliases, ["margin", "equity"])) return LEFT_OUT;
  const share = selectMarginRatio(summary, aliases);
  return observeValue(share && trimDecimal(share), "the summary does not name margin and equity");
}

function readOrders({ lists: { orders } }: AccountState, { store }: AlertFacts): AlertObservation {
  if (!orders.isReceived) return "no list of orders yet";
  const { aliases } = store;
  const keys = orders.rows.flatMap((row) => {
    const id = aliases.text(row, "orderId") ?? aliases.text(row, "clientOrderId");
    // Ids may be unique per market only.
    const market = [aliases.text(row, "marketType")?.toLowerCase(), aliases.text(row, "market")];
    return id === undefined ? [] : [[...market, id].join("/")];
  });
  return { kind: "set", keys: new Set(keys) };
}

function readPosition(
  { lists: { positions } }: AccountState,
  { market }: { readonly market: Market },
  { store: { aliases }, scales }: AlertFacts,
): AlertObservation {
  if (!positions.isReceived) return "no list of positions yet";
  const rows = positions.rows.filter((each) => isOfMarket(each, market, aliases));
  const [row, ...more] = rows;
  if (hasQuestion(positions, rows)) return "rows in question";
  if (more.length > 0) return `${rows.length} positions in this market`;
  if (row === undefined) return observeValues([{ mantissa: 0n, places: 0 }]);
  const size = signedPositionSize(row, aliases, scales.of(formatMarket(market)).scale?.lotSize);
  return observeValue(size, "the position's size is not said, or only in lots");
}

/** By its meaning, or by its name in the summary; dots lead into nested objects. */
function readField(
  account: AccountState,
  { name }: { readonly name: string },
  { store: { aliases } }: AlertFacts,
): AlertObservation {
  const { summary } = account;
  if (summary === undefined) return "no summary yet";
  if (account.heldOver.has(name) || isUnconfirmed(account, aliases, [name as Meaning]))
    return LEFT_OUT;
  const text =
    exactText(followPath(summary, name.split("."))) ?? aliases.text(summary, name as Meaning);
  const value = text === undefined ? undefined : parseDecimal(text);
  return observeValue(value, `the summary has no number called ${name}`);
}

/** The pane state that makes the held data unusable; undefined while it is current. */
function whyNot(slice: Slice, { store, nowMs }: AlertFacts): string | undefined {
  const state = store.paneState(slice, nowMs);
  return isCurrent(state) ? undefined : state;
}
