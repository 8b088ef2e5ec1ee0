// Channels (sections 4.1, 6.3): one row per kind defines the form of its name, its update schema, whether its frames are
// numbered, and which fields hold open records. Names, types, decoder, fast reader, store, doctor and simulator follow from it.
// A new kind is a file in channels/ and a row here; the compiler reports what else it needs. Nothing here loads a schema: zod is
// loaded after the first frame is drawn.
import type * as z from "zod/mini";
import { parseId } from "../units/uint.ts";
import { MAX_FUNDING_RATES } from "../wire/limits.ts";
import { accountUpdate } from "./channels/account.ts";
import { accountsUpdate } from "./channels/accounts.ts";
import { bboUpdate } from "./channels/bbo.ts";
import { candlesUpdate, markCandlesUpdate } from "./channels/candles.ts";
import { orderbookUpdate } from "./channels/orderbook.ts";
import { tradesUpdate } from "./channels/trades.ts";
import type { Infer, Shape } from "./shape.ts";
import type { OpenRecord, SequencedUpdate } from "./update.ts";

/** Spot and perpetual markets; their ids may overlap, so a market is identified by type and id. */
export type MarketType = "spot" | "perp";

/** Candle intervals of the interface in milliseconds, shortest first. */
export const INTERVAL_MS = {
  "1m": 60_000,
  "5m": 300_000,
  "15m": 900_000,
  "1h": 3_600_000,
  "4h": 14_400_000,
  "1d": 86_400_000,
} as const;
export type Interval = keyof typeof INTERVAL_MS;
export const INTERVALS = Object.keys(INTERVAL_MS) as readonly Interval[];

/** Parts of a name after the kind. Ids stay digit text, so that the name can be formatted again. */
interface NameParts {
  marketType: MarketType;
  marketId: string;
  interval: Interval;
  address: string;
  subaccountId: string;
}
type NamePart = keyof NameParts;

/** Each part as a pattern with one group, and in readable form. */
const PARTS: Readonly<Record<NamePart, { readonly pattern: string; readonly form: string }>> = {
  marketType: { pattern: "(spot|perp)", form: "<spot|perp>" },
  marketId: { pattern: "([0-9]{1,39})", form: "<market_id>" },
  interval: { pattern: `(${INTERVALS.join("|")})`, form: "<interval>" },
  address: { pattern: "([1-9A-HJ-NP-Za-km-z]{32,44})", form: "<address>" },
  subaccountId: { pattern: "([0-9]{1,39})", form: "<subaccount_id>" },
};

type BuildUpdate = (s: Shape) => z.ZodMiniType;
type OpenFieldsOf<U> = {
  [F in keyof U]-?: NonNullable<U[F]> extends OpenRecord | readonly OpenRecord[]
    ? string extends keyof ItemOf<NonNullable<U[F]>>
      ? F
      : never
    : never;
}[keyof U];
type ItemOf<T> = T extends readonly (infer Item)[] ? Item : T;

/** A row. The types enforce that `isSequenced` and `openFields` agree with the schema. */
function channel<
  const N extends readonly (NamePart | `${NamePart}?`)[],
  S extends BuildUpdate,
  const F extends readonly OpenFieldsOf<Infer<S>>[],
>(row: {
  /** Parts of the name in order; `?` marks an optional one. */
  readonly name: N;
  readonly schema: S;
  /** Its frames carry previous_sequence and sequence. */
  readonly isSequenced: Infer<S> extends SequencedUpdate ? true : false;
  /** Payload fields that hold open records: in fields not listed here, numbers lose digits. */
  readonly openFields: F &
    ([Exclude<OpenFieldsOf<Infer<S>>, F[number]>] extends [never] ? unknown : never);
}) {
  return row;
}

/** The ten kinds by the first segment of their names, in the order of section 4.1. */
export const CHANNELS = {
  bbo: channel({
    name: ["marketType", "marketId"],
    schema: bboUpdate,
    isSequenced: false,
    openFields: [],
  }),
  orderbook: channel({
    name: ["marketType", "marketId"],
    schema: orderbookUpdate,
    isSequenced: true,
    openFields: [],
  }),
  trades: channel({
    name: ["marketType", "marketId"],
    schema: tradesUpdate,
    isSequenced: true,
    openFields: [],
  }),
  candles: channel({
    name: ["marketType", "marketId", "interval"],
    schema: candlesUpdate,
    isSequenced: false,
    openFields: [],
  }),
  "mark-candles": channel({
    name: ["marketId", "interval"],
    schema: markCandlesUpdate,
    isSequenced: false,
    openFields: [],
  }),
  markets: channel({
    name: [],
    schema: (s: Shape) => s.update({ ...s.sequences, markets: s.list(s.openRecord) }),
    isSequenced: true,
    openFields: ["markets"],
  }),
  "market-stats": channel({
    name: ["marketType", "marketId?"],
    schema: (s: Shape) => s.update({ ...s.sequences, market_stats: s.list(s.openRecord) }),
    isSequenced: true,
    openFields: ["market_stats"],
  }),
  "funding-rates": channel({
    name: ["marketId"],
    schema: (s: Shape) =>
      s.update({ ...s.sequences, funding_rates: s.list(s.openRecord, MAX_FUNDING_RATES) }),
    isSequenced: true,
    openFields: ["funding_rates"],
  }),
  accounts: channel({
    name: ["address"],
    schema: accountsUpdate,
    isSequenced: true,
    openFields: [],
  }),
  account: channel({
    name: ["address", "subaccountId"],
    schema: accountUpdate,
    isSequenced: true,
    openFields: ["account", "balances", "positions", "orders", "fills", "funding_payments"],
  }),
};

