// A market as a row of a table: the figures that count most first, then whatever else the service says of it. Each row
// knows the state of the feed that fills it.
import { accountChannel, chosenSubaccount } from "../../../select/account.ts";
import { selectSpread } from "../../../select/bbo.ts";
import { type Cell, positionDirection, positionSize, withSign } from "../../../select/fields.ts";
import { formatMarket, type Market, marketOf, selectStat } from "../../../select/market.ts";
import { MASK } from "../../../select/mask.ts";
import type { ShowCell } from "../../../select/record-format.ts";
import type { PaneStatus } from "../../../select/status.ts";
import type { Meaning } from "../../../state/aliases.ts";
import type { PaneState } from "../../../state/pane-state.ts";
import {
  compareDecimal,
  divideInteger,
  formatDecimal,
  parseDecimal,
} from "../../../units/decimal.ts";
import { formatUnits } from "../../../units/scale.ts";
import type { OpenRecord } from "../../../wire/update.ts";
import { STATE_STYLES } from "../../panes/frame.tsx";
import { signStyle } from "../../panes/pieces.ts";
import type { StyleName } from "../../theme/theme.ts";
import { formatPercent } from "../funding/select.ts";
import type { Parts } from "../view.ts";
import { type Hour, Hours, selectChangePercent } from "./figures.ts";

/** The figures in the order of their columns; what the service says besides stands behind them under its own names. */
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
  "State",
  "Bid",
  "Ask",
  "Spread",
] as const;
type Column = (typeof SCREENER_COLUMNS)[number];

/** What a figure is made of has no column of its own. */
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

/** What is known of a row besides its fields. */
interface Meta {
  readonly market: Market | undefined;
  readonly original: OpenRecord;
  readonly state: PaneState;
  readonly looks: Readonly<Partial<Record<Column, StyleName>>>;
  readonly hour: string | undefined;
}

/** A market with the feed that fills its row. */
export interface ScreenedMarket {
  readonly market: Market | undefined;
  /** Its record with its figures, as they came. */
  readonly joined: OpenRecord | undefined;
  readonly status: PaneStatus;
  /** True where its best prices and its trades fill the row, too. */
  readonly isWatched: boolean;
}

type Figures = Readonly<Partial<Record<Column, string | undefined>>>;

/** In the colour of their sign. */
const SIGNED = ["24h %", "1h", "Funding %", "Position"] as const satisfies readonly Column[];

interface Known {
  readonly of: readonly unknown[];
  readonly isPlain: boolean;
  readonly row: OpenRecord;
  readonly last: string | undefined;
}

const NO_RECORD: OpenRecord = {};

