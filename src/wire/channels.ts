// The ten kinds of channels (4.1) as one table: the form of their names, and whether their updates are numbered (6.3). What else
// depends on the kind is a row in `schemas.ts` and in `state/store.ts`.
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../units/time.ts";

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
const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** `isNumbered`: updates have sequences. `isOpen`: records have fields that the document does not list. */
interface ChannelRow {
  /** As in messages. */
  readonly form: string;
  readonly pattern: RegExp;
  readonly isNumbered: boolean;
  readonly isOpen: boolean;
}

/** What the words of a form stand for. */
const PARTS: Readonly<Record<string, string>> = {
  TYPE: "(?<type>spot|perp)",
  ID: "(?<market>[0-9]+)",
  "[/ID]": "(?:/(?<market>[0-9]+))?",
  INTERVAL: `(?<interval>${INTERVALS.join("|")})`,
  ADDRESS: "(?<address>[1-9A-HJ-NP-Za-km-z]{32,44})",
  SUBACCOUNT: "(?<subaccount>[0-9]+)",
};

export const CHANNELS = {
  bbo: row("bbo/TYPE/ID"),
  orderbook: row("orderbook/TYPE/ID", "numbered"),
  trades: row("trades/TYPE/ID", "numbered"),
  candles: row("candles/TYPE/ID/INTERVAL"),
  "mark-candles": row("mark-candles/ID/INTERVAL"),
  markets: row("markets", "numbered", "open"),
  "market-stats": row("market-stats/TYPE[/ID]", "numbered", "open"),
  "funding-rates": row("funding-rates/ID", "numbered", "open"),
  accounts: row("accounts/ADDRESS", "numbered", "open"),
  account: row("account/ADDRESS/SUBACCOUNT", "numbered", "open"),
};
export type Kind = keyof typeof CHANNELS;
export const KINDS = Object.keys(CHANNELS) as readonly Kind[];

function row(form: string, ...words: readonly ("numbered" | "open")[]): ChannelRow {
  const pattern = form.replaceAll(/\[\/ID\]|[A-Z]+/g, (word) => PARTS[word] ?? word);
  return {
    form,
    pattern: new RegExp(`^${pattern}$`),
    isNumbered: words.includes("numbered"),
    isOpen: words.includes("open"),
  };
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
  for (const kind of KINDS) {
    const groups = CHANNELS[kind].pattern.exec(channel);
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
  return ADDRESS.test(text);
}

/** The forms of channel names, for messages. */
export const CHANNEL_FORMS = KINDS.map((kind) => CHANNELS[kind].form);
