// One list of a subaccount: its rows by key, under every interpretation of later frames that is still possible. A row
// leaves only when it is over under all of them; where they differ, the row stays and is in question.
// Interpretation: docs/adr/0011.

import { exactText } from "../wire/exact-numbers.ts";
import type { OpenRecord } from "../wire/update.ts";
import type { Aliases, Meaning } from "./aliases.ts";
import type { Standing } from "./end-words.ts";
import {
  type ListInterpretation,
  ListInterpretations,
  type ListSigns,
} from "./list-interpretation.ts";
import type { AuditDifference, PartAudit } from "./part-audit.ts";
import { isSameButTimes, isSameValue, isTimeName, RowForms } from "./row-change.ts";
import { columnText, hasColumn } from "./row-columns.ts";
import { neverEnds, type RowEnd } from "./row-end.ts";
import { type KeySpec, keyText, RowKey } from "./row-key.ts";

/** Rows that are held; what comes beyond that is counted and left out. */
const MAX_ROWS = 20_000;
/** Rows that were dropped because lists left them out: by their return that is found wrong. */
const MAX_DROPPED = 1000;
/** Digits of numbers that are not the same in two rows by chance. */
const RICH_DIGITS = 5;
/** Differences of an audit that are remembered until the next. */
const MAX_DIFFERENCES = 1000;
const MAX_WORDS = 200;

/** How rows of a list are told apart, and which of them are over. */
export interface ListOptions {
  readonly aliases: Aliases;
  readonly key: KeySpec;
  readonly endOf: RowEnd;
}

/**
 * Why a row is in question by itself. `end`: its status or size may say that it is over. `omitted`: what it left out may be
 * gone. `key`: it may be another row than the one that it replaced. `old`: from before this subscription, which has not
 * sent it. `audit`: a snapshot did not hold it so.
 */
type Question = "end" | "omitted" | "key" | "old" | "audit";

/** What was held before a snapshot. */
interface Before {
  readonly held: ReadonlyMap<string, Held>;
  readonly lists: number;
  readonly touched: ReadonlyMap<string, number>;
  readonly readings: ListInterpretations;
}

/** A difference that an audit found, and which interpretation would explain it. */
interface Found {
  readonly how: AuditDifference["how"];
  readonly row: string;
  /** The same in two audits when they agree. */
  readonly text: string;
  readonly key: string;
  readonly why: "twin" | "touched" | "elsewhere" | "end" | "gone" | "kept" | "dropped" | "unknown";
  /** Of a twin: the coarser key. */
  readonly name?: string;
}

interface Held {
  readonly row: OpenRecord;
  readonly key: string;
  /** Number of the list that named it last. */
  readonly named: number;
  /** Number of the newest list that may have named it: one named a row that no column tells from this one. */
  readonly mayBeNamed: number;
  readonly question: Question | undefined;
}

/** Rows that are one row under a coarser key. */
interface Twins {
  readonly name: string;
  readonly rows: readonly Held[];
}

/** One list of a subaccount, folded as its updates are interpreted (docs/adr/0011). */
export class AccountList {
  readonly #options: ListOptions;
  #key: RowKey;
  #readings = new ListInterpretations();
  #forms = new RowForms();
  #held = new Map<string, Held>();
  #dropped = new Map<string, OpenRecord>();
  /** Number of the newest list, and of the newest one that named each market or asset. */
  #lists = 0;
  #touched = new Map<string, number>();
  #namedNow = 0;
  /** What was held before the snapshot that is coming in. */
  #before: Before | undefined;
  #hasCome = false;
  #rows: readonly OpenRecord[] | undefined;
  #inQuestion: ReadonlySet<OpenRecord> | undefined;
  #unnamed: ReadonlySet<OpenRecord> | undefined;
  #questions = 0;
  #leftOut = 0;
  #splitSinceMs: number | undefined;
  /** Differences of the last audit, by their text; what they were explained by. */
  #suspected: ReadonlySet<string> = new Set();
  #missing = 0;
  /** Columns that were seen to change in one and the same row. */
  #mutable = new Set<string>();
  /** Columns that may have changed in one and the same row; an audit will say. */
  #changing = new Set<string>();
  /** Audits that found the rows under an unsure key as they are held, and rows that may have been over. */
  #trusted = 0;
  #ends = 0;
  /** A size of zero without a status: what audits have shown that it says. */
  #zero: "ended" | "stands" | undefined;
  /** Statuses that nobody knows: what snapshots and audits have shown that they say. */
  #words = new Map<string, "ended" | "stands">();
  /** Keys of the rows with one name: there once a part of a row was looked for by its name. */
  #byName: Map<string, string[]> | undefined;
  /** True when a row with the name of one that was left out was quite another. */
  #isReused = false;
  /** True when some rows are told apart by nothing. */
  #hasCopies = false;

