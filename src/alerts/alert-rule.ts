// An alert in words and back: what is watched, when it fires, how often, and until when.
//
//   perp/1 last > 65000                       once, when the price of a trade crosses 65000 upwards
//   perp/1 spread > 5 bp every 10m            again and again, ten minutes apart at least
//   spot/2 bid crosses 1.05 hysteresis 0.01 until 2027-01-01T00:00:00Z
//   perp/1 delta 1m < -200 lots               more was sold than bought within a minute
//   perp/1 trade > 5 base every               one taker's trades
//   perp/1 change 5m > 1                      the price against that of five minutes ago, in percent
//   perp/1 trades stale every                 when the feed stops
//   account/7xKX…/0 fill every                a fill of that subaccount
//   account/7xKX…/0 position perp/1 < 0       its position turns short
//   account/7xKX…/0 equity < 1000             any number of its summary, by meaning or by field name

import type { Subaccount } from "../select/account.ts";
import { formatMarket, type Market, readMarket } from "../select/market.ts";
import { type Decimal, formatDecimal, parseDecimal } from "../units/decimal.ts";
import { nearest } from "../units/nearest.ts";
import { formatIsoMs, parseDuration, parseInstant } from "../units/time.ts";
import { parseTypedChannel } from "../wire/channels.ts";

/** What a number counts: currency or another plain number, ticks and lots of the market, basis points, percent. */
export type AlertUnit = "" | "ticks" | "bp" | "%" | "base" | "quote" | "lots";

interface MarketNumberRow {
  /** Units that its level can have; the first is meant without a word. */
  readonly units: readonly [AlertUnit, ...AlertUnit[]];
  /** The channel that it is read from. */
  readonly channel: "bbo" | "orderbook" | "trades" | "marketStats";
  /** Its level can be marked in the order book. */
  readonly isPrice?: true;
  /** It is that of a window of time, which stands behind its name. */
  readonly isWindowed?: true;
}

/** Numbers of a market that can be watched; how each is read: alert-observation.ts, flow-observation.ts. */
export const MARKET_NUMBERS = {
  bid: { units: ["", "ticks"], channel: "bbo", isPrice: true },
  ask: { units: ["", "ticks"], channel: "bbo", isPrice: true },
  last: { units: ["", "ticks"], channel: "trades", isPrice: true },
  mark: { units: [""], channel: "marketStats", isPrice: true },
  index: { units: [""], channel: "marketStats", isPrice: true },
  funding: { units: [""], channel: "marketStats" },
  spread: { units: ["", "ticks", "bp"], channel: "bbo" },
  imbalance: { units: ["%"], channel: "orderbook" },
  delta: { units: ["base", "lots"], channel: "trades", isWindowed: true },
  cvd: { units: ["base", "lots"], channel: "trades" },
  vwap: { units: ["", "ticks"], channel: "trades" },
  trade: { units: ["base", "quote", "lots"], channel: "trades" },
  change: { units: ["%"], channel: "trades", isWindowed: true },
} as const satisfies Readonly<Record<string, MarketNumberRow>>;

export type MarketNumber = keyof typeof MARKET_NUMBERS;

export function numberRow(name: MarketNumber): MarketNumberRow {
  return MARKET_NUMBERS[name];
}

function isMarketNumber(name: string): name is MarketNumber {
  return Object.hasOwn(MARKET_NUMBERS, name);
}

const LONGEST_WINDOW_MS = 86_400_000;

export const MARKET_FEEDS = ["bbo", "book", "trades"] as const;
/** A channel of a market whose silence can be waited for. */
export type MarketFeed = (typeof MARKET_FEEDS)[number];

/** What is watched. */
export type AlertSubject =
  | {
      readonly kind: "number";
      readonly market: Market;
      readonly name: MarketNumber;
      /** Of a number of a window of time: its length, whole seconds. */
      readonly windowMs?: number;
    }
  | { readonly kind: "stale" | "gap"; readonly market: Market; readonly feed: MarketFeed }
  | { readonly kind: "fill" | "order-gone"; readonly account: Subaccount }
  | { readonly kind: "position"; readonly account: Subaccount; readonly market: Market }
  | { readonly kind: "field"; readonly account: Subaccount; readonly name: string };

/** A level and the direction in which it is to be crossed. */
export interface AlertLevel {
  readonly direction: ">" | "<" | "crosses";
  readonly level: Decimal;
  readonly unit: AlertUnit;
  /** How far a value must go back before it can cross again, in the level's unit; never negative. */
  readonly hysteresis: Decimal;
}

