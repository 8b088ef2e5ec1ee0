// All metrics in one table, from which the server, the file and the documentation are derived.
//
// A value is absent unless its channel is live or quiet: what is scraped is either true now or absent.
import type { Subaccount } from "../select/account.ts";
import { selectLiquidationShare } from "../select/account-rows.ts";
import { readNumber } from "../select/fields.ts";
import {
  findOwnRecord,
  formatMarket,
  listedIn,
  type Market,
  parseMarketRecord,
  selectStat,
} from "../select/market.ts";
import type { AccountList } from "../state/account-list.ts";
import { isCurrent, PANE_STATES, type PaneState, paneAgeMs } from "../state/pane-state.ts";
import type { Scales } from "../state/scales.ts";
import type { Slice, SliceData } from "../state/slices.ts";
import type { Store } from "../state/store.ts";
import { compareDecimal, type Decimal, formatDecimal, parseDecimal } from "../units/decimal.ts";
import { formatUnits } from "../units/scale.ts";
import { type Channel, type ChannelKind, formatChannel, parseChannel } from "../wire/channels.ts";
import type { ChannelCounts, RunCounts } from "./run-counts.ts";

export interface MetricSource {
  readonly store: Store;
  readonly scales: Scales;
  readonly counts: RunCounts;
  /** Channels that should be received, even if not subscribed yet. */
  readonly channels: readonly string[];
  /** Monotonic milliseconds. */
  readonly nowMs: number;
}

interface HeldChannel {
  readonly slice: Slice;
  readonly parts: Channel;
  readonly state: PaneState;
}

interface MetricFacts extends Omit<MetricSource, "channels"> {
  readonly channels: ReadonlyMap<string, HeldChannel>;
}

/** One value, with label values in the order of its family's labels. */
interface Sample {
  readonly labels: readonly string[];
  readonly value: number;
}

export interface MetricFamily {
  readonly name: `monitor_${string}`;
  readonly type: "gauge" | "counter";
  readonly help: string;
  readonly labels: readonly string[];
  /** At most one sample per set of label values. */
  read(facts: MetricFacts): readonly Sample[];
}

export const METRICS: readonly MetricFamily[] = [
  {
    name: "monitor_channel_state",
    type: "gauge",
    help: "1 for the current state of the channel, 0 for every other state.",
    labels: ["channel", "state"],
    read: (facts) =>
      all(facts).flatMap(({ slice, state }) =>
        STATES.map((each) =>
          sample([channelName(slice.channel, facts), each], each === state ? 1 : 0),
        ),
      ),
  },
  {
    name: "monitor_channel_age_seconds",
    type: "gauge",
    help: "Time since the last update of the channel; absent before the first one.",
    labels: ["channel"],
    read: (facts) =>
      all(facts).flatMap(({ slice: { channel, feed } }) => {
        const ageMs = paneAgeMs(feed, facts.nowMs);
        return ageMs === undefined ? [] : [sample([channelName(channel, facts)], seconds(ageMs))];
      }),
  },
  countOf(
    "gaps",
    "How often updates may have been missed: a broken chain, or a lost subscription.",
  ),
  countOf("resyncs", "How often the channel was subscribed again to get a snapshot."),
  countOf(
    "rejected",
    "Messages that were not accepted; those that name no subscribed channel count for the channel link.",
  ),
  {
    name: "monitor_reconnects_total",
    type: "counter",
    help: "Connections opened after the first one.",
    labels: [],
    read: ({ counts }) => [sample([], counts.reconnects)],
  },
  {
    name: "monitor_round_trip_seconds",
    type: "gauge",
    help: "From the last answered ping to its pong; absent without a connection.",
    labels: [],
    read({ store: { link } }) {
      const ms = link?.state === "open" ? link.roundTripMs : undefined;
      return ms === undefined ? [] : [sample([], seconds(ms))];
    },
  },
  bestPrice("bid"),
  bestPrice("ask"),
  {
    name: "monitor_last",
    type: "gauge",
    help: "Price of the newest trade of the stream, in price units; absent without a scale.",
    labels: ["market"],
    read: (facts) =>
      current(facts, "trades").flatMap(({ data, parts }) =>
        price(data.recent(1)[0]?.price_ticks, parts, facts),
      ),
  },
  {
    name: "monitor_mark",
    type: "gauge",
    help: "Mark price as the service gives it, in price units.",
    labels: ["market"],
    read: (facts) =>
      current(facts, "market-stats").flatMap(({ parts }) => {
        const market = getMarket(parts);
        const mark = market && markPrice(market, facts);
        return market && mark ? number([formatMarket(market)], formatDecimal(mark)) : [];
      }),
  },
  {
    name: "monitor_equity",
    type: "gauge",
    help: "Equity of the subaccount as the service gives it; absent while accounts are masked.",
    labels: ["account"],
    read: (facts) =>
      current(facts, "account").flatMap(({ data: { summary }, parts }) => {
        const equity = summary && readNumber(facts.store.aliases.value(summary, "equity"));
        if (equity === undefined || facts.counts.isMasked) return [];
        return number([accountName(parts, facts)], formatDecimal(equity));
      }),
  },
  {
    name: "monitor_liquidation_distance_ratio",
    type: "gauge",
    help: "Distance of the mark price from the liquidation price that the service gives, as a share of the mark price; 0 once it has been reached.",
    labels: ["account", "market"],
    read: (facts) =>
      current(facts, "account").flatMap(({ data: { lists }, parts }) =>
        [...liquidationRatios(lists.positions, facts)].flatMap(([market, ratio]) =>
          number([accountName(parts, facts), market], formatDecimal(ratio)),
        ),
      ),
  },
  {
    name: "monitor_alert_firings_total",
    type: "counter",
    help: "Firings of the alert rule.",
    labels: ["rule"],
    read: ({ counts }) => [...counts.firings].map(([rule, count]) => sample([rule], count)),
  },
];

