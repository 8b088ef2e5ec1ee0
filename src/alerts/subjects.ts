// What an alert can watch, one row each: its words, its units, the channels it reads, and how its figures are read.

import { type Position, selectPositions, selectSummary } from "../rows/account.ts";
import {
  coverageOf,
  dayStartMs,
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
  channels(target: Target): readonly string[];
  read(target: Target, moment: Moment, fresh: Fresh): Reading;
}

const one = (value: Decimal | undefined, reason: string): Reading =>
  value === undefined ? reason : new Map([["", [value]]]);
const marketOf = ({ market }: Target) => market ?? "";
const whole = (mantissa: bigint): Decimal => ({ mantissa, places: 0 });

/** More than any level, which has at most 60 characters: a share of nothing. */
export const BEYOND = whole(10n ** 60n);

export const WAITING = "nothing received yet";

/** Only data that are known to be current fire. */
function ifCurrent(channel: string, { store, nowMs }: Moment, read: () => Reading): Reading {
  const state = channelState(store.channels.get(channel), store.link, nowMs);
  if (state === "waiting") return WAITING;
  return state === "live" || state === "quiet" ? read() : `${channel.split("/", 1)} is ${state}`;
}

/** A price of ticks in quote currency, or in ticks where the rule says so. */
function price(ticks: string, { unit, market }: Target, { store }: Moment): Decimal | undefined {
  if (unit === "ticks") return whole(BigInt(ticks));
  const scale = scaleOf(store, market ?? "");
  return scale && multiplyDecimal(whole(BigInt(ticks)), scale.tickSize);
}

const NO_SCALE = "the market's tick size is not known";

function stat(name: string, meaning: Figure): Subject {
  return {
    ...{ name, of: "market", units: [""] },
    channels: ({ market }) => [`market-stats/${market}`],
    read: (target, moment) =>
      ifCurrent(`market-stats/${target.market}`, moment, () =>
        one(
          parseNumber(readStat(moment.store, marketOf(target), meaning) ?? ""),
          `${name} is not given`,
        ),
      ),
  };
}

function best(name: "bid" | "ask"): Subject {
  return {
    ...{ name, of: "market", units: ["", "ticks"] },
    channels: ({ market }) => [`bbo/${market}`, "markets"],
    read: (target, moment) =>
      ifCurrent(`bbo/${target.market}`, moment, () => {
        const level = select(moment.store, "bbo", `bbo/${target.market}`)?.[name];
        if (level === undefined || level === null) return `there is no ${name}`;
        return one(price(level.price_ticks, target, moment), NO_SCALE);
      }),
  };
}

const trades = ({ market }: Target) => [`trades/${market}`, "markets"];

/** Reads order flow over a span of time, if all of it is known. */
function ofFlow(
  target: Target,
  moment: Moment,
  fromMs: number,
  read: (flow: ReturnType<typeof knownFlow>, untilMs: number) => Reading,
): Reading {
  return ifCurrent(`trades/${target.market}`, moment, () => {
    const flow = knownFlow(moment.store, marketOf(target));
    const untilMs = serviceMs(moment) + 1000;
    const { openHoles, reached } = coverageOf(flow, { fromMs, untilMs });
    if (openHoles > 0) return "trades were missed in its time";
    if (reached < 1) return "its time is not known in full yet";
    return read(flow, untilMs);
  });
}

/** Lots as base, or as lots. */
function size(lots: bigint, { unit, market }: Target, { store }: Moment): Decimal | undefined {
  if (unit === "lots") return whole(lots);
  const scale = scaleOf(store, market ?? "");
  return scale && multiplyDecimal(whole(lots), scale.lotSize);
}

/** Since the trades are known. */
function sinceKnown(target: Target, moment: Moment): number {
  const { sinceMs = serviceMs(moment) } = knownFlow(moment.store, marketOf(target));
  return sinceMs;
}

/** Since then, within the UTC day. */
function sinceDay(target: Target, moment: Moment): number {
  return Math.max(dayStartMs(serviceMs(moment)), sinceKnown(target, moment));
}

const secondOf = (ms: number) => Math.floor(ms / 1000) * 1000;

const IMBALANCE_ROWS = 20;