type Channels = typeof CHANNELS;
/** The first segment of a channel name. */
export type ChannelKind = keyof Channels;
export const CHANNEL_KINDS = Object.keys(CHANNELS) as readonly ChannelKind[];

/** The update frame of each kind (section 6.3). */
export type Updates = { [K in ChannelKind]: Infer<Channels[K]["schema"]> };
/** Kinds whose frames are numbered. */
export type SequencedKind = {
  [K in ChannelKind]: true extends Channels[K]["isSequenced"] ? K : never;
}[ChannelKind];

type Parts<N extends readonly string[]> = {
  readonly [P in N[number] as P extends NamePart ? P : never]: NameParts[P & NamePart];
} & {
  readonly [P in N[number] as P extends `${infer Q}?` ? Q : never]:
    | NameParts[P extends `${infer Q extends NamePart}?` ? Q : never]
    | undefined;
};
/** A parsed channel name: its kind, and the parts listed in the table. */
export type Channel = {
  [K in ChannelKind]: { readonly kind: K } & Parts<Channels[K]["name"]>;
}[ChannelKind];

export function byKind<T>(make: (kind: ChannelKind) => T): Readonly<Record<ChannelKind, T>> {
  return Object.fromEntries(CHANNEL_KINDS.map((kind) => [kind, make(kind)])) as Record<
    ChannelKind,
    T
  >;
}

const NAMES = byKind((kind) => {
  const name: readonly (NamePart | `${NamePart}?`)[] = CHANNELS[kind].name;
  const parts = name.map((part) => part.replace("?", "") as NamePart);
  const join = (text: "pattern" | "form", open: string, close: string) =>
    parts.reduce<string>((joined, part, i) => {
      const isOptional = name[i] !== part;
      const next = `/${PARTS[part][text]}`;
      return joined + (isOptional ? `${open}${next}${close}` : next);
    }, kind);
  const pattern = new RegExp(`^${join("pattern", "(?:", ")?")}$`);
  return { parts, pattern, form: join("form", "[", "]") };
});

/** Readable form of each kind's name: `bbo/<spot|perp>/<market_id>`. */
export const CHANNEL_FORMS: readonly string[] = CHANNEL_KINDS.map((kind) => NAMES[kind].form);

export const ANY_CHANNEL = new RegExp(
  CHANNEL_KINDS.map((kind) => NAMES[kind].pattern.source).join("|"),
);

const ADDRESS = new RegExp(`^${PARTS.address.pattern}$`);

/** True for an address as used in channel names: base58 (section 4.1). */
export function isAddress(text: string): boolean {
  return ADDRESS.test(text);
}

/** Parses a channel name; undefined when it does not exactly match one of the ten forms. */
export function parseChannel(name: string): Channel | undefined {
  const slash = name.indexOf("/");
  const kind = (slash < 0 ? name : name.slice(0, slash)) as ChannelKind;
  if (!Object.hasOwn(CHANNELS, kind)) return undefined;
  const { parts, pattern } = NAMES[kind];
  const found = pattern.exec(name);
  if (found === null) return undefined;
  const values = parts.map((part, i) => [part, found[i + 1]] as const);
  return { kind, ...Object.fromEntries(values) } as Channel;
}

/**
 * Parses a channel name typed by a user: ids must be in the range of the interface (int32) and lose leading zeros, so that one
 * channel has one name.
 * @returns undefined when the name has none of the ten forms, or an id is out of range
 */
export function parseTypedChannel(name: string): Channel | undefined {
  const channel = parseChannel(name);
  if (channel === undefined) return undefined;
  const ids: { marketId?: string; subaccountId?: string } = {};
  for (const part of ["marketId", "subaccountId"] as const) {
    const text = (channel as Partial<NameParts>)[part];
    if (text === undefined) continue;
    const id = parseId(text);
    if (id === undefined) return undefined;
    ids[part] = id;
  }
  return { ...channel, ...ids };
}

/** The name of a channel, as used in commands and frames. */
export function formatChannel(channel: Channel): string {
  const values = NAMES[channel.kind].parts.map((part) => (channel as Partial<NameParts>)[part]);
  return [channel.kind, ...values.filter((value) => value !== undefined)].join("/");
}
