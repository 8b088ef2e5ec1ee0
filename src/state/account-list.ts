// Folds one list of a subaccount (positions, orders, balances, leverages) into rows by key. The document does not say whether
// a later list holds the changed rows or all of them, so every interpretation that is still possible is followed: a row is
// removed only when it is over under all of them, and is in question where they differ. Interpretation: docs/adr/0011.

import type { OpenRecord } from "../wire/update.ts";
import type { Aliases } from "./aliases.ts";
import type { AuditDifference, AuditResult } from "./audits.ts";
import { copyState } from "./copy-state.ts";
import type { ListFacts } from "./facts-schema.ts";
import {
  DECISION,
  IF_FINISHED,
  IF_REPEATED,
  IF_RETURNED,
  IF_SURELY_RETURNED,
  type ListEvidence,
  type ListInterpretation,
  ListInterpretations,
  logChanceOfEnding,
} from "./list-interpretation.ts";
import {
  isSameButTimes,
  isSameValue,
  isTimeName,
  type Omissions,
  type Omitted,
  omissionsOf,
  RowForms,
} from "./row-change.ts";
import { type Column, columnText, hasColumn } from "./row-columns.ts";
import { type RowEnd, RowEnds } from "./row-end.ts";
import { RowIdentity } from "./row-identity.ts";
import { type KeySpec, keyText, RowKey } from "./row-key.ts";

/** Rows that are held; what is received beyond that is counted and left out. */
const MAX_ROWS = 20_000;
/** Rows that were dropped because lists left them out: by their return that is found wrong. */
const MAX_DROPPED = 1000;
/** Differences of an audit that are remembered until the next. */
const MAX_DIFFERENCES = 1000;
/** How rows of a list are distinguished, and which of them are over. */
export interface ListOptions {
  readonly aliases: Aliases;
  readonly key: KeySpec;
  readonly endOf: RowEnd;
}

/**
 * Why a row is in question by itself. `end`: its status or size may say that it is over. `omitted`: what it left out may be
 * gone. `key`: it may be another row than the one that it replaced. `old`: from before this subscription, which has not sent it.
 * `absent`: a frame that looks like all there is has not sent it. `audit`: a snapshot did not hold it so.
 */
export const QUESTIONS = ["end", "omitted", "key", "old", "absent", "audit"] as const;
type Question = (typeof QUESTIONS)[number];

interface Held {
  readonly row: OpenRecord;
  readonly key: string;
  readonly named: number;
  /** Number of the newest list that may have named it: one named a row that no column distinguishes from this one. */
  readonly mayBeNamed: number;
  readonly question: Question | undefined;
  /** Fields that rows have left out: it may have them, or not. */
  readonly omitted: Omissions | undefined;
}

/** What was held before a snapshot. */
interface Before {
  readonly held: ReadonlyMap<string, Held>;
  readonly newest: number;
  readonly touched: ReadonlyMap<string, number>;
  readonly interpretations: ListInterpretations;
}

/** A difference that an audit found, and which interpretation would explain it. */
interface Found {
  readonly how: AuditDifference["how"];
  readonly row: string;
  /** The same in two audits when they agree. */
  readonly text: string;
  readonly key: string;
  readonly why:
    | "twin"
    | "touched"
    | "elsewhere"
    | "end"
    | "word"
    | "gone"
    | "kept"
    | "dropped"
    | "unknown";
  /** Of a twin: the coarser key; of what rows leave out: the field. */
  readonly name?: string;
}

/** Rows that are one row under a coarser key. */
interface Twins {
  readonly name: string;
  readonly rows: readonly Held[];
}

/** An instance, so that a copy of its list has its own. */
class Derived {
  rows?: readonly OpenRecord[];
  inQuestion?: ReadonlySet<OpenRecord>;
  unnamed?: ReadonlySet<OpenRecord>;
  disputed?: number;
}

