// What an alert can watch, one row each: its words, its units, the channels it reads, and how its figures are read.

import { type Position, selectPositions, selectSummary } from "../rows/account.ts";
import {
  coverageOf,
  dayStartMs,
  type KnownFlow,
  type Span,
  selectDelta,
  selectPriceBefore,
  selectVwap,
} from "../rows/flow.ts";
import { knownFlow } from "../rows/known-flow.ts";
import { imbalancePercent, selectLadder } from "../rows/ladder.ts";
import { readStat, scaleOf } from "../rows/market.ts";
import { allFields } from "../rows/read.ts";
import { channelState } from "../state/channel-state.ts";
import { type Moment, serviceMs } from "../state/moment.ts";
import type { Figure } from "../state/select-market.ts";
import { select } from "../state/store.ts";
import {
  type Decimal,
  divideHalfEven,
  multiplyDecimal,
  parseDecimal,
  parseNumber,
} from "../units/decimal.ts";
import { roundToUnit } from "../units/scale.ts";
import { MINUTE_MS } from "../units/time.ts";
import type { Trade } from "../wire/frames.ts";

export type Unit = "" | "ticks" | "bp" | "%" | "base" | "quote" | "lots";

/** What a rule names beside its subject. */
export interface Target {
  /** `perp/1`. */
  readonly market: string | undefined;
  /** `ADDRESS/ID`. */
  readonly account: string | undefined;
  /** Of an account's subject: a market, or any. */
  readonly of: string | undefined;
  readonly windowMs: number | undefined;
  readonly unit: Unit;
  /** Of a rule about any field of the summary. */
  readonly field: string | undefined;
}

/** Why a rule cannot be evaluated, or its figures: one for each thing that is watched, oldest first. */
export type Reading = string | ReadonlyMap<string, readonly Decimal[]>;

/** Trades of the frame that has just been folded; none for a first frame, which tells of the past. */
export interface Fresh {
  readonly trades: readonly Trade[];
}

export interface Subject {
  readonly name: string;
  readonly of: "market" | "account";
  /** The first is meant where none is written. */
  readonly units: readonly [Unit, ...Unit[]];
  /** Its name is followed by a span of time, or by a market. */
  readonly takes?: "window" | "market" | "market or any";
  /** Trades from before the session belong to it. */
  readonly isOfFlow?: true;
  /** Where its time begins: a figure of more trades than before has crossed nothing. */
  since?(target: Target, moment: Moment): number;
  /** The first is the one whose data have to be current. */
  channels(target: Target): readonly [string, ...string[]];
  read(target: Target, moment: Moment, fresh: Fresh): Reading;
}
type Row = Omit<Subject, "of">;

export const NOTHING_RECEIVED = "nothing received yet";

/** Only data that are known to be current fire. */
export function readSubject(
  subject: Subject,
  target: Target,
  moment: Moment,
  fresh: Fresh,
): Reading {
  const [channel] = subject.channels(target);
  const { store, nowMs } = moment;
  const state = channelState(store.channels.get(channel), store.link, nowMs);
  if (state === "waiting") return NOTHING_RECEIVED;
  if (state === "live" || state === "quiet") return subject.read(target, moment, fresh);
  return `${channel.split("/", 1)} is ${state}`;
}

const one = (value: Decimal | undefined, reason: string): Reading =>
  value === undefined ? reason : new Map([["", [value]]]);
const whole = (mantissa: bigint): Decimal => ({ mantissa, places: 0 });

/** More than any level, which has at most 60 characters: a share of nothing. */
export const MORE_THAN_ANY = whole(10n ** 60n);

/** Ticks as a price, or as they are where the rule says so. */
function price(ticks: string, { unit, market = "" }: Target, { store }: Moment) {
  if (unit === "ticks") return whole(BigInt(ticks));
  const scale = scaleOf(store, market);
  return scale && multiplyDecimal(whole(BigInt(ticks)), scale.tickSize);
}

/** Lots as base, or as they are. */
function size(lots: bigint, { unit, market = "" }: Target, { store }: Moment) {
  if (unit === "lots") return whole(lots);
  const scale = scaleOf(store, market);
  return scale && multiplyDecimal(whole(lots), scale.lotSize);
}

const NO_SCALE = "the market's tick size is not known";

const bboOf = ({ market }: Target) => [`bbo/${market}`, "markets"] as const;
const tradesOf = ({ market }: Target) => [`trades/${market}`, "markets"] as const;

function stat(name: string, meaning: Figure): Row {
  return {
    ...{ name, units: [""], channels: ({ market }) => [`market-stats/${market}`] },
    read({ market = "" }, { store }) {
      const text = readStat(store, market, meaning) ?? "";
      return one(parseNumber(text), `${name} is not given`);
    },
  };
}