/** Makes rows of markets; each stays the same one until something of it changes. */
export class Screener {
  readonly #parts: Parts;
  readonly #hours = new Hours();
  readonly #known = new Map<unknown, Known>();
  readonly #meta = new WeakMap<OpenRecord, Meta>();
  #positions: { readonly of: unknown; readonly byMarket: ReadonlyMap<string, OpenRecord> } = {
    of: undefined,
    byMarket: new Map(),
  };
  #rows: readonly OpenRecord[] = [];
  /** Names of markets of which trades may be held. */
  #held: ReadonlySet<string> = new Set();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The same array until a row is another one. */
  select(markets: readonly ScreenedMarket[]): readonly OpenRecord[] {
    this.#takePositions();
    const { shown, watchlist } = this.#parts;
    const held =
      shown.market === undefined ? watchlist.markets : [...watchlist.markets, shown.market];
    this.#held = new Set(held.map(formatMarket));
    const rows = markets.map((each) => this.#rowOf(each));
    const before = this.#rows;
    const isSame = rows.length === before.length && rows.every((row, i) => row === before[i]);
    if (!isSame) this.#rows = rows;
    return this.#rows;
  }

  marketOf(row: OpenRecord): Market | undefined {
    return this.#meta.get(row)?.market;
  }

  originalOf(row: OpenRecord): OpenRecord {
    return this.#meta.get(row)?.original ?? row;
  }

  stateOf(row: OpenRecord): PaneState {
    return this.#meta.get(row)?.state ?? "waiting";
  }

  lookOf(row: OpenRecord, column: string): StyleName | undefined {
    return this.#meta.get(row)?.looks[column as Column];
  }

  /** Figures as they are read at a glance; what is copied is exact. */
  readonly show: ShowCell = (row, column, cell, { display, isMasked }) => {
    const number = (text: string): Cell => ({ text, kind: "number" });
    const exact = cell.kind === "missing" ? undefined : row[column];
    if (typeof exact !== "string") return cell;
    switch (column as Column) {
      case "24h %":
        return number(`${withSign(toTwoPlaces(exact))}%`);
      case "1h":
        return { text: this.#meta.get(row)?.hour ?? "", kind: "text" };
      case "Funding %":
        return number(`${withSign(exact)}%`);
      case "Volume 24h":
      case "OI":
        return number(display.compact(exact));
      case "Position": {
        if (isMasked) return { text: MASK, kind: "text" };
        const side = exact.startsWith("-") ? "short" : "long";
        return number(`${side} ${display.number(exact.replace("-", ""))}`);
      }
      default:
        return cell;
    }
  };

  #takePositions(): void {
    const { store, account } = this.#parts.shown;
    const chosen = account && chosenSubaccount(account);
    const channel = chosen && accountChannel(chosen);
    const isHeld = channel !== undefined && store.versionOf(channel) > 0;
    const of = isHeld ? store.slice("account", channel).data.lists.positions.rows : undefined;
    if (of === this.#positions.of) return;
    const byMarket = new Map<string, OpenRecord>();
    for (const row of of ?? []) {
      const market = marketOf(row, store.aliases);
      if (market !== undefined) byMarket.set(formatMarket(market), row);
    }
    this.#positions = { of, byMarket };
  }

  #rowOf(screened: ScreenedMarket): OpenRecord {
    const { market, joined, status, isWatched } = screened;
    const { store } = this.#parts.shown;
    const name = market && formatMarket(market);
    const known = this.#known.get(name ?? joined);
    const position = name === undefined ? undefined : this.#positions.byMarket.get(name);
    const isPlain =
      position === undefined && !isWatched && (name === undefined || !this.#held.has(name));
    // Most of thousands of rows have nothing but their record.
    const plain = [store, joined, status.state];
    if (!isPlain && name !== undefined) return this.#richRowOf(screened, name, position, plain);
    if (known?.isPlain === true && plain.every((each, i) => each === known.of[i])) return known.row;
    const made = this.#make(screened, name, position, undefined, known?.last);
    this.#known.set(name ?? joined, { of: plain, isPlain: true, ...made });
    return made.row;
  }

  /** The row of a market of which trades, best prices or a position are held. */
  #richRowOf(
    screened: ScreenedMarket,
    name: string,
    position: OpenRecord | undefined,
    plain: readonly unknown[],
  ): OpenRecord {
    const { status, isWatched } = screened;
    const { store, wall } = this.#parts.shown;
    const { pastCandles, scales } = this.#parts;
    const { scale } = scales.of(name);
    const isHeld = isWatched || this.#held.has(name);
    const hour = isHeld ? this.#hours.of(name, store, pastCandles, scale, wall()) : undefined;
    const of = [...plain, scale, position, hour];
    if (isWatched) {
      of.push(status.age, store.versionOf(`bbo/${name}`), store.versionOf(`trades/${name}`));
    }
    const known = this.#known.get(name);
    if (known?.isPlain === false && of.every((each, i) => each === known.of[i])) return known.row;
    const made = this.#make(screened, name, position, hour, known?.last);
    this.#known.set(name, { of, isPlain: false, ...made });
    return made.row;
  }

  #make(
    { market, joined = NO_RECORD, status, isWatched }: ScreenedMarket,
    name: string | undefined,
    position: OpenRecord | undefined,
    hour: Hour | undefined,
    lastBefore: string | undefined,
  ): Pick<Known, "row" | "last"> {
    const watched = isWatched && name !== undefined ? this.#watched(name) : {};
    const [glyph, look] = STATE_STYLES[status.state];
    const state = [glyph, status.state, isWatched ? status.age : ""].join(" ").trimEnd();
    const figures: Figures = {
      ...this.#named(joined),
      ...(watched.last !== undefined && { Last: watched.last }),
      Market: this.#nameOf(joined, name, watched.bid !== undefined),
      "1h": hour?.change,
      Position: position && this.#owned(position, name),
      Bid: watched.bid,
      Ask: watched.ask,
      Spread: watched.spread,
      State: state,
    };
    const row = this.#withOthers(figures, joined);
    this.#meta.set(row, {
      market,
      original: joined === NO_RECORD ? row : joined,
      state: status.state,
      hour: hour?.text,
      looks: {
        ...Object.fromEntries(SIGNED.map((column) => [column, signStyle(figures[column] ?? "")])),
        Last: watched.look ?? lookOfMove(figures.Last, lastBefore),
        Bid: "bid",
        Ask: "ask",
        State: look,
      },
    });
    return { row, last: figures.Last };
  }

  /** What the service names, as it came; rates and changes in percent. */
  #named(joined: OpenRecord): Figures {
    const { aliases } = this.#parts.shown.store;
    const funding = parseDecimal(selectStat(joined, "fundingRate", aliases) ?? "");
    return {
      Last: selectStat(joined, "lastPrice", aliases),
      "24h %": selectChangePercent(joined, aliases),
      "Volume 24h": selectStat(joined, "volumeQuote24h", aliases),
      "Funding %": funding && formatPercent(funding),
      OI: selectStat(joined, "openInterest", aliases),
      Mark: selectStat(joined, "markPrice", aliases),
    };
  }

  #nameOf(joined: OpenRecord, name: string | undefined, isQuoted: boolean): string | undefined {
    const symbol = selectStat(joined, "symbol", this.#parts.shown.store.aliases) ?? name;
    const isInTicks =
      isQuoted && name !== undefined && this.#parts.scales.of(name).scale === undefined;
    return isInTicks ? `${symbol} (ticks)` : symbol;
  }

  /** The size of a position, below zero where it is short. */
  #owned(position: OpenRecord, name = ""): string | undefined {
    const { aliases } = this.#parts.shown.store;
    const size = positionSize(position, aliases, this.#parts.scales.of(name).scale?.lotSize);
    if (size === undefined) return undefined;
    const isShort = positionDirection(position, aliases) === "short" && size.mantissa > 0n;
    return formatDecimal(isShort ? { ...size, mantissa: -size.mantissa } : size);
  }

  #withOthers(figures: Figures, joined: OpenRecord): OpenRecord {
    const { aliases } = this.#parts.shown.store;
    const row: Record<string, unknown> = {};
    for (const column of SCREENER_COLUMNS) {
      if (figures[column] !== undefined) row[column] = figures[column];
    }
    const used = new Set(USED.map((meaning) => aliases.columnOf(joined, meaning)));
    for (const field of Object.keys(joined)) {
      if (!used.has(field) && !Object.hasOwn(row, field)) row[field] = joined[field];
    }
    return row;
  }

  #watched(name: string): {
    readonly last?: string;
    readonly look?: StyleName;
    readonly bid?: string;
    readonly ask?: string;
    readonly spread?: string;
  } {
    const { store } = this.#parts.shown;
    const { scale } = this.#parts.scales.of(name);
    const price = (ticks: string) => formatUnits(ticks, scale?.tickSize);
    const { bbo } = store.slice("bbo", `bbo/${name}`).data;
    const [last] = store.slice("trades", `trades/${name}`).data.recent(1);
    const spread = bbo && selectSpread(bbo, scale)?.width;
    return {
      ...(last && {
        last: price(last.price_ticks),
        look: last.taker_is_bid ? ("bid" as const) : ("ask" as const),
      }),
      ...(bbo?.bid && { bid: price(bbo.bid.price_ticks) }),
      ...(bbo?.ask && { ask: price(bbo.ask.price_ticks) }),
      ...(spread !== undefined && { spread }),
    };
  }
}

/** Which way a price has gone since the one before. */
function lookOfMove(last: string | undefined, before: string | undefined): StyleName {
  const [now, then] = [parseDecimal(last ?? ""), parseDecimal(before ?? "")];
  if (now === undefined || then === undefined) return "text";
  const order = compareDecimal(now, then);
  return order === 0 ? "text" : order > 0 ? "bid" : "ask";
}

function toTwoPlaces(text: string): string {
  const value = parseDecimal(text);
  const rounded = value && divideInteger(value.mantissa, 10n ** BigInt(value.places), 2);
  return rounded === undefined ? text : formatDecimal(rounded);
}