/** One list of a subaccount, folded as its updates are interpreted (docs/adr/0011). */
export class AccountList {
  /** False until the list was received once: then "no rows" means that there are none. */
  hasCome = false;
  /** Rows that are not held because there are too many. */
  leftOut = 0;
  /** Rows that an audit found and that are not held. */
  missing = 0;
  private readonly rowKey: RowKey;
  private readonly ends: RowEnds;
  private interpretations = new ListInterpretations();
  private readonly forms = new RowForms();
  private readonly identity: RowIdentity;
  private held = new Map<string, Held>();
  private readonly dropped = new Map<string, OpenRecord>();
  /** Number of the newest list, and of the newest one that named each market or asset. */
  private newest = 0;
  private touched = new Map<string, number>();
  /** What was held before the snapshot that is coming in. */
  private before: Before | undefined;
  private splitAtMs: number | undefined;
  /** Differences of the last audit: by their text, what explained them. */
  private suspected: ReadonlyMap<string, string> = new Map();
  /** What follows from the rows that are held, as far as it was asked for. */
  private derived = new Derived();

  constructor({ aliases, key, endOf }: ListOptions) {
    this.rowKey = new RowKey(aliases, key);
    this.ends = new RowEnds(aliases, endOf);
    this.identity = new RowIdentity(aliases, this.rowKey, this.forms, this.ends);
  }

  /** In the order first seen, none of them over for sure. The same array until something changes. */
  get rows(): readonly OpenRecord[] {
    this.derived.rows ??= [...this.held.values()].map(({ row }) => row);
    return this.derived.rows;
  }

  /** True when rows are from before the newest subscription, which has not sent them. */
  get isOld(): boolean {
    return [...this.held.values()].some(({ question }) => question === "old");
  }

  /** The fields that distinguish rows; empty when none do. */
  get key(): string {
    return this.rowKey.words;
  }

  get interpretation(): ListInterpretation {
    return this.interpretations.likeliest;
  }

  get isDecided(): boolean {
    return this.interpretations.isDecided;
  }

  /** Frames that favoured one interpretation over the other. */
  get observations(): number {
    return this.interpretations.observations;
  }

  /** Since when the interpretations hold different rows, by our clock, while it is not decided which of them is right. */
  get splitSinceMs(): number | undefined {
    return this.isDecided ? undefined : this.splitAtMs;
  }

  /** Rows that the newest lists left out, while the interpretation is not decided: they may be over. */
  get unnamed(): ReadonlySet<OpenRecord> {
    const mayBeOver = (held: Held) => this.interpretation === "rows" && this.mayBeLeftOut(held);
    this.derived.unnamed ??= new Set(this.rowsThat(mayBeOver));
    return this.derived.unnamed;
  }

  /** Rows that may be wrong, over, or one row with another: what is shown of them is not known to be true. */
  get inQuestion(): ReadonlySet<OpenRecord> {
    this.derived.inQuestion ??= new Set([
      ...this.rowsThat((held) => held.question !== undefined || this.mayBeLeftOut(held)),
      ...this.twins().flatMap(({ rows }) => rows.map(({ row }) => row)),
    ]);
    return this.derived.inQuestion;
  }

  /** How many of those in question are so for what was received of them; nothing has confirmed the others yet. */
  get disputed(): number {
    const isDisputed = (held: Held) => held.question !== undefined && hasBeenSent(held);
    this.derived.disputed ??= this.rowsThat(isDisputed).length;
    return this.derived.disputed;
  }

  /**
   * Takes a list: of a later frame, or of a snapshot, which replaces everything.
   * @param continues it goes on with the list before it: both are one
   */
  update(rows: readonly OpenRecord[], isSnapshot: boolean, atMs: number, continues = false): void {
    this.derived = new Derived();
    if (isSnapshot) this.takeSnapshot(rows, continues);
    else this.takeLater(rows, continues);
    this.hasCome = true;
    this.splitAtMs = this.isSplit ? (this.splitAtMs ?? atMs) : undefined;
  }

  facts(): ListFacts {
    const { newest, leftOut, missing, splitAtMs } = this;
    return {
      newest,
      leftOut,
      missing,
      splitAtMs,
      ...this.identity.facts(),
      interpretations: this.interpretations.facts(),
      key: this.rowKey.facts(),
      rows: Array.from(this.held.values(), ({ named, mayBeNamed, question, omitted }) => ({
        named,
        mayBeNamed,
        question,
        ...(omitted !== undefined && { omitted: [...omitted.keys()] }),
      })),
      touched: [...this.touched],
    };
  }

