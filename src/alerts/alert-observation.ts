// What an alert reads from the store: exact numbers, and only while they are true.

import {
  type AccountChoice,
  accountChannel,
  accountsChannel,
  chosenSubaccount,
} from "../select/account.ts";
import { isHeldOver, selectLiquidationShare, selectMarginRatio } from "../select/account-rows.ts";
import { positionDirection, readNumber, signedPositionSize } from "../select/fields.ts";
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
import type { AccountState } from "../state/account.ts";
import type { Aliases, Meaning } from "../state/aliases.ts";
import { isCurrent, type PaneState } from "../state/pane-state.ts";
import type { Scales } from "../state/scales.ts";
import type { Slice } from "../state/slices.ts";
import type { Store } from "../state/store.ts";
import {
  compareDecimal,
  type Decimal,
  divideInteger,
  parseDecimal,
  trimDecimal,
} from "../units/decimal.ts";
import type { PriceLevel } from "../wire/channels/orderbook.ts";
import { exactText } from "../wire/exact-numbers.ts";
import { followPath } from "../wire/json.ts";
import type { OpenRecord } from "../wire/update.ts";
import {
  type AlertObservation,
  observeNone,
  observeValue,
  observeValues,
  observeWorth,
} from "./alert-crossing.ts";
import {
  type AlertRule,
  type AlertSubject,
  type AlertUnit,
  type MarketFeed,
  type MarketNumber,
  numberRow,
} from "./alert-rule.ts";
import { FLOW_NUMBERS, type FlowNumber, isFlowNumber } from "./flow-observation.ts";

export interface AlertFacts {
  readonly store: Store;
  readonly scales: Scales;
  /** Monotonic milliseconds. */
  readonly nowMs: number;
  /** Trades of the market that the alert has seen; undefined before its first observation. */
  readonly tradesSeen: number | undefined;
}

type Subject<K extends AlertSubject["kind"]> = Extract<AlertSubject, { readonly kind: K }>;
type MarketReader = (market: Market, unit: AlertUnit, facts: AlertFacts) => AlertObservation;

const IMBALANCE_LEVELS = 10;
const PERCENT_PLACES = 4;
const BASIS_POINT_PLACES = 8;

/** The first is that of the data, of any subaccount the catalogue; none of what is no channel. */
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

/** What the pane of the alert's data says; of the connection, whether there is one. */
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
  if (!isFlowNumber(name)) return NUMBERS[name](market, unit, facts);
  const slice = facts.store.slice("trades", marketChannels(market, "1m").trades);
  const query = { tape: slice.data, market, unit, windowMs, facts };
  return whileTrue(slice, facts, () => FLOW_NUMBERS[name](query));
}

const NUMBERS: Readonly<Record<Exclude<MarketNumber, FlowNumber>, MarketReader>> = {
  bid: (market, unit, facts) => readBest(market, unit, facts, "bid"),
  ask: (market, unit, facts) => readBest(market, unit, facts, "ask"),
  last: readLast,
  mark: (market, _, facts) => readStat(market, facts, "markPrice"),
  index: (market, _, facts) => readStat(market, facts, "indexPrice"),
  funding: (market, _, facts) => readStat(market, facts, "fundingRate"),
  spread: readSpread,
  imbalance: readImbalance,
};

function readBest(
  market: Market,
  unit: AlertUnit,
  facts: AlertFacts,
  side: "bid" | "ask",
): AlertObservation {
  const slice = facts.store.slice("bbo", marketChannels(market, "1m").bbo);
  const level = slice.data.bbo?.[side];
  if (level === undefined || level === null)
    return observeNone(whyNot(slice, facts) ?? `no ${side}`);
  return whileTrue(slice, facts, () => inUnit([BigInt(level.price_ticks)], market, unit, facts));
}

/** Every trade since the last observation, so that a price that was passed in one frame is not missed. */
function readLast(market: Market, unit: AlertUnit, facts: AlertFacts): AlertObservation {
  const slice = facts.store.slice("trades", marketChannels(market, "1m").trades);
  const { streamed } = slice.data;
  const fresh = facts.tradesSeen === undefined ? 1 : streamed - facts.tradesSeen;
  const trades = slice.data.recent(Math.max(1, Math.min(fresh, slice.data.size)));
  if (trades.length === 0) return observeNone(whyNot(slice, facts) ?? "no trade yet");
  const ticks = trades.map(({ price_ticks }) => BigInt(price_ticks)).reverse();
  return whileTrue(slice, facts, () => inUnit(ticks, market, unit, facts));
}

