// Parses and formats alerts: what is watched, when it fires, how often, and until when. scripts/docs/alert-forms.ts has every
// form.
import type { AccountChoice } from "../select/account.ts";
import { formatMarket, type Market, readMarket } from "../select/market.ts";
import { type Decimal, formatDecimal, parseDecimal } from "../units/decimal.ts";
import { nearest } from "../units/nearest.ts";
import { formatIsoMs, parseDuration, parseInstant } from "../units/time.ts";
import { isAddress, parseTypedChannel } from "../wire/channels.ts";

/** Empty: a plain number or quote currency; `bp`: basis points. */
export type AlertUnit = "" | "ticks" | "bp" | "%" | "base" | "quote" | "lots";

interface MarketNumberRow {
  /** Units of its level; the first is the default. */
  readonly units: readonly [AlertUnit, ...AlertUnit[]];
  readonly channel: "bbo" | "orderbook" | "trades" | "marketStats";
  readonly isPrice?: true;
  /** Its name is followed by the length of a time window. */
  readonly isWindowed?: true;
  /** Computed from all trades of a time window: missed trades must be fetched. */
  readonly isFlow?: true;
}

/** What can be watched in a market; alert-observation.ts has the readers. */
export const MARKET_NUMBERS = {
  bid: { units: ["", "ticks"], channel: "bbo", isPrice: true },
  ask: { units: ["", "ticks"], channel: "bbo", isPrice: true },
  last: { units: ["", "ticks"], channel: "trades", isPrice: true },
  mark: { units: [""], channel: "marketStats", isPrice: true },
  index: { units: [""], channel: "marketStats", isPrice: true },
  funding: { units: [""], channel: "marketStats" },
  spread: { units: ["", "ticks", "bp"], channel: "bbo" },
  imbalance: { units: ["%"], channel: "orderbook" },
  delta: { units: ["base", "lots"], channel: "trades", isFlow: true, isWindowed: true },
  cvd: { units: ["base", "lots"], channel: "trades", isFlow: true },
  vwap: { units: ["", "ticks"], channel: "trades", isFlow: true },
  trade: { units: ["base", "quote", "lots"], channel: "trades", isFlow: true },
  change: { units: ["%"], channel: "trades", isFlow: true, isWindowed: true },
} as const satisfies Readonly<Record<string, MarketNumberRow>>;

export type MarketNumber = keyof typeof MARKET_NUMBERS;

export function numberRow(name: MarketNumber): MarketNumberRow {
  return MARKET_NUMBERS[name];
}

function isMarketNumber(name: string): name is MarketNumber {
  return Object.hasOwn(MARKET_NUMBERS, name);
}

const MAX_WINDOW_MS = 86_400_000;

export const MARKET_FEEDS = ["bbo", "book", "trades"] as const;
/** A channel of a market that can go stale. */
export type MarketFeed = (typeof MARKET_FEEDS)[number];

/** An account without an id means any subaccount of the address. */
export type AlertSubject =
  | {
      readonly kind: "number";
      readonly market: Market;
      readonly name: MarketNumber;
      /** Whole seconds. */
      readonly windowMs?: number;
    }
  | {
      readonly kind: "stale";
      readonly market: Market;
      readonly feed: MarketFeed;
      /** How long the state must last; undefined: it fires at once. */
      readonly heldMs?: number;
    }
  | { readonly kind: "gap"; readonly market: Market; readonly feed: MarketFeed }
  | { readonly kind: "offline"; readonly heldMs?: number }
  | { readonly kind: "fill" | "order-gone"; readonly account: AccountChoice }
  | { readonly kind: "position"; readonly account: AccountChoice; readonly market: Market }
  | {
      readonly kind: "liquidation" | "upnl";
      readonly account: AccountChoice;
      /** If missing, each position of the subaccount is watched separately. */
      readonly market?: Market;
    }
  /** Margin relative to equity, in percent. */
  | { readonly kind: "margin"; readonly account: AccountChoice }
  | { readonly kind: "field"; readonly account: AccountChoice; readonly name: string };

/** A level and the direction in which it has to be crossed. */
export interface AlertLevel {
  readonly direction: ">" | "<" | "crosses";
  readonly level: Decimal;
  readonly unit: AlertUnit;
  /** How far a value must move back before it can cross again, in the level's unit; never negative. */
  readonly hysteresis: Decimal;
}

export interface AlertRule {
  readonly subject: AlertSubject;
  /** Undefined if an event fires it. */
  readonly crossing: AlertLevel | undefined;
  /** Minimum time between two firings; undefined: it fires once. */
  readonly coolDownMs: number | undefined;
  /** If both are undefined, it never expires. `untilMs` is Unix milliseconds. */
  readonly forMs: number | undefined;
  readonly untilMs: number | undefined;
}