const MARKET_SUBJECTS: readonly Subject[] = [
  {
    ...{ name: "last", of: "market", units: ["", "ticks"], channels: trades },
    // Each trade of a frame, so that none between two frames is passed over.
    read: (target, moment, fresh) =>
      ifCurrent(`trades/${target.market}`, moment, () => {
        const tape = select(moment.store, "trades", `trades/${target.market}`)?.trades ?? [];
        const all = fresh.trades.length > 0 ? fresh.trades : tape.slice(-1);
        const values = all.map(({ price_ticks }) => price(price_ticks, target, moment));
        if (values.length === 0) return "there is no trade yet";
        return values.includes(undefined)
          ? NO_SCALE
          : new Map([["", values.filter((each) => each !== undefined)]]);
      }),
  },
  stat("mark", "mark"),
  stat("index", "index"),
  stat("funding", "funding_rate"),
  stat("oi", "open_interest"),
  best("bid"),
  best("ask"),
  {
    ...{ name: "spread", of: "market", units: ["", "ticks", "bp"] },
    channels: ({ market }) => [`bbo/${market}`, "markets"],
    read: (target, moment) =>
      ifCurrent(`bbo/${target.market}`, moment, () => {
        const bbo = select(moment.store, "bbo", `bbo/${target.market}`);
        if (!bbo?.bid || !bbo.ask) return "a side is empty";
        const [bid, ask] = [BigInt(bbo.bid.price_ticks), BigInt(bbo.ask.price_ticks)];
        if (target.unit === "bp") return one(divideHalfEven((ask - bid) * 10_000n, bid, 4), "");
        return one(price(`${ask - bid}`, target, moment), NO_SCALE);
      }),
  },
  {
    ...{ name: "imbalance", of: "market", units: ["%"] },
    channels: ({ market }) => [`orderbook/${market}`],
    read: (target, moment) =>
      ifCurrent(`orderbook/${target.market}`, moment, () => {
        const book = select(moment.store, "orderbook", `orderbook/${target.market}`);
        const percent = book && imbalancePercent(selectLadder(book, 1n, IMBALANCE_ROWS));
        return one(
          percent === undefined ? undefined : parseDecimal(percent.toFixed(1)),
          "the book is empty",
        );
      }),
  },
  {
    ...{ name: "trade", of: "market", units: ["base", "quote", "lots"], channels: trades },
    read: (target, moment, fresh) =>
      ifCurrent(`trades/${target.market}`, moment, () => {
        const scale = scaleOf(moment.store, marketOf(target));
        if (scale === undefined && target.unit !== "lots") return NO_SCALE;
        const values = fresh.trades.map(({ price_ticks, size_base_lots }) => {
          const lots = whole(BigInt(size_base_lots));
          if (target.unit === "lots" || scale === undefined) return lots;
          const base = multiplyDecimal(lots, scale.lotSize);
          if (target.unit === "base") return base;
          return multiplyDecimal(base, multiplyDecimal(whole(BigInt(price_ticks)), scale.tickSize));
        });
        // Each large one is a crossing of its own: in between there is nothing.
        return new Map([["", values.flatMap((value) => [whole(0n), value])]]);
      }),
  },
  {
    ...{
      name: "change",
      of: "market",
      isOfFlow: true,
      units: ["%"],
      takes: "window",
      channels: trades,
    },
    read(target, moment) {
      const fromMs = secondOf(serviceMs(moment) - (target.windowMs ?? 0));
      return ofFlow(target, moment, fromMs, (flow) => {
        const before = selectPriceBefore(flow, fromMs + 1000);
        const last = select(moment.store, "trades", `trades/${target.market}`)?.trades.at(-1);
        if (before === undefined || last === undefined) return "there is no trade that long ago";
        const from = BigInt(before.priceTicks);
        return one(divideHalfEven((BigInt(last.price_ticks) - from) * 100n, from, 4), "");
      });
    },
  },
  {
    ...{
      name: "delta",
      of: "market",
      isOfFlow: true,
      units: ["base", "lots"],
      takes: "window",
      channels: trades,
    },
    read(target, moment) {
      const fromMs = secondOf(serviceMs(moment) - (target.windowMs ?? 0));
      return ofFlow(target, moment, fromMs, (flow, untilMs) =>
        one(size(selectDelta(flow, { fromMs, untilMs }).deltaLots, target, moment), NO_SCALE),
      );
    },
  },
  {
    ...{ name: "cvd", of: "market", isOfFlow: true, units: ["base", "lots"], channels: trades },
    since: sinceDay,
    read(target, moment) {
      const fromMs = sinceDay(target, moment);
      return ofFlow(target, moment, fromMs, (flow, untilMs) =>
        one(
          size(
            selectDelta(flow, { fromMs: Math.floor(fromMs / 60_000) * 60_000, untilMs }).deltaLots,
            target,
            moment,
          ),
          NO_SCALE,
        ),
      );
    },
  },
  {
    ...{ name: "vwap", of: "market", isOfFlow: true, units: ["", "ticks"], channels: trades },
    since: sinceDay,
    read(target, moment) {
      const flow = knownFlow(moment.store, marketOf(target));
      const fromMs = sinceDay(target, moment);
      return ofFlow(target, moment, fromMs, () => {
        const vwap = selectVwap(flow, {
          fromMs: dayStartMs(fromMs),
          untilMs: Number.POSITIVE_INFINITY,
        });
        if (vwap === undefined) return "nothing has traded";
        const ticks = divideHalfEven(vwap.numerator, vwap.denominator, 6);
        if (target.unit === "ticks") return one(ticks, "");
        const scale = scaleOf(moment.store, marketOf(target));
        return one(
          scale && roundToUnit(multiplyDecimal(ticks, scale.tickSize), scale.tickSize),
          NO_SCALE,
        );
      });
    },
  },
];