/** An alert as the user has worded it. */
export interface AlertRule {
  readonly subject: AlertSubject;
  /** Undefined where something happens instead of crossing a level. */
  readonly crossing: AlertLevel | undefined;
  /** Shortest time between two firings; undefined: it fires once. */
  readonly coolDownMs: number | undefined;
  /** It ends after this long, or at this moment by the wall clock; neither: never. */
  readonly forMs: number | undefined;
  readonly untilMs: number | undefined;
}

export type ParsedAlert = { readonly rule: AlertRule } | { readonly fault: string };

/** How far apart the firings of `every` are, where no time is given. */
const DEFAULT_COOL_DOWN_MS = 60_000;
const ZERO: Decimal = { mantissa: 0n, places: 0 };

class Words {
  readonly #words: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#words = text.trim().split(/\s+/).filter(Boolean);
  }

  take(): string | undefined {
    return this.#words[this.#at++];
  }

  takeIf(fits: (word: string) => boolean): string | undefined {
    const word = this.#words[this.#at];
    return word !== undefined && fits(word) ? this.take() : undefined;
  }
}

class AlertFault extends Error {}

export function parseAlert(text: string): ParsedAlert {
  try {
    return { rule: readRule(new Words(text)) };
  } catch (error) {
    if (error instanceof AlertFault) return { fault: error.message };
    throw error;
  }
}

function readRule(words: Words): AlertRule {
  const subject = readSubject(words);
  const isLevel =
    subject.kind === "number" || subject.kind === "position" || subject.kind === "field";
  const units: readonly AlertUnit[] =
    subject.kind === "number" ? numberRow(subject.name).units : [""];
  const crossing = isLevel ? readCrossing(words, units) : undefined;
  if (subject.kind === "number" && subject.name === "trade" && crossing?.direction !== ">")
    throw new AlertFault("a trade is watched for being large, as in: trade > 5 base");
  return readOptions(words, { subject, crossing, ...ONCE });
}

const ONCE = { coolDownMs: undefined, forMs: undefined, untilMs: undefined };

function readSubject(words: Words): AlertSubject {
  const first = words.take() ?? "";
  const market = readNamed(first);
  if (market !== undefined) return readMarketSubject(words, market);
  const channel = parseTypedChannel(first);
  if (channel?.kind === "account") {
    const { address, subaccountId } = channel;
    return readAccountSubject(words, { address, subaccountId });
  }
  throw new AlertFault(
    `an alert begins with a market (perp/1) or account/<address>/<subaccount_id>, not with ${JSON.stringify(first)}`,
  );
}

function readMarketSubject(words: Words, market: Market): AlertSubject {
  const name = words.take() ?? "";
  if (isMarketNumber(name)) {
    const windowMs = numberRow(name).isWindowed ? readWindow(words, name) : undefined;
    return { kind: "number", market, name, ...(windowMs !== undefined && { windowMs }) };
  }
  const feed = MARKET_FEEDS.find((each) => each === name);
  const kind = feed === undefined ? name : (words.take() ?? "");
  if (kind === "stale" || kind === "gap") return { kind, market, feed: feed ?? "trades" };
  const known = [
    ...Object.keys(MARKET_NUMBERS),
    ...MARKET_FEEDS.map((each) => `${each} stale`),
    "gap",
  ];
  throw new AlertFault(unknown("of a market can be watched", name, known));
}

function readWindow(words: Words, name: string): number {
  const word = words.take() ?? "";
  const ms = parseDuration(word);
  if (ms !== undefined && ms >= 1000 && ms <= LONGEST_WINDOW_MS && ms % 1000 === 0) return ms;
  throw new AlertFault(
    `${name} needs a time of 1s to 24h, as in: ${name} 5m, not ${JSON.stringify(word)}`,
  );
}

function readAccountSubject(words: Words, account: Subaccount): AlertSubject {
  const name = words.take() ?? "";
  if (name === "fill" || name === "order-gone") return { kind: name, account };
  if (name !== "position") {
    if (/^[A-Za-z_][\w.]*$/.test(name)) return { kind: "field", account, name };
    throw new AlertFault(
      unknown("of an account can be watched", name, ["fill", "order-gone", "position", "equity"]),
    );
  }
  const market = readNamed(words.take() ?? "");
  if (market === undefined)
    throw new AlertFault("position needs its market, as in: position perp/1 > 10");
  return { kind: "position", account, market };
}

/** With its type: an id alone would be a number. */
function readNamed(word: string): Market | undefined {
  return word.includes("/") ? readMarket(word) : undefined;
}