function best(name: "bid" | "ask"): Row {
  return {
    ...{ name, units: ["", "ticks"], channels: bboOf },
    read(target, moment) {
      const level = select(moment.store, "bbo", `bbo/${target.market}`)?.[name];
      if (level === undefined || level === null) return `there is no ${name}`;
      return one(price(level.price_ticks, target, moment), NO_SCALE);
    },
  };
}

/** Order flow over a span of time, if all of it is known. */
function ofFlow(
  row: Omit<Row, "isOfFlow" | "channels" | "read">,
  startMs: (target: Target, moment: Moment) => number,
  read: (flow: KnownFlow, span: Span, target: Target, moment: Moment) => Reading,
): Row {
  return {
    ...{ ...row, isOfFlow: true, channels: tradesOf },
    read(target, moment) {
      const flow = knownFlow(moment.store, target.market ?? "");
      const span = { fromMs: startMs(target, moment), untilMs: serviceMs(moment) + 1000 };
      const { openHoles, reached } = coverageOf(flow, span);
      if (openHoles > 0) return "trades were missed in its time";
      if (reached < 1) return "its time is not known in full yet";
      return read(flow, span, target, moment);
    },
  };
}

function windowStart({ windowMs = 0 }: Target, moment: Moment): number {
  return Math.floor((serviceMs(moment) - windowMs) / 1000) * 1000;
}

/** The UTC day, as far as trades are known. */
function sinceDay({ market = "" }: Target, moment: Moment): number {
  const nowMs = serviceMs(moment);
  return Math.max(dayStartMs(nowMs), knownFlow(moment.store, market).sinceMs ?? nowMs);
}

/** Flow is kept by the minute. */
const minuteOf = (ms: number) => Math.floor(ms / MINUTE_MS) * MINUTE_MS;

const IMBALANCE_ROWS = 20;

const MARKET_SUBJECTS: readonly Row[] = [
  {
    ...{ name: "last", units: ["", "ticks"], channels: tradesOf },
    // Each trade of a frame, so that none between two frames is passed over.
    read(target, moment, fresh) {
      const tape = select(moment.store, "trades", `trades/${target.market}`)?.trades ?? [];
      const all = fresh.trades.length > 0 ? fresh.trades : tape.slice(-1);
      if (all.length === 0) return "there is no trade yet";
      const values = all.flatMap(({ price_ticks }) => price(price_ticks, target, moment) ?? []);
      return values.length === 0 ? NO_SCALE : new Map([["", values]]);
    },
  },
  stat("mark", "mark"),
  stat("index", "index"),
  stat("funding", "funding_rate"),
  stat("oi", "open_interest"),
  best("bid"),
  best("ask"),
  {
    ...{ name: "spread", units: ["", "ticks", "bp"], channels: bboOf },
    read(target, moment) {
      const bbo = select(moment.store, "bbo", `bbo/${target.market}`);
      if (!bbo?.bid || !bbo.ask) return "a side is empty";
      const [bid, ask] = [BigInt(bbo.bid.price_ticks), BigInt(bbo.ask.price_ticks)];
      if (target.unit === "bp") return one(divideHalfEven((ask - bid) * 10_000n, bid, 4), "");
      return one(price(`${ask - bid}`, target, moment), NO_SCALE);
    },
  },
  {
    ...{ name: "imbalance", units: ["%"], channels: ({ market }) => [`orderbook/${market}`] },
    read({ market }, { store }) {
      const book = select(store, "orderbook", `orderbook/${market}`);
      const percent = book && imbalancePercent(selectLadder(book, 1n, IMBALANCE_ROWS));
      return one(parseDecimal(percent?.toFixed(1) ?? ""), "the book is empty");
    },
  },
  {
    ...{ name: "trade", units: ["base", "quote", "lots"], channels: tradesOf },
    read(target, moment, fresh) {
      const values = fresh.trades.map(({ price_ticks, size_base_lots }) => {
        const sized = size(BigInt(size_base_lots), target, moment);
        if (target.unit !== "quote") return sized;
        const priced = price(price_ticks, target, moment);
        return sized && priced && multiplyDecimal(sized, priced);
      });
      // Each large one is a crossing of its own: in between there is nothing.
      const crossings = values.flatMap((value) => (value ? [whole(0n), value] : []));
      const isUnknown = size(0n, target, moment) === undefined;
      return isUnknown ? NO_SCALE : new Map([["", crossings]]);
    },
  },
  ofFlow(
    { name: "change", units: ["%"], takes: "window" },
    windowStart,
    (flow, { fromMs }, { market }, { store }) => {
      const before = selectPriceBefore(flow, fromMs + 1000);
      const last = select(store, "trades", `trades/${market}`)?.trades.at(-1);
      if (before === undefined || last === undefined) return "there is no trade that long ago";
      const from = BigInt(before.priceTicks);
      return one(divideHalfEven((BigInt(last.price_ticks) - from) * 100n, from, 4), "");
    },
  ),
  ofFlow(
    { name: "delta", units: ["base", "lots"], takes: "window" },
    windowStart,
    (flow, span, target, moment) =>
      one(size(selectDelta(flow, span).deltaLots, target, moment), NO_SCALE),
  ),
  ofFlow(
    { name: "cvd", units: ["base", "lots"], since: sinceDay },
    sinceDay,
    (flow, { fromMs, untilMs }, target, moment) => {
      const { deltaLots } = selectDelta(flow, { fromMs: minuteOf(fromMs), untilMs });
      return one(size(deltaLots, target, moment), NO_SCALE);
    },
  ),
  ofFlow(
    { name: "vwap", units: ["", "ticks"], since: sinceDay },
    sinceDay,
    (flow, { fromMs }, { market = "", unit }, { store }) => {
      const day = { fromMs: dayStartMs(fromMs), untilMs: Number.POSITIVE_INFINITY };
      const vwap = selectVwap(flow, day);
      if (vwap === undefined) return "nothing has traded";
      const ticks = divideHalfEven(vwap.numerator, vwap.denominator, 6);
      if (unit === "ticks") return one(ticks, "");
      const tick = scaleOf(store, market)?.tickSize;
      return one(tick && roundToUnit(multiplyDecimal(ticks, tick), tick), NO_SCALE);
    },
  ),
];

