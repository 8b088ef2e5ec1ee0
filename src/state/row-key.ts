// By what the rows of a list are told apart. The document names no keys, so a key is a set of columns that is found from
// the rows: always the market and the side where rows have them, an id where there is one, and what says which part of
// the account a row belongs to. Rows are kept apart by the finest key; a coarser one, under which some of them would be
// one row, stays possible until a frame holds two rows with it. Interpretation: docs/adr/0011.
import type { OpenRecord } from "../wire/update.ts";
import type { Aliases, Meaning } from "./aliases.ts";
import { type Column, columnText, partText, RowColumns } from "./row-columns.ts";

/** What is known of a list's rows before any has come. */
export interface KeySpec {
  /** What a row is of, such as its market: part of every key, where rows have it. Of alternatives, the first that is there. */
  readonly scope: readonly (readonly Meaning[])[];
  /** What names a row of that scope, where there may be several. Without it there is likely one for each scope. */
  readonly id?: Meaning;
}

type Columns = readonly Column[];

/** A key under which fewer rows are told apart. */
interface Coarser {
  readonly name: string;
  readonly columns: Columns;
  isRefuted: boolean;
}

/** Names that may be those of something else: of the market, or given by the client, perhaps twice. */
const WEAK_ID = /^(?:id|client.*|cl(?:o|ord)?_?id|cloid|cid)$/i;
const MARKET_TYPE = /^(?:spot|perp(?:etual)?s?|swaps?|futures?|options?|linear|inverse)$/i;
/** Sides that only a row can have that has no side at other times. */
const NO_SIDE = /^(?:flat|none|neutral|closed)$/i;
const MAX_COARSER = 5;

/** The key of one list. */
export class RowKey {
  readonly #aliases: Aliases;
  readonly #spec: KeySpec;
  #columns = new RowColumns();
  #scope: Columns = [];
  #fine: Columns = [];
  #coarser: Coarser[] = [];
  /** Columns that had to be added to tell rows of one frame apart; and those that audits have shown to be no part of it. */
  #added = new Set<string>();
  #dropped = new Set<string>();
  /** The column that names a row; and whether names of no known meaning have been seen to be the only difference. */
  #name: Column | undefined;
  #isProven = false;
  /** The one row of a market is long, short or flat: its side is no part of its name. */
  #isSideState = false;
  #isUnsure = false;

  constructor(aliases: Aliases, spec: KeySpec) {
    this.#aliases = aliases;
    this.#spec = spec;
  }