  constructor(options: ListOptions) {
    this.#options = options;
    this.#key = new RowKey(options.aliases, options.key);
  }

  /** The same list with all that was learned of it; later frames of this one do not reach it. */
  copy(): AccountList {
    const copy = new AccountList(this.#options);
    copy.#key = this.#key.copy();
    copy.#readings = this.#readings.copy();
    copy.#forms = this.#forms.copy();
    copy.#held = new Map(this.#held);
    copy.#dropped = new Map(this.#dropped);
    copy.#lists = this.#lists;
    copy.#touched = new Map(this.#touched);
    copy.#namedNow = this.#namedNow;
    copy.#before = this.#before;
    copy.#hasCome = this.#hasCome;
    copy.#rows = this.#rows;
    copy.#inQuestion = this.#inQuestion;
    copy.#unnamed = this.#unnamed;
    copy.#questions = this.#questions;
    copy.#leftOut = this.#leftOut;
    copy.#splitSinceMs = this.#splitSinceMs;
    copy.#suspected = this.#suspected;
    copy.#missing = this.#missing;
    copy.#mutable = new Set(this.#mutable);
    copy.#changing = new Set(this.#changing);
    copy.#trusted = this.#trusted;
    copy.#ends = this.#ends;
    copy.#zero = this.#zero;
    copy.#words = new Map(this.#words);
    copy.#hasCopies = this.#hasCopies;
    copy.#isReused = this.#isReused;
    copy.#byName = undefined;
    return copy;
  }

  /** False until the list has come once: then "no rows" means that there are none. */
  get hasCome(): boolean {
    return this.#hasCome;
  }

  /** In the order first seen, none of them over for sure. The same array until something changes. */
  get rows(): readonly OpenRecord[] {
    this.#rows ??= [...this.#held.values()].map(({ row }) => row);
    return this.#rows;
  }

  /** True when rows are from before the newest subscription, which has not sent them. */
  get isOld(): boolean {
    if (this.#questions === 0) return false;
    return [...this.#held.values()].some(({ question }) => question === "old");
  }

  /** Rows that are not held because there are too many. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** The fields that tell rows apart; empty when none do. */
  get key(): string {
    return this.#key.words;
  }

  get reading(): ListInterpretation {
    return this.#readings.reading;
  }

  get isDecided(): boolean {
    return this.#readings.isDecided;
  }

  /** Frames that spoke for one reading and against the other. */
  get observations(): number {
    return this.#readings.observations;
  }

  /** Rows that an audit found and that are not held. */
  get missing(): number {
    return this.#missing;
  }

  /** Since when the readings hold different rows, by our clock, while it is not decided which of them is right. */
  get splitSinceMs(): number | undefined {
    return this.isDecided ? undefined : this.#splitSinceMs;
  }

  /** Rows that the newest lists left out, while the reading is not decided: they may be over. */
  get unnamed(): ReadonlySet<OpenRecord> {
    this.#unnamed ??= this.#findUnnamed();
    return this.#unnamed;
  }

  /** Rows that may be wrong, over, or one row with another: what is shown of them is not known to be true. */
  get inQuestion(): ReadonlySet<OpenRecord> {
    this.#inQuestion ??= this.#findQuestions();
    return this.#inQuestion;
  }

  /**
   * Takes a list: of a later frame, or of a snapshot, which replaces everything.
   * @param continues it goes on with the list before it: both are one
   */
  update(rows: readonly OpenRecord[], isSnapshot: boolean, atMs: number, continues = false): void {
    if (!isSnapshot) this.#takeLater(rows, continues);
    else {
      if (!continues && this.#isSnapshotHere) this.beginSnapshot();
      this.#takeSnapshot(rows, continues);
    }
    const isSplit = this.#held.size > this.#namedNow;
    this.#splitSinceMs = isSplit ? (this.#splitSinceMs ?? atMs) : undefined;
    this.#changed();
  }

  /** A snapshot begins, of which this list may come in several frames, or not at all. */
  beginSnapshot(): void {
    this.endTransaction();
    this.#before = {
      held: this.#held,
      lists: this.#lists,
      touched: this.#touched,
      readings: this.#readings,
    };
    this.#held = new Map();
    this.#touched = new Map();
    for (const [key, each] of this.#before.held) this.#held.set(key, { ...each, question: "old" });
    this.#questions = this.#held.size;
    this.#changed();
  }

  /** All frames of a snapshot, or of any other transaction, have come. */
  endTransaction(): void {
    this.#before = undefined;
  }

  /** True while a snapshot comes in, of which this list has come. */
  get #isSnapshotHere(): boolean {
    return this.#before !== undefined && this.#lists > this.#before.lists;
  }

  /** Compares with a snapshot of the same sequence: what two audits agree on is taken over. */
  audit(came: readonly OpenRecord[]): PartAudit {
    this.endTransaction();
    const rows = came.filter((row) => this.#endOf(row, undefined, row, true) !== "ended");
    this.#learn(rows, true);
    const listed = this.#keyed(rows);
    const found = this.#compare(listed);
    this.#confirm(listed, found);
    const agreed = found.filter(({ text }) => this.#suspected.has(text));
    this.#suspected = new Set(found.slice(0, MAX_DIFFERENCES).map(({ text }) => text));
    this.#missing = found.filter(({ how }) => how === "missing").length;
    const differences = found.map(({ row, how }): AuditDifference => ({ part: "", row, how }));
    const changed = agreed.length === 0 ? undefined : this.#takeOver(agreed, rows);
    this.#changed();
    return { compared: rows.length, differences, ...(changed !== undefined && { changed }) };
  }

  #changed(): void {
    this.#rows = undefined;
    this.#inQuestion = undefined;
    this.#unnamed = undefined;
  }

  #takeSnapshot(rows: readonly OpenRecord[], continues: boolean): void {
    // One frame more of a snapshot adds to those before it, even where an audit has come between.
    const isMore = continues || this.#isSnapshotHere;
    if (this.#before === undefined && !isMore) this.beginSnapshot();
    if (!isMore) {
      this.#clear();
      this.#leftOut = 0;
      this.#lists++;
    }
    this.#hasCome = true;
    this.#learn(isMore ? [...this.rows, ...rows] : rows, true);
    for (const row of rows) this.#putWhole(row);
    if (this.#before !== undefined) this.#weighSnapshot(this.#before);
  }

  #clear(): void {
    this.#held = new Map();
    this.#byName = undefined;
    this.#hasCopies = false;
    this.#dropped.clear();
    this.#questions = 0;
    this.#missing = 0;
    this.#suspected = new Set();
    this.#namedNow = 0;
  }

  /** A row of a snapshot. What stands there stands, whatever word it has for that. */
  #putWhole(row: OpenRecord): void {
    const { aliases, endOf } = this.#options;
    if (endOf(row, { held: undefined, came: row, isSnapshot: true }) === "ended") return;
    const status = aliases.text(row, "status");
    if (status !== undefined && aliases.standingOf(row) === undefined)
      this.#learnWord(status, "stands");
    const end = this.#endOf(row, undefined, row, true);
    if (end === "ended") return;
    this.#forms.noteWhole(row);
    const key = this.#keyOf(row);
    // Rows that no column tells apart are held side by side.
    const free = this.#freeKey(this.#held, key);
    if (free !== key) this.#ask(key, "key");
    this.#put(free, row, free !== key ? "key" : end === "unsure" ? "end" : undefined);
  }

  #learnWord(status: string, standing: "ended" | "stands"): void {
    if (this.#words.size < MAX_WORDS) this.#words.set(status, standing);
  }

  #freeKey(keys: ReadonlyMap<string, unknown>, key: string): string {
    let free = key;
    for (let copy = 1; keys.has(free); copy++) free = `${key}#${copy}`;
    if (free !== key) this.#hasCopies = true;
    return free;
  }

  #takeLater(rows: readonly OpenRecord[], continues: boolean): void {
    this.endTransaction();
    this.#hasCome = true;
    this.#learn(rows, false);
    const newest = this.#lists;
    const signs: Signs = {
      repeated: 0,
      finished: 0,
      returned: 0,
      returnedElsewhere: 0,
      surelyReturned: 0,
      surelyReturnedElsewhere: 0,
    };
    if (!continues) {
      this.#lists++;
      this.#namedNow = 0;
    }
    const inFrame = rows.length > 1 ? new Set<string>() : undefined;
    for (const row of rows) {
      const key = this.#find(row);
      const held = this.#held.get(key);
      if (held === undefined) this.#takeNew(key, row, signs);
      else {
        // Twice in one frame: two changes of one row, or two rows.
        const isTwice = inFrame?.has(key) === true;
        const mayBeNew =
          !isTwice && this.#mayHaveEnded(held, newest) && !this.#noteReturn(held, row, signs);
        this.#takeChange(held, row, signs, isTwice || this.#isCopied(key), mayBeNew);
      }
      inFrame?.add(key);
    }
    for (const row of rows) this.#touched.set(this.#key.scopeOf(row), this.#lists);
    // What left rows out was only a part of the list.
    if (!continues) this.#readings.weigh(signs);
    this.#dropUnnamed();
  }

  /** One of the rows with this key has changed: which, nothing says. */
  #isCopied(key: string): boolean {
    if (!this.#hasCopies || !this.#held.has(`${key}#1`)) return false;
    for (let copy = 1; this.#held.has(`${key}#${copy}`); copy++) this.#askCopy(`${key}#${copy}`);
    return true;
  }

  #askCopy(key: string): void {
    this.#ask(key, "key");
    const held = this.#held.get(key);
    if (held !== undefined) this.#held.set(key, { ...held, mayBeNamed: this.#lists });
  }

  #takeNew(key: string, row: OpenRecord, signs: Signs): void {
    const dropped = this.#dropped.get(key);
    if (dropped !== undefined) {
      this.#dropped.delete(key);
      // A name may be given again.
      signs[this.#isReturned(dropped, row) ? "surelyReturned" : "returned"]++;
    }
    const end = this.#endOf(row, undefined, row, false);
    if (end === "ended") {
      this.#endAnother(row);
      return;
    }
    this.#forms.noteWhole(row);
    const question =
      this.#isUnsure || !this.#key.isNaming(row) ? "key" : end === "unsure" ? "end" : undefined;
    this.#put(key, row, question);
  }

  /** @param mayBeNew the held row may be over, so that nothing of it says what this one was */
  #takeChange(
    held: Held,
    row: OpenRecord,
    signs: Signs,
    isTwice: boolean,
    mayBeNew: boolean,
  ): void {
    const { row: whole, isInQuestion } = this.#forms.complete(row, held.row);
    const end = this.#endOf(whole, mayBeNew ? undefined : held.row, row, false);
    if (end === "ended") {
      signs.finished++;
      this.#end(held, isTwice);
      return;
    }
    if (isSameButTimes(held.row, whole)) signs.repeated++;
    const isOther =
      this.#isUnsure || isTwice || this.#isVague(row) || this.#mayBeAnother(held.row, whole);
    const question = isOther
      ? "key"
      : isInQuestion
        ? "omitted"
        : end === "unsure"
          ? "end"
          : undefined;
    this.#put(held.key, whole, question);
  }