/** A family with its current samples: at least one. */
export interface ReadFamily {
  readonly family: MetricFamily;
  readonly samples: readonly Sample[];
}

/** Every family that has a value now, in table order. */
export function readMetrics(source: MetricSource): readonly ReadFamily[] {
  const { store, nowMs } = source;
  const channels = new Map<string, HeldChannel>();
  for (const channel of source.channels) {
    const parts = parseChannel(channel);
    if (parts === undefined) continue;
    const slice = store.slice(parts.kind, channel);
    channels.set(channel, { slice, parts, state: store.paneState(slice, nowMs) });
  }
  const facts = { ...source, channels };
  return METRICS.map((family) => ({ family, samples: family.read(facts) })).filter(
    ({ samples }) => samples.length > 0,
  );
}

/** States of a stream channel; only listings can be "listed". */
const STATES = PANE_STATES.filter((state) => state !== "listed");

function sample(labels: readonly string[], value: number): Sample {
  return { labels, value };
}

/** Rounded to microseconds. */
function seconds(ms: number): number {
  return Math.round(ms * 1000) / 1e6;
}

/** The double nearest to decimal text; none if that overflows. */
function number(labels: readonly string[], text: string): readonly Sample[] {
  const value = Number(text);
  return Number.isFinite(value) ? [sample(labels, value)] : [];
}

function all({ channels }: MetricFacts): readonly HeldChannel[] {
  return [...channels.values()];
}

/** Channels of the kind whose data is current. */
function current<K extends ChannelKind>(
  facts: MetricFacts,
  kind: K,
): readonly { readonly data: SliceData[K]; readonly parts: Channel }[] {
  return all(facts).flatMap(({ slice, parts, state }) =>
    slice.kind === kind && isCurrent(state) ? [{ data: slice.data as SliceData[K], parts }] : [],
  );
}

function countOf(what: keyof ChannelCounts, help: string): MetricFamily {
  return {
    name: `monitor_${what}_total`,
    type: "counter",
    help,
    labels: ["channel"],
    read: (facts) =>
      [...facts.counts.channels].map(([channel, each]) =>
        sample([channelName(channel, facts)], each[what]),
      ),
  };
}

/** The channel, with its address hidden if masked. */
function channelName(channel: string, { counts }: MetricFacts): string {
  const parts = counts.isMasked ? parseChannel(channel) : undefined;
  if (parts === undefined || !("address" in parts)) return channel;
  return channel.replace(parts.address, () => counts.nameOf(parts.address));
}

function accountName(parts: Channel, { counts }: MetricFacts): string {
  const { address, subaccountId } = parts as Channel & Subaccount;
  return `${counts.nameOf(address)}/${subaccountId}`;
}

function getMarket(parts: Channel): Market | undefined {
  if (!("marketType" in parts) || parts.marketId === undefined) return undefined;
  return { type: parts.marketType, id: parts.marketId };
}

function bestPrice(side: "bid" | "ask"): MetricFamily {
  return {
    name: `monitor_${side}`,
    type: "gauge",
    help: `Best ${side}, in price units; absent without a scale.`,
    labels: ["market"],
    read: (facts) =>
      current(facts, "bbo").flatMap(({ data: { bbo }, parts }) =>
        price(bbo?.[side]?.price_ticks, parts, facts),
      ),
  };
}

function price(ticks: string | undefined, parts: Channel, { scales }: MetricFacts) {
  const market = getMarket(parts);
  if (ticks === undefined || market === undefined) return [];
  const name = formatMarket(market);
  const { scale } = scales.of(name);
  return scale === undefined ? [] : number([name], formatUnits(ticks, scale.tickSize));
}

/** From the market's own statistics; undefined while these are not current. */
function markPrice({ type, id }: Market, facts: MetricFacts): Decimal | undefined {
  const channel = formatChannel({ kind: "market-stats", marketType: type, marketId: id });
  const stats = facts.channels.get(channel);
  if (stats === undefined || !isCurrent(stats.state)) return undefined;
  const { records } = stats.slice.data as SliceData["market-stats"];
  const { aliases } = facts.store;
  const record = findOwnRecord(records, { type, id }, listedIn(facts.store));
  return parseDecimal(selectStat(record, "markPrice", aliases) ?? "");
}

// How far a position is from its liquidation, as a number for plotting: based on the prices that the service gives, as on the
// screen and in alerts.

/** More digits than a double has. */
const SHARE_PLACES = 18;
const PERCENT_PLACES = 2;

/**
 * |mark − liquidation| / mark of the nearest liquidation in each market with a position; 0 once it has been reached. Omits rows
 * in question, and rows with a price that is missing or not positive.
 */
function liquidationRatios(
  { isReceived, rows, inQuestion, unnamed }: AccountList,
  facts: MetricFacts,
): ReadonlyMap<string, Decimal> {
  const { aliases } = facts.store;
  const certain = rows.filter((row) => isReceived && (!inQuestion.has(row) || unnamed.has(row)));
  const nearest = new Map<string, Decimal>();
  for (const row of certain) {
    const market = parseMarketRecord(row, aliases);
    if (market === undefined || readNumber(aliases.value(row, "size"))?.mantissa === 0n) continue;
    const share = selectLiquidationShare(row, aliases, markPrice(market, facts), SHARE_PLACES);
    if (share === undefined) continue;
    const ratio = { ...share, places: share.places + PERCENT_PLACES };
    const name = formatMarket(market);
    const before = nearest.get(name);
    if (before === undefined || compareDecimal(ratio, before) < 0) nearest.set(name, ratio);
  }
  return nearest;
}
