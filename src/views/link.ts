// The link: can I trust what I see. The connection, its channels, how the service is read, and what happened lately.
import { type Known, POINTS, type Point, type Source } from "../dialect/dialect.ts";
import { formatSpan, formatTime } from "../rows/format.ts";
import { drawFacts, type Fact } from "../screen/frame.ts";
import type { Pane, View } from "../screen/pane.ts";
import { tablePane } from "../screen/table/pane.ts";
import { MASK, type Table } from "../screen/table/table.ts";
import type { Tone } from "../screen/themes.ts";
import type { LogLine, Ui } from "../screen/ui.ts";
import { channelState } from "../state/channel-state.ts";
import { type Moment, serviceMs } from "../state/moment.ts";
import { select } from "../state/store.ts";
import type { ChannelStatus } from "../stream/status.ts";
import { word } from "./cells.ts";
import { stateTone } from "./states.ts";

interface ChannelRow {
  /** As shown. */
  readonly name: string;
  readonly status: ChannelStatus;
  readonly state: string;
  readonly ageMs: number | undefined;
  /** Frames a second. */
  readonly rate: number | undefined;
  readonly holes: number;
}

const count = (title: string, of: (row: ChannelRow) => number, tone: Tone) => ({
  title,
  value: (row: ChannelRow) => String(of(row)),
  tone: (row: ChannelRow): Tone => (of(row) > 0 ? tone : "dim"),
});

const CHANNELS: Table<ChannelRow> = {
  name: "channels",
  title: "Channels",
  columns: [
    word("channel", ({ name }) => name, { tone: () => "bright" }),
    word("state", ({ state }) => state, { tone: ({ state }) => stateTone(state) }),
    {
      title: "age",
      value: ({ ageMs }) => (ageMs === undefined ? undefined : String(Math.round(ageMs))),
      show: (exact) => formatSpan(Number(exact)),
    },
    {
      title: "rate",
      value: ({ rate }) => rate?.toFixed(2),
      show: (exact) => `${Number(exact).toFixed(1)}/s`,
    },
    count("gaps", ({ status }) => status.counts.gaps, "notice"),
    count("holes", ({ holes }) => holes, "notice"),
    count("resyncs", ({ status }) => status.counts.resyncs, "notice"),
    count("refreshes", ({ status }) => status.counts.refreshes, "plain"),
    count("unreadable", ({ status }) => status.counts.rejected, "bad"),
    count("late", ({ status }) => status.counts.late, "plain"),
    word("said", ({ status }) => status.error && `${status.error.code} ${status.error.message}`, {
      tone: () => "bad",
    }),
  ],
  rows: ({ store, nowMs }, ui) =>
    Array.from(store.channels.values(), (status) => ({
      name: shortened(status.channel, ui),
      status,
      state: channelState(status, store.link, nowMs),
      ageMs: ageOf(status, nowMs),
      rate:
        status.everyMs === undefined
          ? undefined
          : 1000 / Math.max(1, status.everyMs, ageOf(status, nowMs) ?? 0),
      holes: (select(store, "trades", status.channel)?.holes ?? []).filter(({ healed }) => !healed)
        .length,
    })),
  id: ({ status }) => status.channel,
  empty: "no channel is subscribed",
};

function ageOf({ lastAtMs }: ChannelStatus, nowMs: number): number | undefined {
  return lastAtMs === undefined ? undefined : nowMs - lastAtMs;
}

const ADDRESSES = /([1-9A-HJ-NP-Za-km-z]{4})[1-9A-HJ-NP-Za-km-z]{24,36}([1-9A-HJ-NP-Za-km-z]{4})/g;

/** Addresses in a text are shortened in the middle; the mask hides them. */
function shortened(text: string, { isMasked }: Ui): string {
  return text.replace(ADDRESSES, isMasked ? MASK : "$1…$2");
}

interface DialectRow {
  readonly point: Point;
  readonly known: Known;
}

/** What each point of the dialect means, in a trader's words. */
const SAYS: Readonly<Record<string, string>> = {
  book: "frames of the order book",
  chain: "numbers that show gaps",
  nullPrevious: "a frame without number",
  spacing: "ms between commands",
  orders: "frames of orders",
  positions: "frames of positions",
  balances: "frames of balances",
  leverages: "frames of leverages",
  subaccounts: "frames of subaccounts",
  delegations: "frames of delegations",
  markets: "frames of markets",
  stats: "frames of figures",
  trades: "pages of trades",
  liquidations: "pages of liquidations",
  fills: "pages of fills",
};