  /** Takes the place of what is held: these rows, in this order. */
  restore(rows: readonly OpenRecord[], facts: ListFacts): void {
    const { newest, leftOut, missing, splitAtMs } = facts;
    Object.assign(this, { newest, leftOut, missing, splitAtMs });
    this.derived = new Derived();
    this.before = undefined;
    this.hasCome = true;
    this.rowKey.learn(rows);
    this.rowKey.restore(facts.key);
    this.interpretations.restore(facts.interpretations);
    this.touched = new Map(facts.touched);
    this.identity.restore(facts);
    this.held = new Map();
    for (const [i, row] of rows.entries()) {
      const key = freeKey(this.held, this.keyOf(row));
      const { named = newest, mayBeNamed = newest, question, omitted = [] } = facts.rows[i] ?? {};
      this.forms.noteWhole(row);
      const unknown = omissionsOf(omitted);
      this.held.set(key, { row, key, named, mayBeNamed, question, omitted: unknown });
    }
  }

  /** Whether a list holds rows in which nothing has changed: changes would leave those out. `all`: it is what is held. */
  repeats(rows: readonly OpenRecord[]): "none" | "some" | "all" {
    const held = rows.map((row) => this.held.get(this.keyOf(row)));
    const repeated = held.filter((each, i) => each && isSameButTimes(each.row, rows[i] ?? {}));
    // A list from before this subscription may be the rest of its snapshot.
    if (repeated.every((each) => each?.question === "old")) return "none";
    const { length: count } = repeated;
    return count === rows.length && count === this.held.size ? "all" : "some";
  }

  /**
   * A frame that may be a snapshot looks like one, and others may be changes: what lists leave out may be over from now on.
   * @param isLeftOut the list is not in it: none of its rows may be there
   */
  markMixed(isLeftOut: boolean): void {
    this.interpretations.mix();
    if (isLeftOut) for (const key of [...this.held.keys()]) this.ask(key, "absent");
    this.derived = new Derived();
  }

  /** A snapshot begins, of which this list may come in several frames, or not at all. */
  beginSnapshot(): void {
    const { held, newest, touched, interpretations } = this;
    this.before = { held, newest, touched, interpretations: copyState(interpretations) };
    this.held = new Map();
    this.touched = new Map();
    for (const [key, each] of held) this.held.set(key, { ...each, question: "old" });
    this.derived = new Derived();
  }

  /** All frames of a snapshot, or of any other transaction, were received. */
  endTransaction(): void {
    const { before } = this;
    this.before = undefined;
    if (before !== undefined && this.newest > before.newest) this.weighWords(before);
  }

  /** Compares with a snapshot of the same sequence: what two audits agree on is taken over. */
  audit(received: readonly OpenRecord[]): AuditResult {
    this.endTransaction();
    this.derived = new Derived();
    const rows = received.filter((row) => this.isOpen(row, true));
    this.learn(rows, true);
    const listed = this.keyed(rows);
    const found = this.compare(listed);
    this.confirm(listed, found);
    const agreed = found.filter(({ text }) => this.suspected.has(text));
    // What was received between two audits does not explain what the first of them found.
    const explained = agreed.filter((each) => this.suspected.get(each.text) === getReason(each));
    const suspects = found.slice(0, MAX_DIFFERENCES);
    this.suspected = new Map(suspects.map((each) => [each.text, getReason(each)]));
    this.missing = found.filter(({ how }) => how === "missing").length;
    const differences = found.map(({ row, how }): AuditDifference => ({ part: "", row, how }));
    const changed = agreed.length === 0 ? undefined : this.takeOver(agreed, explained, rows);
    return { compared: rows.length, differences, changed };
  }

  /** Forgets what later lists have shown of what they hold: the next snapshot is weighed against none. @returns whether they have */
  markSuspect(): boolean {
    const hasShown = this.observations > 0;
    this.interpretations = new ListInterpretations();
    for (const [key, held] of this.held) this.held.set(key, { ...held, named: this.newest });
    this.derived = new Derived();
    return hasShown;
  }

  /** True when the newest list has left rows out. */
  private get isSplit(): boolean {
    for (const { named } of this.held.values()) if (named !== this.newest) return true;
    return false;
  }

  private rowsThat(isSo: (held: Held) => boolean): readonly OpenRecord[] {
    const found: OpenRecord[] = [];
    for (const held of this.held.values()) if (isSo(held)) found.push(held.row);
    return found;
  }

  // Snapshots.

