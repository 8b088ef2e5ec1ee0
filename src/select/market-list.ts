// All markets in one table: each market's record with its figures, which come on channels of their own. Markets are
// known by type and id. Nothing of any record is left out.

import type { StoreSource } from "../state/store.ts";
import type { MarketType } from "../wire/channels.ts";
import type { OpenRecord } from "../wire/update.ts";
import { changedRange } from "./columns.ts";
import { formatValue } from "./fields.ts";
import { formatMarket, type Market, parseMarketRecord } from "./market.ts";

const STATS: readonly (readonly [channel: string, type: MarketType])[] = [
  ["market-stats/perp", "perp"],
  ["market-stats/spot", "spot"],
];

export const MARKET_LIST_CHANNELS: readonly string[] = [
  "markets",
  ...STATS.map(([channel]) => channel),
];

/** A market and its name in text, made once. */
export interface NamedMarket {
  readonly market: Market;
  readonly name: string;
}

/** Of more, all are joined anew. */
const MAX_CHANGED = 100;

type Records = readonly OpenRecord[];
type Sources = readonly Records[];

interface Joined {
  readonly market: OpenRecord | undefined;
  readonly stats: OpenRecord | undefined;
  readonly row: OpenRecord;
}

/** Joins lists and figures; remembers every row until one of its parts has changed. */
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

  /** The same array until something changes; undefined while no list has come. */
  get rows(): readonly OpenRecord[] | undefined {
    const { store } = this.#source;
    const markets = store.slice("markets", "markets");
    const stats = STATS.map(([channel]) => store.slice("market-stats", channel));
    if ([markets, ...stats].every(({ feed }) => feed.frames === 0)) return undefined;
    const sources = [markets.data.records, ...stats.map(({ data }) => data.records)];
    if (sources.some((records, i) => records !== this.#sources[i])) {
      this.#rows = this.#joinChanged(sources) ?? this.#join(sources);
      this.#sources = sources;
    }
    return this.#rows;
  }

  /** The market of a row; undefined where nothing in it says which one it is. */
  marketOf(row: OpenRecord): NamedMarket | undefined {
    return this.#marketOfRow.get(row);
  }

  /** The row of a market, as `rows` had it last. */
  rowOf(market: Market): OpenRecord | undefined {
    return this.#joined.get(formatMarket(market))?.row;
  }

  /** Where figures of a few markets have changed, and nothing else; undefined where more has. */
  #joinChanged(sources: Sources): readonly OpenRecord[] | undefined {
    const [at = 0, ...others] = [...sources.keys()].filter((i) => sources[i] !== this.#sources[i]);
    const [, type] = STATS[at - 1] ?? [];
    const changes = findChanges(this.#sources[at] ?? [], sources[at] ?? []);
    if (type === undefined || others.length > 0 || changes === undefined) return undefined;
    const rows = [...this.#rows];
    for (const { gone, came } of changes) {
      const of = this.#named(came, type);
      const joined = of && this.#joined.get(of.name);
      if (of === undefined || joined === undefined || joined.stats !== gone) return undefined;
      const place = rows.indexOf(joined.row);
      rows[place] = this.#rowOf(this.#joined, of, joined.market, came);
    }
    return rows;
  }

  #join([markets = [], ...stats]: Sources): readonly OpenRecord[] {
    const figures = new Map<string, OpenRecord>();
    const nameless: OpenRecord[] = [];
    for (const [i, records] of stats.entries()) {
      for (const record of records) {
        const of = this.#named(record, STATS[i]?.[1] ?? "perp");
        if (of === undefined) nameless.push(record);
        else figures.set(of.name, record);
      }
    }
    const before = this.#joined;
    this.#joined = new Map();
    const listed = markets.map((record) => {
      const of = this.#named(record, "perp");
      if (of === undefined) return record;
      const own = figures.get(of.name);
      if (own !== undefined) figures.delete(of.name);
      return this.#rowOf(before, of, record, own);
    });
    // Figures of markets that the list does not name.
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
    // Of thousands, most.
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

  /** What a record calls itself: read once, since records do not change. */
  #named(record: OpenRecord, type: MarketType): NamedMarket | undefined {
    const known = this.#names.get(record);
    if (known !== undefined) return known ?? undefined;
    const market = parseMarketRecord(record, this.#source.store.aliases, type, "marketRecord");
    const named = market && { market, name: formatMarket(market) };
    this.#names.set(record, named ?? null);
    return named;
  }
}

/** Records in the places of others; undefined where there are more or fewer now, or too many have changed. */
function findChanges(before: Records, after: Records) {
  const { start, end } = changedRange(before, after);
  const last = after.length - end;
  if (before.length !== after.length || last - start > MAX_CHANGED) return undefined;
  return after.slice(start, last).map((came, i) => ({ gone: before[start + i], came }));
}

/** The same fields with the same values: services that send all figures again change few of them. */
function isEqual(a: OpenRecord | undefined, b: OpenRecord | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** Fields of both; one that says something else in the figures stands beside the market's own. */
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
