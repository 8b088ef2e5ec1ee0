// What is measured, in one table, and its text for Prometheus. A value is there only while its channel is current: what is scraped
// is true now, or absent.

import type { Alert } from "../alerts/alert.ts";
import { selectPositions, selectSummary } from "../rows/account.ts";
import { priceText, readStat, scaleOf } from "../rows/market.ts";
import { type ChannelState, channelState } from "../state/channel-state.ts";
import { type Moment, serviceMs } from "../state/moment.ts";
import { type Store, select } from "../state/store.ts";
import type { ChannelStatus } from "../stream/status.ts";
import { formatDecimal } from "../units/decimal.ts";

export interface MetricSource {
  readonly moment: Moment;
  readonly alerts: readonly Alert[];
  /** Rules and channels as they may be shown. */
  ruleName(alert: Alert): string;
  channelName(channel: string): string;
  /** Of accounts, no money is told. */
  readonly isMasked: boolean;
}

/** Label values in the order of the labels, then the value: absent where it is undefined or no number. */
type Sample = readonly [...labels: string[], value: number | string | undefined];

interface MetricFamily {
  readonly name: `monitor_${string}`;
  readonly help: string;
  readonly labels: readonly string[];
  /** At most one for each set of label values. */
  readonly read: (source: MetricSource) => readonly Sample[];
}

const IN_QUOTE = "in quote currency; absent while the tick size is not known.";
const STATES = ["waiting", "live", "quiet", "stale", "resync", "offline", "refused"] as const;

export const METRICS: readonly MetricFamily[] = [
  {
    name: "monitor_channel_state",
    help: "1 for the current state of the channel, 0 for every other state.",
    labels: ["channel", "state"],
    read: (source) =>
      statuses(source).flatMap((status) => {
        const [name, is] = [source.channelName(status.channel), stateOf(status, source)];
        return STATES.map((state): Sample => [name, state, is === state ? 1 : 0]);
      }),
  },
  ofChannels(
    "channel_age_seconds",
    "Time since the last update of the channel; absent before the first one.",
    ({ lastAtMs }, { nowMs }) => lastAtMs && seconds(nowMs - lastAtMs),
  ),
  ofChannels("gaps_total", "How often updates were missing.", ({ counts }) => counts.gaps),
  ofChannels(
    "resyncs_total",
    "How often the channel was subscribed again to mend a gap.",
    ({ counts }) => counts.resyncs,
  ),
  ofChannels(
    "rejected_total",
    "Messages of the channel that could not be read.",
    ({ counts }) => counts.rejected,
  ),
  ofLink(
    "reconnects_total",
    "Connections opened after the first one.",
    ({ store }) => store.link.reconnects,
  ),
  ofLink(
    "round_trip_seconds",
    "From the last answered ping to its answer; absent without a connection.",
    ({ store: { link } }) =>
      link.state === "open" ? link.roundTripMs && seconds(link.roundTripMs) : undefined,
  ),
  ofLink(
    "clock_offset_seconds",
    "This machine's clock less the service's; absent until a frame had a time.",
    (moment) => moment.store.link.offsetMs && seconds(moment.wallMs - serviceMs(moment)),
  ),
  ofMarkets("bid", `Best bid ${IN_QUOTE}`, "bbo", (market, { store }) =>
    inQuote(store, market, select(store, "bbo", `bbo/${market}`)?.bid),
  ),
  ofMarkets("ask", `Best ask ${IN_QUOTE}`, "bbo", (market, { store }) =>
    inQuote(store, market, select(store, "bbo", `bbo/${market}`)?.ask),
  ),
  ofMarkets("last", `Price of the newest trade ${IN_QUOTE}`, "trades", (market, { store }) =>
    inQuote(store, market, select(store, "trades", `trades/${market}`)?.trades.at(-1)),
  ),
  ofMarkets("mark", "Mark price in quote currency.", "market-stats", (market, { store }) =>
    readStat(store, market, "mark"),
  ),
  {
    name: "monitor_equity",
    help: "Equity of the subaccount; absent with --mask.",
    labels: ["account"],
    read(source) {
      if (source.isMasked) return [];
      return currentChannels("account", source).map((account) => {
        const equity = selectSummary(source.moment.store, account)?.equity;
        return [shownName(`account/${account}`, source), equity && formatDecimal(equity)];
      });
    },
  },
  {
    name: "monitor_liquidation_distance_ratio",
    help: "How far the mark price is from the liquidation of a position, as a share of the mark price.",
    labels: ["account", "market"],
    read: (source) => currentChannels("account", source).flatMap((name) => distances(name, source)),
  },
  {
    name: "monitor_alert_firings_total",
    help: "How often the alert has fired.",
    labels: ["rule"],
    read(source) {
      const sums = new Map<string, number>();
      for (const alert of source.alerts) {
        const name = source.ruleName(alert);
        sums.set(name, (sums.get(name) ?? 0) + alert.firings);
      }
      return [...sums];
    },
  },
];

