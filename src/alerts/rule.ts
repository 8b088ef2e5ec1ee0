// A rule as text and back: `[MARKET] SUBJECT COMPARISON VALUE [every D]`, and rules about data that stop.
import { type Decimal, parseDecimal } from "../units/decimal.ts";
import { nearest } from "../units/nearest.ts";
import { parseDuration } from "../units/time.ts";
import { fieldSubject, SUBJECTS, type Subject, type Target, type Unit } from "./subjects.ts";

export type Comparison = ">" | "<";

export type Rule = {
  /** As it is shown and repeated in events. */
  readonly text: string;
  /** Between two firings; undefined: it fires once. */
  readonly everyMs: number | undefined;
} & (
  | {
      readonly kind: "level";
      readonly subject: Subject;
      readonly target: Target;
      readonly comparison: Comparison;
      readonly level: Decimal;
    }
  /** A channel without current data, or the connection gone, for so long. */
  | {
      readonly kind: "stale";
      readonly market: string;
      readonly channel: string;
      readonly heldMs: number;
    }
  | { readonly kind: "offline"; readonly heldMs: number }
);

/** What a rule may leave out, and how markets are called. */
export interface RuleContext {
  /** Of the screen; undefined where a rule must name one. */
  readonly market: string | undefined;
  /** `perp/1` for a name or a symbol; undefined if no market is so called. */
  findMarket(name: string): string | undefined;
}

export type ParsedRule = { readonly rule: Rule } | { readonly fault: string };

const FEEDS: Readonly<Record<string, string>> = { trades: "trades", book: "orderbook", bbo: "bbo" };
const DEFAULT_EVERY_MS = 60_000;
const MAX_WINDOW_MS = 86_400_000;
const FIELD_NAME = /^[A-Za-z_][\w.]*$/;

class Fault extends Error {}

export function parseRule(text: string, context: RuleContext): ParsedRule {
  const words = text.trim().split(/\s+/).filter(Boolean);
  try {
    return { rule: readRule(words, text.trim().replace(/\s+/g, " "), context) };
  } catch (error) {
    if (error instanceof Fault) return { fault: error.message };
    throw error;
  }
}

function readRule(words: string[], text: string, context: RuleContext): Rule {
  const everyMs = takeEvery(words);
  const base = { text, everyMs };
  const [first = "", second = "", third = ""] = words;
  if (first === "offline") return { ...base, kind: "offline", heldMs: held(second) };
  const account = /^account\/([1-9A-HJ-NP-Za-km-z]{32,44}\/[0-9]+)$/.exec(first)?.[1];
  if (account !== undefined) return { ...base, ...readLevel(words.slice(1), { account }, context) };
  const named = isSubject(first) ? undefined : context.findMarket(first);
  const rest = named === undefined ? words : words.slice(1);
  const market = named ?? context.market;
  const isMistyped = named === undefined ? !isSubject(first) : /^[<>]$/.test(second);
  if (isMistyped) throw new Fault(unknownStart(first));
  if (market === undefined) throw new Fault(`it names no market, as in: perp/1 ${text}`);
  // Wherever it is repeated, it says what it is about.
  if (named === undefined) base.text = `${market} ${text}`;
  const [feed = "", word = ""] = rest;
  const channel = FEEDS[feed];
  if (channel !== undefined && word === "stale")
    return {
      ...base,
      kind: "stale",
      market,
      channel: `${channel}/${market}`,
      heldMs: held(rest[2] ?? third),
    };
  return { ...base, ...readLevel(rest, { market }, context) };
}

const NAMES = SUBJECTS.map(({ name }) => name);
const isSubject = (name: string) =>
  SUBJECTS.some((each) => each.of === "market" && each.name === name) || FEEDS[name] !== undefined;

function unknownStart(word: string): string {
  const guess = nearest(word, [...NAMES, "offline"]);
  const advice =
    guess === undefined
      ? "a rule begins with a market, account/ADDRESS/ID or offline, as in: perp/1 last > 65000"
      : `did you mean ${guess}?`;
  return `${JSON.stringify(word)} is not known: ${advice}`;
}

