// Finds the key of a list's rows. The interface document names no keys, so a key is a set of columns inferred from the rows:
// always market and side where rows have them, an id if there is one, and the part of the account that a row belongs to.
// Rows are distinguished by the finest key. A coarser one, which would merge some of them, remains possible until one frame
// holds two rows that it does not distinguish.
import type { OpenRecord } from "../wire/update.ts";
import type { Aliases, Meaning } from "./aliases.ts";
import type { ListFacts } from "./facts-schema.ts";
import { type Column, columnText, MARKET_TYPE, partText, RowColumns } from "./row-columns.ts";

/** What is known about a list's rows before any is received. */
export interface KeySpec {
  /** What a row belongs to, such as its market: part of every key if rows have it. Of alternatives, the first one present. */
  readonly scope: readonly (readonly Meaning[])[];
  /** Identifies a row within its scope, where there may be several. Without it there is probably one row per scope. */
  readonly id?: Meaning;
}

type Columns = readonly Column[];

interface CoarserKey {
  readonly name: string;
  readonly columns: Columns;
}

/** Names that may identify something else: the market, or a client-assigned id that may repeat. */
const WEAK_ID = /^(?:id|client.*|cl(?:o|ord)?_?id|cloid|cid)$/i;
/** Values of a side that mean none: rows that can have them have their side as state, not as identity. */
const NO_SIDE = /^(?:flat|none|neutral|closed)$/i;
const MAX_COARSER = 5;

export class RowKey {
  private readonly aliases: Aliases;
  private readonly spec: KeySpec;
  private seen = new RowColumns();
  private scope: Columns = [];
  columns: Columns = [];
  /** Coarser keys, and the names of those refuted by two rows of one frame. */
  private allCoarser: readonly CoarserKey[] = [];
  private refuted = new Set<string>();
  /** Columns added because only they distinguish rows of one frame; and columns that audits have removed from the key. */
  private added = new Set<string>();
  private dropped = new Set<string>();
  /** The column that identifies a row; and whether columns of unknown meaning have proved to be row ids. */
  private name: Column | undefined;
  private isProven = false;
  /** A market's one row is long, short or flat, so its side is not part of its key. */
  private isSideState = false;
  private isVague = false;

  constructor(aliases: Aliases, spec: KeySpec) {
    this.aliases = aliases;
    this.spec = spec;
  }

  /** The key as text: `order_id`, `market_type/market_id/side`; empty if there is none. */
  get words(): string {
    return this.columns.map(({ path }) => path).join("/");
  }

  /** True when the key includes a column that may be a quantity, or when there is no key at all. */
  get isUnsure(): boolean {
    return this.isVague || this.columns.length === 0;
  }

  /** True when rows carry their scope. */
  get hasScope(): boolean {
    return this.scope.length > 0;
  }

  /** True when every row has an id: a change of its other fields does not make it another row. */
  get isNamed(): boolean {
    return this.name !== undefined;
  }

  hasKeyValue(row: OpenRecord): boolean {
    if (this.name !== undefined) return columnText(row, this.name) !== "";
    return this.columns.some((column) => columnText(row, column) !== "");
  }

  /** Coarser keys not refuted yet. */
  get coarser(): readonly CoarserKey[] {
    return this.allCoarser.filter(({ name }) => !this.refuted.has(name));
  }

  /** Columns of unknown meaning that are in no key: rows that differ in them may be two rows under one key. */
  get attributes(): Columns {
    if (this.isNamed) return [];
    return this.seen.all.filter(
      (column) =>
        (column.kind === "word" || column.kind === "integer") &&
        !this.isInKey(column) &&
        !this.dropped.has(column.path) &&
        !this.means(column, "side") &&
        !this.means(column, "status"),
    );
  }

  nameOf(row: OpenRecord): string {
    return this.columns.map((column) => columnText(row, column)).join("/");
  }

  /** True when, in a key column, one row has a number and the other the same digits as a string. */
  hasOtherForm(a: OpenRecord, b: OpenRecord): boolean {
    const typed = this.columns
      .filter(({ isMixed }) => isMixed)
      .map((column) => ({ ...column, isTyped: true }));
    return keyText(a, typed) !== keyText(b, typed);
  }

  /** What the row belongs to: its market or asset; empty if unknown. */
  scopeOf(row: OpenRecord): string {
    return keyText(row, this.scope);
  }

  /** Learns the columns of rows. @returns true when the key has changed */
  learn(rows: readonly OpenRecord[]): boolean {
    let isNew = false;
    for (const row of rows) isNew = this.seen.note(row) || isNew;
    const isOther = isNew && this.choose();
    if (this.isOfMany || this.isSideState) return isOther;
    const isFlat = (column: Column) => rows.some((row) => NO_SIDE.test(columnText(row, column)));
    this.isSideState = this.columns.some((column) => this.means(column, "side") && isFlat(column));
    return this.isSideState ? this.choose() : isOther;
  }