function readSpread(market: Market, unit: AlertUnit, facts: AlertFacts): AlertObservation {
  const slice = facts.store.slice("bbo", marketChannels(market, "1m").bbo);
  const { bid, ask } = slice.data.bbo ?? {};
  if (!bid || !ask) return observeNone(whyNot(slice, facts) ?? "a side is missing");
  const [low, high] = [BigInt(bid.price_ticks), BigInt(ask.price_ticks)];
  return whileTrue(slice, facts, () => {
    if (unit !== "bp") return inUnit([high - low], market, unit, facts);
    const points = divideInteger((high - low) * 20_000n, high + low, BASIS_POINT_PLACES);
    return observeValue(points, "both prices are 0");
  });
}

/** Share of the bids in the size of the best levels of both sides, in percent. */
function readImbalance(market: Market, _: AlertUnit, facts: AlertFacts): AlertObservation {
  const slice = facts.store.slice("orderbook", marketChannels(market, "1m").orderbook);
  return whileTrue(slice, facts, () => {
    const { bids, asks } = slice.data.depth(IMBALANCE_LEVELS);
    const [bid, ask] = [sumSizes(bids), sumSizes(asks)];
    const percent = divideInteger(bid * 100n, bid + ask, PERCENT_PLACES);
    return observeValue(percent, "the book is empty");
  });
}

function sumSizes(levels: readonly PriceLevel[]): bigint {
  return levels.reduce((sum, { size_base_lots }) => sum + BigInt(size_base_lots), 0n);
}

function readStat(market: Market, facts: AlertFacts, name: StatName): AlertObservation {
  const { store } = facts;
  const slice = store.slice("market-stats", marketChannels(market, "1m").marketStats);
  return whileTrue(slice, facts, () => {
    const record = findOwnRecord(slice.data.records, market, listedIn(store));
    const text = selectStat(record, name, store.aliases);
    return observeValue(
      text === undefined ? undefined : parseDecimal(text),
      "the service does not say it",
    );
  });
}

