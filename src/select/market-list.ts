// All markets in one table: each market's record joined with its figures, which have channels of their own. Markets are
// identified by type and id. No field of any record is left out.

import type { PaneState } from "../state/pane-state.ts";
import type { Slice } from "../state/slices.ts";
import type { Store, StoreSource } from "../state/store.ts";
import { areSame } from "../units/memo.ts";
import type { MarketType } from "../wire/channels.ts";
import type { OpenRecord } from "../wire/update.ts";
import { changedRange } from "./columns.ts";
import { formatValue } from "./fields.ts";
import {
  formatMarket,
  hasType,
  type Market,
  parseMarketRecord,
  parseMarketRecords,
  selectStat,
} from "./market.ts";
import { type AgedFigures, selectFigures } from "./stats.ts";

/** Channels with the figures of all markets of a type. */
export const STATS_CHANNELS = {
  perp: "market-stats/perp",
  spot: "market-stats/spot",
} as const satisfies Record<MarketType, string>;

const TYPES = Object.keys(STATS_CHANNELS) as readonly MarketType[];

export const MARKET_LIST_CHANNELS: readonly string[] = [
  "markets",
  ...Object.values(STATS_CHANNELS),
];

/** A market and its name, formatted once. */
export interface NamedMarket {
  readonly market: Market;
  readonly name: string;
  readonly isTyped: boolean;
}

/** With more changes, everything is joined again. */
const MAX_CHANGED = 100;

type Records = readonly OpenRecord[];
type Sources = readonly Records[];

interface Joined {
  readonly market: OpenRecord | undefined;
  readonly stats: OpenRecord | undefined;
  readonly row: OpenRecord;
}

/** Joins lists and figures; caches every row until one of its parts changes. */
export class MarketList {
  readonly #source: StoreSource;
  #sources: Sources = [];
  #rows: readonly OpenRecord[] = [];
  #joined = new Map<string, Joined>();
  readonly #names = new WeakMap<OpenRecord, NamedMarket | null>();
  readonly #marketOfRow = new WeakMap<OpenRecord, NamedMarket>();

  constructor(source: StoreSource) {
    this.#source = source;
  }

  /** The same array until something changes; undefined before the first list. */
  get rows(): readonly OpenRecord[] | undefined {
    const { store } = this.#source;
    const markets = store.slice("markets", "markets");
    const stats = TYPES.map((type) => store.slice("market-stats", STATS_CHANNELS[type]));
    if ([markets, ...stats].every(({ feed }) => feed.frames === 0)) {
      // Of a moment before the first list nothing is known.
      this.#sources = [];
      this.#joined = new Map();
      return undefined;
    }
    const sources = [markets.data.records, ...stats.map(({ data }) => data.records)];
    if (!areSame(this.#sources, sources)) {
      this.#rows = this.#joinChanged(sources) ?? this.#join(sources);
      this.#sources = sources;
    }
    return this.#rows;
  }

  /** The market of a row; undefined if it names none. */
  marketOf(row: OpenRecord): NamedMarket | undefined {
    return this.#marketOfRow.get(row);
  }

  /** The row of a market, as of the last `rows`. */
  rowOf(market: Market): OpenRecord | undefined {
    return this.#joined.get(formatMarket(market))?.row;
  }

  /** Updates the rows if only figures of a few markets have changed; undefined if more has. */
  #joinChanged(sources: Sources): readonly OpenRecord[] | undefined {
    const [at = 0, ...others] = [...sources.keys()].filter((i) => sources[i] !== this.#sources[i]);
    const type = TYPES[at - 1];
    const changes = findChanges(this.#sources[at] ?? [], sources[at] ?? []);
    if (type === undefined || others.length > 0 || changes === undefined) return undefined;
    const rows = [...this.#rows];
    for (const { before, after } of changes) {
      const of = this.#named(after, type);
      const joined = of && this.#joined.get(of.name);
      if (of === undefined || joined === undefined || joined.stats !== before) return undefined;
      const place = rows.indexOf(joined.row);
      rows[place] = this.#rowOf(this.#joined, of, joined.market, after);
    }
    return rows;
  }

  #join([markets = [], ...stats]: Sources): readonly OpenRecord[] {
    const figures = new Map<string, OpenRecord>();
    const nameless: OpenRecord[] = [];
    for (const [i, records] of stats.entries()) {
      for (const record of records) {
        const of = this.#named(record, TYPES[i] ?? "perp");
        if (of === undefined) nameless.push(record);
        else figures.set(of.name, record);
      }
    }
    const before = this.#joined;
    this.#joined = new Map();
    const untyped = new Map<string, number>();
    for (const record of markets) {
      const of = this.#named(record, "perp");
      if (of?.isTyped === false) untyped.set(of.name, (untyped.get(of.name) ?? 0) + 1);
    }
    const listed = markets.map((record) => {
      const of = this.#named(record, "perp");
      // A spot and a perpetual market may share an id: without their types neither is taken for the other.
      if (of === undefined || (!of.isTyped && untyped.get(of.name) !== 1)) return record;
      const own = figures.get(of.name);
      if (own !== undefined) figures.delete(of.name);
      return this.#rowOf(before, of, record, own);
    });
    // Figures of markets that are not in the list.
    const others = [...figures.values()].map((record) => {
      const of = this.#named(record, "perp");
      return of === undefined ? record : this.#rowOf(before, of, undefined, record);
    });
    return [...listed, ...others, ...nameless];
  }

  #rowOf(
    before: ReadonlyMap<string, Joined>,
    of: NamedMarket,
    market: OpenRecord | undefined,
    stats: OpenRecord | undefined,
  ): OpenRecord {
    const known = before.get(of.name);
    // Most of thousands of rows.
    if (known !== undefined && known.market === market && known.stats === stats) {
      this.#joined.set(of.name, known);
      return known.row;
    }
    const isSame =
      known !== undefined && isEqual(known.market, market) && isEqual(known.stats, stats);
    const row = isSame ? known.row : joinRecords(market ?? {}, stats ?? {});
    this.#joined.set(of.name, { market, stats, row });
    this.#marketOfRow.set(row, of);
    return row;
  }

  /** The market that a record names: cached, since records do not change. */
  #named(record: OpenRecord, type: MarketType): NamedMarket | undefined {
    const known = this.#names.get(record);
    if (known !== undefined) return known ?? undefined;
    const { aliases } = this.#source.store;
    const market = parseMarketRecord(record, aliases, type, "marketRecord");
    const named = market && {
      market,
      name: formatMarket(market),
      isTyped: hasType(record, aliases),
    };
    this.#names.set(record, named ?? null);
    return named;
  }
}