  private takeSnapshot(rows: readonly OpenRecord[], continues: boolean): void {
    const isAnother = this.before !== undefined && this.newest > this.before.newest;
    if (!continues && (this.before === undefined || isAnother)) this.beginSnapshot();
    if (!continues) {
      this.clear();
      this.leftOut = 0;
      this.newest++;
    }
    this.learn(continues ? [...this.rows, ...rows] : rows, true);
    for (const row of rows) this.putWhole(row);
    if (this.before !== undefined) this.weighSnapshot(this.before);
    this.derived = new Derived();
  }

  private clear(): void {
    this.held = new Map();
    this.dropped.clear();
    this.missing = 0;
    this.suspected = new Map();
  }

  private putWhole(row: OpenRecord): void {
    const end = this.ends.learnListed(row);
    if (end === "ended") return;
    this.forms.noteWhole(row);
    const key = this.keyOf(row);
    // Rows that no column distinguishes are held side by side.
    const free = freeKey(this.held, key);
    if (free !== key) this.ask(key, "key");
    this.put(free, row, free !== key ? "key" : end === "unsure" ? "end" : undefined);
  }

  /** What is there of the rows of before? Found anew with each frame of the snapshot. */
  private weighSnapshot({ held, newest, touched, interpretations }: Before): void {
    // A row that may say itself that it is over is no evidence of what lists leave out.
    const all = [...held.values()].filter(({ question }) => question !== "end");
    const isGone = ({ key }: Held) => !this.held.has(key);
    const isTouched = ({ row, mayBeNamed }: Held) =>
      (touched.get(this.rowKey.scopeOf(row)) ?? 0) > mayBeNamed;
    const named = all.filter((each) => each.named === newest);
    const leftOut = all.filter((each) => each.named !== newest && isLeftOut(each, newest));
    const gone = leftOut.filter(isGone);
    const there = leftOut.filter((each) => this.isThereAgain(each));
    this.interpretations = copyState(interpretations);
    this.interpretations.weighSnapshot({
      named: named.length,
      ended: named.filter(isGone).length,
      there: there.length,
      thereTouched: there.filter(isTouched).length,
      gone: gone.length,
      goneElsewhere: gone.filter((each) => !isTouched(each)).length,
    });
  }

  /** Rows that the last word on them may have ended, and that lists have left out since: is any of them there? */
  private weighWords({ held, newest, touched }: Before): void {
    const all = [...held.values()];
    const sure = all.filter((each) => each.named === newest && each.question !== "end");
    const ended = sure.filter(({ key }) => !this.held.has(key)).length;
    const leftOut = all.filter(
      (each) =>
        each.question === "end" &&
        isLeftOut(each, newest) &&
        this.isTouched(each.row, touched, each.mayBeNamed, newest),
    );
    const gone = leftOut.filter(({ key }) => !this.held.has(key)).map(({ row }) => row);
    this.ends.noteGone(gone, (count) => logChanceOfEnding(count, { named: sure.length, ended }));
    for (const each of leftOut) if (this.isThereAgain(each)) this.ends.noteThere(each.row);
  }

  /** Another may be at its position: then nothing says what became of it. */
  private isThereAgain({ key, row }: Held): boolean {
    const now = this.held.get(key);
    return now !== undefined && this.isTheSame(row, now.row);
  }

  // Later lists.

  private takeLater(rows: readonly OpenRecord[], continues: boolean): void {
    this.endTransaction();
    this.learn(rows, false);
    const before = this.newest;
    if (!continues) this.newest++;
    const evidence = { hints: 0, markets: 0, whole: 0, alike: 0, alikeTouched: 0 };
    const inFrame = new Set<string>();
    for (const row of rows) {
      const key = this.find(row);
      const held = this.held.get(key);
      if (held === undefined) this.takeNew(key, row, evidence);
      else this.takeChange(held, row, evidence, before, inFrame.has(key));
      inFrame.add(key);
    }
    for (const row of rows) this.touched.set(this.rowKey.scopeOf(row), this.newest);
    // What left rows out was only a part of the list.
    if (!continues) this.interpretations.weigh(evidence);
    this.dropUnnamed();
  }

  /** One of the rows with this key has changed: which, nothing says. */
  private isCopied(key: string): boolean {
    let copy = 1;
    for (; ; copy++) {
      const other = this.held.get(`${key}#${copy}`);
      if (other === undefined) return copy > 1;
      const question = other.question ?? "key";
      this.held.set(other.key, { ...other, question, mayBeNamed: this.newest });
    }
  }

