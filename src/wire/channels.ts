// Names of channels (4.1): their parts, and their forms as messages show them.
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../units/time.ts";
import { CHANNELS, KINDS, type Kind } from "./frames.ts";

export type MarketType = "spot" | "perp";

export const INTERVALS = ["1m", "5m", "15m", "1h", "4h", "1d"] as const;
export type Interval = (typeof INTERVALS)[number];
export const INTERVAL_MS: Readonly<Record<Interval, number>> = {
  "1m": MINUTE_MS,
  "5m": 5 * MINUTE_MS,
  "15m": 15 * MINUTE_MS,
  "1h": HOUR_MS,
  "4h": 4 * HOUR_MS,
  "1d": DAY_MS,
};

/** Of the stream; the owner of the listings is another form. */
const ADDRESS = "[1-9A-HJ-NP-Za-km-z]{32,44}";
const IS_ADDRESS = new RegExp(`^${ADDRESS}$`);

/** What the words of a form stand for. */
const PARTS: Readonly<Record<string, string>> = {
  TYPE: "(?<type>spot|perp)",
  ID: "(?<market>[0-9]+)",
  "[/ID]": "(?:/(?<market>[0-9]+))?",
  INTERVAL: `(?<interval>${INTERVALS.join("|")})`,
  ADDRESS: `(?<address>${ADDRESS})`,
  SUBACCOUNT: "(?<subaccount>[0-9]+)",
};

/** What names a channel of each kind. */
const PATTERNS = KINDS.map((kind) => [kind, patternOf(CHANNELS[kind].form)] as const);

function patternOf(form: string): RegExp {
  const pattern = form.replaceAll(/\[\/ID\]|[A-Z]+/g, (word) => PARTS[word] ?? word);
  return new RegExp(`^${pattern}$`);
}

/** The parts of a channel name; the ones that its kind does not have are undefined. */
export interface ChannelParts {
  readonly kind: Kind;
  readonly type: MarketType | undefined;
  readonly market: string | undefined;
  readonly interval: Interval | undefined;
  readonly address: string | undefined;
  readonly subaccount: string | undefined;
}

/** @returns undefined for a name of none of the documented forms */
export function parseChannel(channel: string): ChannelParts | undefined {
  for (const [kind, pattern] of PATTERNS) {
    const groups = pattern.exec(channel);
    if (groups === null) continue;
    const { type, market, interval, address, subaccount } = groups.groups ?? {};
    return {
      kind,
      type: type as MarketType | undefined,
      market,
      interval: interval as Interval | undefined,
      address,
      subaccount,
    };
  }
  return undefined;
}

interface Named {
  /** Always the same string, which maps find quicker than an equal one. */
  readonly channel: string;
  readonly kind: Kind;
}

const named = new Map<string, Named>();
/** More than any run subscribes; a service could send ever new names. */
const MAX_REMEMBERED = 1000;

/** A channel name with its kind, quick for names that were asked about before; undefined for one of no documented form. */
export function namedChannel(channel: string): Named | undefined {
  const known = named.get(channel);
  if (known !== undefined) return known;
  const kind = parseChannel(channel)?.kind;
  if (kind === undefined) return undefined;
  const made = { channel, kind };
  if (named.size < MAX_REMEMBERED) named.set(channel, made);
  return made;
}

export const kindOf = (channel: string): Kind | undefined => namedChannel(channel)?.kind;

/** True for an address of the stream. */
export function isAddress(text: string): boolean {
  return IS_ADDRESS.test(text);
}

/** The forms of channel names, for messages. */
export const CHANNEL_FORMS = KINDS.map((kind) => CHANNELS[kind].form);
