// A market as a row of a table: the most important figures first, then whatever else the service sends. Each row has the
// state of the feed that fills it.

import { formatBlock, selectHeights } from "../../../select/blocks.ts";
import type { Display } from "../../../select/display.ts";
import {
  type Cell,
  formatPercentOf,
  positionDirection,
  signedPositionSize,
  withSign,
} from "../../../select/fields.ts";
import { formatPercent } from "../../../select/funding.ts";
import { formatMarket, type Market, readRecordMarket, selectStat } from "../../../select/market.ts";
import { MASK } from "../../../select/mask.ts";
import { formatCount } from "../../../select/overview.ts";
import type { ShowCell } from "../../../select/record-format.ts";
import { formatChange, selectChangePercent } from "../../../select/stats.ts";
import type { Aliases, Meaning } from "../../../state/aliases.ts";
import type { PaneState } from "../../../state/pane-state.ts";
import type { Store } from "../../../state/store.ts";
import {
  compareDecimal,
  type Decimal,
  formatDecimal,
  parseDecimal,
  subtractDecimal,
  widenDecimal,
} from "../../../units/decimal.ts";
import { areSame, reuseIfSame } from "../../../units/memo.ts";
import type { Scale } from "../../../units/scale.ts";
import { MINUTE_MS, NS_PER_MS, SECOND_MS } from "../../../units/time.ts";
import type { OpenRecord } from "../../../wire/update.ts";
import { signStyle } from "../../panes/pieces.ts";
import type { StyleName } from "../../theme/theme.ts";
import type { PastCandlesByMarket } from "../market/data.ts";
import type { Parts } from "../view.ts";

const STAR = "★";

/** In display order; other fields follow under the service's own names. */
export const SCREENER_COLUMNS = [
  "Market",
  "Last",
  "24h %",
  "1h",
  "Volume 24h",
  "Funding %",
  "OI",
  "Position",
  "Mark",
] as const;
type Column = (typeof SCREENER_COLUMNS)[number];

/** Fields that figures are derived from, which have no column of their own. */
const USED: readonly Meaning[] = [
  "symbol",
  "lastPrice",
  "changePercent24h",
  "changeRatio24h",
  "change24h",
  "volumeQuote24h",
  "fundingRate",
  "openInterest",
  "markPrice",
];

interface Meta {
  readonly market: Market | undefined;
  readonly original: OpenRecord;
  readonly state: PaneState;
  readonly isStarred: boolean;
  readonly styles: Readonly<Partial<Record<string, StyleName>>>;
  readonly hour: string | undefined;
  readonly direction: Owned["direction"];
}

/** The position in a market: its size, negative if short; of several positions their count. */
interface Owned {
  readonly figure: string;
  readonly direction: ReturnType<typeof positionDirection>;
}

interface HeldPositions {
  readonly of: readonly OpenRecord[] | undefined;
  readonly byMarket: ReadonlyMap<string, OpenRecord[]>;
  readonly inQuestion: ReadonlySet<OpenRecord>;
}

export interface ScreenedMarket {
  readonly market: Market | undefined;
  readonly name: string | undefined;
  /** Its market record joined with its statistics, as received. */
  readonly joined: OpenRecord;
  readonly state: PaneState;
  readonly isStarred: boolean;
}

type Figures = Readonly<Partial<Record<Column, string | undefined>>>;

interface Known {
  readonly store: Store;
  readonly joined: OpenRecord;
  readonly state: PaneState;
  /** Further dependencies of a row with a star, known trades or a position; undefined for most of thousands of rows. */
  readonly more: readonly unknown[] | undefined;
  readonly row: OpenRecord;
  readonly last: string | undefined;
}

const NONE: ReadonlySet<OpenRecord> = new Set();

interface RecordFields {
  readonly aliases: Aliases;
  readonly symbol: string | undefined;
  readonly figures: Figures;
  readonly others: readonly (readonly [field: string, value: unknown])[];
}