  copy(): RowKey {
    const copy = new RowKey(this.#aliases, this.#spec);
    copy.#columns = this.#columns.copy();
    copy.#scope = this.#scope;
    copy.#fine = this.#fine;
    copy.#coarser = this.#coarser.map((each) => ({ ...each }));
    copy.#added = new Set(this.#added);
    copy.#dropped = new Set(this.#dropped);
    copy.#name = this.#name;
    copy.#isProven = this.#isProven;
    copy.#isSideState = this.#isSideState;
    copy.#isUnsure = this.#isUnsure;
    return copy;
  }

  /** What the key is, in words: `order_id`, `market_type/market_id/side`; empty while there is none. */
  get words(): string {
    return this.#fine.map(({ path }) => path).join("/");
  }

  /** True when a column is in the key that may say how much there is of a row, or when there is no key at all. */
  get isUnsure(): boolean {
    return this.#isUnsure || this.#fine.length === 0;
  }

  /** True when rows say what they are of. */
  get hasScope(): boolean {
    return this.#scope.length > 0;
  }

  /** True when every row has a name of its own: what else changes in it makes it no other row. */
  get isNamed(): boolean {
    return this.#name !== undefined;
  }

  /** True when the row has what names it. */
  isNaming(row: OpenRecord): boolean {
    if (this.#name !== undefined) return columnText(row, this.#name) !== "";
    return this.#fine.some((column) => columnText(row, column) !== "");
  }

  /** Coarser keys that nothing has refuted, by their names. */
  get coarser(): readonly { readonly name: string; readonly columns: Columns }[] {
    return this.#coarser.filter(({ isRefuted }) => !isRefuted);
  }

  /** Columns of no known meaning that are in no key: where they differ, one row may be two. */
  get attributes(): Columns {
    if (this.isNamed) return [];
    return this.#columns.all.filter(
      (column) =>
        (column.kind === "word" || column.kind === "integer") &&
        !this.#isInKey(column) &&
        !this.#dropped.has(column.path) &&
        !this.#isSide(column) &&
        !this.#isStatus(column),
    );
  }

  /** The columns of the key. */
  get columns(): Columns {
    return this.#fine;
  }

  /** The row's key as text: a number and the text of its digits are one key. */
  of(row: OpenRecord): string {
    return keyText(row, this.#fine);
  }

  /** What names the row; undefined where nothing does. */
  nameText(row: OpenRecord): string | undefined {
    return this.#name && columnText(row, this.#name);
  }

  /** The row's key for people. */
  nameOf(row: OpenRecord): string {
    return this.#fine.map((column) => columnText(row, column)).join("/");
  }

  /** What the row is of: its market, or its asset; empty where it does not say. */
  scopeOf(row: OpenRecord): string {
    return keyText(row, this.#scope);
  }

  /** Takes note of rows. @returns true when the key is another one now */
  learn(rows: readonly OpenRecord[]): boolean {
    let isNew = false;
    for (const row of rows) isNew = this.#columns.note(row) || isNew;
    const isOther = isNew && this.#choose();
    if (this.#spec.id !== undefined || this.#isSideState) return isOther;
    const isFlat = (column: Column) => rows.some((row) => NO_SIDE.test(columnText(row, column)));
    this.#isSideState = this.#fine.some((column) => this.#isSide(column) && isFlat(column));
    return this.#isSideState ? this.#choose() : isOther;
  }

  /**
   * Rows that are there at the same time: two of them with one key refute it. Where the finest cannot tell them apart,
   * further columns are added. @returns true when the key is another one now
   */
  seeTogether(rows: readonly OpenRecord[]): boolean {
    if (rows.length < 2) return false;
    for (const coarser of this.#coarser) {
      if (!coarser.isRefuted && !tellsApart(rows, coarser.columns)) coarser.isRefuted = true;
    }
    return this.#prove(rows) || (tellsApart(rows, this.#fine) ? false : this.#extend(rows));
  }

  /** Names of no known meaning that tell apart what nothing else does are the names of rows. */
  #prove(rows: readonly OpenRecord[]): boolean {
    if (this.#isProven || this.isNamed || this.#spec.id === undefined) return false;
    // With nothing else that says so, an id may be that of the market.
    if (this.#scope.some(({ path, kind }) => path === "id" && kind === "id")) return false;
    const others = this.#fine.filter(({ kind }) => kind !== "id");
    if (others.length === this.#fine.length || tellsApart(rows, others)) return false;
    const names = this.#fine.filter(
      (column) => column.kind === "id" || this.#scope.includes(column) || this.#isSide(column),
    );
    this.#isProven = tellsApart(rows, names);
    return this.#isProven && this.#choose();
  }

  /** A coarser key is the right one: what it leaves out of the finest tells nothing. */
  takeCoarser(name: string): boolean {
    const coarser = this.#coarser.find((each) => each.name === name);
    if (coarser === undefined) return false;
    for (const column of this.#fine) {
      const same = coarser.columns.find(({ path }) => path === column.path);
      if (same === undefined) this.#dropped.add(column.path);
      else if (isTyped(column) && !isTyped(same)) this.#dropped.add(typeOf(column));
    }
    this.#choose();
    return true;
  }

  #isInKey({ path }: Column): boolean {
    return this.#fine.some((each) => each.path === path);
  }

  #isSide({ path }: Column): boolean {
    return this.#rank(path, "side") !== undefined;
  }

  #isStatus({ path }: Column): boolean {
    return this.#rank(path, "status") !== undefined;
  }

  /** Place of a column among the names of a meaning; undefined when it is none of them. */
  #rank(path: string, meaning: Meaning): number | undefined {
    return (
      this.#aliases.rankOf(path, meaning) ??
      (path.includes(".") ? this.#aliases.rankOf(path.replaceAll(".", "_"), meaning) : undefined)
    );
  }

  #find(meaning: Meaning, columns: Columns): Column | undefined {
    let best: Column | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const column of columns) {
      const rank = this.#rank(column.path, meaning);
      if (rank === undefined || rank >= least) continue;
      if (meaning === "marketType" && !isMarketType(column)) continue;
      best = column;
      least = rank;
    }
    return best;
  }