  facts(): ListFacts["key"] {
    const { refuted, added, dropped, isProven, isSideState } = this;
    return {
      refuted: [...refuted],
      added: [...added],
      dropped: [...dropped],
      isProven,
      isSideState,
    };
  }

  /** Restores earlier findings, after the rows were learned. */
  restore({ refuted, added, dropped, isProven, isSideState }: ListFacts["key"]): void {
    Object.assign(this, { isProven, isSideState });
    this.added = new Set(added);
    this.dropped = new Set(dropped);
    this.choose();
    this.refuted = new Set(refuted);
  }

  /**
   * Rows that exist at the same time: two of them with the same key refute it. If even the finest key cannot distinguish them,
   * further columns are added. @returns true when the key has changed
   */
  learnCoexisting(rows: readonly OpenRecord[]): boolean {
    if (rows.length < 2) return false;
    for (const { name, columns } of this.coarser)
      if (!distinguishes(rows, columns)) this.refuted.add(name);
    return this.prove(rows) || (!distinguishes(rows, this.columns) && this.extend(rows));
  }

  /** Ids of unknown meaning that distinguish rows which nothing else does are row ids. */
  private prove(rows: readonly OpenRecord[]): boolean {
    if (this.isProven || this.isNamed || !this.isOfMany) return false;
    // Unless something else identifies the market, an id may be the market's.
    if (this.scope.some(({ path, kind }) => path === "id" && kind === "id")) return false;
    const others = this.columns.filter(({ kind }) => kind !== "id");
    if (others.length === this.columns.length || distinguishes(rows, others)) return false;
    const names = this.columns.filter(
      (column) => column.kind === "id" || this.scope.includes(column) || this.means(column, "side"),
    );
    this.isProven = distinguishes(rows, names);
    return this.isProven && this.choose();
  }