  /** Without names, what is over may be another row than the one that the same frame has brought just now. */
  #end({ key }: Held, isTwice: boolean): void {
    if (isTwice && this.#key.isUnsure) this.#ask(key, "key");
    else this.#remove(key);
  }

  /** True when the lists up to that number have left the row out in a way that may say that it is over. */
  #mayHaveEnded(held: Held, newest: number): boolean {
    if (!isLeftOut(held, newest)) return false;
    return this.#readings.isPossible("whole") || this.#readings.isPossible("markets");
  }

  /** A row that an earlier list had left out is there. @returns true when it is surely no other one under its name */
  #noteReturn(held: Held, row: OpenRecord, signs: Signs): boolean {
    const isTouched = this.#isTouchedSince(held, held.mayBeNamed);
    // A position may be closed and opened again at the same price.
    const isSame = this.#isReturned(held.row, row);
    if (isSame) signs[isTouched ? "surelyReturned" : "surelyReturnedElsewhere"]++;
    else signs[isTouched ? "returned" : "returnedElsewhere"]++;
    return isSame;
  }

  #isReturned(held: OpenRecord, row: OpenRecord): boolean {
    const isSame = this.#isTheSame(held, row);
    if (!isSame && this.#key.isNamed) this.#isReused = true;
    return isSame;
  }

  /** A row that is over and that nobody holds: the end of the one row that it may be. */
  #endAnother(row: OpenRecord): void {
    for (const { columns } of this.#key.coarser) {
      const text = keyText(row, columns);
      const alike = [...this.#held.values()].filter((each) => keyText(each.row, columns) === text);
      const [only] = alike;
      if (only === undefined) continue;
      const isVague = this.#key.columns.every(
        (column) =>
          columns.includes(column) ||
          /^(?:|none|flat|both|neutral|0)$/i.test(columnText(row, column)),
      );
      if (alike.length === 1 && isVague) this.#remove(only.key);
      else for (const { key } of alike) this.#ask(key, "end");
      return;
    }
  }

  /** Without names, a row whose unknown columns differ may be another row. */
  #mayBeAnother(held: OpenRecord, row: OpenRecord): boolean {
    const { attributes } = this.#key;
    if (attributes.length === 0) return false;
    const differing = attributes.filter(
      (column) =>
        !this.#mutable.has(column.path) && columnText(held, column) !== columnText(row, column),
    );
    if (differing.length === 0) return false;
    const isSame = this.#isContinued(held, row);
    const noted = isSame ? this.#mutable : this.#changing;
    for (const { path } of differing) noted.add(path);
    return !isSame;
  }

  /** True when both have so many digits in common that it is not by chance: other rows do not have them. */
  #isContinued(held: OpenRecord, row: OpenRecord): boolean {
    if (this.#key.isNamed && !this.#isReused && isAlike(held, row)) return true;
    const other = this.#otherThan(held);
    const isCommon = (name: string) => other !== undefined && isSameValue(row[name], other[name]);
    const isKey = (name: string) => this.#key.columns.some(({ names }) => names[0] === name);
    const names = Object.keys(row).filter(
      (name) => isSameValue(row[name], held[name]) && !isTimeName(name),
    );
    const telling = names.filter((name) => !isCommon(name) && !isKey(name));
    return telling.reduce((sum, name) => sum + digitsOf(row[name]), 0) >= RICH_DIGITS;
  }

  /** A row that was left out is there again, and is surely no other one under its name. */
  #isTheSame(held: OpenRecord, row: OpenRecord): boolean {
    const isContinued = this.#isContinued(held, row) && this.#isAsLarge(held, row);
    if (!this.#key.isNamed) return isContinued;
    // Where names are given again, a row must be the same in nearly everything.
    return isContinued && (!this.#isReused || isAlike(held, row));
  }

  /** True where both say the same size, or rows have names. */
  #isAsLarge(held: OpenRecord, row: OpenRecord): boolean {
    if (this.#key.isNamed) return true;
    const { aliases } = this.#options;
    return SIZES.every((size) => aliases.text(held, size) === aliases.text(row, size));
  }

  #otherThan(row: OpenRecord): OpenRecord | undefined {
    for (const held of this.#held.values()) if (held.row !== row) return held.row;
    return undefined;
  }

  get #isUnsure(): boolean {
    return this.#trusted < 2 && this.#key.isUnsure;
  }

  /** A row that is whole but for a part of its key: it may be of another part of the account. */
  #isVague(row: OpenRecord): boolean {
    const lacking = this.#key.columns.filter((column) => !hasColumn(row, column));
    return (
      lacking.length > 0 &&
      !this.#forms.isPart(
        row,
        lacking.map(({ names }) => names[0] ?? ""),
      )
    );
  }

  #endOf(
    row: OpenRecord,
    held: OpenRecord | undefined,
    came: OpenRecord,
    isSnapshot: boolean,
  ): Standing {
    const { aliases, endOf } = this.#options;
    const end = endOf(row, { held, came, isSnapshot });
    if (end === "ended" || this.#options.endOf === neverEnds) return end;
    const status = aliases.text(row, "status");
    const isKnown = status === undefined || aliases.standingOf(row) !== undefined;
    if (isKnown && end === "stands") return end;
    const learned = status === undefined ? this.#zero : this.#words.get(status);
    return learned ?? (isSnapshot ? end : "unsure");
  }

  /** Takes note of columns, and of which rows are there together; rows are put under other keys where those change. */
  #learn(rows: readonly OpenRecord[], isSnapshot: boolean): void {
    const isNew = this.#key.learn(rows);
    const isOther = (isSnapshot || !this.#key.isNamed) && this.#seeTogether(rows, isSnapshot);
    if (isNew || isOther) this.#rekey();
  }

  /** In a frame of changes, a row that is over and another may be one. */
  #seeTogether(rows: readonly OpenRecord[], isSnapshot: boolean): boolean {
    if (rows.length < 2) return false;
    const isOpen = (row: OpenRecord) => this.#endOf(row, undefined, row, isSnapshot) !== "ended";
    return this.#key.seeTogether(isSnapshot ? rows : rows.filter(isOpen));
  }

  #rekey(): void {
    const held = [...this.#held.values()];
    this.#held = new Map();
    this.#byName = undefined;
    this.#dropped.clear();
    for (const each of held) {
      const key = this.#freeKey(this.#held, this.#keyOf(each.row));
      this.#held.set(key, { ...each, key });
    }
    this.#changed();
  }

  #keyed(rows: readonly OpenRecord[]): Map<string, OpenRecord> {
    const keyed = new Map<string, OpenRecord>();
    for (const row of rows) keyed.set(this.#freeKey(keyed, this.#keyOf(row)), row);
    return keyed;
  }

  /** A row without a name is known by all of its text. */
  #keyOf(row: OpenRecord): string {
    return this.#key.isNaming(row) ? this.#key.of(row) : `?${JSON.stringify(row)}`;
  }

  /** The key of a row; where it leaves out a part of it, that of the one held row that it can be. */
  #find(row: OpenRecord): string {
    const key = this.#keyOf(row);
    if (this.#held.has(key) || this.#held.size === 0) return key;
    const { columns } = this.#key;
    // What whole rows sometimes lack says something by that.
    const given = columns.filter(
      (column) => hasColumn(row, column) || !this.#forms.isAlways(column.names[0] ?? ""),
    );
    if (given.length === columns.length || !this.#key.isNaming(row)) return key;
    const text = keyText(row, given);
    const alike = this.#candidates(row).filter((each) => keyText(each.row, given) === text);
    return alike.length === 1 ? (alike[0]?.key ?? key) : key;
  }

  /** Held rows that a part of a row may be of. */
  #candidates(row: OpenRecord): readonly Held[] {
    const name = this.#key.nameText(row);
    if (name === undefined) return [...this.#held.values()];
    if (this.#byName === undefined) {
      this.#byName = new Map();
      for (const { row: each, key } of this.#held.values()) this.#index(each, key);
    }
    return (this.#byName.get(name) ?? []).flatMap((key) => this.#held.get(key) ?? []);
  }

  #index(row: OpenRecord, key: string): void {
    const name = this.#key.nameText(row) ?? "";
    const keys = this.#byName?.get(name);
    if (keys === undefined) this.#byName?.set(name, [key]);
    else if (!keys.includes(key)) keys.push(key);
  }

  #unindex({ row, key }: Held): void {
    if (this.#byName === undefined) return;
    const name = this.#key.nameText(row) ?? "";
    const others = this.#byName.get(name)?.filter((each) => each !== key) ?? [];
    if (others.length === 0) this.#byName.delete(name);
    else this.#byName.set(name, others);
  }

  #put(key: string, row: OpenRecord, question: Question | undefined): void {
    const before = this.#held.get(key);
    if (before === undefined && this.#held.size >= MAX_ROWS) {
      this.#leftOut++;
      return;
    }
    if (before?.named !== this.#lists) this.#namedNow++;
    this.#questions += (question === undefined ? 0 : 1) - (before?.question === undefined ? 0 : 1);
    if (before === undefined && this.#byName !== undefined) this.#index(row, key);
    const named = this.#lists;
    this.#held.set(key, { row, key, named, mayBeNamed: named, question });
  }

  #ask(key: string, question: Question): void {
    const held = this.#held.get(key);
    if (held === undefined || held.question !== undefined) return;
    this.#questions++;
    this.#held.set(key, { ...held, question });
  }

  #remove(key: string): void {
    const held = this.#held.get(key);
    if (held === undefined) return;
    if (held.question !== undefined) this.#questions--;
    if (held.named === this.#lists) this.#namedNow--;
    this.#unindex(held);
    this.#held.delete(key);
  }

  /** Rows that are over under every reading that is possible. */
  #dropUnnamed(): void {
    if (this.#readings.isPossible("rows") || this.#namedNow === this.#held.size) return;
    const mayBeWhole = this.#readings.isPossible("whole");
    const mayBeMarkets = this.#readings.isPossible("markets");
    for (const held of this.#held.values()) {
      if (held.mayBeNamed === this.#lists) continue;
      const isTouched = this.#isTouchedSince(held, held.named);
      if (!(mayBeWhole || isTouched) || (mayBeMarkets && !isTouched)) continue;
      this.#remove(held.key);
      if (this.#dropped.size < MAX_DROPPED) this.#dropped.set(held.key, held.row);
    }
  }

  #mayBeLeftOut(held: Held): boolean {
    if (held.named === this.#lists) return false;
    if (this.#readings.isPossible("whole")) return true;
    return this.#readings.isPossible("markets") && this.#isTouchedSince(held, held.named);
  }

  #findUnnamed(): ReadonlySet<OpenRecord> {
    const { reading } = this.#readings;
    const mayBeMore = this.#readings.isPossible("whole") || this.#readings.isPossible("markets");
    if (this.#namedNow === this.#held.size || reading !== "rows" || !mayBeMore) return NONE;
    const found = new Set<OpenRecord>();
    for (const held of this.#held.values()) if (this.#mayBeLeftOut(held)) found.add(held.row);
    return found.size === 0 ? NONE : found;
  }

  #findQuestions(): ReadonlySet<OpenRecord> {
    const isLeftOut = this.#namedNow < this.#held.size;
    const mayBeOver =
      isLeftOut && (this.#readings.isPossible("whole") || this.#readings.isPossible("markets"));
    const twins = this.#twins();
    if (!mayBeOver && this.#questions === 0 && twins.length === 0) return NONE;
    const found = new Set<OpenRecord>();
    for (const held of this.#held.values()) {
      if (held.question !== undefined || (mayBeOver && this.#mayBeLeftOut(held)))
        found.add(held.row);
    }
    for (const { rows } of twins) for (const { row } of rows) found.add(row);
    return found;
  }

  /** Rows that are one row under a coarser key that is still possible. */
  #twins(): Twins[] {
    return this.#key.coarser.flatMap(({ name, columns }) => {
      const groups = new Map<string, Held[]>();
      for (const held of this.#held.values()) {
        const text = keyText(held.row, columns);
        const group = groups.get(text);
        if (group === undefined) groups.set(text, [held]);
        else group.push(held);
      }
      return [...groups.values()].flatMap((rows) => (rows.length > 1 ? [{ name, rows }] : []));
    });
  }

  #compare(listed: ReadonlyMap<string, OpenRecord>): Found[] {
    const found: Found[] = [];
    const twins = this.#twins();
    for (const held of this.#held.values()) {
      const row = listed.get(held.key);
      if (row === undefined) found.push(this.#explainExtra(held, twins, listed));
      else found.push(...this.#compareRow(held, row));
    }
    for (const [key, row] of listed) {
      if (this.#held.has(key)) continue;
      const why = this.#dropped.has(key) ? "dropped" : "unknown";
      const name = this.#key.nameOf(row);
      found.push({ how: "missing", row: name, text: `missing ${key}`, key, why });
    }
    return found;
  }

  #explainExtra(held: Held, twins: readonly Twins[], listed: ReadonlyMap<string, unknown>): Found {
    const { key, question } = held;
    const base = {
      how: "extra",
      row: this.#key.nameOf(held.row),
      text: `extra ${key}`,
      key,
    } as const;
    const twin = twins.find(
      ({ rows }) => rows.includes(held) && rows.some((each) => listed.has(each.key)),
    );
    if (twin !== undefined) return { ...base, why: "twin", name: twin.name };
    // Where later lists may have left it out, that it is over says nothing of its status or size.
    if (question === "end") return { ...base, why: this.#mayBeLeftOut(held) ? "unknown" : "end" };
    if (!isLeftOut(held, this.#lists)) return { ...base, why: "unknown" };
    const isTouched = this.#isTouchedSince(held, held.mayBeNamed);
    return { ...base, why: isTouched ? "touched" : "elsewhere" };
  }

  #compareRow({ key, row: held }: Held, row: OpenRecord): Found[] {
    if (held === row || isSameButTimes(held, row)) return [];
    const names = new Set([...Object.keys(held), ...Object.keys(row)]);
    return [...names].flatMap((name): Found[] => {
      if (isSameValue(held[name], row[name]) || this.#isDerived(name)) return [];
      const isHeld = Object.hasOwn(held, name);
      const why = !Object.hasOwn(row, name) ? "gone" : isHeld ? "unknown" : "kept";
      const text = `different ${key} ${name} ${JSON.stringify(held[name])}`;
      return [{ how: "different", row: this.#key.nameOf(row), text, key, why }];
    });
  }

  /** What follows from prices may change without a transaction. */
  #isDerived(name: string): boolean {
    return isTimeName(name) || DERIVED.some((each) => this.#options.aliases.isNamed(name, each));
  }

  /** What one audit shows by itself: which rows are there, and that nothing is in question of those that are the same. */
  #confirm(listed: ReadonlyMap<string, OpenRecord>, found: readonly Found[]): void {
    const wrong = new Set(found.map(({ key }) => key));
    const there = [...this.#held.values()].filter(({ key }) => listed.has(key));
    const leftOut = there.filter((held) => isLeftOut(held, this.#lists));
    if (leftOut.length > 0) this.#readings.refute("whole");
    if (leftOut.some((held) => this.#isTouchedSince(held, held.mayBeNamed)))
      this.#readings.refute("markets");
    this.#confirmEnds(there.filter(({ question }) => question === "end"));
    this.#confirmKey(
      found.every(({ how }) => how === "different"),
      there.some(({ question }) => question === "key"),
    );
    for (const { key } of [...this.#held.values()]) {
      const row = listed.get(key);
      if (row === undefined || wrong.has(key)) this.#ask(key, "audit");
      else this.#put(key, row, undefined);
    }
  }

  /** Rows that may have been over are there. */
  #confirmEnds(rows: readonly Held[]): void {
    for (const { row } of rows) {
      const status = this.#options.aliases.text(row, "status");
      if (status !== undefined) this.#learnWord(status, "stands");
      else if (++this.#ends >= 2) this.#zero ??= "stands";
    }
  }

  /** Rows are there one by one; under a key that was not sure, or with columns of no known meaning that had changed. */
  #confirmKey(isWhole: boolean, wasAsked: boolean): void {
    if (!isWhole) this.#trusted = 0;
    else if (wasAsked) this.#trusted++;
    if (isWhole) for (const path of this.#changing) this.#mutable.add(path);
    this.#changing.clear();
  }

  /** Two audits agree. @returns what has changed, in words */
  #takeOver(agreed: readonly Found[], rows: readonly OpenRecord[]): string {
    const words = new Set(
      agreed.map((each) => this.#learnFrom(each)).filter((each) => each !== ""),
    );
    this.#clear();
    for (const [key, row] of this.#keyed(rows)) this.#put(key, row, undefined);
    const count = new Set(agreed.map(({ key }) => key)).size;
    return [...words, `${count} ${count === 1 ? "row" : "rows"} replaced`].join(", ");
  }

  #learnFrom({ why, name = "", key }: Found): string {
    const readings = this.#readings;
    switch (why) {
      case "twin":
        return this.#key.takeCoarser(name) ? `rows told apart by ${this.key}` : "";
      case "touched":
        readings.refute("rows");
        return "later lists hold all rows of their markets";
      case "elsewhere":
        readings.refute("rows");
        readings.refute("markets");
        return "later lists hold all rows";
      case "end":
        return this.#learnEnd(this.#held.get(key)?.row);
      case "gone":
      case "kept":
        this.#forms.omitted = why;
        return `fields that a row leaves out are ${why}`;
      case "dropped":
        readings.refute("whole");
        readings.refute("markets");
        return "later lists hold changed rows";
      default:
        return "";
    }
  }

  /** A row that may have been over is not there. */
  #learnEnd(row: OpenRecord | undefined): string {
    const status = row && this.#options.aliases.text(row, "status");
    if (status === undefined) {
      this.#zero = "ended";
      return "rows of size 0 are over";
    }
    this.#learnWord(status, "ended");
    return `rows that are ${status} are over`;
  }

  /** True when a list behind that number has named what the row is of. */
  #isTouchedSince({ row }: Held, list: number): boolean {
    // Rows that are of no market are of every list.
    if (!this.#key.hasScope) return list < this.#lists;
    return (this.#touched.get(this.#key.scopeOf(row)) ?? 0) > list;
  }

  /** True of a row that was left out, unless another may be at its place: then nothing says what became of it. */
  #isTelling(held: Held, now: Held | undefined, newest: number): boolean {
    if (!isLeftOut(held, newest)) return false;
    return now === undefined || this.#isTheSame(held.row, now.row);
  }

  /** What is there of the rows of before? Found anew with each frame of the snapshot. */
  #weighSnapshot({ held, lists, touched, readings }: Before): void {
    const signs = { ...NO_SIGNS };
    for (const [key, each] of held) {
      const now = this.#held.get(key);
      const isGone = now === undefined;
      if (each.named === lists) {
        signs.named++;
        signs.ended += Number(isGone);
      } else if (this.#isTelling(each, now, lists)) {
        const isTouched = (touched.get(this.#key.scopeOf(each.row)) ?? 0) > each.mayBeNamed;
        const [still, gone] = SIGNS_OF_LEFT_OUT[isTouched ? "touched" : "elsewhere"];
        signs[isGone ? gone : still]++;
      }
    }
    this.#readings = readings.copy();
    this.#readings.weighAnew(signs);
  }
}

/** True when the list with that number, the newest, has surely not named a row that an earlier one has. */
function isLeftOut({ mayBeNamed, question }: Held, newest: number): boolean {
  return mayBeNamed !== newest && question !== "old";
}

/** True when one field differs at the most, besides times, and another does not. */
function isAlike(held: OpenRecord, row: OpenRecord): boolean {
  const names = Object.keys(row).filter((name) => !isTimeName(name));
  const differing = names.filter((name) => !isSameValue(held[name], row[name]));
  return differing.length <= 1 && names.length > differing.length;
}

/** Digits that say something: those of a number, without zeros around them. */
function digitsOf(value: unknown): number {
  const text = exactText(value) ?? "";
  if (!/^-?[0-9]+(?:\.[0-9]+)?$/.test(text)) return 0;
  const bare = text.replace(/^-?[0.]*/, "").replace(/0*$/, "");
  return bare.replace(".", "").replace(/0+$/, "").length;
}

/** Of rows that were left out: still there, or gone. */
const SIGNS_OF_LEFT_OUT = {
  touched: ["stillThere", "gone"],
  elsewhere: ["stillElsewhere", "goneElsewhere"],
} as const;

const NO_SIGNS = {
  stillThere: 0,
  gone: 0,
  stillElsewhere: 0,
  goneElsewhere: 0,
  named: 0,
  ended: 0,
};

type Signs = { -readonly [K in keyof ListSigns]: ListSigns[K] };

const SIZES: readonly Meaning[] = ["size", "sizeLots"];

/** What follows from the prices of a market. */
const DERIVED: readonly Meaning[] = [
  "unrealizedPnl",
  "markPrice",
  "indexPrice",
  "lastPrice",
  "liquidationPrice",
  "toLiquidation",
  "margin",
  "equity",
  "updatedAt",
];

const NONE: ReadonlySet<OpenRecord> = new Set();