function ofChannels(
  name: string,
  help: string,
  read: (status: ChannelStatus, moment: Moment) => number | undefined,
): MetricFamily {
  return {
    ...{ name: `monitor_${name}`, help, labels: ["channel"] },
    read: (source) =>
      statuses(source).map((status) => [
        source.channelName(status.channel),
        read(status, source.moment),
      ]),
  };
}

function ofLink(
  name: string,
  help: string,
  read: (moment: Moment) => number | undefined,
): MetricFamily {
  return { name: `monitor_${name}`, help, labels: [], read: ({ moment }) => [[read(moment)]] };
}

/** While its channel is live or quiet. */
function ofMarkets(
  name: string,
  help: string,
  kind: string,
  read: (market: string, moment: Moment) => string | undefined,
): MetricFamily {
  return {
    ...{ name: `monitor_${name}`, help, labels: ["market"] },
    read: (source) =>
      currentChannels(kind, source).map((market) => [market, read(market, source.moment)]),
  };
}

function statuses({ moment: { store } }: MetricSource): readonly ChannelStatus[] {
  return [...store.channels.values()];
}

function stateOf(status: ChannelStatus, { moment: { store, nowMs } }: MetricSource): ChannelState {
  return channelState(status, store.link, nowMs);
}

function inQuote(
  store: Store,
  market: string,
  priced: { readonly price_ticks: string } | null | undefined,
): string | undefined {
  const scale = scaleOf(store, market);
  return priced ? scale && priceText(priced.price_ticks, scale) : undefined;
}

/** What follows the kind, such as `perp/1`, of the channels that are live or quiet. */
function currentChannels(kind: string, source: MetricSource): readonly string[] {
  const isCurrent = (status: ChannelStatus) => ["live", "quiet"].includes(stateOf(status, source));
  return statuses(source)
    .filter((status) => status.kind === kind && isCurrent(status))
    .map(({ channel }) => channel.slice(kind.length + 1));
}

/** A channel's name without its kind. */
function shownName(channel: string, source: MetricSource): string {
  const name = source.channelName(channel);
  return name.slice(name.indexOf("/") + 1);
}

/** Of the nearest position of each market. */
function distances(account: string, source: MetricSource): readonly Sample[] {
  const nearest = new Map<string, number>();
  for (const { market, distancePercent } of selectPositions(source.moment.store, account) ?? []) {
    if (market === undefined || distancePercent === undefined) continue;
    // A share has two decimals more than a percentage.
    const ratio = Number(formatDecimal({ ...distancePercent, places: distancePercent.places + 2 }));
    nearest.set(market, Math.min(ratio, nearest.get(market) ?? ratio));
  }
  const name = shownName(`account/${account}`, source);
  return Array.from(nearest, ([market, ratio]) => [name, market, ratio]);
}

/** Rounded to microseconds. */
function seconds(ms: number): number {
  return Math.round(ms * 1000) / 1e6;
}

export const metricType = (name: string) => (name.endsWith("_total") ? "counter" : "gauge");

export type MetricFormat = "text" | "openmetrics";

/** Every family that has a value now: Prometheus text 0.0.4, or OpenMetrics 1.0.0. */
export function formatMetrics(source: MetricSource, format: MetricFormat): string {
  const isOpen = format === "openmetrics";
  const lines = METRICS.flatMap(({ name, help, labels, read }) => {
    const samples = read(source)
      .map((sample) => [...sample.slice(0, -1), Number(sample.at(-1) ?? Number.NaN)])
      .filter((sample) => Number.isFinite(sample.at(-1)));
    if (samples.length === 0) return [];
    // OpenMetrics names a counter without the suffix of its samples.
    const family = isOpen ? name.replace(/_total$/, "") : name;
    return [
      `# HELP ${family} ${help}`,
      `# TYPE ${family} ${metricType(name)}`,
      ...samples.map((sample) => `${name}${formatLabels(labels, sample)} ${sample.at(-1)}`),
    ];
  });
  return `${[...lines, ...(isOpen ? ["# EOF"] : [])].join("\n")}\n`;
}

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", '"': '\\"', "\n": "\\n" };

function formatLabels(labels: readonly string[], sample: readonly unknown[]): string {
  if (labels.length === 0) return "";
  const escaped = (value: string) => value.replace(/[\\"\n]/g, (each) => ESCAPES[each] ?? each);
  return `{${labels.map((label, i) => `${label}="${escaped(String(sample[i]))}"`).join(",")}}`;
}