  #findFirst(meanings: readonly Meaning[], columns: Columns): Column | undefined {
    for (const meaning of meanings) {
      const column = this.#find(meaning, columns);
      if (column !== undefined) return column;
    }
    return undefined;
  }

  #choose(): boolean {
    const before = this.words;
    const wasTyped = this.#fine.some(isTyped);
    const all = this.#columns.all.filter(({ path }) => !this.#dropped.has(path));
    const scope = this.#spec.scope.flatMap((meanings) => this.#findFirst(meanings, all) ?? []);
    const rest = all.filter((column) => !scope.includes(column) && !this.#isStatus(column));
    const sides = rest.filter((column) => this.#isSide(column)).slice(0, 1);
    const side = this.#isSideState ? [] : sides;
    const names = this.#names(all, scope).map((column) => this.#typed(column));
    const isNamed = names.length > 0;
    const apart = isNamed ? [] : [...side, ...this.#apart(rest, side)];
    const firm = isNamed
      ? [...scope, ...names, ...side]
      : withName(scope, apart, rest, this.#types);
    const added = all.filter(({ path }) => this.#added.has(path));
    const loose = [...new Set([...apart, ...added])].filter((column) => !firm.includes(column));
    this.#name = names[0];
    this.#isUnsure =
      firm.length === 0 ||
      added.some(({ kind }) => isQuantity(kind)) ||
      (this.#isOfMany && !isNamed);
    this.#scope = scope.length > 0 || isNamed ? scope : firm.slice(0, 1);
    this.#fine = [...firm, ...loose];
    this.#setCoarser(firm, loose);
    return this.words !== before || this.#fine.some(isTyped) !== wasTyped;
  }

  /** There may be many orders of a market, but likely one position. */
  get #isOfMany(): boolean {
    return this.#spec.id !== undefined;
  }

  /** Columns that say of which type a market is: alone they name nothing. */
  get #types(): Columns {
    return this.#columns.all.filter(({ path }) => this.#rank(path, "marketType") !== undefined);
  }

  /** What names each row, as far as that is sure. */
  #names(all: Columns, scope: Columns): Columns {
    const { id } = this.#spec;
    const named = id === undefined ? undefined : this.#find(id, all);
    if (named !== undefined && this.#isStrongId(named, scope)) return [named];
    return this.#isProven ? all.filter((each) => each.kind === "id" && !scope.includes(each)) : [];
  }

  /** Where ids are numbers and texts, 7 and "7" may be two. */
  #typed(column: Column): Column {
    const isTyped = column.isMixed && !this.#dropped.has(typeOf(column));
    return isTyped ? { ...column, isTyped } : column;
  }

  /** What may tell rows apart, besides what they are of. */
  #apart(rest: Columns, side: Columns): Columns {
    const kinds = this.#isOfMany ? KINDS_OF_MANY : KINDS_OF_ONE;
    return rest.filter((each) => kinds.includes(each.kind) && !side.includes(each));
  }

  #setCoarser(firm: Columns, loose: Columns): void {
    const keys = this.#isOfMany
      ? [...this.#untyped(), ...this.#coarserOfMany(firm, loose)]
      : [firm, ...loose.map((column) => this.#fine.filter((each) => each !== column))];
    const known = new Map(this.#coarser.map((each) => [each.name, each.isRefuted]));
    this.#coarser = keys
      .filter(
        (columns) =>
          columns.length > 0 && (columns.length < this.#fine.length || !columns.some(isTyped)),
      )
      .filter((columns) => columns.length < this.#fine.length || this.#fine.some(isTyped))
      .slice(0, MAX_COARSER)
      .map((columns) => {
        const name = columns
          .map((column) => (isTyped(column) ? typeOf(column) : column.path))
          .join("/");
        return { name, columns, isRefuted: known.get(name) ?? false };
      });
  }

  #untyped(): readonly Columns[] {
    if (!this.#fine.some(isTyped)) return [];
    return [this.#fine.map((column) => ({ ...column, isTyped: false }))];
  }

  #coarserOfMany(firm: Columns, loose: Columns): readonly Columns[] {
    const ids = loose.filter(({ kind }) => kind === "id");
    const isNaming = ids.length > 0 || firm.length > this.#scope.length;
    return isNaming ? [[...firm, ...ids]] : [];
  }

  #isStrongId({ path }: Column, scope: Columns): boolean {
    const last = path.split(".").at(-1) ?? path;
    if (!WEAK_ID.test(path) && !(WEAK_ID.test(last) && !path.includes("."))) return true;
    const hasMarket = scope.some((each) => this.#rank(each.path, "marketType") === undefined);
    return path === "id" && hasMarket;
  }

  /** Adds the column that tells these rows apart: a name before a number. */
  #extend(rows: readonly OpenRecord[]): boolean {
    const free = this.#columns.all
      .filter((column) => !this.#isInKey(column) && !this.#isStatus(column))
      .sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
    const found = free.find((column) => tellsApart(rows, [...this.#fine, column]));
    if (found === undefined) return false;
    this.#added.add(found.path);
    this.#dropped.delete(found.path);
    return this.#choose();
  }
}

function isTyped({ isTyped: is = false }: Column): boolean {
  return is;
}

function typeOf({ path }: Column): string {
  return `type of ${path}`;
}

const ORDER: readonly Column["kind"][] = [
  "id",
  "group",
  "word",
  "created",
  "integer",
  "flag",
  "time",
  "amount",
];

function isQuantity(kind: Column["kind"]): boolean {
  return kind === "amount" || kind === "integer" || kind === "time" || kind === "flag";
}

function isMarketType({ path, example }: Column): boolean {
  return /market|product|instrument/i.test(path) || MARKET_TYPE.test(example);
}

/** Kinds of columns that may tell rows apart. */
const KINDS_OF_ONE: readonly Column["kind"][] = ["id", "group"];
const KINDS_OF_MANY: readonly Column["kind"][] = [...KINDS_OF_ONE, "word", "integer", "created"];

/** What rows are of; where nothing says that, with the column that most likely names them. */
function withName(scope: Columns, apart: Columns, rest: Columns, types: Columns): Columns {
  if (scope.some((column) => !types.includes(column))) return scope;
  const named = bestName(apart) ?? bestName(rest);
  return named === undefined ? scope : [...scope, named];
}

/** The column that names a row, where nothing says what a row is of. */
function bestName(columns: Columns): Column | undefined {
  const ofKind = (kind: Column["kind"]) => columns.find((column) => column.kind === kind);
  return (
    columns.find(({ path }) => path === "id") ?? ofKind("id") ?? ofKind("word") ?? ofKind("integer")
  );
}

/** Each part with its length before it, so that no two keys have one text. */
export function keyText(row: OpenRecord, columns: Columns): string {
  let text = "";
  for (const column of columns) {
    const part = partText(row, column);
    text += `${part.length}:${part}`;
  }
  return text;
}

function tellsApart(rows: readonly OpenRecord[], columns: Columns): boolean {
  const keys = new Set<string>();
  for (const row of rows) keys.add(keyText(row, columns));
  return keys.size === rows.length;
}
