// Folds one list of a subaccount (positions, orders, balances, leverages) into rows by key. The document does not say whether
// a later list holds only changed rows or all of them, so every interpretation that is still possible is tracked: a row is
// removed only when it has ended under all of them, and is in question where they differ.

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
  recordText,
} from "./row-change.ts";
import { type Column, columnText, hasColumn } from "./row-columns.ts";
import { type RowEnd, RowEnds } from "./row-end.ts";
import { RowIdentity } from "./row-identity.ts";
import { type KeySpec, keyText, RowKey } from "./row-key.ts";

/** Maximum rows held; further ones are counted but not kept. */
const MAX_ROWS = 20_000;
/** Newest rows remembered after being dropped because lists left them out: their return shows that dropping was wrong. */
const MAX_DROPPED = 1000;
/** Markets and assets for which the newest list that named them is remembered: more than can be held at once. */
const MAX_TOUCHED = 2 * MAX_ROWS;
/** Differences remembered from one audit to the next. */
const MAX_DIFFERENCES = 1000;
/** How rows of a list are distinguished, and when they end. */
export interface ListOptions {
  readonly aliases: Aliases;
  readonly key: KeySpec;
  readonly endOf: RowEnd;
}

/**
 * Why a row is in question. `end`: its status or size may mean that it has ended. `omitted`: fields that it omitted may be
 * gone. `key`: it may be a different row from the one it replaced. `old`: from before this subscription, which has not sent it.
 * `absent`: missing from a frame that looks complete. `audit`: a snapshot lacked it or differed.
 */
export const QUESTIONS = ["end", "omitted", "key", "old", "absent", "audit"] as const;
type Question = (typeof QUESTIONS)[number];

interface Held {
  readonly row: OpenRecord;
  readonly key: string;
  readonly named: number;
  /** Number of the newest list that may have named it: one named a row that no column distinguishes from it. */
  readonly mayBeNamed: number;
  readonly question: Question | undefined;
  /** Fields that rows have omitted: it may or may not have them. */
  readonly omitted: Omissions | undefined;
}

/** State from before a snapshot. */
interface Before {
  readonly held: ReadonlyMap<string, Held>;
  readonly newest: number;
  readonly touched: ReadonlyMap<string, number>;
  readonly interpretations: ListInterpretations;
}

/** A difference found by an audit, and which interpretation would explain it. */
interface Found {
  readonly how: AuditDifference["how"];
  readonly row: string;
  /** Equal in two audits that agree. */
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
  /** For a twin, the coarser key; for an omission, the field. */
  readonly name?: string;
}

/** Rows that would be one row under a coarser key. */
interface Twins {
  readonly name: string;
  readonly rows: readonly Held[];
}

/** A class, so that a copy of its list gets its own. */
class Derived {
  rows?: readonly OpenRecord[];
  inQuestion?: ReadonlySet<OpenRecord>;
  unnamed?: ReadonlySet<OpenRecord>;
  disputed?: number;
}

/** One list of a subaccount. */
export class AccountList {
  /** False until the list is first received: only then does "no rows" mean that there are none. */
  isReceived = false;
  /** Rows beyond the maximum, not held. */
  leftOut = 0;
  /** Rows in the last audit's snapshot that are not held. */
  missing = 0;
  private readonly rowKey: RowKey;
  private readonly ends: RowEnds;
  private interpretations = new ListInterpretations();
  private readonly forms = new RowForms();
  private readonly identity: RowIdentity;
  private held = new Map<string, Held>();
  private readonly dropped = new Map<string, OpenRecord>();
  /** Number of the newest list, and of the newest one with a row of each market or asset. */
  private newest = 0;
  private touched = new Map<string, number>();
  /** State from before the snapshot that is being received. */
  private before: Before | undefined;
  private splitAtMs: number | undefined;
  /** Differences of the last audit: their text and what explained each. */
  private suspected: ReadonlyMap<string, string> = new Map();
  /** Derived from the held rows, computed on demand. */
  private derived = new Derived();

  constructor({ aliases, key, endOf }: ListOptions) {
    this.rowKey = new RowKey(aliases, key);
    this.ends = new RowEnds(aliases, endOf);
    this.identity = new RowIdentity(aliases, this.rowKey, this.forms, this.ends);
  }

  /** In the order first seen, without rows that have certainly ended. The same array until something changes. */
  get rows(): readonly OpenRecord[] {
    this.derived.rows ??= [...this.held.values()].map(({ row }) => row);
    return this.derived.rows;
  }

