// A list of records whose rows come and go, told apart by a key that is found from the rows. A first frame replaces all of them.
import type { Dialect, Finding, ListName, ListValue } from "../dialect/dialect.ts";
import { hasOrderEnded, hasPositionEnded } from "../dialect/ends.ts";
import { columnOf, fieldsOf, positionSideOf, read } from "../dialect/fields.ts";
import { typeOf } from "../dialect/markets.ts";
import type { Meaning, Names } from "../dialect/names.ts";
import type { OpenRecord } from "../wire/frames.ts";
import type { Context } from "./fold.ts";

export interface List {
  /** Plain names of the fields of the key; undefined until there were rows. */
  key: readonly string[] | undefined;
  /** By key, in the order in which they came. */
  rows: Map<string, OpenRecord>;
  /** Counts how often a row came or went: as long as it stands, so do the keys. */
  turnover: number;
  /** Keys of rows that a frame left out although it looked whole; the next first frame says what that meant. */
  omitted: Set<string>;
  /** Later frames in a row that had every row. */
  covering: number;
}

export function createList(): List {
  return { key: undefined, rows: new Map(), turnover: 0, omitted: new Set(), covering: 0 };
}

/** So many frames in a row that have every row make one that has not worth a look. */
const COVERING = 3;
/** More rows than any account has; a service could invent ever new ones. */
const MAX_ROWS = 20_000;

/** Fields that belong to the key whenever the rows have them, and those that are added while rows of one frame share a key. */
const KEYS: Readonly<Record<ListName, { always: readonly Meaning[]; more: readonly Meaning[] }>> = {
  positions: {
    always: ["marketType", "market"],
    more: ["hedgeSide", "marginMode", "positionSide", "positionId"],
  },
  orders: { always: ["marketType", "market", "orderId"], more: ["clientOrderId", "side", "price"] },
  balances: { always: ["asset"], more: ["market", "marketType", "marginMode"] },
  leverages: { always: ["marketType", "market"], more: ["marginMode", "hedgeSide"] },
  subaccounts: { always: ["subaccountId"], more: [] },
  delegations: { always: ["subaccountId", "delegate"], more: [] },
  markets: { always: ["marketType", "marketId"], more: ["symbol"] },
  stats: { always: ["marketType", "market"], more: ["symbol"] },
};

export function applyList(
  list: List,
  name: ListName,
  rows: readonly OpenRecord[],
  context: Context,
): readonly Finding[] {
  const findings = new Map<string, Finding>();
  const note = (because: string) => findings.set(because, { kind: "doubt", because });
  if (context.place === "first") {
    const decided = context.isContinuous ? decide(list, name, rows, context.dialect) : undefined;
    begin(list, name, rows, context.dialect.names);
    return decided === undefined ? [] : [decided];
  }
  change(list, name, rows, context, note);
  return [...findings.values()];
}

function begin(list: List, name: ListName, rows: readonly OpenRecord[], names: Names): void {
  list.omitted = new Set();
  list.covering = 0;
  list.turnover++;
  const standing = rows.filter((row) => hasEnded(name, row, names) !== true);
  if (standing.length > 0) list.key = findKey(list, name, standing, names);
  list.rows = new Map();
  for (const row of standing.slice(0, MAX_ROWS)) {
    let key = keyOf(list.key ?? [], row);
    // Rows that nothing tells apart stand side by side.
    while (list.rows.has(key)) key += "\u0002";
    list.rows.set(key, row);
  }
}

type Note = (because: string) => void;

function change(
  list: List,
  name: ListName,
  rows: readonly OpenRecord[],
  { dialect }: Context,
  note: Note,
): void {
  const { names } = dialect;
  if (rows.length > 0) list.key ??= findKey(list, name, rows, names);
  const keys = locateAll(list, rows);
  const held = name === "positions" ? new Map(list.rows) : undefined;
  dropOmitted(list, { name, rows, keys }, dialect, note);
  const named = new Map<string, OpenRecord>();
  for (const [i, row] of rows.entries()) {
    const key = keys[i] ?? "";
    list.omitted.delete(key);
    if (hasEnded(name, row, names) === true) endRow(list, name, key, row, names);
    else {
      if (isOtherTwin(named.get(key), row)) note(`two rows of one frame in ${name} have one key`);
      named.set(key, row);
      lookAtPosition(held?.get(key), row, names, note);
      put(list, name, key, row, note);
    }
  }
}