export type ParsedAlert = { readonly rule: AlertRule } | { readonly fault: string };

/** Minimum time between firings of `every` without a duration. */
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

  /** The next word, if it is one of these. */
  takeOneOf<W extends string>(choices: readonly W[]): W | undefined {
    const choice = choices.find((each) => each !== "" && each === this.#words[this.#at]);
    if (choice !== undefined) this.#at++;
    return choice;
  }

  /** The next word as milliseconds, if it is a duration. */
  takeDuration(): number | undefined {
    const ms = parseDuration(this.#words[this.#at] ?? "");
    if (ms !== undefined) this.#at++;
    return ms;
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
  const units = unitsOf(subject);
  const crossing = units && readCrossing(words, units);
  if (subject.kind === "number" && subject.name === "trade" && crossing?.direction !== ">")
    throw new AlertFault("a trade is watched for being large, as in: trade > 5 base");
  // `margin > 80%` is a share; `margin > 5000` is the amount named in the summary.
  const isShare = subject.kind === "field" && crossing?.unit === "%";
  const of: AlertSubject = isShare ? { kind: "margin", account: subject.account } : subject;
  return readOptions(words, { subject: of, crossing, ...ONCE });
}

const PLAIN: readonly AlertUnit[] = [""];
const PERCENT: readonly AlertUnit[] = ["%"];

function unitsOf(subject: AlertSubject): readonly AlertUnit[] | undefined {
  switch (subject.kind) {
    case "number":
      return numberRow(subject.name).units;
    case "liquidation":
      return PERCENT;
    case "field":
      return subject.name === "margin" ? ["", "%"] : PLAIN;
    case "position":
    case "upnl":
      return PLAIN;
    default:
      return undefined;
  }
}

const ONCE = { coolDownMs: undefined, forMs: undefined, untilMs: undefined };

function readSubject(words: Words): AlertSubject {
  const first = words.take() ?? "";
  if (first === "offline") return { kind: "offline", ...readHeld(words) };
  const market = readNamed(first);
  if (market !== undefined) return readMarketSubject(words, market);
  const account = readAccount(first);
  if (account !== undefined) return readAccountSubject(words, account);
  throw new AlertFault(
    `an alert begins with a market (perp/1), account/<address>/<subaccount_id>, account/<address>/any or offline, not with ${JSON.stringify(first)}`,
  );
}

const ANY = "any";

function readAccount(word: string): AccountChoice | undefined {
  const channel = parseTypedChannel(word);
  if (channel?.kind === "account") {
    const { address, subaccountId } = channel;
    return { address, subaccountId };
  }
  const [kind, address = "", id, ...more] = word.split("/");
  const isAny = kind === "account" && id === ANY && more.length === 0 && isAddress(address);
  return isAny ? { address, subaccountId: undefined } : undefined;
}

function readMarketSubject(words: Words, market: Market): AlertSubject {
  const name = words.take() ?? "";
  if (isMarketNumber(name)) {
    const windowMs = numberRow(name).isWindowed ? readWindow(words, name) : undefined;
    return { kind: "number", market, name, ...(windowMs !== undefined && { windowMs }) };
  }
  const feed = MARKET_FEEDS.find((each) => each === name);
  const kind = feed === undefined ? name : (words.take() ?? "");
  if (kind === "stale") return { kind, market, feed: feed ?? "trades", ...readHeld(words) };
  if (kind === "gap") return { kind, market, feed: feed ?? "trades" };
  const known = [
    ...Object.keys(MARKET_NUMBERS),
    ...MARKET_FEEDS.map((each) => `${each} stale`),
    "gap",
  ];
  throw new AlertFault(unknown("of a market can be watched", name, known));
}

function readHeld(words: Words): { readonly heldMs?: number } {
  const heldMs = words.takeDuration();
  return heldMs === undefined ? {} : { heldMs };
}

function readWindow(words: Words, name: string): number {
  const word = words.take() ?? "";
  const ms = parseDuration(word);
  if (ms !== undefined && ms >= 1000 && ms <= MAX_WINDOW_MS && ms % 1000 === 0) return ms;
  throw new AlertFault(
    `${name} needs a time of 1s to 24h, as in: ${name} 5m, not ${JSON.stringify(word)}`,
  );
}

function readAccountSubject(words: Words, account: AccountChoice): AlertSubject {
  const name = words.take() ?? "";
  if (name === "fill" || name === "order-gone") return { kind: name, account };
  if (name === "position" || name === "liquidation" || name === "upnl") {
    const word = words.take() ?? "";
    const market = readNamed(word);
    if (market !== undefined) return { kind: name, account, market };
    if (word === ANY && name !== "position") return { kind: name, account };
    throw new AlertFault(`${name} needs its market, as in: ${POSITION_FORMS[name]}`);
  }
  if (/^[A-Za-z_][\w.]*$/.test(name)) return { kind: "field", account, name };
  throw new AlertFault(unknown("of an account can be watched", name, ACCOUNT_SUBJECTS));
}

const ACCOUNT_SUBJECTS = [
  "fill",
  "order-gone",
  "position",
  "liquidation",
  "upnl",
  "margin",
  "equity",
] as const;

const POSITION_FORMS = {
  position: "position perp/1 > 10",
  liquidation: "liquidation perp/1 < 10%, or liquidation any < 10%",
  upnl: "upnl perp/1 < -500, or upnl any < -500",
} as const;

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
  const isPercent = units.includes("%");
  const { number: level, hasPercent } = readNumber(words, "the level", isPercent);
  const unit = (hasPercent ? "%" : words.takeOneOf(units)) ?? units[0] ?? "";
  return { direction, level, unit, hysteresis: ZERO };
}

/** @param isPercent whether `%` may follow directly */
function readNumber(
  words: Words,
  what: string,
  isPercent: boolean,
): { readonly number: Decimal; readonly hasPercent: boolean } {
  const word = words.take();
  const hasPercent = isPercent && word?.endsWith("%") === true;
  const number =
    word === undefined ? undefined : parseDecimal(hasPercent ? word.slice(0, -1) : word);
  if (number === undefined || (word?.length ?? 0) > 60) {
    throw new AlertFault(
      `${what} must be a number, such as 65000 or 0.05, not ${JSON.stringify(word ?? "nothing")}`,
    );
  }
  return { number, hasPercent };
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
    const isPercent = crossing?.unit === "%";
    const { number: hysteresis } = readNumber(words, "the hysteresis", isPercent);
    if (hysteresis.mantissa < 0n) throw new AlertFault("the hysteresis cannot be negative");
    if (crossing === undefined) throw new AlertFault("only a level can have a hysteresis");
    return { crossing: { ...crossing, hysteresis } };
  },
  once: () => ({ coolDownMs: undefined }),
  every: (words) => ({ coolDownMs: words.takeDuration() ?? DEFAULT_COOL_DOWN_MS }),
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

export function formatAlert({ subject, crossing, coolDownMs, forMs, untilMs }: AlertRule): string {
  return [
    formatSubject(subject),
    ...(crossing === undefined ? [] : formatCrossing(crossing)),
    ...(coolDownMs === undefined ? [] : [`every ${formatMs(coolDownMs)}`]),
    ...(forMs === undefined ? [] : [`for ${formatMs(forMs)}`]),
    ...(untilMs === undefined ? [] : [`until ${formatIsoMs(untilMs)}`]),
  ].join(" ");
}

function formatSubject(subject: AlertSubject): string {
  switch (subject.kind) {
    case "offline":
      return `offline${formatHeld(subject)}`;
    case "number":
      return `${formatMarket(subject.market)} ${formatNumber(subject)}`;
    case "stale":
      return `${formatMarket(subject.market)} ${subject.feed} stale${formatHeld(subject)}`;
    case "gap":
      return `${formatMarket(subject.market)} ${subject.feed} gap`;
    default: {
      const { address, subaccountId = ANY } = subject.account;
      return `account/${address}/${subaccountId} ${formatAccountSubject(subject)}`;
    }
  }
}

function formatAccountSubject(subject: Extract<AlertSubject, { readonly account: AccountChoice }>) {
  if (subject.kind === "field") return subject.name;
  const { kind } = subject;
  if (kind !== "position" && kind !== "liquidation" && kind !== "upnl") return kind;
  return `${kind} ${subject.market === undefined ? ANY : formatMarket(subject.market)}`;
}

function formatHeld({ heldMs }: { readonly heldMs?: number }): string {
  return heldMs === undefined ? "" : ` ${formatMs(heldMs)}`;
}

function formatNumber({ name, windowMs }: AlertSubject & { readonly kind: "number" }): string {
  if (windowMs === undefined) return name;
  return `${name} ${windowMs % 60_000 === 0 ? `${windowMs / 60_000}m` : `${windowMs / 1000}s`}`;
}

function formatMs(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}

function formatCrossing({ direction, level, unit, hysteresis }: AlertLevel): string[] {
  return [
    direction,
    formatDecimal(level),
    ...(unit === "" ? [] : [unit]),
    ...(hysteresis.mantissa === 0n ? [] : [`hysteresis ${formatDecimal(hysteresis)}`]),
  ];
}