  private takeNew(key: string, row: OpenRecord, evidence: ListEvidence): void {
    const dropped = this.dropped.get(key);
    if (dropped !== undefined) {
      this.dropped.delete(key);
      this.weighReturn(dropped, row, evidence, true);
    }
    const end = this.ends.of(row, { held: undefined, received: row, isSnapshot: false });
    if (end === "ended") {
      this.endAnother(row);
      return;
    }
    // It may be a part of the one that was dropped: then only what it says is shown, and it is in question.
    const omitted = dropped && this.forms.complete(row, dropped, undefined, true).omitted;
    if (omitted === undefined) this.forms.noteWhole(row);
    const isUnsure = this.identity.isUnsure || !this.rowKey.isNaming(row);
    const question = end === "unsure" ? "end" : omitted && "omitted";
    this.put(key, row, isUnsure ? "key" : question, omitted);
  }

  /**
   * @param before number of the list before this one
   * @param isAgain the frame has brought it before: two changes of one row, or two rows
   */
  private takeChange(
    held: Held,
    row: OpenRecord,
    evidence: ListEvidence,
    before: number,
    isAgain: boolean,
  ): void {
    // Where the held row may be over, nothing of it says what this one was.
    const mayBeNew = !isAgain && this.mayBeReplaced(held, row, evidence, before);
    const isTwice = isAgain || this.isCopied(held.key);
    const isOther = isAgain || mayBeNew || mayBeOther(held);
    const { row: whole, omitted } = this.forms.complete(row, held.row, held.omitted, isOther);
    const context = { held: mayBeNew ? undefined : held.row, received: row, isSnapshot: false };
    const end = this.ends.of(whole, context);
    if (end === "ended") {
      evidence.hints += IF_FINISHED;
      this.end(held, row, isTwice);
      return;
    }
    if (isSameButTimes(held.row, whole)) evidence.hints += IF_REPEATED;
    const isVague =
      isTwice || this.identity.isAnother(held.row, row, whole, this.otherThan(held.row));
    // That it may be over explains more than what it leaves out.
    const question = end === "unsure" ? "end" : omitted && "omitted";
    this.put(held.key, whole, isVague ? "key" : question, omitted);
  }

  /** Without sure names, what is over may be another row than the one that the same frame has brought just now. */
  private end({ key, row }: Held, ended: OpenRecord, isTwice: boolean): void {
    if (isTwice && (this.rowKey.isUnsure || this.rowKey.hasOtherForm(row, ended)))
      this.ask(key, "key");
    else this.held.delete(key);
  }

  /** True of a row that lists have left out, so that it may be over, unless this is surely no other one under its name. */
  private mayBeReplaced(
    held: Held,
    row: OpenRecord,
    evidence: ListEvidence,
    before: number,
  ): boolean {
    if (!isLeftOut(held, before) || !this.interpretations.mayLeaveOut) return false;
    const isTouched = this.isTouchedSince(held, held.mayBeNamed);
    return !this.weighReturn(held.row, row, evidence, isTouched);
  }

  /** A row that lists had left out is there. @returns true when it is surely no other one under its name */
  private weighReturn(
    held: OpenRecord,
    row: OpenRecord,
    evidence: ListEvidence,
    isTouched: boolean,
  ): boolean {
    const isSame = this.isTheSame(held, row);
    if (isSame) this.ends.noteThere(held);
    if (!isSame && this.rowKey.isNamed) this.identity.isReused = true;
    if (isSame) {
      evidence.whole += IF_SURELY_RETURNED;
      if (isTouched) evidence.markets += IF_SURELY_RETURNED;
      return true;
    }
    evidence.hints += IF_RETURNED;
    if (!this.rowKey.isNamed && this.identity.isContinued(held, row, this.otherThan(held))) {
      evidence.alike++;
      if (isTouched) evidence.alikeTouched++;
    }
    return false;
  }

  /** A row that is over and that nobody holds: the end of the one row that it may be. */
  private endAnother(row: OpenRecord): void {
    for (const { columns } of this.rowKey.coarser) {
      const alike = this.heldLike(row, columns);
      const [only] = alike;
      if (only === undefined) continue;
      const isVague = this.rowKey.columns.every(
        (column) =>
          columns.includes(column) ||
          /^(?:|none|flat|both|neutral|0)$/i.test(columnText(row, column)),
      );
      if (alike.length === 1 && isVague) this.held.delete(only.key);
      else for (const { key } of alike) this.ask(key, "end");
      return;
    }
  }