  /** True when rows are from before the newest subscription and have not been sent since. */
  get isOld(): boolean {
    return [...this.held.values()].some(({ question }) => question === "old");
  }

  /** The fields that distinguish rows; empty if none do. */
  get key(): string {
    return this.rowKey.words;
  }

  get interpretation(): ListInterpretation {
    return this.interpretations.likeliest;
  }

  get isDecided(): boolean {
    return this.interpretations.isDecided;
  }

  /** Frames that favoured one interpretation. */
  get observations(): number {
    return this.interpretations.observations;
  }

  /** Since when the undecided interpretations have held different rows, by our clock. */
  get splitSinceMs(): number | undefined {
    return this.isDecided ? undefined : this.splitAtMs;
  }

  /** Rows left out by the newest lists while the interpretation is undecided: they may have ended. */
  get unnamed(): ReadonlySet<OpenRecord> {
    const mayBeOver = (held: Held) => this.interpretation === "rows" && this.mayBeLeftOut(held);
    this.derived.unnamed ??= new Set(this.rowsThat(mayBeOver));
    return this.derived.unnamed;
  }

  /** Rows that may be wrong, ended, or the same as another row: what is shown of them is not certain. */
  get inQuestion(): ReadonlySet<OpenRecord> {
    this.derived.inQuestion ??= new Set([
      ...this.rowsThat((held) => held.question !== undefined || this.mayBeLeftOut(held)),
      ...this.twins().flatMap(({ rows }) => rows.map(({ row }) => row)),
    ]);
    return this.derived.inQuestion;
  }

  /** How many are in question because of what was received; the others are merely unconfirmed so far. */
  get disputed(): number {
    const isDisputed = (held: Held) => held.question !== undefined && hasBeenSent(held);
    this.derived.disputed ??= this.rowsThat(isDisputed).length;
    return this.derived.disputed;
  }