/** Records that replace others; undefined if their number has changed, or too many of them have. */
function findChanges(before: Records, after: Records) {
  const { start, end } = changedRange(before, after);
  const last = after.length - end;
  if (before.length !== after.length || last - start > MAX_CHANGED) return undefined;
  return after
    .slice(start, last)
    .map((record, i) => ({ before: before[start + i], after: record }));
}

/** Same fields with the same values: services that send all figures again change few of them. */
function isEqual(a: OpenRecord | undefined, b: OpenRecord | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** Fields of both; if a field differs in the figures, it is added as `stats_<name>`. */
function joinRecords(market: OpenRecord, stats: OpenRecord): OpenRecord {
  const others: [string, unknown][] = [];
  for (const name of Object.keys(market)) {
    if (!Object.hasOwn(stats, name) || market[name] === stats[name]) continue;
    if (formatValue(market[name]) !== formatValue(stats[name])) others.push([name, stats[name]]);
  }
  const row: Record<string, unknown> = { ...market, ...stats };
  if (others.length === 0) return row;
  for (const [name] of others) row[name] = market[name];
  return { ...row, ...Object.fromEntries(others.map(([name, value]) => [`stats_${name}`, value])) };
}

// Every market that the service names, with its figures: from its record in the list of markets, and from the channels of
// figures.

export interface MarketRow {
  /** `perp/1`; null if its record names no market. */
  readonly market: string | null;
  readonly symbol: string | undefined;
  /** State of the feed that fills the row. */
  readonly state: PaneState;
  readonly figures: AgedFigures;
}

/**
 * In the order of the list, followed by figures of markets that are not in it.
 * @param times when records were received: undefined for one never received. Changed records are new objects.
 */
export function selectMarketRows(
  store: Store,
  {
    nowMs,
    wallMs,
    times,
  }: {
    readonly nowMs: number;
    readonly wallMs: number;
    readonly times: Pick<WeakMap<OpenRecord, number>, "get">;
  },
): MarketRow[] {
  const { aliases } = store;
  const list = store.slice("markets", "markets");
  const figures = new Map<string, { readonly record: OpenRecord; readonly slice: Slice }>();
  for (const type of TYPES) {
    const slice = store.slice("market-stats", STATS_CHANNELS[type]);
    for (const record of slice.data.records) {
      const market = parseMarketRecord(record, aliases, type, "marketRecord");
      if (market !== undefined) figures.set(formatMarket(market), { record, slice });
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
      state: store.paneState(own?.slice ?? list, nowMs),
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

export function selectMarketTypes(store: Store): ReadonlySet<MarketType> {
  const { records } = store.slice("markets", "markets").data;
  return new Set(
    records.flatMap(
      (record) => parseMarketRecord(record, store.aliases, "perp", "marketRecord")?.type ?? [],
    ),
  );
}