function inUnit(
  ticks: readonly bigint[],
  market: Market,
  unit: AlertUnit,
  { scales }: AlertFacts,
): AlertObservation {
  const plain = ticks.map((mantissa): Decimal => ({ mantissa, places: 0 }));
  return unit === "ticks" ? observeValues(plain) : observeWorth(plain, "tick", market, scales);
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
 * A feed that has never come is not stale; one that is not received any more is, whatever the reason. One that is being
 * fetched anew is only where that has to last.
 */
function readStale(
  { market, feed, heldMs }: Subject<"stale">,
  facts: AlertFacts,
): AlertObservation {
  const slice = feedSlice(market, feed, facts);
  const state = facts.store.paneState(slice, facts.nowMs);
  const isUndecided = heldMs === undefined ? state === "resync" : slice.feed.frames === 0;
  if (state === "waiting" || isUndecided) return observeNone(state);
  return { kind: "flag", isOn: !isCurrent(state) };
}

function readGap({ market, feed }: Subject<"gap">, facts: AlertFacts): AlertObservation {
  const { feed: seen } = feedSlice(market, feed, facts);
  return seen.frames === 0 ? observeNone("waiting") : { kind: "count", count: seen.gaps };
}

type AccountSubject = Extract<AlertSubject, { readonly account: AccountChoice }>;

/** Of one subaccount: any-subaccount.ts names each that there is. */
function readAccount(subject: AccountSubject, facts: AlertFacts): AlertObservation {
  const one = chosenSubaccount(subject.account);
  if (one === undefined) return observeNone("no subaccount");
  const slice = facts.store.slice("account", accountChannel(one));
  return whileTrue(slice, facts, () => {
    const account = slice.data;
    switch (subject.kind) {
      case "position":
        return readPosition(account, subject, facts);
      case "liquidation":
        return readPositions(account, subject, facts, liquidationShare);
      case "upnl":
        return readPositions(account, subject, facts, unrealised);
      case "margin":
        return readMargin(account, facts);
      case "field":
        return readField(account, subject, facts);
      case "fill":
        return readFills(account);
      default:
        return readOrders(account, facts);
    }
  });
}

/** A number of one position; undefined where the service does not name it, text where it cannot be said now, and why. */
type PositionNumber = (row: OpenRecord, facts: AlertFacts) => Decimal | string | undefined;

/** One number of each position, by its market and direction: a position that turns is another one. */
function readPositions(
  { lists: { positions } }: AccountState,
  subject: Subject<"liquidation" | "upnl">,
  facts: AlertFacts,
  numberOf: PositionNumber,
): AlertObservation {
  const { aliases } = facts.store;
  if (!positions.hasCome) return observeNone("no list of positions yet");
  const rows = positions.rows.filter((row) => isMeant(row, subject, aliases));
  if (hasQuestion(positions, rows)) return observeNone("rows in question");
  const values = new Map<string, Decimal>();
  for (const row of rows) {
    const value = numberOf(row, facts);
    if (typeof value === "string") return observeNone(value);
    const name = positionName(row, aliases);
    const other = values.get(name);
    // Two of one name are watched as the one that is worse off.
    const isWorse = other === undefined || (value && compareDecimal(value, other) < 0);
    if (value !== undefined && isWorse) values.set(name, trimDecimal(value));
  }
  if (rows.length === 0 || values.size > 0) return { kind: "named", values };
  return observeNone(UNNAMED[subject.kind]);
}

/** That lists may leave rows out when they are over keeps no alert silent. */
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

/** What has no size is no position. */
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

/** By the position's own mark price; where it names none, by that of its market, while that is received. */
function liquidationShare(row: OpenRecord, facts: AlertFacts): Decimal | string | undefined {
  const { store } = facts;
  const { aliases } = store;
  if (aliases.text(row, "liquidationPrice") === undefined) return undefined;
  if (aliases.text(row, "markPrice") !== undefined) return selectLiquidationShare(row, aliases);
  const market = parseMarketRecord(row, aliases);
  const observed = market && readStat(market, facts, "markPrice");
  if (observed?.kind !== "values") return observed?.kind === "none" ? observed.why : undefined;
  return selectLiquidationShare(row, aliases, observed.values[0]);
}

function unrealised(row: OpenRecord, { store: { aliases } }: AlertFacts): Decimal | undefined {
  return readNumber(aliases.value(row, "unrealizedPnl"));
}

const LEFT_OUT = "the newest summary leaves it out: it is in question";

function readMargin(account: AccountState, { store: { aliases } }: AlertFacts): AlertObservation {
  const { summary } = account;
  if (summary === undefined) return observeNone("no summary yet");
  if (isHeldOver(account, aliases, ["margin", "equity"])) return observeNone(LEFT_OUT);
  const share = selectMarginRatio(summary, aliases);
  return observeValue(share && trimDecimal(share), "the summary does not name margin and equity");
}

function readFills({ logs: { fills } }: AccountState): AlertObservation {
  return { kind: "count", count: fills.total };
}

function readOrders({ lists: { orders } }: AccountState, { store }: AlertFacts): AlertObservation {
  if (!orders.hasCome) return observeNone("no list of orders yet");
  const { aliases } = store;
  const keys = orders.rows.flatMap((row) => {
    const id = aliases.text(row, "orderId") ?? aliases.text(row, "clientOrderId");
    // Ids may be those of a market.
    const market = [aliases.text(row, "marketType")?.toLowerCase(), aliases.text(row, "market")];
    return id === undefined ? [] : [[...market, id].join("/")];
  });
  return { kind: "set", keys: new Set(keys) };
}

/** Signed: negative for a short one, 0 where there is none. */
function readPosition(
  { lists: { positions } }: AccountState,
  { market }: { readonly market: Market },
  { store: { aliases }, scales }: AlertFacts,
): AlertObservation {
  if (!positions.hasCome) return observeNone("no list of positions yet");
  const rows = positions.rows.filter((each) => isOfMarket(each, market, aliases));
  const [row, ...more] = rows;
  if (hasQuestion(positions, rows)) return observeNone("rows in question");
  if (more.length > 0) return observeNone(`${rows.length} positions in this market`);
  if (row === undefined) return observeValues([{ mantissa: 0n, places: 0 }]);
  const size = signedPositionSize(row, aliases, scales.of(formatMarket(market)).scale?.lotSize);
  return observeValue(size, "the position's size is not said, or only in lots");
}

/** A number of the summary, by what it means or by the name that it has there; dots lead into objects. */
function readField(
  account: AccountState,
  { name }: { readonly name: string },
  { store: { aliases } }: AlertFacts,
): AlertObservation {
  const { summary } = account;
  if (summary === undefined) return observeNone("no summary yet");
  if (account.heldOver.has(name) || isHeldOver(account, aliases, [name as Meaning]))
    return observeNone(LEFT_OUT);
  const text =
    exactText(followPath(summary, name.split("."))) ?? aliases.text(summary, name as Meaning);
  const value = text === undefined ? undefined : parseDecimal(text);
  return observeValue(value, `the summary has no number called ${name}`);
}

function whileTrue(
  slice: Slice,
  facts: AlertFacts,
  read: () => AlertObservation,
): AlertObservation {
  const why = whyNot(slice, facts);
  return why === undefined ? read() : observeNone(why);
}

/** The state that keeps what is held from being true; undefined while it is. */
function whyNot(slice: Slice, { store, nowMs }: AlertFacts): string | undefined {
  const state = store.paneState(slice, nowMs);
  return isCurrent(state) ? undefined : state;
}