  /** Rows that are over under every interpretation that is possible. */
  private dropUnnamed(): void {
    this.dropByWord();
    const { rows, markets, whole } = this.interpretations.possible;
    if (rows) return;
    for (const held of this.held.values()) {
      if (held.mayBeNamed === this.newest) continue;
      const isTouched = this.isTouchedSince(held, held.named);
      if (!(whole || isTouched) || (markets && !isTouched)) continue;
      this.drop(held);
    }
  }

  /** Rows of a word that are over once they are left out, whatever lists mean. */
  private dropByWord(): void {
    const { markets } = this.interpretations.possible;
    for (const held of this.held.values()) {
      if (held.question !== "end" || !isLeftOut(held, this.newest)) continue;
      if (markets && !this.isTouchedSince(held, held.mayBeNamed)) continue;
      if (this.ends.isOverLeftOut(held.row)) this.drop(held);
    }
  }

  private drop({ key, row }: Held): void {
    this.held.delete(key);
    if (this.dropped.size < MAX_DROPPED) this.dropped.set(key, row);
  }

  private mayBeLeftOut(held: Held): boolean {
    if (held.named === this.newest) return false;
    const { markets, whole } = this.interpretations.possible;
    return whole || (markets && this.isTouchedSince(held, held.named));
  }

  private isTouchedSince({ row }: Held, list: number): boolean {
    return this.isTouched(row, this.touched, list, this.newest);
  }

  private isTouched(
    row: OpenRecord,
    touched: ReadonlyMap<string, number>,
    list: number,
    newest: number,
  ): boolean {
    // Rows that are of no market are of every list.
    if (!this.rowKey.hasScope) return list < newest;
    return (touched.get(this.rowKey.scopeOf(row)) ?? 0) > list;
  }

  // Which row is which.

  /** Takes note of columns, and of which rows are there together; rows are put under other keys where those change. */
  private learn(rows: readonly OpenRecord[], isSnapshot: boolean): void {
    const isNew = this.rowKey.learn(rows);
    const isOther = (isSnapshot || !this.rowKey.isNamed) && this.seeTogether(rows, isSnapshot);
    if (!isNew && !isOther) return;
    const { held } = this;
    this.held = new Map();
    this.dropped.clear();
    for (const each of held.values()) {
      const key = freeKey(this.held, this.keyOf(each.row));
      this.held.set(key, { ...each, key });
    }
  }

  /** In a frame of changes, a row that is over and another may be one. */
  private seeTogether(rows: readonly OpenRecord[], isSnapshot: boolean): boolean {
    if (rows.length < 2) return false;
    return this.rowKey.seeTogether(
      isSnapshot ? rows : rows.filter((row) => this.isOpen(row, false)),
    );
  }

  /** True of a row that by itself is not over for sure. */
  private isOpen(row: OpenRecord, isSnapshot: boolean): boolean {
    return this.ends.of(row, { held: undefined, received: row, isSnapshot }) !== "ended";
  }

  private keyed(rows: readonly OpenRecord[]): Map<string, OpenRecord> {
    const keyed = new Map<string, OpenRecord>();
    for (const row of rows) keyed.set(freeKey(keyed, this.keyOf(row)), row);
    return keyed;
  }

  /** A row without a name is known by all of its text. */
  private keyOf(row: OpenRecord): string {
    return this.rowKey.isNaming(row)
      ? keyText(row, this.rowKey.columns)
      : `?${JSON.stringify(row)}`;
  }

  /** The key of a row; where it leaves out a part of it, that of the one held row that it can be. */
  private find(row: OpenRecord): string {
    const key = this.keyOf(row);
    if (this.held.has(key) || this.held.size === 0) return key;
    const { columns } = this.rowKey;
    // What whole rows sometimes lack says something by that.
    const given = columns.filter(
      (column) => hasColumn(row, column) || !this.forms.isAlways(column.names[0] ?? ""),
    );
    if (given.length === columns.length || !this.rowKey.isNaming(row)) return key;
    const [only, another] = this.heldLike(row, given);
    return only !== undefined && another === undefined ? only.key : key;
  }