function isOtherTwin(twin: OpenRecord | undefined, row: OpenRecord): boolean {
  return twin !== undefined && JSON.stringify(twin) !== JSON.stringify(row);
}

/** The end of an older position of the market does not end the one that took its place. */
function endRow(list: List, name: ListName, key: string, row: OpenRecord, names: Names): void {
  const held = list.rows.get(key);
  if (name === "positions" && held !== undefined) {
    const [was, is] = [read(held, "positionId", names), read(row, "positionId", names)];
    if (was !== undefined && is !== undefined && was !== is) return;
  }
  drop(list, key);
}

function drop(list: List, key: string): void {
  if (list.rows.delete(key)) list.turnover++;
}

/** Fields that a later row does not have are kept, and asked for. */
function put(list: List, name: ListName, key: string, row: OpenRecord, note: Note): void {
  const held = list.rows.get(key);
  if (held === undefined) {
    if (list.rows.size === MAX_ROWS) return;
    list.rows.set(key, row);
    list.turnover++;
    return;
  }
  const isPartial = Object.keys(held).some((field) => !Object.hasOwn(row, field));
  // Statistics come in parts by nature.
  if (isPartial && name !== "stats") note(`fields left out in ${name}`);
  list.rows.set(key, isPartial ? { ...held, ...row } : row);
}

interface Rows {
  readonly name: ListName;
  readonly rows: readonly OpenRecord[];
  readonly keys: readonly string[];
}

/** Of whole frames, what is left out is gone. A frame that looks like one of the other value is worth a look. */
function dropOmitted(list: List, frame: Rows, dialect: Dialect, note: Note): void {
  const { name, keys } = frame;
  const { value, source } = dialect[`lists.${name}`];
  const named = new Set(keys.filter((key) => list.rows.has(key)));
  const hasAll = named.size === list.rows.size;
  const isOther = !hasAll && source !== "configured" && looksOther(list, frame, value);
  list.covering = hasAll && list.rows.size > 1 ? list.covering + 1 : 0;
  // Thousands of rows are not gone through for a frame that changes one.
  if (hasAll || (value !== "whole" && !isOther)) return;
  const omitted = [...list.rows.keys()].filter((key) => !named.has(key));
  if (isOther) suspect(list, name, omitted, dialect, note);
  if (value === "whole") for (const key of omitted) drop(list, key);
}

/** The next first frame says what it means that these were left out. */
function suspect(
  list: List,
  name: ListName,
  omitted: readonly string[],
  dialect: Dialect,
  note: Note,
): void {
  const { value, source } = dialect[`lists.${name}`];
  // What cannot be read teaches nothing.
  const telling = omitted.filter((key) => canEnd(name, list.rows.get(key), dialect.names));
  for (const key of telling) list.omitted.add(key);
  // A service that was seen to send changes is not asked each time.
  const isAsked = value === "whole" || source !== "learned";
  if (telling.length > 0 && isAsked) note(`rows left out in ${name}`);
}

/** Of a frame that left rows out: is it like one of the other value? */
function looksOther(list: List, { rows, keys }: Rows, value: ListValue): boolean {
  const isRepeating = () => rows.some((row, i) => isUnchanged(list.rows.get(keys[i] ?? ""), row));
  if (value === "whole") return rows.length > 0 && !isRepeating();
  return rows.length === 0 || list.covering >= COVERING || isRepeating();
}

function isUnchanged(held: OpenRecord | undefined, row: OpenRecord): boolean {
  return held !== undefined && JSON.stringify(held) === JSON.stringify(row);
}

/** Can the rows of this list end, and would this one say so? */
function canEnd(name: ListName, row: OpenRecord | undefined, names: Names): boolean {
  if (row === undefined) return false;
  return name !== "orders" && name !== "positions"
    ? true
    : hasEnded(name, row, names) !== undefined;
}

