// What is measured, in one table, and its text for Prometheus. A value is there only while its channel is current: what is scraped
// is true now, or absent.

import type { Alert } from "../alerts/alerts.ts";
import { selectPositions, selectSummary } from "../rows/account.ts";
import { priceText, readStat, scaleOf } from "../rows/market.ts";
import { type Moment, serviceMs } from "../rows/moment.ts";
import { type PaneState, paneState } from "../state/pane.ts";
import { select } from "../state/store.ts";
import type { ChannelStatus, Counts } from "../stream/status.ts";
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

/** Label values in the order of the labels. */
type Sample = readonly [...labels: string[], value: number];

interface MetricFamily {
  readonly name: `monitor_${string}`;
  readonly type: "gauge" | "counter";
  readonly help: string;
  readonly labels: readonly string[];
  /** At most one for each set of label values. */
  read(source: MetricSource): readonly Sample[];
}

const STATES: readonly PaneState[] = [
  ...(["waiting", "live", "quiet", "stale", "resync", "offline", "refused"] as const),
];

export const METRICS: readonly MetricFamily[] = [
  {
    name: "monitor_channel_state",
    type: "gauge",
    help: "1 for the current state of the channel, 0 for every other state.",
    labels: ["channel", "state"],
    read: (source) =>
      statuses(source).flatMap((status): Sample[] => {
        const state = stateOf(status, source);
        const name = source.channelName(status.channel);
        return STATES.map((each) => [name, each, each === state ? 1 : 0]);
      }),
  },
  {
    name: "monitor_channel_age_seconds",
    type: "gauge",
    help: "Time since the last update of the channel; absent before the first one.",
    labels: ["channel"],
    read: (source) =>
      statuses(source).flatMap(({ channel, lastAtMs }): Sample[] =>
        lastAtMs === undefined
          ? []
          : [[source.channelName(channel), seconds(source.moment.nowMs - lastAtMs)]],
      ),
  },
  counted("gaps", "How often updates were missing."),
  counted("resyncs", "How often the channel was subscribed again to mend a gap."),
  counted("rejected", "Messages of the channel that could not be read."),
  {
    name: "monitor_reconnects_total",
    type: "counter",
    help: "Connections opened after the first one.",
    labels: [],
    read: ({ moment }) => [[moment.store.link.reconnects]],
  },
  {
    name: "monitor_round_trip_seconds",
    type: "gauge",
    help: "From the last answered ping to its answer; absent without a connection.",
    labels: [],
    read({ moment: { store } }) {
      const { state, roundTripMs } = store.link;
      return state === "open" && roundTripMs !== undefined ? [[seconds(roundTripMs)]] : [];
    },
  },
  {
    name: "monitor_clock_offset_seconds",
    type: "gauge",
    help: "This machine's clock less the service's; absent until a frame had a time.",
    labels: [],
    read: ({ moment }) =>
      moment.store.link.offsetMs === undefined
        ? []
        : [[seconds(moment.wallMs - serviceMs(moment))]],
  },
  best("bid"),
  best("ask"),
  {
    name: "monitor_last",
    type: "gauge",
    help: "Price of the newest trade in quote currency; absent while the tick size is not known.",
    labels: ["market"],
    read: (source) =>
      current("trades", source, (market, channel) =>
        inQuote(market, select(source.moment.store, "trades", channel)?.trades.at(-1), source),
      ),
  },
  {
    name: "monitor_mark",
    type: "gauge",
    help: "Mark price in quote currency.",
    labels: ["market"],
    read: (source) =>
      current("market-stats", source, (market) => readStat(source.moment.store, market, "mark")),
  },
  {
    name: "monitor_equity",
    type: "gauge",
    help: "Equity of the subaccount; absent with --mask.",
    labels: ["account"],
    read: (source) =>
      source.isMasked
        ? []
        : current("account", source, (account) => {
            const equity = selectSummary(source.moment.store, account)?.equity;
            return equity && formatDecimal(equity);
          }),
  },
  {
    name: "monitor_liquidation_distance_ratio",
    type: "gauge",
    help: "How far the mark price is from the liquidation of a position, as a share of the mark price.",
    labels: ["account", "market"],
    read: (source) =>
      currentChannels("account", source).flatMap(({ channel }) => distances(channel, source)),
  },
  {
    name: "monitor_alert_firings_total",
    type: "counter",
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

function statuses({ moment: { store } }: MetricSource): readonly ChannelStatus[] {
  return [...store.channels.values()];
}

function stateOf(status: ChannelStatus, { moment: { store, nowMs } }: MetricSource): PaneState {
  return paneState(status, store.link, nowMs);
}

function counted(what: keyof Counts, help: string): MetricFamily {
  return {
    ...{ name: `monitor_${what}_total`, type: "counter", help, labels: ["channel"] },
    read: (source) =>
      statuses(source).map(({ channel, counts }) => [source.channelName(channel), counts[what]]),
  };
}

function best(side: "bid" | "ask"): MetricFamily {
  return {
    name: `monitor_${side}`,
    type: "gauge",
    help: `Best ${side} in quote currency; absent while the tick size is not known.`,
    labels: ["market"],
    read: (source) =>
      current("bbo", source, (market, channel) =>
        inQuote(market, select(source.moment.store, "bbo", channel)?.[side], source),
      ),
  };
}

function inQuote(
  market: string,
  priced: { readonly price_ticks: string } | null | undefined,
  { moment: { store } }: MetricSource,
): string | undefined {
  const scale = scaleOf(store, market);
  return priced ? scale && priceText(priced.price_ticks, scale) : undefined;
}

/** Of this kind, and live or quiet. */
function currentChannels(kind: string, source: MetricSource): readonly ChannelStatus[] {
  return statuses(source).filter((status) => {
    const state = stateOf(status, source);
    return status.kind === kind && (state === "live" || state === "quiet");
  });
}

/** One sample for each channel that is current and has the figure. @param read is given what follows the kind: `perp/1` */
function current(
  kind: string,
  source: MetricSource,
  read: (name: string, channel: string) => string | undefined,
): readonly Sample[] {
  return currentChannels(kind, source).flatMap(({ channel }): Sample[] => {
    const name = channel.slice(kind.length + 1);
    const value = Number(read(name, channel) ?? Number.NaN);
    return Number.isFinite(value) ? [[shownName(channel, source), value]] : [];
  });
}

/** A channel's name without its kind. */
function shownName(channel: string, source: MetricSource): string {
  const name = source.channelName(channel);
  return name.slice(name.indexOf("/") + 1);
}

/** Of the nearest position of each market. */
function distances(channel: string, source: MetricSource): readonly Sample[] {
  const account = channel.slice("account/".length);
  const nearest = new Map<string, number>();
  for (const { market, distancePercent } of selectPositions(source.moment.store, account) ?? []) {
    if (market === undefined || distancePercent === undefined) continue;
    // A share has two decimals more than a percentage.
    const ratio = Number(formatDecimal({ ...distancePercent, places: distancePercent.places + 2 }));
    nearest.set(market, Math.min(ratio, nearest.get(market) ?? ratio));
  }
  return Array.from(nearest, ([market, ratio]) => [shownName(channel, source), market, ratio]);
}

/** Rounded to microseconds. */
function seconds(ms: number): number {
  return Math.round(ms * 1000) / 1e6;
}

export type MetricFormat = "text" | "openmetrics";

/** Units for which OpenMetrics has a line. */
const UNITS = ["seconds", "ratio"];

/** Every family that has a value now: Prometheus text 0.0.4, or OpenMetrics 1.0.0. */
export function formatMetrics(source: MetricSource, format: MetricFormat): string {
  const isOpen = format === "openmetrics";
  const lines = METRICS.flatMap(({ name, type, help, labels, read }) => {
    const samples = read(source);
    if (samples.length === 0) return [];
    // OpenMetrics names a counter without the suffix of its samples.
    const family = isOpen ? name.replace(/_total$/, "") : name;
    const unit = isOpen ? UNITS.find((each) => family.endsWith(`_${each}`)) : undefined;
    return [
      `# HELP ${family} ${help}`,
      `# TYPE ${family} ${type}`,
      ...(unit === undefined ? [] : [`# UNIT ${family} ${unit}`]),
      ...samples.map((sample) => `${name}${formatLabels(labels, sample)} ${sample.at(-1)}`),
    ];
  });
  return `${[...lines, ...(isOpen ? ["# EOF"] : [])].join("\n")}\n`;
}

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", '"': '\\"', "\n": "\\n" };

function formatLabels(labels: readonly string[], sample: Sample): string {
  if (labels.length === 0) return "";
  const escaped = (value: string) => value.replace(/[\\"\n]/g, (each) => ESCAPES[each] ?? each);
  return `{${labels.map((label, i) => `${label}="${escaped(String(sample[i]))}"`).join(",")}}`;
}
