// Rows of own fills with their markouts: how the price moved afterwards. Results stay after the trades have been discarded.
import {
  type FillsOwner,
  fillMarketName,
  fillRow,
  formatFillMarket,
} from "../../../select/listing-rows.ts";
import { type KnownTrades, MARKOUTS, selectMarkouts } from "../../../select/markout.ts";
import { isCurrent } from "../../../state/pane-state.ts";
import { areSame } from "../../../units/memo.ts";
import { msOfNs } from "../../../units/time.ts";
import type { TradeRecord } from "../../../wire/rest/trades.ts";
import type { OpenRecord } from "../../../wire/update.ts";
import type { Parts } from "../view.ts";

const COLUMNS = MARKOUTS.map((seconds) => `markout_${seconds}s`);
/** Interval of updates: markouts of up to a minute need no hurry. */
const LOOK_MS = 1000;
/** How late a trade may arrive. */
const GRACE_MS = 1000;
const MAX_MARKETS = 4;

export function isMarkout(column: string): boolean {
  return COLUMNS.includes(column);
}

interface Row {
  readonly row: OpenRecord;
  /** Name of its market when the row was made. */
  readonly market: string;
  readonly found: readonly (string | undefined)[];
}

export class MarkoutRows {
  readonly #parts: Parts;
  readonly #owner: FillsOwner;
  readonly #rows = new WeakMap<TradeRecord, Row>();
  readonly #records = new WeakMap<OpenRecord, TradeRecord>();
  readonly #names = new Map<string, string>();
  #fills: readonly TradeRecord[] | undefined;
  #selected: readonly OpenRecord[] = [];
  #updatedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts, owner: FillsOwner) {
    this.#parts = parts;
    this.#owner = owner;
  }

  /** The fill: the same object, whichever row shows it. */
  recordOf(row: OpenRecord): object {
    return this.#records.get(row) ?? row;
  }

  /** Trade channels of the markets in the newest fills. */
  channels(fills: readonly TradeRecord[]): readonly string[] {
    const names = new Set(fills.slice(0, 200).map(formatFillMarket));
    return [...names].slice(0, MAX_MARKETS).map((name) => `trades/${name}`);
  }

  /** The same array until a fill or a row changes. @param fills newest first */
  select(fills: readonly TradeRecord[]): readonly OpenRecord[] {
    const nowMs = this.#parts.shown.now();
    const isSame = fills === this.#fills;
    if (isSame && Math.abs(nowMs - this.#updatedAtMs) < LOOK_MS) return this.#selected;
    this.#updatedAtMs = nowMs;
    const isChanged = this.#look(fills);
    if (!isSame || isChanged) this.#selected = fills.map((fill) => this.#rowOf(fill).row);
    this.#fills = fills;
    return this.#selected;
  }

  #rowOf(fill: TradeRecord): Row {
    const none = () => undefined;
    return this.#rows.get(fill) ?? this.#put(fill, MARKOUTS.map(none));
  }

  #put(fill: TradeRecord, found: Row["found"]): Row {
    const row: Record<string, unknown> = {};
    const market = this.#nameOf(fill);
    for (const [name, value] of Object.entries(fillRow(fill, this.#owner, market))) {
      row[name] = value;
      if (name !== "role") continue;
      for (const [i, column] of COLUMNS.entries()) row[column] = found[i] ?? "";
    }
    this.#records.set(row, fill);
    const made = { row, market, found };
    this.#rows.set(fill, made);
    return made;
  }

  /** Checks the fills that known trades may cover. @returns whether a markout was found */
  #look(fills: readonly TradeRecord[]): boolean {
    const tapes = new Map<string, KnownTrades | undefined>();
    this.#names.clear();
    let isChanged = false;
    for (const fill of fills) {
      isChanged = this.#rename(fill) || isChanged;
      const name = formatFillMarket(fill);
      if (!tapes.has(name)) tapes.set(name, this.#tradesOf(name));
      const known = tapes.get(name);
      const first = known?.trades[0];
      if (known === undefined || first === undefined) continue;
      if (fill.timestamp_ms < msOfNs(first.timestamp_ns)) {
        // The remaining fills are older than these trades, too.
        tapes.set(name, undefined);
        continue;
      }
      isChanged = this.#find(fill, known) || isChanged;
    }
    return isChanged;
  }

  /** The list of markets, with its symbols, may arrive after the fills. @returns whether the row has changed */
  #rename(fill: TradeRecord): boolean {
    const known = this.#rows.get(fill);
    if (known === undefined || known.market === this.#nameOf(fill)) return false;
    this.#put(fill, known.found);
    return true;
  }

  #nameOf(fill: TradeRecord): string {
    const id = formatFillMarket(fill);
    const name = this.#names.get(id) ?? fillMarketName(fill, this.#parts.shown.store);
    this.#names.set(id, name);
    return name;
  }

  #find(fill: TradeRecord, known: KnownTrades): boolean {
    const { found, row } = this.#rowOf(fill);
    const { side } = row;
    if (found.every((each) => each !== undefined) || (side !== "buy" && side !== "sell"))
      return false;
    const own = { ms: fill.timestamp_ms, price: fill.price, isBuy: side === "buy" };
    const now = selectMarkouts(own, known).map((each, i) => found[i] ?? each);
    if (areSame(found, now)) return false;
    this.#put(fill, now);
    return true;
  }

  #tradesOf(name: string): KnownTrades | undefined {
    const { shown, scales } = this.#parts;
    const { store } = shown;
    const { scale } = scales.of(name);
    if (scale === undefined || !/^(?:perp|spot)\/[0-9]+$/.test(name)) return undefined;
    const slice = store.slice("trades", `trades/${name}`);
    const tape = slice.data;
    const newest = tape.recent(1)[0];
    if (newest === undefined) return undefined;
    const nowMs = shown.now();
    const isLive = isCurrent(store.paneState(slice, nowMs));
    const liveMs = isLive ? (tape.serverMs(nowMs) ?? 0) - GRACE_MS : 0;
    return {
      trades: tape.recent(Number.POSITIVE_INFINITY).toReversed(),
      holes: tape.holes,
      knownUntilMs: Math.max(msOfNs(newest.timestamp_ns), liveMs),
      tickSize: scale.tickSize,
    };
  }
}