/** If the rows that frames left out are gone, frames have all rows; if one is still there, they have not. */
function decide(
  list: List,
  name: ListName,
  rows: readonly OpenRecord[],
  { names }: Dialect,
): Finding | undefined {
  if (list.omitted.size === 0) return undefined;
  const key = list.key ?? [];
  const isStanding = rows.some(
    (row) => list.omitted.has(keyOf(key, row)) && hasEnded(name, row, names) !== true,
  );
  const value: ListValue = isStanding ? "changes" : "whole";
  const because = `rows that a frame left out are ${isStanding ? "still there" : "gone"}`;
  return { kind: "learned", point: `lists.${name}`, value, because };
}

/** Another side, or a second position of its market: a flip or a hedge. One look tells, since the key is found anew. */
function lookAtPosition(
  held: OpenRecord | undefined,
  row: OpenRecord,
  names: Names,
  note: Note,
): void {
  if (held === undefined) return;
  const [was, is] = [positionSideOf(held, names), positionSideOf(row, names)];
  if (was !== undefined && is !== undefined && was !== is) note("a position changed its side");
  const [mode, now] = [read(held, "marginMode", names), read(row, "marginMode", names)];
  if (mode !== undefined && now !== undefined && mode !== now)
    note("a second position of a market appeared");
}

/** Orders end by their status, positions by it or by size 0; other rows stay. Undefined: it cannot be read. */
function hasEnded(name: ListName, row: OpenRecord, names: Names): boolean | undefined {
  if (name === "orders") return hasOrderEnded(row, names);
  return name === "positions" ? hasPositionEnded(row, names) : false;
}

/** As short as the rows of this frame allow; what once stood together stays apart. */
function findKey(
  list: List,
  name: ListName,
  rows: readonly OpenRecord[],
  names: Names,
): readonly string[] {
  const { always, more } = KEYS[name];
  const columns = (meanings: readonly Meaning[]) =>
    meanings
      .map((meaning) => keyColumnOf(rows, meaning, names))
      .filter((each) => each !== undefined);
  const known = (list.key ?? []).filter((column) => rows.some((row) => fieldsOf(row).has(column)));
  const key = new Set([...columns(always), ...known]);
  for (const column of columns(more)) {
    if (new Set(rows.map((row) => keyOf([...key], row))).size === rows.length) break;
    key.add(column);
  }
  return [...key];
}

/** A word that is no type of market, such as that of an order, may change. */
function keyColumnOf(
  rows: readonly OpenRecord[],
  meaning: Meaning,
  names: Names,
): string | undefined {
  if (meaning !== "marketType") return columnOf(rows, meaning, names);
  return names.fields.marketType.find((name) =>
    rows.some((row) => typeOf(fieldsOf(row).get(name)) !== undefined),
  );
}

/** Without a known field, every different row is a row of its own. */
function keyOf(key: readonly string[], row: OpenRecord): string {
  if (key.length === 0) return JSON.stringify(row);
  const fields = fieldsOf(row);
  return key.map((column) => fields.get(column) ?? "").join("\u0001");
}

/** Keys of rows; one that lacks a field of the key is the only held row that agrees in the others. */
function locateAll(list: List, rows: readonly OpenRecord[]): readonly string[] {
  const key = list.key ?? [];
  const bySubset = new Map<string, Map<string, string | undefined>>();
  return rows.map((row) => {
    const own = keyOf(key, row);
    const fields = fieldsOf(row);
    const present = key.filter((column) => fields.has(column));
    if (list.rows.has(own) || present.length === key.length || present.length === 0) return own;
    const subset = present.join("\u0001");
    const held = bySubset.get(subset) ?? indexBy(list, present);
    bySubset.set(subset, held);
    return held.get(keyOf(present, row)) ?? own;
  });
}

/** The key of the only held row of each combination; undefined where there are several. */
function indexBy(list: List, columns: readonly string[]): Map<string, string | undefined> {
  const index = new Map<string, string | undefined>();
  for (const [key, row] of list.rows) {
    const part = keyOf(columns, row);
    index.set(part, index.has(part) ? undefined : key);
  }
  return index;
}