const SOURCE_TONES: Readonly<Record<Source, Tone>> = {
  ...{ assumed: "dim", learned: "plain", configured: "accent", contradicted: "bad" },
};

const DIALECT: Table<DialectRow> = {
  name: "dialect",
  title: "How the service is read",
  columns: [
    word("what", ({ point }) => SAYS[point.split(".").at(-1) ?? ""] ?? point),
    word("value", ({ known }) => known.value, { tone: () => "bright" }),
    word("source", ({ known }) => known.source, {
      tone: ({ known }) => SOURCE_TONES[known.source],
    }),
    word("point", ({ point }) => point, { tone: () => "dim" }),
  ],
  rows: ({ store }) => POINTS.map((point) => ({ point, known: store.dialect[point] })),
  id: ({ point }) => point,
  details: ({ known }) => [["learned on", known.learned ?? "–"]],
  empty: "",
};

const LOG_TONES = { info: "plain", warning: "notice", error: "bad" } as const;

const LOG: Table<LogLine> = {
  name: "log",
  title: "Log",
  columns: [
    {
      title: "time",
      align: "left",
      value: ({ atMs }) => new Date(atMs).toISOString(),
      show: (_exact, { atMs }, display) => formatTime(atMs, display),
      tone: () => "dim",
    },
    word("what", ({ text }) => text, { tone: ({ weight }) => LOG_TONES[weight], isRest: true }),
  ],
  // Newest first. What happened is no part of a moment: it is the same whatever time is looked at.
  rows: (moment, ui) =>
    ui.services
      .log()
      .toReversed()
      .map((line) => ({
        ...line,
        atMs: serviceMs(moment) - (moment.nowMs - line.atMs),
        text: shortened(line.text, ui),
      })),
  id: ({ atMs, text }) => `${atMs}${text}`,
  empty: "nothing happened yet",
};

const CONNECTION: Pane = {
  name: "connection",
  draw(surface, moment, ui) {
    drawFacts(surface, 1, 0, ui.theme, linkFacts(moment));
    drawFacts(surface, 1, 1, ui.theme, detailFacts(moment, ui));
  },
};

function linkFacts({ store, nowMs }: Moment): readonly (Fact | undefined)[] {
  const { link } = store;
  const ms = (value: number | undefined) =>
    value === undefined ? "–" : `${value.toFixed(value < 10 ? 1 : 0)} ms`;
  const isOpen = link.state === "open";
  return [
    { text: isOpen ? "● connected" : `× ${link.state}`, tone: isOpen ? "gain" : "bad" },
    link.fault === undefined || isOpen ? undefined : { text: link.fault.detail, tone: "notice" },
    link.retryAtMs === undefined || isOpen
      ? undefined
      : { word: "next try in", text: formatSpan(Math.max(0, link.retryAtMs - nowMs)) },
    { word: "round trip", text: ms(link.roundTripMs) },
    { word: "reconnects", text: String(link.reconnects) },
    {
      word: "protocol",
      text: link.protocolVersion === undefined ? "–" : String(link.protocolVersion),
    },
  ];
}

function detailFacts(moment: Moment, ui: Ui): readonly (Fact | undefined)[] {
  const { link, drift } = moment.store;
  const isKnown = link.offsetMs !== undefined;
  const skew = isKnown ? Math.round(moment.wallMs - serviceMs(moment)) : undefined;
  const unknown = [...drift.values()].reduce((sum, times) => sum + times, 0);
  return [
    { text: ui.services.address },
    skew === undefined
      ? undefined
      : {
          word: "our clock",
          text: `${skew < 0 ? "−" : "+"}${formatSpan(Math.abs(skew))}`,
          tone: Math.abs(skew) > 5000 ? "notice" : "plain",
        },
    { word: "lag", text: `${Math.round(link.lagMs)} ms`, tone: link.isLate ? "bad" : "plain" },
    unknown === 0 ? undefined : { word: "beside the document", text: String(unknown), tone: "dim" },
  ];
}

const PANES = { channels: tablePane(CHANNELS), dialect: tablePane(DIALECT), log: tablePane(LOG) };

export const LINK: View = {
  name: "link",
  title: "Link",
  key: "L",
  layout: () => ({
    column: [
      { pane: CONNECTION, grow: 0, min: [20, 2] },
      {
        row: [
          { pane: PANES.channels, grow: 3, min: [40, 5] },
          { pane: PANES.dialect, grow: 2, min: [44, 5], goes: 1 },
        ],
        grow: 2,
      },
      { pane: PANES.log, grow: 1, min: [30, 4], goes: 2 },
    ],
  }),
};