  private heldLike(row: OpenRecord, columns: readonly Column[]): readonly Held[] {
    const text = keyText(row, columns);
    return [...this.held.values()].filter((each) => keyText(each.row, columns) === text);
  }

  private put(
    key: string,
    row: OpenRecord,
    question: Question | undefined,
    omitted?: Omissions,
  ): void {
    if (this.held.size >= MAX_ROWS && !this.held.has(key)) {
      this.leftOut++;
      return;
    }
    const { newest } = this;
    this.held.set(key, { row, key, named: newest, mayBeNamed: newest, question, omitted });
  }

  private ask(key: string, question: Question): void {
    const held = this.held.get(key);
    if (held !== undefined && held.question === undefined)
      this.held.set(key, { ...held, question });
  }

  /** A row that was left out is there again, and is surely no other one under its name. */
  private isTheSame(held: OpenRecord, row: OpenRecord): boolean {
    return this.identity.isTheSame(held, row, this.otherThan(held));
  }

  private otherThan(row: OpenRecord): OpenRecord | undefined {
    for (const held of this.held.values()) if (held.row !== row) return held.row;
    return undefined;
  }

  /** Rows that are one row under a coarser key that is still possible. */
  private twins(): Twins[] {
    return this.rowKey.coarser.flatMap(({ name, columns }) => {
      const groups = new Map<string, Held[]>();
      for (const held of this.held.values()) {
        const text = keyText(held.row, columns);
        const group = groups.get(text);
        if (group === undefined) groups.set(text, [held]);
        else group.push(held);
      }
      return [...groups.values()].flatMap((rows) => (rows.length > 1 ? [{ name, rows }] : []));
    });
  }

  // Audits.

  private compare(listed: ReadonlyMap<string, OpenRecord>): Found[] {
    const found: Found[] = [];
    const twins = this.twins();
    for (const held of this.held.values()) {
      const row = listed.get(held.key);
      if (row === undefined) found.push(this.explainExtra(held, twins, listed));
      else found.push(...this.compareRow(held, row));
    }
    for (const [key, row] of listed) {
      if (this.held.has(key)) continue;
      const why = this.dropped.has(key) ? "dropped" : "unknown";
      const name = this.rowKey.nameOf(row);
      found.push({ how: "missing", row: name, text: `missing ${key}`, key, why });
    }
    return found;
  }

  private explainExtra(
    held: Held,
    twins: readonly Twins[],
    listed: ReadonlyMap<string, unknown>,
  ): Found {
    const { key } = held;
    const row = this.rowKey.nameOf(held.row);
    const base = { how: "extra", row, text: `extra ${key}`, key } as const;
    const isListed = (each: Held) =>
      listed.has(each.key) &&
      (!this.rowKey.isNamed || this.identity.isSameOrder(each.row, held.row));
    const twin = twins.find(({ rows }) => rows.includes(held) && rows.some(isListed));
    // It may as well be over: by its own word, or since before this subscription. Then the key is not the only reason.
    const mayBeOver = held.question === "end" || !hasBeenSent(held);
    if (twin !== undefined)
      return mayBeOver ? { ...base, why: "unknown" } : { ...base, why: "twin", name: twin.name };
    // Where later lists may have left it out, that it is over is no evidence of its status or size.
    if (held.question === "end") return { ...base, why: this.mayBeLeftOut(held) ? "word" : "end" };
    if (!isLeftOut(held, this.newest)) return { ...base, why: "unknown" };
    const isTouched = this.isTouchedSince(held, held.mayBeNamed);
    return { ...base, why: isTouched ? "touched" : "elsewhere" };
  }

  private compareRow({ key, row: held }: Held, row: OpenRecord): Found[] {
    if (held === row || isSameButTimes(held, row)) return [];
    const names = new Set([...Object.keys(held), ...Object.keys(row)]);
    return [...names].flatMap((name): Found[] => {
      const [isHeld, isListed] = [Object.hasOwn(held, name), Object.hasOwn(row, name)];
      const mayMove = isHeld && isListed ? this.identity.isDerived(name) : isTimeName(name);
      if (mayMove || isSameValue(held[name], row[name])) return [];
      const why = !isListed ? "gone" : isHeld ? "unknown" : "kept";
      const text = `different ${key} ${name} ${JSON.stringify(held[name])}`;
      return [{ how: "different", row: this.rowKey.nameOf(row), text, key, why, name }];
    });
  }

