// The link: can I trust what I see. The connection, its channels, how the service is read, and what happened lately.
import { type Known, POINTS, type Point, type Source } from "../dialect/dialect.ts";
import { formatSpan } from "../rows/format.ts";
import { drawFacts, type Fact } from "../screen/frame.ts";
import type { Pane, View } from "../screen/pane.ts";
import { stateTone } from "../screen/states.ts";
import { tablePane } from "../screen/table/pane.ts";
import { MASK, MISSING, type Table } from "../screen/table/table.ts";
import type { Tone } from "../screen/themes.ts";
import type { LogLine, Ui } from "../screen/ui.ts";
import { channelState } from "../state/channel-state.ts";
import { type Moment, serviceMs } from "../state/moment.ts";
import { select } from "../state/store.ts";
import type { ChannelStatus } from "../stream/status.ts";
import { age, number, time, word } from "./cells.ts";

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

const count = (title: string, of: (row: ChannelRow) => number, tone: Tone) =>
  number<ChannelRow>(title, (row) => String(of(row)), {
    tone: (row) => (of(row) > 0 ? tone : "dim"),
  });

const CHANNELS: Table<ChannelRow> = {
  name: "channels",
  title: "Channels",
  columns: [
    word("channel", ({ name }) => name, { tone: "bright" }),
    word("state", ({ state }) => state, { tone: ({ state }) => stateTone(state) }),
    age("age", ({ ageMs }) => ageMs),
    { title: "rate", value: ({ rate }) => rate?.toFixed(1), show: (exact) => `${exact}/s` },
    count("gaps", ({ status }) => status.counts.gaps, "notice"),
    count("holes", ({ holes }) => holes, "notice"),
    count("resyncs", ({ status }) => status.counts.resyncs, "notice"),
    count("refreshes", ({ status }) => status.counts.refreshes, "plain"),
    count("unreadable", ({ status }) => status.counts.rejected, "bad"),
    count("late", ({ status }) => status.counts.late, "plain"),
    word("said", ({ status }) => status.error && `${status.error.code} ${status.error.message}`, {
      tone: "bad",
    }),
  ],
  rows: ({ store, nowMs }, ui) =>
    Array.from(store.channels.values(), (status) => {
      const { channel, everyMs, lastAtMs } = status;
      const ageMs = lastAtMs === undefined ? undefined : nowMs - lastAtMs;
      const { holes = [] } = select(store, "trades", channel) ?? {};
      return {
        ...{ name: shortened(channel, ui), status, ageMs },
        state: channelState(status, store.link, nowMs),
        rate: everyMs === undefined ? undefined : 1000 / Math.max(1, everyMs, ageMs ?? 0),
        holes: holes.filter(({ healed }) => !healed).length,
      };
    }),
  id: ({ status }) => status.channel,
  empty: "no channel is subscribed",
};

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
    word("value", ({ known }) => known.value, { tone: "bright" }),
    word("source", ({ known }) => known.source, {
      tone: ({ known }) => SOURCE_TONES[known.source],
    }),
    word("point", ({ point }) => point, { tone: "dim" }),
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
    time("time", ({ atMs }) => atMs),
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

function linkFacts({ store, nowMs }: Moment): readonly Fact[] {
  const { state, fault, retryAtMs, roundTripMs, reconnects, protocolVersion } = store.link;
  const isOpen = state === "open";
  const next = isOpen || retryAtMs === undefined ? "" : formatSpan(Math.max(0, retryAtMs - nowMs));
  return [
    { text: isOpen ? "● connected" : `× ${state}`, tone: isOpen ? "gain" : "bad" },
    { text: isOpen ? "" : (fault?.detail ?? ""), tone: "notice" },
    { word: "next try in", text: next },
    { word: "round trip", text: roundTripMs === undefined ? MISSING : formatMs(roundTripMs) },
    { word: "reconnects", text: String(reconnects) },
    { word: "protocol", text: String(protocolVersion ?? MISSING) },
  ];
}

const formatMs = (ms: number) => `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;

function detailFacts(moment: Moment, ui: Ui): readonly Fact[] {
  const { link, drift } = moment.store;
  const skew = Math.round(moment.wallMs - serviceMs(moment));
  const clock = `${skew < 0 ? "−" : "+"}${formatSpan(Math.abs(skew))}`;
  const unknown = [...drift.values()].reduce((sum, times) => sum + times, 0);
  return [
    { text: ui.services.address },
    {
      word: "our clock",
      text: link.offsetMs === undefined ? "" : clock,
      tone: Math.abs(skew) > 5000 ? "notice" : "plain",
    },
    { word: "lag", text: `${Math.round(link.lagMs)} ms`, tone: link.isLate ? "bad" : "plain" },
    { word: "beside the document", text: unknown === 0 ? "" : String(unknown), tone: "dim" },
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