  /**
   * Applies a list: of a later frame, or of a snapshot, which replaces everything.
   * @param continues the list continues the one before it, as one list
   */
  update(rows: readonly OpenRecord[], isSnapshot: boolean, atMs: number, continues = false): void {
    this.derived = new Derived();
    if (isSnapshot) this.takeSnapshot(rows, continues);
    else this.takeLater(rows, continues);
    this.isReceived = true;
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

  /** Replaces the state: these rows, in this order. */
  restore(rows: readonly OpenRecord[], facts: ListFacts): void {
    const { newest, leftOut, missing, splitAtMs } = facts;
    Object.assign(this, { newest, leftOut, missing, splitAtMs });
    this.derived = new Derived();
    this.before = undefined;
    this.isReceived = true;
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

  /** Those of these rows that differ from what is held, apart from values that follow from prices. */
  selectNew(rows: readonly OpenRecord[]): readonly OpenRecord[] {
    return rows.filter((row) => {
      const held = this.held.get(this.find(row))?.row;
      const isHeld = (name: string) =>
        this.identity.isDerived(name) || isSameValue(row[name], held?.[name]);
      return held === undefined || !Object.keys(row).every(isHeld);
    });
  }

  /** Whether a list contains unchanged rows, which a delta would omit. `all`: it equals what is held. */
  repeats(rows: readonly OpenRecord[]): "none" | "some" | "all" {
    const held = rows.map((row) => this.held.get(this.keyOf(row)));
    const repeated = held.filter((each, i) => each && isSameButTimes(each.row, rows[i] ?? {}));
    // A list from before this subscription may be the rest of its snapshot.
    if (repeated.every((each) => each?.question === "old")) return "none";
    const { length: count } = repeated;
    return count === rows.length && count === this.held.size ? "all" : "some";
  }

  /**
   * A later frame looks like a snapshot, while others may be deltas: rows that lists leave out may have ended from now on.
   * @param isLeftOut the frame lacks this list: none of its rows may exist any more
   */
  markMixed(isLeftOut: boolean): void {
    this.interpretations.mix();
    if (isLeftOut) for (const key of [...this.held.keys()]) this.ask(key, "absent");
    this.derived = new Derived();
  }

  /** A snapshot begins; this list may come in several frames of it, or in none. */
  beginSnapshot(): void {
    const { held, newest, touched, interpretations } = this;
    this.before = { held, newest, touched, interpretations: copyState(interpretations) };
    this.held = new Map();
    this.touched = new Map();
    for (const [key, each] of held) this.held.set(key, { ...each, question: "old" });
    this.derived = new Derived();
  }

  /** All frames of a snapshot, or of any other transaction, have been received. */
  endTransaction(): void {
    const { before } = this;
    this.before = undefined;
    if (before !== undefined && this.newest > before.newest) this.weighText(before);
  }

  /** Compares the list with a snapshot of the same sequence; differences that two audits agree on are applied. */
  audit(received: readonly OpenRecord[]): AuditResult {
    this.endTransaction();
    this.derived = new Derived();
    const rows = received.filter((row) => this.isOpen(row, true));
    this.learn(rows, true);
    const listed = this.keyed(rows);
    const found = this.compare(listed);
    this.confirm(listed, found);
    const agreed = found.filter(({ text }) => this.suspected.has(text));
    // If the reason differs, what was received between the two audits does not explain the first.
    const explained = agreed.filter((each) => this.suspected.get(each.text) === getReason(each));
    const suspects = found.slice(0, MAX_DIFFERENCES);
    this.suspected = new Map(suspects.map((each) => [each.text, getReason(each)]));
    this.missing = found.filter(({ how }) => how === "missing").length;
    const differences = found.map(({ row, how }): AuditDifference => ({ part: "", row, how }));
    const changed = agreed.length === 0 ? undefined : this.takeOver(agreed, explained, rows);
    return { compared: rows.length, differences, changed };
  }

  /** Discards evidence about later lists, so that it is not weighed with the next snapshot. @returns whether there was any */
  markSuspect(): boolean {
    const hasShown = this.observations > 0;
    this.interpretations = new ListInterpretations();
    for (const [key, held] of this.held) this.held.set(key, { ...held, named: this.newest });
    this.derived = new Derived();
    return hasShown;
  }

  /** True when the newest list left rows out. */
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

  /** Which of the earlier rows are in the snapshot? Evaluated again for each of its frames. */
  private weighSnapshot({ held, newest, touched, interpretations }: Before): void {
    // A row that may have ended by its own status is no evidence about what lists leave out.
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

  /** Rows whose last status may have ended them, and that lists have left out since: does any still exist? */
  private weighText({ held, newest, touched }: Before): void {
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

  /** If another row may be at its key, nothing is known about what became of it. */
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
    this.touch(rows);
    // With `continues`, the list that left rows out was only part of one.
    if (!continues) this.interpretations.weigh(evidence);
    this.dropUnnamed();
  }

  private touch(rows: readonly OpenRecord[]): void {
    for (const row of rows) this.touched.set(this.rowKey.scopeOf(row), this.newest);
    if (this.touched.size <= MAX_TOUCHED) return;
    // If each row has a scope of its own, every row that ever existed is in it.
    const held = new Set(Array.from(this.held.values(), ({ row }) => this.rowKey.scopeOf(row)));
    this.touched = new Map([...this.touched].filter(([scope]) => held.has(scope)));
  }

  /** Several rows share this key and one has changed; which one is unknown. */
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
    // It may be a partial update of the dropped row: then only its own fields are shown, and it is in question.
    const omitted = dropped && this.forms.complete(row, dropped, undefined, true).omitted;
    if (omitted === undefined) this.forms.noteWhole(row);
    const isUnsure = this.identity.isUnsure || !this.rowKey.hasKeyValue(row);
    const question = end === "unsure" ? "end" : omitted && "omitted";
    this.put(key, row, isUnsure ? "key" : question, omitted);
  }

  /**
   * @param before number of the list before this one
   * @param isAgain the frame already had a row with this key: two changes of one row, or two rows
   */
  private takeChange(
    held: Held,
    row: OpenRecord,
    evidence: ListEvidence,
    before: number,
    isAgain: boolean,
  ): void {
    // If the held row may have ended, its fields say nothing about this row.
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
    // A possible end explains more than an omission.
    const question = end === "unsure" ? "end" : omitted && "omitted";
    this.put(held.key, whole, isVague ? "key" : question, omitted);
  }

  /** Without sure ids, the ended row may be a different one from the row that the same frame has just brought. */
  private end({ key, row }: Held, ended: OpenRecord, isTwice: boolean): void {
    if (isTwice && (this.rowKey.isUnsure || this.rowKey.hasOtherForm(row, ended)))
      this.ask(key, "key");
    else this.held.delete(key);
  }

  /** True when lists have left the held row out, so that it may have ended, and this may be another row under its id. */
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

  /** A row that lists had left out is back. @returns true when it is surely not another row under its id */
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

  /** An ended row that is not held under its key: it ends the only held row that it may be. */
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

  /** Drops rows that have ended under every possible interpretation. */
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

  /** Drops rows whose status means that they have ended once left out, under any interpretation of lists. */
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
    // Deleted first, to keep the map in order of time.
    this.dropped.delete(key);
    this.dropped.set(key, row);
    if (this.dropped.size <= MAX_DROPPED) return;
    const [oldest = key] = this.dropped.keys();
    this.dropped.delete(oldest);
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
    // Rows without a market belong to every list.
    if (!this.rowKey.hasScope) return list < newest;
    return (touched.get(this.rowKey.scopeOf(row)) ?? 0) > list;
  }

  // Row identity.

  /** Learns columns, and which rows exist together; rows get new keys if the key has changed. */
  private learn(rows: readonly OpenRecord[], isSnapshot: boolean): void {
    const isNew = this.rowKey.learn(rows);
    const isOther = (isSnapshot || !this.rowKey.isNamed) && this.learnCoexisting(rows, isSnapshot);
    if (!isNew && !isOther) return;
    const { held } = this;
    this.held = new Map();
    this.dropped.clear();
    for (const each of held.values()) {
      const key = freeKey(this.held, this.keyOf(each.row));
      this.held.set(key, { ...each, key });
    }
  }

  /** In a delta, an ended row and another may be the same row. */
  private learnCoexisting(rows: readonly OpenRecord[], isSnapshot: boolean): boolean {
    if (rows.length < 2) return false;
    return this.rowKey.learnCoexisting(
      isSnapshot ? rows : rows.filter((row) => this.isOpen(row, false)),
    );
  }

  /** True when a row taken by itself has not certainly ended. */
  private isOpen(row: OpenRecord, isSnapshot: boolean): boolean {
    return this.ends.of(row, { held: undefined, received: row, isSnapshot }) !== "ended";
  }

  private keyed(rows: readonly OpenRecord[]): Map<string, OpenRecord> {
    const keyed = new Map<string, OpenRecord>();
    for (const row of rows) keyed.set(freeKey(keyed, this.keyOf(row)), row);
    return keyed;
  }

  /** A row that has no value in any key column is keyed by its whole text. */
  private keyOf(row: OpenRecord): string {
    return this.rowKey.hasKeyValue(row) ? keyText(row, this.rowKey.columns) : `?${recordText(row)}`;
  }

  /** The key of a row; if it lacks part of it, that of the only held row that it can be. */
  private find(row: OpenRecord): string {
    const key = this.keyOf(row);
    if (this.held.has(key) || this.held.size === 0) return key;
    const { columns } = this.rowKey;
    // Columns that complete rows sometimes lack are significant even when absent.
    const given = columns.filter(
      (column) => hasColumn(row, column) || !this.forms.isAlways(column.names[0] ?? ""),
    );
    if (given.length === columns.length || !this.rowKey.hasKeyValue(row)) return key;
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

  /** A left-out row is back, and is surely not another row under its id. */
  private isTheSame(held: OpenRecord, row: OpenRecord): boolean {
    return this.identity.isTheSame(held, row, this.otherThan(held));
  }

  private otherThan(row: OpenRecord): OpenRecord | undefined {
    for (const held of this.held.values()) if (held.row !== row) return held.row;
    return undefined;
  }

  /** Groups of rows that would be one row under a coarser key that is still possible. */
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
    // It may also have ended: by its status, or before this subscription. Then the key is not the only possible reason.
    const mayBeOver = held.question === "end" || !hasBeenSent(held);
    if (twin !== undefined)
      return mayBeOver ? { ...base, why: "unknown" } : { ...base, why: "twin", name: twin.name };
    // If later lists may have left it out, its end is no evidence about its status or size.
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

  /** Conclusions from a single audit: which rows exist, and that rows without differences are no longer in question. */
  private confirm(listed: ReadonlyMap<string, OpenRecord>, found: readonly Found[]): void {
    const wrong = new Set(found.map(({ key }) => key));
    // A row that differs may be another one under its id.
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
   * Applies differences that two audits agree on.
   * @param explained those for which both audits give the same reason
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
    // Fields copied from a row that may be a different one prove nothing.
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

/** False when the newest subscription, or a frame that looks complete, has not sent the row. */
function hasBeenSent({ question }: Held): boolean {
  return question !== "old" && question !== "absent";
}

/** True when the row may be a different one, or have ended, apart from omitted fields. */
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