  /** What one audit shows by itself: which rows are there, and that nothing is in question of those that are the same. */
  private confirm(listed: ReadonlyMap<string, OpenRecord>, found: readonly Found[]): void {
    const wrong = new Set(found.map(({ key }) => key));
    // A row that differs may be another one under its name.
    const there = [...this.held.values()].filter(({ key }) => listed.has(key) && !wrong.has(key));
    const leftOut = there.filter((held) => isLeftOut(held, this.newest));
    if (leftOut.length > 0) this.interpretations.refute("whole");
    if (leftOut.some((held) => this.isTouchedSince(held, held.mayBeNamed)))
      this.interpretations.refute("markets");
    for (const held of there) this.confirmRow(held, listed.get(held.key) ?? held.row);
    this.identity.noteAudit(
      found.every(({ how }) => how === "different"),
      there.some(({ question }) => question === "key"),
    );
    for (const { key } of [...this.held.values()]) {
      const row = listed.get(key);
      if (row === undefined || wrong.has(key)) this.ask(key, "audit");
      else this.put(key, row, undefined);
    }
  }

  private confirmRow({ row, question, omitted }: Held, listed: OpenRecord): void {
    if (question === "end") this.ends.confirm(row);
    if (question === "omitted" && omitted !== undefined) this.forms.learnAll(omitted, listed);
  }

  /**
   * Two audits agree.
   * @param explained those of which both give the same reason
   * @returns what has changed, as text
   */
  private takeOver(
    agreed: readonly Found[],
    explained: readonly Found[],
    rows: readonly OpenRecord[],
  ): string {
    const learned = explained.map((each) => this.learnFrom(each));
    const words = new Set(learned.filter((each) => each !== ""));
    this.clear();
    for (const [key, row] of this.keyed(rows)) this.put(key, row, undefined);
    const count = new Set(agreed.map(({ key }) => key)).size;
    return [...words, `${count} ${count === 1 ? "row" : "rows"} replaced`].join(", ");
  }

  private learnFrom({ why, name = "", key }: Found): string {
    const [held, dropped] = [this.held.get(key), this.dropped.get(key)];
    switch (why) {
      case "twin":
        return this.rowKey.takeCoarser(name) ? `rows distinguished by ${this.key}` : "";
      case "touched":
        this.interpretations.refute("rows");
        return "later lists hold all rows of their markets";
      case "elsewhere":
        this.interpretations.refute("rows");
        this.interpretations.refute("markets");
        return "later lists hold all rows";
      case "word":
        if (held !== undefined && this.isTouchedSince(held, held.mayBeNamed))
          this.ends.noteGone([held.row], () => -DECISION);
        return "";
      case "dropped":
        if (dropped !== undefined) this.ends.noteThere(dropped);
        this.interpretations.refute("whole");
        this.interpretations.refute("markets");
        return "later lists hold changed rows";
      case "end":
        return this.ends.refute(held?.row);
      case "gone":
      case "kept":
        return this.learnField(held, name, why);
      case "unknown":
        return "";
    }
  }

  private learnField(held: Held | undefined, name: string, said: Omitted): string {
    // What was taken from a row that may be another one says nothing.
    if (held?.omitted !== undefined && held.question !== "omitted") return "";
    const isLearned = this.forms.learn(name, held?.omitted?.get(name), said);
    return isLearned
      ? `${name} that rows leave out is ${said === "gone" ? said : "as it was"}`
      : "";
  }
}

function isLeftOut(held: Held, newest: number): boolean {
  return held.mayBeNamed !== newest && hasBeenSent(held);
}

/** False of a row that the newest subscription, or a frame that looks like all there is, has not sent. */
function hasBeenSent({ question }: Held): boolean {
  return question !== "old" && question !== "absent";
}

/** True of a row that may be another one, or over, whatever it left out. */
function mayBeOther({ question }: Held): boolean {
  return question !== undefined && question !== "omitted";
}

function getReason({ why, name = "" }: Found): string {
  return `${why} ${name}`;
}

function freeKey(keys: ReadonlyMap<string, unknown>, key: string): string {
  let free = key;
  for (let copy = 1; keys.has(free); copy++) free = `${key}#${copy}`;
  return free;
}
