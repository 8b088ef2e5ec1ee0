// Every market that the service names, each with its figures: of its record in the list of markets and of those figures that come
// on channels of their own.
import type { PaneState } from "../state/pane-state.ts";
import type { Slice } from "../state/slices.ts";
import type { Store } from "../state/store.ts";
import type { MarketType } from "../wire/channels.ts";
import type { OpenRecord } from "../wire/update.ts";
import { formatMarket, parseMarketRecord, parseMarketRecords, selectStat } from "./market.ts";
import { type AgedFigures, selectFigures } from "./stats.ts";

/** Channels of the figures of all markets of a type. */
export const STATS_CHANNELS = {
  perp: "market-stats/perp",
  spot: "market-stats/spot",
} as const satisfies Record<MarketType, string>;

export interface MarketRow {
  /** `perp/1`; null where nothing in its record says which one it is. */
  readonly market: string | null;
  readonly symbol: string | undefined;
  /** Of the feed that fills the row. */
  readonly state: PaneState;
  readonly figures: AgedFigures;
}

/** When records came: `undefined` for one that was never seen. Records are other objects when they change. */
export type RecordTimes = Pick<WeakMap<OpenRecord, number>, "get">;

interface Moment {
  readonly nowMs: number;
  readonly wallMs: number;
  readonly times: RecordTimes;
}

/** In the order of the list; figures of markets that it does not name stand behind it. */
export function selectMarketRows(store: Store, { nowMs, wallMs, times }: Moment): MarketRow[] {
  const { aliases } = store;
  const list = store.slice("markets", "markets");
  const figures = new Map<string, { readonly record: OpenRecord; readonly slice: Slice }>();
  for (const [type, channel] of Object.entries(STATS_CHANNELS)) {
    const slice = store.slice("market-stats", channel);
    for (const record of slice.data.records) {
      const market = parseMarketRecord(record, aliases, type as MarketType, "marketRecord");
      if (market !== undefined)
        figures.set(formatMarket(market), { record, slice: slice as Slice });
    }
  }
  const age = (record: OpenRecord | undefined) =>
    Math.max(0, Math.round(nowMs - ((record && times.get(record)) ?? nowMs)));
  const row = (market: string | null, listed: OpenRecord | undefined): MarketRow => {
    const own = market === null ? undefined : figures.get(market);
    const records = [own?.record, listed].map((record) => ({ record, ageMs: age(record) }));
    const [symbol] = [listed, own?.record].flatMap(
      (record) => selectStat(record, "symbol", aliases) ?? [],
    );
    return {
      market,
      symbol,
      state: store.paneState(own?.slice ?? (list as Slice), nowMs),
      figures: selectFigures({ aliases, records, wallMs }),
    };
  };
  const markets = parseMarketRecords(list.data.records, aliases);
  const rows = list.data.records.map((record, i) => {
    const market = markets[i];
    return row(market === undefined ? null : formatMarket(market), record);
  });
  const named = new Set(rows.map(({ market }) => market));
  const others = [...figures.keys()].filter((market) => !named.has(market));
  return [...rows, ...others.map((market) => row(market, undefined))];
}

/** Types of the markets that the list names. */
export function selectMarketTypes(store: Store): ReadonlySet<MarketType> {
  const { records } = store.slice("markets", "markets").data;
  return new Set(
    records.flatMap(
      (record) => parseMarketRecord(record, store.aliases, "perp", "marketRecord")?.type ?? [],
    ),
  );
}