/** Makes rows of markets; each stays the same object until it changes. */
export class Screener {
  readonly #parts: Parts;
  readonly #hours = new Hours();
  readonly #known = new Map<string, Known>();
  /** Of records that name no market: each is another object when it changes, and goes then. */
  readonly #nameless = new WeakMap<OpenRecord, Known>();
  readonly #meta = new WeakMap<OpenRecord, Meta>();
  /** Rows with prices of the last hour are rebuilt much more often than their records change. */
  readonly #fields = new WeakMap<OpenRecord, RecordFields>();
  /** A market may have several, one for each margin mode. */
  #positions: HeldPositions = { of: undefined, byMarket: new Map(), inQuestion: NONE };
  #rows: readonly OpenRecord[] = [];

  /** The market of the dashboard, whose last hour is known, too. */
  #shown: string | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  select(markets: readonly ScreenedMarket[]): readonly OpenRecord[] {
    this.#takePositions();
    const { market } = this.#parts.shown;
    this.#shown = market && formatMarket(market);
    const rows = markets.map((each) => this.#rowOf(each));
    this.#rows = reuseIfSame(this.#rows, rows);
    return this.#rows;
  }

  metaOf(row: OpenRecord): Meta | undefined {
    return this.#meta.get(row);
  }

  /** Abbreviates figures for reading; copies are exact. */
  readonly show: ShowCell = (row, column, cell, { display, isMasked }) => {
    const number = (text: string): Cell => ({ text, kind: "number" });
    const exact = cell.kind === "missing" ? undefined : row[column];
    if (typeof exact !== "string") return cell;
    switch (column as Column) {
      case "Market":
        return { ...cell, text: `${this.#meta.get(row)?.isStarred ? STAR : " "} ${cell.text}` };
      case "24h %":
        return number(formatChange(exact));
      case "1h":
        return { text: this.#meta.get(row)?.hour ?? "", kind: "text" };
      case "Funding %":
        return number(`${/[1-9]/.test(exact) ? withSign(exact) : "0"}%`);
      case "Volume 24h":
      case "OI":
        return number(display.compact(exact));
      case "Position":
        return isMasked
          ? { text: MASK, kind: "text" }
          : number(formatOwned(exact, this.#meta.get(row)?.direction, display));
      default:
        return cell;
    }
  };

  #takePositions(): void {
    const { store, ownChannels } = this.#parts.shown;
    const [channel] = ownChannels;
    const isHeld = channel !== undefined && store.versionOf(channel) > 0;
    const list = isHeld ? store.slice("account", channel).data.lists.positions : undefined;
    const { rows: of, inQuestion = NONE } = list ?? {};
    if (of === this.#positions.of && inQuestion === this.#positions.inQuestion) return;
    const byMarket = new Map<string, OpenRecord[]>();
    for (const row of of ?? []) {
      const market = readRecordMarket(row, store.aliases);
      if (market !== undefined) byMarket.set(market, [...(byMarket.get(market) ?? []), row]);
    }
    this.#positions = { of, byMarket, inQuestion };
  }

  #rowOf(screened: ScreenedMarket): OpenRecord {
    const { name, joined, state, isStarred } = screened;
    const { store } = this.#parts.shown;
    const known = name === undefined ? this.#nameless.get(joined) : this.#known.get(name);
    const positions = name === undefined ? undefined : this.#positions.byMarket.get(name);
    const owned = positions && this.#owned(positions, name);
    const hour = isStarred || name === this.#shown ? this.#hourOf(name) : undefined;
    // Most of thousands of rows have only their record.
    const isPlain = !isStarred && hour === undefined && owned === undefined;
    const more = isPlain ? undefined : [owned?.figure, owned?.direction, hour, isStarred];
    const isSame =
      known?.store === store &&
      known.joined === joined &&
      known.state === state &&
      (more === undefined ? known.more === undefined : areSame(known.more, more));
    if (isSame) return known.row;
    const fresh = this.#make(screened, owned, hour, known?.last);
    const made = { store, joined, state, more, ...fresh };
    if (name === undefined) this.#nameless.set(joined, made);
    else this.#known.set(name, made);
    return fresh.row;
  }

  #hourOf(name: string | undefined): Hour | undefined {
    if (name === undefined) return undefined;
    const { pastCandles, scales, shown } = this.#parts;
    return this.#hours.of(name, shown.store, pastCandles, scales.of(name).scale, shown.wall());
  }

  #make(
    { market, name, joined, state, isStarred }: ScreenedMarket,
    owned: Owned | undefined,
    hour: Hour | undefined,
    lastBefore: string | undefined,
  ): Pick<Known, "row" | "last"> {
    const fields = this.#fieldsOf(joined);
    const figures: Figures = {
      ...fields.figures,
      Market: fields.symbol ?? name,
      "1h": hour?.change,
      Position: owned?.figure,
    };
    const row = createRow(figures, fields.others);
    this.#meta.set(row, {
      market,
      original: joined,
      state,
      isStarred,
      hour: hour?.text,
      direction: owned?.direction,
      styles: {
        "24h %": signStyle(figures["24h %"] ?? ""),
        "1h": signStyle(figures["1h"] ?? ""),
        "Funding %": signStyle(figures["Funding %"] ?? ""),
        Position: signStyle(owned?.direction === undefined ? "" : owned.figure),
        Last: styleOfMove(figures.Last, lastBefore),
      } satisfies Partial<Record<Column, StyleName>>,
    });
    return { row, last: figures.Last };
  }

  #fieldsOf(joined: OpenRecord): RecordFields {
    const { aliases } = this.#parts.shown.store;
    const known = this.#fields.get(joined);
    if (known?.aliases === aliases) return known;
    const funding = parseDecimal(selectStat(joined, "fundingRate", aliases) ?? "");
    const figures: Figures = {
      Last: selectStat(joined, "lastPrice", aliases),
      "24h %": selectChangePercent(joined, aliases),
      "Volume 24h": selectStat(joined, "volumeQuote24h", aliases),
      "Funding %": funding && formatPercent(funding),
      OI: selectStat(joined, "openInterest", aliases),
      Mark: selectStat(joined, "markPrice", aliases),
    };
    const used = new Set(USED.map((meaning) => aliases.columnOf(joined, meaning)));
    const others = Object.entries(joined).filter(([field]) => !used.has(field));
    const fields = { aliases, symbol: selectStat(joined, "symbol", aliases), figures, others };
    this.#fields.set(joined, fields);
    return fields;
  }

  #owned(positions: readonly OpenRecord[], name = ""): Owned | undefined {
    const [position, ...more] = positions;
    if (position === undefined) return undefined;
    const count = positions.filter((row) => this.#positions.inQuestion.has(row)).length;
    if (more.length > 0) {
      const figure = `${formatCount(positions.length, count)} positions`;
      return { figure, direction: undefined };
    }
    const { aliases } = this.#parts.shown.store;
    const { scale } = this.#parts.scales.of(name);
    const size = signedPositionSize(position, aliases, scale?.lotSize);
    const direction = positionDirection(position, aliases);
    return size && { figure: `${formatDecimal(size)}${count > 0 ? "?" : ""}`, direction };
  }
}

