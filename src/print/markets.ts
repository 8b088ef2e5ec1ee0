// All markets with their figures, without a screen.
import type { Context } from "../args/context.ts";
import type { Service } from "../live/service.ts";
import { withSign } from "../select/fields.ts";
import { formatPercent } from "../select/funding.ts";
import {
  type MarketRow,
  STATS_CHANNELS,
  selectMarketRows,
  selectMarketTypes,
} from "../select/market-list.ts";
import { formatLink, selectPaneStatus } from "../select/status.ts";
import { isAnswered } from "../state/feed.ts";
import type { Slice } from "../state/slices.ts";
import type { Store } from "../state/store.ts";
import { visible } from "../terminal/visible.ts";
import { parseDecimal } from "../units/decimal.ts";
import type { MarketType } from "../wire/channels.ts";
import type { OpenRecord } from "../wire/update.ts";
import { formatMissing, type HeadlessSnapshot, printLive } from "./forms.ts";
import { columnTable, type TextColumn } from "./text-table.ts";

/**
 * Prints once: when they were received, or after the time of --for. @throws {ServiceError} if the first connection cannot
 * be made
 */
export function printMarkets(
  context: Context,
  run: { readonly findService: () => Promise<Service> },
): Promise<number> {
  const { clock, options } = context;
  const printed = { ...context, options: { ...options, once: options.for === undefined } };
  return printLive(printed, run, ({ live: { store, stream } }) => {
    const times = new WeakMap<OpenRecord, number>();
    for (const { channel } of listSlices(store)) stream.subscribe(channel);
    return {
      follow() {
        const records = listSlices(store).flatMap(({ data }) => data.records);
        for (const record of records) if (!times.has(record)) times.set(record, clock.now());
      },
      isSettled: () => selectNeeded(store).every(({ feed }) => isAnswered(feed)),
      snapshot: () => snapshotOf(store, { nowMs: clock.now(), wallMs: clock.wall(), times }),
    };
  });
}

function snapshotOf(store: Store, now: Parameters<typeof selectMarketRows>[1]): HeadlessSnapshot {
  const { nowMs } = now;
  const rows = selectMarketRows(store, now);
  const page = () => formatMarkets(store, rows, nowMs);
  return {
    nowMs,
    line: page,
    page,
    json: () => rows.map(createRowJson),
    missing: () => [
      ...selectNeeded(store).flatMap(({ channel, feed }) =>
        feed.frames > 0 ? [] : [formatMissing(channel, feed, store.link)],
      ),
      ...listSlices(store).flatMap(({ channel, data }) =>
        data.isCut ? [`${channel} (only the first ${data.records.length} are held)`] : [],
      ),
    ],
  };
}

type MarketsSlice = Slice<"markets"> | Slice<"market-stats">;

function listSlices(store: Store): readonly MarketsSlice[] {
  const stats = Object.values(STATS_CHANNELS).map((name) => store.slice("market-stats", name));
  return [store.slice("markets", "markets"), ...stats];
}

/** Required: the list, and the figures of each type of which it names a market, or might while it is missing. */
function selectNeeded(store: Store): readonly MarketsSlice[] {
  const [list, ...stats] = listSlices(store);
  if (list === undefined || list.feed.frames === 0) return listSlices(store);
  const types = selectMarketTypes(store);
  return [list, ...stats.filter((_, i) => types.has(TYPES[i] ?? "perp"))];
}

const TYPES = Object.keys(STATS_CHANNELS) as readonly MarketType[];

function createRowJson({ market, symbol, state, figures }: MarketRow): object {
  return { market, symbol, state, ...figures };
}

const COLUMNS: readonly TextColumn<MarketRow>[] = [
  ["market", ({ market }) => market ?? undefined, "left"],
  ["symbol", ({ symbol }) => symbol, "left"],
  ["last", ({ figures }) => figures.last],
  ["24h %", ({ figures }) => formatFraction(figures.change_24h)],
  ["volume 24h", ({ figures }) => figures.volume_quote_24h],
  ["funding %", ({ figures }) => formatFraction(figures.funding_rate)],
  ["OI", ({ figures }) => figures.open_interest],
  ["mark", ({ figures }) => figures.mark],
  ["state", ({ state }) => state, "left"],
];

function formatFraction(text: string | undefined): string | undefined {
  const value = parseDecimal(text ?? "");
  return value && withSign(formatPercent(value));
}

function formatMarkets(store: Store, rows: readonly MarketRow[], nowMs: number): string {
  const feeds = listSlices(store).map((slice) => {
    const { state, age } = selectPaneStatus(store, slice, nowMs);
    return `${slice.channel} ${state} ${age}`.trimEnd();
  });
  return [
    ...columnTable(COLUMNS, rows),
    "",
    `feeds   ${feeds.join("  ")}`,
    `link    ${visible(formatLink(store.link, nowMs))}`,
  ].join("\n");
}