function readCrossing(words: Words, units: readonly AlertUnit[]): AlertLevel {
  const direction = words.take();
  if (direction !== ">" && direction !== "<" && direction !== "crosses") {
    throw new AlertFault(
      `expected >, < or crosses and a level, not ${JSON.stringify(direction ?? "nothing")}`,
    );
  }
  const level = readNumber(words, "the level");
  const unit = words.takeIf((word) => word !== "" && units.includes(word as AlertUnit));
  return { direction, level, unit: (unit as AlertUnit) ?? units[0] ?? "", hysteresis: ZERO };
}

function readNumber(words: Words, what: string): Decimal {
  const word = words.take();
  const number = word === undefined ? undefined : parseDecimal(word);
  if (number === undefined || (word?.length ?? 0) > 60) {
    throw new AlertFault(
      `${what} must be a number, such as 65000 or 0.05, not ${JSON.stringify(word ?? "nothing")}`,
    );
  }
  return number;
}

function readOptions(words: Words, rule: AlertRule): AlertRule {
  const word = words.take();
  if (word === undefined) return rule;
  const read = Object.hasOwn(OPTIONS, word) ? OPTIONS[word] : undefined;
  if (read === undefined) {
    throw new AlertFault(unknown("can stand at the end of an alert", word, Object.keys(OPTIONS)));
  }
  return readOptions(words, { ...rule, ...read(words, rule) });
}

type ReadOption = (words: Words, rule: AlertRule) => Partial<AlertRule>;

const OPTIONS: Readonly<Record<string, ReadOption>> = {
  hysteresis: (words, { crossing }) => {
    const hysteresis = readNumber(words, "the hysteresis");
    if (hysteresis.mantissa < 0n) throw new AlertFault("the hysteresis cannot be negative");
    if (crossing === undefined) throw new AlertFault("only a level can have a hysteresis");
    return { crossing: { ...crossing, hysteresis } };
  },
  once: () => ({ coolDownMs: undefined }),
  every: (words) => {
    const period = words.takeIf((word) => parseDuration(word) !== undefined);
    return { coolDownMs: period === undefined ? DEFAULT_COOL_DOWN_MS : parseDuration(period) };
  },
  for: (words) => {
    const word = words.take() ?? "";
    const forMs = parseDuration(word);
    if (forMs === undefined)
      throw new AlertFault(`for needs a time, such as 8h, not ${JSON.stringify(word)}`);
    return { forMs };
  },
  until: (words) => {
    const word = words.take() ?? "";
    const untilMs = parseInstant(word);
    if (untilMs === undefined) {
      throw new AlertFault(
        `until needs a time in UTC, such as 2027-01-01T00:00:00Z, not ${JSON.stringify(word)}`,
      );
    }
    return { untilMs };
  },
};

function unknown(what: string, word: string, known: readonly string[]): string {
  const guess = nearest(word, known);
  const start = word === "" ? "something is missing: " : `${JSON.stringify(word)} is not known; `;
  return guess === undefined
    ? `${start}${what}: ${known.join(", ")}`
    : `${start}did you mean ${guess}?`;
}

/** The rule in words, which `parseAlert` reads as the same rule. */
export function formatAlert({ subject, crossing, coolDownMs, forMs, untilMs }: AlertRule): string {
  return [
    formatSubject(subject),
    ...(crossing === undefined ? [] : formatCrossing(crossing)),
    ...(coolDownMs === undefined ? [] : [`every ${coolDownMs}ms`.replace(/(\d+)000ms$/, "$1s")]),
    ...(forMs === undefined ? [] : [`for ${forMs}ms`.replace(/(\d+)000ms$/, "$1s")]),
    ...(untilMs === undefined ? [] : [`until ${formatIsoMs(untilMs)}`]),
  ].join(" ");
}

function formatSubject(subject: AlertSubject): string {
  if ("account" in subject) {
    const { address, subaccountId } = subject.account;
    const what =
      subject.kind === "position"
        ? `position ${formatMarket(subject.market)}`
        : subject.kind === "field"
          ? subject.name
          : subject.kind;
    return `account/${address}/${subaccountId} ${what}`;
  }
  const what =
    subject.kind === "number" ? formatNumber(subject) : `${subject.feed} ${subject.kind}`;
  return `${formatMarket(subject.market)} ${what}`;
}

function formatNumber({ name, windowMs }: AlertSubject & { readonly kind: "number" }): string {
  if (windowMs === undefined) return name;
  return `${name} ${windowMs % 60_000 === 0 ? `${windowMs / 60_000}m` : `${windowMs / 1000}s`}`;
}

function formatCrossing({ direction, level, unit, hysteresis }: AlertLevel): string[] {
  return [
    direction,
    formatDecimal(level),
    ...(unit === "" ? [] : [unit]),
    ...(hysteresis.mantissa === 0n ? [] : [`hysteresis ${formatDecimal(hysteresis)}`]),
  ];
}