function formatOwned(figure: string, side: Owned["direction"], display: Display): string {
  const [, size = "", mark = ""] = /^-?(.*?)(\??)$/.exec(figure) ?? [];
  return `${side ?? ""} ${display.number(size)}${mark}`.trimStart();
}

function createRow(figures: Figures, others: RecordFields["others"]): OpenRecord {
  const row: Record<string, unknown> = {};
  for (const column of SCREENER_COLUMNS) {
    if (figures[column] !== undefined) row[column] = figures[column];
  }
  for (const [field, value] of others) if (!Object.hasOwn(row, field)) row[field] = value;
  return row;
}

function styleOfMove(last: string | undefined, before: string | undefined): StyleName {
  const [now, then] = [parseDecimal(last ?? ""), parseDecimal(before ?? "")];
  if (now === undefined || then === undefined) return "text";
  const order = compareDecimal(now, then);
  return order === 0 ? "text" : order > 0 ? "bid" : "ask";
}

// Price of a market during the last hour.

const HOUR_BINS = 15;
const BIN_MS = 240_000;

/** An hour of prices: one block for four minutes, blank if nothing was received. */
interface Hour {
  readonly text: string;
  /** From the first to the last price in it, in percent. */
  readonly change: string;
}

interface KnownHour {
  readonly of: readonly unknown[];
  readonly second: number;
  readonly versions: readonly number[];
  readonly hour: Hour | undefined;
}

