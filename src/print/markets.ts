// All markets with their figures, without a screen.
import type { Context } from "../args/context.ts";
import { HeadlessSession } from "../live/headless-session.ts";
import type { Service } from "../live/service.ts";
import { MISSING, withSign } from "../select/fields.ts";
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
import { type HeadlessView, printView, wordMissing } from "./forms.ts";
import { textTable } from "./text-table.ts";

/**
 * Prints the markets once: when they have come, or after the time that --for says.
 * @returns the exit code: 0 when the data came, 1 when some never did
 * @throws {ServiceError} when the first connection cannot be made
 */
export async function printMarkets(
  context: Context,
  run: { readonly findService: () => Promise<Service> },
): Promise<number> {
  const { options } = context;
  const service = await run.findService();
  const times = new WeakMap<OpenRecord, number>();
  const session = new HeadlessSession(context, service, (event) => {
    if (event.type !== "update") return;
    const slice = listSlices(store).find(({ channel }) => channel === event.channel);
    for (const record of slice?.data.records ?? []) {
      if (!times.has(record)) times.set(record, event.atMs);
    }
  });
  const { store, stream } = session.live;
  try {
    for (const { channel } of listSlices(store)) stream.subscribe(channel);
    const once = { ...context, options: { ...options, once: options.for === undefined } };
    return await printView(once, session, createView(context, store, times));
  } finally {
    session.close();
  }
}

type MarketsSlice = Slice<"markets"> | Slice<"market-stats">;

/** The list, then the figures of each type. */
function listSlices(store: Store): readonly MarketsSlice[] {
  const stats = Object.values(STATS_CHANNELS).map((name) => store.slice("market-stats", name));
  return [store.slice("markets", "markets"), ...stats];
}

function createView(
  { clock }: Context,
  store: Store,
  times: WeakMap<OpenRecord, number>,
): HeadlessView {
  return {
    isSettled: () => selectNeeded(store).every(({ feed }) => isAnswered(feed)),
    snapshot() {
      const nowMs = clock.now();
      const rows = selectMarketRows(store, { nowMs, wallMs: clock.wall(), times });
      const page = () => formatMarkets(store, rows, nowMs);
      return {
        nowMs,
        line: page,
        page,
        json: () => rows.map(createRowJson),
        missing: () => [
          ...selectNeeded(store).flatMap(({ channel, feed }) =>
            feed.frames > 0 ? [] : [wordMissing(channel, feed, store.link)],
          ),
          ...listSlices(store).flatMap(({ channel, data }) =>
            data.isCut ? [`${channel} (only the first ${data.records.length} are held)`] : [],
          ),
        ],
      };
    },
  };
}

/** What has to come: the list, and the figures of each type of which it names a market, or may name one. */
function selectNeeded(store: Store): readonly MarketsSlice[] {
  const [list, ...stats] = listSlices(store);
  if (list === undefined || list.feed.frames === 0) return listSlices(store);
  const types = selectMarketTypes(store);
  return [list, ...stats.filter((_, i) => types.has(TYPES[i] ?? "perp"))];
}

const TYPES = Object.keys(STATS_CHANNELS) as readonly MarketType[];

function createRowJson({ market, symbol, state, figures }: MarketRow): object {
  return { market, ...(symbol !== undefined && { symbol }), state, ...figures };
}

const COLUMNS: readonly (readonly [title: string, cell: (row: MarketRow) => string | undefined])[] =
  [
    ["market", ({ market }) => market ?? undefined],
    ["symbol", ({ symbol }) => symbol],
    ["last", ({ figures }) => figures.last],
    ["24h %", ({ figures }) => formatFraction(figures.change_24h)],
    ["volume 24h", ({ figures }) => figures.volume_quote_24h],
    ["funding %", ({ figures }) => formatFraction(figures.funding_rate)],
    ["OI", ({ figures }) => figures.open_interest],
    ["mark", ({ figures }) => figures.mark],
    ["state", ({ state }) => state],
  ];

/** In percent, exactly, with its sign. */
function formatFraction(text: string | undefined): string | undefined {
  const value = parseDecimal(text ?? "");
  return value && withSign(formatPercent(value));
}

/** Names and words stand on the left, numbers on the right. */
const LEFT = new Set(["market", "symbol", "state"]);

function formatMarkets(store: Store, rows: readonly MarketRow[], nowMs: number): string {
  const cells = rows.map((row) => COLUMNS.map(([, cell]) => cell(row) ?? MISSING));
  const titles = COLUMNS.map(([title]) => title);
  const feeds = listSlices(store).map((slice) => {
    const { state, age } = selectPaneStatus(store, slice, nowMs);
    return `${slice.channel} ${state} ${age}`.trimEnd();
  });
  return [
    ...textTable([titles, ...cells], (column) => !LEFT.has(titles[column] ?? "")),
    "",
    `feeds   ${feeds.join("  ")}`,
    `link    ${visible(formatLink(store.link, nowMs))}`,
  ].join("\n");
}