  /** Adds the column that distinguishes these rows: names before numbers. */
  private extend(rows: readonly OpenRecord[]): boolean {
    const separating = this.seen.all
      .filter((column) => !this.isInKey(column) && !this.means(column, "status"))
      .sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))
      .find((column) => distinguishes(rows, [...this.columns, column]));
    if (separating === undefined) return false;
    this.added.add(separating.path);
    this.dropped.delete(separating.path);
    return this.choose();
  }

  /** A coarser key is the right one: the columns it omits distinguish nothing. */
  takeCoarser(name: string): boolean {
    const coarser = this.allCoarser.find((each) => each.name === name);
    if (coarser === undefined) return false;
    for (const column of this.columns) {
      const same = coarser.columns.find(({ path }) => path === column.path);
      if (same === undefined) this.dropped.add(column.path);
      else if (column.isTyped && !same.isTyped) this.dropped.add(getType(column));
    }
    this.choose();
    return true;
  }

  private isInKey({ path }: Column): boolean {
    return this.columns.some((each) => each.path === path);
  }

  private means({ path }: Column, meaning: Meaning): boolean {
    return this.rank(path, meaning) !== undefined;
  }

  /** Rank of a column among the names of a meaning; undefined when it is not one of them. */
  private rank(path: string, meaning: Meaning): number | undefined {
    return (
      this.aliases.rankOf(path, meaning) ??
      (path.includes(".") ? this.aliases.rankOf(path.replaceAll(".", "_"), meaning) : undefined)
    );
  }

  private find(meaning: Meaning, columns: Columns): Column | undefined {
    let best: Column | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const column of columns) {
      const rank = this.rank(column.path, meaning);
      if (rank === undefined || rank >= least) continue;
      if (meaning === "marketType" && !isMarketType(column)) continue;
      best = column;
      least = rank;
    }
    return best;
  }

  /** @returns true when the key has changed */
  private choose(): boolean {
    const before = this.words;
    const wasTyped = this.columns.some(isTyped);
    const all = this.seen.all.filter(({ path }) => !this.dropped.has(path));
    const scope = this.spec.scope.flatMap((meanings) =>
      meanings.flatMap((meaning) => this.find(meaning, all) ?? []).slice(0, 1),
    );
    const rest = all.filter((each) => !scope.includes(each) && !this.means(each, "status"));
    const sides = rest.filter((each) => this.means(each, "side"));
    const side = this.isSideState ? [] : sides.slice(0, 1);
    const names = this.names(all, scope);
    const isNamed = names.length > 0;
    const kinds = this.isOfMany ? KINDS_OF_MANY : KINDS_OF_ONE;
    const isApart = (each: Column) => kinds.includes(each.kind) && !side.includes(each);
    const apart = isNamed ? [] : [...side, ...rest.filter(isApart)];
    const firm = isNamed ? [...scope, ...names, ...side] : this.withName(scope, apart, rest);
    const added = all.filter(({ path }) => this.added.has(path));
    const loose = [...new Set([...apart, ...added])].filter((column) => !firm.includes(column));
    this.name = names[0];
    this.isVague =
      firm.length === 0 ||
      added.some(({ kind }) => QUANTITIES.includes(kind)) ||
      (this.isOfMany && !isNamed);
    this.scope = scope.length > 0 || isNamed ? scope : firm.slice(0, 1);
    this.columns = [...firm, ...loose];
    this.setCoarser(firm, loose);
    return this.words !== before || this.columns.some(isTyped) !== wasTyped;
  }

  /** A market may have many orders, but probably one position. */
  private get isOfMany(): boolean {
    return this.spec.id !== undefined;
  }

  /** The columns known to identify each row. Where ids come as numbers and strings, 7 and "7" may be two rows. */
  private names(all: Columns, scope: Columns): Columns {
    const { id } = this.spec;
    const named = id === undefined ? undefined : this.find(id, all);
    const isStrong = named !== undefined && this.isStrongId(named, scope);
    const proven = this.isProven
      ? all.filter((each) => each.kind === "id" && !scope.includes(each))
      : [];
    return (isStrong ? [named] : proven).map((column) =>
      column.isMixed && !this.dropped.has(getType(column)) ? { ...column, isTyped: true } : column,
    );
  }

  private isStrongId({ path }: Column, scope: Columns): boolean {
    if (!WEAK_ID.test(path)) return true;
    return path === "id" && scope.some((each) => !this.means(each, "marketType"));
  }

  /** The scope; without a market in it, plus the column most likely to identify rows, since a market type alone does not. */
  private withName(scope: Columns, apart: Columns, rest: Columns): Columns {
    if (scope.some((column) => !this.means(column, "marketType"))) return scope;
    const named = bestName(apart) ?? bestName(rest);
    return named === undefined ? scope : [...scope, named];
  }

  private setCoarser(firm: Columns, loose: Columns): void {
    const keys = this.isOfMany ? this.coarserOfMany(firm, loose) : this.coarserOfOne(firm, loose);
    const known = this.allCoarser;
    this.allCoarser = keys
      .filter(
        (columns) =>
          columns.length > 0 &&
          (columns.length < this.columns.length ||
            (!columns.some(isTyped) && this.columns.some(isTyped))),
      )
      .slice(0, MAX_COARSER)
      .map((columns) => ({
        name: columns.map((each) => (each.isTyped ? getType(each) : each.path)).join("/"),
        columns,
      }));
    const isKnown = (name: string) => known.some((each) => each.name === name);
    const names = this.allCoarser.map(({ name }) => name);
    this.refuted = new Set(names.filter((name) => isKnown(name) && this.refuted.has(name)));
  }

  private coarserOfOne(firm: Columns, loose: Columns): readonly Columns[] {
    return [firm, ...loose.map((column) => this.columns.filter((each) => each !== column))];
  }

  private coarserOfMany(firm: Columns, loose: Columns): readonly Columns[] {
    const ids = loose.filter(({ kind }) => kind === "id");
    const hasKeyValue = ids.length > 0 || firm.length > this.scope.length;
    const untyped = this.columns.map((column) => ({ ...column, isTyped: false }));
    return [
      ...(this.columns.some(isTyped) ? [untyped] : []),
      ...(hasKeyValue ? [[...firm, ...ids]] : []),
    ];
  }
}

function isTyped({ isTyped: is = false }: Column): boolean {
  return is;
}

function getType({ path }: Column): string {
  return `type of ${path}`;
}

/** Column kinds, from the most to the least likely row id. */
const ORDER = ["id", "group", "word", "created", "integer", "flag", "time", "amount"];

const QUANTITIES: readonly Column["kind"][] = ["amount", "integer", "time", "flag"];

function isMarketType({ path, example }: Column): boolean {
  return /market|product|instrument/i.test(path) || MARKET_TYPE.test(example);
}

const KINDS_OF_ONE: readonly Column["kind"][] = ["id", "group"];
const KINDS_OF_MANY: readonly Column["kind"][] = [...KINDS_OF_ONE, "word", "integer", "created"];

function bestName(columns: Columns): Column | undefined {
  const ofKind = (kind: Column["kind"]) => columns.find((column) => column.kind === kind);
  return (
    columns.find(({ path }) => path === "id") ?? ofKind("id") ?? ofKind("word") ?? ofKind("integer")
  );
}

/** Each part is length-prefixed, so that different keys never give the same text; a number equals the string of its digits. */
export function keyText(row: OpenRecord, columns: Columns): string {
  let text = "";
  for (const column of columns) {
    const part = partText(row, column);
    text += `${part.length}:${part}`;
  }
  return text;
}

function distinguishes(rows: readonly OpenRecord[], columns: Columns): boolean {
  const keys = new Set<string>();
  for (const row of rows) keys.add(keyText(row, columns));
  return keys.size === rows.length;
}