/** Caches results for a second, since trades change all the time; without new trades they move on with the bins. */
class Hours {
  readonly #known = new Map<string, KnownHour>();

  of(
    name: string,
    store: Store,
    past: PastCandlesByMarket,
    scale: Scale | undefined,
    wallMs: number,
  ): Hour | undefined {
    const candles = `candles/${name}/1m`;
    const of = [store, scale, past.held(name)?.version, Math.floor(wallMs / BIN_MS)];
    const second = Math.floor(wallMs / SECOND_MS);
    const versions = [store.versionOf(candles), store.versionOf(`trades/${name}`)];
    const known = this.#known.get(name);
    const isRecent = known?.second === second || areSame(known?.versions, versions);
    if (known !== undefined && isRecent && areSame(known.of, of)) return known.hour;
    const bins = new Bins(wallMs);
    for (const { open_time_ms, close } of [
      ...(past.held(name)?.candles(MINUTE_MS) ?? []),
      ...(store.versionOf(candles) === 0 ? [] : store.slice("candles", candles).data.candles),
    ]) {
      bins.put(open_time_ms, parseDecimal(close));
    }
    if (scale !== undefined || bins.isEmpty) putTrades(bins, name, store, scale);
    const hour = bins.hour();
    this.#known.set(name, { of, second, versions, hour });
    return hour;
  }
}

/** In ticks while their size is unknown. */
function putTrades(bins: Bins, name: string, store: Store, scale: Scale | undefined): void {
  const channel = `trades/${name}`;
  if (store.versionOf(channel) === 0) return;
  const { mantissa, places } = scale?.tickSize ?? { mantissa: 1n, places: 0 };
  for (const trade of store.slice("trades", channel).data.recent().toReversed()) {
    const ms = Number(BigInt(trade.timestamp_ns) / NS_PER_MS);
    bins.put(ms, { mantissa: BigInt(trade.price_ticks) * mantissa, places });
  }
}

class Bins {
  readonly #lastBin: number;
  readonly #bins: (Decimal | undefined)[] = Array(HOUR_BINS).fill(undefined);
  #first: Decimal | undefined;

  constructor(wallMs: number) {
    this.#lastBin = Math.floor(wallMs / BIN_MS);
  }

  get isEmpty(): boolean {
    return this.#first === undefined;
  }

  put(ms: number, price: Decimal | undefined): void {
    const bin = HOUR_BINS - 1 - this.#lastBin + Math.floor(ms / BIN_MS);
    if (price === undefined || bin < 0 || bin >= HOUR_BINS) return;
    this.#first ??= price;
    this.#bins[bin] = price;
  }

  hour(): Hour | undefined {
    const prices = this.#bins.filter((each) => each !== undefined);
    const last = prices.at(-1);
    if (this.#first === undefined || last === undefined) return undefined;
    const places = Math.max(...prices.map((each) => each.places));
    const heights = selectHeights(
      prices.map((each) => widenDecimal(each, places).mantissa),
      HOUR_BINS,
    );
    let next = 0;
    const blocks = this.#bins.map((bin) =>
      formatBlock(bin === undefined ? undefined : heights[next++]),
    );
    const change = formatPercentOf(subtractDecimal(last, this.#first), this.#first) ?? "0";
    return { text: blocks.join(""), change };
  }
}
