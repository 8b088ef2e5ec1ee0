// Finds the key of a list's rows. The document names no keys, so a key is a set of columns found from the rows: always the
// market and the side where rows have them, an id where there is one, and the part of the account that a row belongs to.
// Rows are kept apart by the finest key; a coarser one, under which some of them would be one row, stays possible until a
// frame holds two rows with it. Interpretation: docs/adr/0011.
import type { OpenRecord } from "../wire/update.ts";
import type { Aliases, Meaning } from "./aliases.ts";
import type { ListFacts } from "./facts-schema.ts";
import { type Column, columnText, MARKET_TYPE, partText, RowColumns } from "./row-columns.ts";

/** What is known of a list's rows before any was received. */
export interface KeySpec {
  /** What a row is of, such as its market: part of every key, where rows have it. Of alternatives, the first that is there. */
  readonly scope: readonly (readonly Meaning[])[];
  /** What names a row of that scope, where there may be several. Without it there is likely one for each scope. */
  readonly id?: Meaning;
}

type Columns = readonly Column[];

interface CoarserKey {
  readonly name: string;
  readonly columns: Columns;
}

/** Names that may be those of something else: of the market, or given by the client, perhaps twice. */
const WEAK_ID = /^(?:id|client.*|cl(?:o|ord)?_?id|cloid|cid)$/i;
/** Sides that only a row can have that has no side at other times. */
const NO_SIDE = /^(?:flat|none|neutral|closed)$/i;
const MAX_COARSER = 5;

export class RowKey {
  private readonly aliases: Aliases;
  private readonly spec: KeySpec;
  private seen = new RowColumns();
  private scope: Columns = [];
  columns: Columns = [];
  /** Coarser keys, and those of them that two rows of one frame have refuted, by their names. */
  private allCoarser: readonly CoarserKey[] = [];
  private refuted = new Set<string>();
  /** Columns that had to be added to distinguish rows of one frame; and those that audits have shown to be no part of it. */
  private added = new Set<string>();
  private dropped = new Set<string>();
  /** The column that names a row; and whether names of no known meaning have been seen to be the only difference. */
  private name: Column | undefined;
  private isProven = false;
  /** The one row of a market is long, short or flat: its side is no part of its name. */
  private isSideState = false;
  private isVague = false;

  constructor(aliases: Aliases, spec: KeySpec) {
    this.aliases = aliases;
    this.spec = spec;
  }

  /** What the key is, as text: `order_id`, `market_type/market_id/side`; empty while there is none. */
  get words(): string {
    return this.columns.map(({ path }) => path).join("/");
  }

  /** True when a column is in the key that may say how much there is of a row, or when there is no key at all. */
  get isUnsure(): boolean {
    return this.isVague || this.columns.length === 0;
  }

  /** True when rows say what they are of. */
  get hasScope(): boolean {
    return this.scope.length > 0;
  }

  /** True when every row has a name of its own: what else changes in it makes it no other row. */
  get isNamed(): boolean {
    return this.name !== undefined;
  }

  isNaming(row: OpenRecord): boolean {
    if (this.name !== undefined) return columnText(row, this.name) !== "";
    return this.columns.some((column) => columnText(row, column) !== "");
  }

  /** Coarser keys that nothing has refuted. */
  get coarser(): readonly CoarserKey[] {
    return this.allCoarser.filter(({ name }) => !this.refuted.has(name));
  }

  /** Columns of no known meaning that are in no key: where they differ, one row may be two. */
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

  /** True when one of two rows of a key has a number where the other has a text of its digits. */
  hasOtherForm(a: OpenRecord, b: OpenRecord): boolean {
    const typed = this.columns
      .filter(({ isMixed }) => isMixed)
      .map((column) => ({ ...column, isTyped: true }));
    return keyText(a, typed) !== keyText(b, typed);
  }

  /** What the row is of: its market, or its asset; empty where it does not say. */
  scopeOf(row: OpenRecord): string {
    return keyText(row, this.scope);
  }

  /** Takes note of rows. @returns true when the key is another one now */
  learn(rows: readonly OpenRecord[]): boolean {
    let isNew = false;
    for (const row of rows) isNew = this.seen.note(row) || isNew;
    const isOther = isNew && this.choose();
    if (this.isOfMany || this.isSideState) return isOther;
    const isFlat = (column: Column) => rows.some((row) => NO_SIDE.test(columnText(row, column)));
    this.isSideState = this.columns.some((each) => this.means(each, "side") && isFlat(each));
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

  /** Takes up what was found before, behind rows that were learned. */
  restore({ refuted, added, dropped, isProven, isSideState }: ListFacts["key"]): void {
    Object.assign(this, { isProven, isSideState });
    this.added = new Set(added);
    this.dropped = new Set(dropped);
    this.choose();
    this.refuted = new Set(refuted);
  }

  /**
   * Rows that are there at the same time: two of them with one key refute it. Where the finest cannot distinguish them,
   * further columns are added. @returns true when the key is another one now
   */
  seeTogether(rows: readonly OpenRecord[]): boolean {
    if (rows.length < 2) return false;
    for (const { name, columns } of this.coarser)
      if (!distinguishes(rows, columns)) this.refuted.add(name);
    return this.prove(rows) || (!distinguishes(rows, this.columns) && this.extend(rows));
  }

  /** Names of no known meaning that distinguish what nothing else does are the names of rows. */
  private prove(rows: readonly OpenRecord[]): boolean {
    if (this.isProven || this.isNamed || !this.isOfMany) return false;
    // With nothing else that says so, an id may be that of the market.
    if (this.scope.some(({ path, kind }) => path === "id" && kind === "id")) return false;
    const others = this.columns.filter(({ kind }) => kind !== "id");
    if (others.length === this.columns.length || distinguishes(rows, others)) return false;
    const names = this.columns.filter(
      (column) => column.kind === "id" || this.scope.includes(column) || this.means(column, "side"),
    );
    this.isProven = distinguishes(rows, names);
    return this.isProven && this.choose();
  }

  /** Adds the column that distinguishes these rows: a name before a number. */
  private extend(rows: readonly OpenRecord[]): boolean {
    const found = this.seen.all
      .filter((column) => !this.isInKey(column) && !this.means(column, "status"))
      .sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))
      .find((column) => distinguishes(rows, [...this.columns, column]));
    if (found === undefined) return false;
    this.added.add(found.path);
    this.dropped.delete(found.path);
    return this.choose();
  }

  /** A coarser key is the right one: what it leaves out of the finest distinguishes nothing. */
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

  /** Place of a column among the names of a meaning; undefined when it is none of them. */
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

  /** @returns true when the key is another one now */
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

  /** There may be many orders of a market, but likely one position. */
  private get isOfMany(): boolean {
    return this.spec.id !== undefined;
  }

  /** What names each row, as far as that is sure. Where ids are numbers and texts, 7 and "7" may be two. */
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

  /** What rows are of; where nothing says that, with the column that most likely names them: a type alone names nothing. */
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
    const isNaming = ids.length > 0 || firm.length > this.scope.length;
    const untyped = this.columns.map((column) => ({ ...column, isTyped: false }));
    return [
      ...(this.columns.some(isTyped) ? [untyped] : []),
      ...(isNaming ? [[...firm, ...ids]] : []),
    ];
  }
}

function isTyped({ isTyped: is = false }: Column): boolean {
  return is;
}

function getType({ path }: Column): string {
  return `type of ${path}`;
}

/** Which columns are the likelier names of rows. */
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

/** Each part with its length before it, so that no two keys have one text; a number and the text of its digits are one. */
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