const accountOf = ({ account }: Target) => [`account/${account}`, "markets"] as const;

/** The figure of each position that is meant, with the prices at which they are valued. */
function ofPositions(
  name: string,
  unit: Unit,
  figure: (position: Position) => Decimal | undefined,
): Row {
  return {
    ...{ name, units: [unit], takes: "market or any" },
    channels: (target) => [
      ...accountOf(target),
      target.of?.startsWith("perp/") ? `market-stats/${target.of}` : "market-stats/perp",
    ],
    read: (target, moment) => readPositions(target, moment, figure),
  };
}

function readPositions(
  { account = "", of }: Target,
  { store }: Moment,
  figure: (position: Position) => Decimal | undefined,
): Reading {
  const positions = selectPositions(store, account);
  if (positions === undefined) return "no position has been received";
  const meant = positions.filter(({ market }) => of === "any" || market === of);
  const called = meant.map(({ symbol, market, side = "" }) => `${symbol || market || ""} ${side}`);
  const figures = meant.flatMap((position, i) => {
    const value = figure(position);
    const name = called[i] ?? "";
    const isOnly = called.indexOf(name) === called.lastIndexOf(name);
    // Of several of one side, the last part of its key tells which.
    const own = isOnly ? name.trim() : `${name} ${position.key.split("\u0001").at(-1)}`;
    return value === undefined ? [] : [[own, [value]] as const];
  });
  return meant.length > 0 && figures.length === 0 ? "the figure is not known" : new Map(figures);
}

function signedSize({ side, size: of }: Position): Decimal | undefined {
  return of && (side === "short" ? { ...of, mantissa: -of.mantissa } : of);
}

const ACCOUNT_SUBJECTS: readonly Row[] = [
  ofPositions("liquidation", "%", ({ distancePercent }) => distancePercent),
  ofPositions("upnl", "", ({ unrealised }) => unrealised),
  {
    ...{ name: "position", units: [""], takes: "market", channels: accountOf },
    read(target, moment) {
      const reading = readPositions(target, moment, signedSize);
      // No position is a position of nothing.
      const isNone = typeof reading !== "string" && reading.size === 0;
      return isNone ? one(whole(0n), "") : reading;
    },
  },
  {
    ...{ name: "margin", units: ["%"], channels: accountOf },
    read({ account = "" }, { store }) {
      const summary = selectSummary(store, account);
      if (summary?.isSpent) return one(MORE_THAN_ANY, "");
      if (summary?.equity === undefined || summary.marginUsed === undefined)
        return "the summary has no equity and margin";
      return one(summary.marginPercent ?? whole(0n), "");
    },
  },
];

/** Any numeric field of the summary, by its name there. */
export function fieldSubject(name: string): Subject {
  return {
    ...{ name, of: "account", units: [""], channels: accountOf },
    read({ account }, moment) {
      const equity = name === "equity" && selectSummary(moment.store, account ?? "")?.equity;
      const text = summaryFields(moment, account).get(name.toLowerCase()) ?? "";
      return one(equity || parseNumber(text), `the summary has no ${name}`);
    },
  };
}

/** Numeric fields of the summary by lower-case name; none before there is one. */
export function summaryFields(
  { store }: Moment,
  account: string | undefined,
): ReadonlyMap<string, string> {
  const record = select(store, "account", `account/${account}`)?.account ?? {};
  return new Map(
    allFields(record)
      .filter(([, value]) => parseNumber(value) !== undefined)
      .map(([name, value]) => [name.toLowerCase(), value]),
  );
}

export const SUBJECTS: readonly Subject[] = [
  ...MARKET_SUBJECTS.map((row): Subject => ({ ...row, of: "market" })),
  ...ACCOUNT_SUBJECTS.map((row): Subject => ({ ...row, of: "account" })),
];