const accountChannel = ({ account }: Target) => [`account/${account}`, "markets"];

/** With the prices at which positions are valued. */
const positionChannels = (target: Target) => [
  ...accountChannel(target),
  target.of?.startsWith("perp/") ? `market-stats/${target.of}` : "market-stats/perp",
];

/** The figure of each position that is meant. */
function ofPositions(
  { account, of }: Target,
  moment: Moment,
  figure: (position: Position) => Decimal | undefined,
): Reading {
  return ifCurrent(`account/${account}`, moment, () => {
    const positions = selectPositions(moment.store, account ?? "");
    if (positions === undefined) return "no position has been received";
    const meant = positions.filter(({ market }) => of === "any" || market === of);
    const called = meant.map(
      ({ symbol, market, side = "" }) => `${symbol || market || ""} ${side}`,
    );
    const figures = meant.flatMap((position, i) => {
      const value = figure(position);
      const name = called[i] ?? "";
      const isOnly = called.indexOf(name) === called.lastIndexOf(name);
      // Of several of one side, the last part of its key tells which.
      const own = isOnly ? name.trim() : `${name} ${position.key.split("\u0001").at(-1)}`;
      return value === undefined ? [] : [[own, [value]] as const];
    });
    return meant.length > 0 && figures.length === 0 ? "the figure is not known" : new Map(figures);
  });
}

function signedSize({ side, size: of }: Position): Decimal | undefined {
  return of && (side === "short" ? { ...of, mantissa: -of.mantissa } : of);
}

const ACCOUNT_SUBJECTS: readonly Subject[] = [
  {
    ...{ name: "liquidation", of: "account", units: ["%"], takes: "market or any" },
    channels: positionChannels,
    read: (target, moment) => ofPositions(target, moment, ({ distancePercent }) => distancePercent),
  },
  {
    ...{
      name: "upnl",
      of: "account",
      units: [""],
      takes: "market or any",
      channels: positionChannels,
    },
    read: (target, moment) => ofPositions(target, moment, ({ unrealised }) => unrealised),
  },
  {
    ...{ name: "position", of: "account", units: [""], takes: "market", channels: accountChannel },
    read(target, moment) {
      const reading = ofPositions(target, moment, signedSize);
      // No position is a position of nothing.
      return typeof reading === "string" || reading.size > 0
        ? reading
        : new Map([["", [whole(0n)]]]);
    },
  },
  {
    ...{ name: "margin", of: "account", units: ["%"], channels: accountChannel },
    read: (target, moment) =>
      ifCurrent(`account/${target.account}`, moment, () => {
        const summary = selectSummary(moment.store, target.account ?? "");
        if (summary?.isSpent) return one(BEYOND, "");
        if (summary?.equity === undefined || summary.marginUsed === undefined)
          return "the summary has no equity and margin";
        return one(summary.marginPercent ?? whole(0n), "");
      }),
  },
];

/** Any numeric field of the summary, by its name there. */
export function fieldSubject(name: string): Subject {
  return {
    ...{ name, of: "account", units: [""], channels: accountChannel },
    read: (target, moment) =>
      ifCurrent(`account/${target.account}`, moment, () => {
        if (name === "equity") {
          const { equity } = selectSummary(moment.store, target.account ?? "") ?? {};
          if (equity !== undefined) return one(equity, "");
        }
        const text = summaryFields(moment, target.account).get(name.toLowerCase());
        return one(
          text === undefined ? undefined : parseNumber(text),
          `the summary has no ${name}`,
        );
      }),
  };
}

/** Numeric fields of the summary by lower-case name; undefined before there is one. */
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

export const SUBJECTS: readonly Subject[] = [...MARKET_SUBJECTS, ...ACCOUNT_SUBJECTS];