function takeEvery(words: string[]): number | undefined {
  const at = words.indexOf("every");
  if (at < 0) return undefined;
  const [, word] = words.splice(at);
  if (word === undefined) return DEFAULT_EVERY_MS;
  return duration(word, "every");
}

function held(word: string): number {
  return word === "" ? 0 : duration(word, "the time");
}

function duration(word: string, what: string): number {
  const ms = parseDuration(word);
  if (ms === undefined)
    throw new Fault(`${what} must be a time such as 30s or 5m, not ${JSON.stringify(word)}`);
  return ms;
}

function readLevel(
  words: readonly string[],
  of: { readonly market?: string; readonly account?: string },
  context: RuleContext,
) {
  const [name = "", ...rest] = words;
  const subject = findSubject(name, of.account !== undefined);
  const { taken, ...argument } = readArgument(subject, rest, context);
  const [comparison = "", value = "", unitWord] = rest.slice(taken);
  if (comparison !== ">" && comparison !== "<")
    throw new Fault(
      `expected > or < and a value behind ${name}, not ${JSON.stringify(comparison)}`,
    );
  const isPercent = value.endsWith("%");
  const level = parseDecimal(isPercent ? value.slice(0, -1) : value);
  if (level === undefined || value.length > 60)
    throw new Fault(
      `the value must be a number such as 65000 or 0.05, not ${JSON.stringify(value)}`,
    );
  const unit = (isPercent ? "%" : unitWord) ?? subject.units[0];
  if (!subject.units.some((each) => each === unit))
    throw new Fault(
      `${name} is in ${subject.units.map((each) => each || "quote").join(", ")}, not ${unit}`,
    );
  const target: Target = {
    market: of.market,
    account: of.account,
    unit: unit as Unit,
    field: SUBJECTS.includes(subject) ? undefined : name,
    ...argument,
  };
  return { kind: "level", subject, target, comparison, level } as const;
}

function findSubject(name: string, isOfAccount: boolean): Subject {
  const found = SUBJECTS.find(
    (each) => each.name === name && (each.of === "account") === isOfAccount,
  );
  if (found !== undefined) return found;
  if (isOfAccount && FIELD_NAME.test(name)) return fieldSubject(name);
  const names = SUBJECTS.filter(({ of }) => (of === "account") === isOfAccount).map(
    (each) => each.name,
  );
  const guess = nearest(name, names);
  throw new Fault(
    `${JSON.stringify(name)} cannot be watched: ${guess === undefined ? `there are ${names.join(", ")}` : `did you mean ${guess}?`}`,
  );
}

function readArgument(subject: Subject, [word = ""]: readonly string[], context: RuleContext) {
  if (subject.takes === undefined) return { taken: 0, windowMs: undefined, of: undefined };
  if (subject.takes === "window") {
    const windowMs = duration(word, subject.name);
    if (windowMs < 1000 || windowMs > MAX_WINDOW_MS)
      throw new Fault(`${subject.name} needs a time of 1s to 24h, as in: ${subject.name} 5m`);
    return { taken: 1, windowMs, of: undefined };
  }
  const of = word === "any" && subject.takes === "market or any" ? word : context.findMarket(word);
  if (of === undefined)
    throw new Fault(
      `${subject.name} needs a market${subject.takes === "market" ? "" : ", or any"}, not ${JSON.stringify(word)}`,
    );
  return { taken: 1, windowMs: undefined, of };
}

/** Without the address and the level of a rule about an account. */
export function maskedRule({ text }: Rule, mask: string): string {
  if (!text.startsWith("account/")) return text;
  return text.replace(/^account\/[^/]+/, `account/${mask}`).replace(/([<>]) \S+/, `$1 ${mask}`);
}

export function marketOfRule(rule: Rule): string | undefined {
  if (rule.kind === "offline") return undefined;
  return rule.kind === "stale" ? rule.market : rule.target.market;
}

export function channelsOfRule(rule: Rule): readonly string[] {
  if (rule.kind === "offline") return [];
  return rule.kind === "stale" ? [rule.channel] : rule.subject.channels(rule.target);
}
