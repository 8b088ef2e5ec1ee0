// Folds the append-only lists of a subaccount: fills and funding payments. No field is known to be unique, so equal rows count
// separately. Only rows that a new subscription repeats are recognised, by their position in the order.
import type { OpenRecord } from "../wire/update.ts";
import type { Aliases, Meaning } from "./aliases.ts";
import type { AuditDifference, AuditResult } from "./audits.ts";
import type { LogFacts } from "./facts-schema.ts";
import { isPartOf, isSameValue, recordText } from "./row-change.ts";
import { readTimeNs } from "./time-value.ts";

/** Maximum rows held; older ones are dropped. */
const MAX_LOGGED = 5000;
/** Rows added before trimming: a view compares both ends of the list, and reads all of it when both have moved. */
const MAX_MORE = 500;
/** How far back to look for a row that a later one extends. */
const REVISED_WITHIN = 200;
/** Rows examined to see whether each has an id of its own. */
const MAX_COMPARED = 100;
const MAX_NAMED = 20;

interface Entry {
  readonly row: OpenRecord;
  readonly timeNs: bigint | undefined;
  /**
   * Set when the list that brought it began with rows already held, so that it may be a repeat. Later lists without repeats
   * clear a `list`, but not the first list of a subscription, which may be its `backlog`.
   */
  readonly mayRepeat?: "list" | "backlog" | undefined;
  /** Rows before it may be missing. */
  readonly behind?: Hole | undefined;
}

/** `gap`: no held row was received again. `equal`: only identical rows were, and there may be one more of them. */
type Hole = "gap" | "equal";

/** `append`: a later list holds new rows only. `window`: it holds the newest rows, some perhaps already held. */
type LogInterpretation = "append" | "window";

/** Append-only rows, up to a maximum. Only the fold changes it. */
export class AccountLog {
  /** False until the list is first received: only then does "no rows" mean that there are none. */
  isReceived = false;
  /** Rows since the start, without repeats. */
  total = 0;
  interpretation: LogInterpretation = "append";
  isDecided = false;
  private readonly aliases: Aliases;
  private readonly id: Meaning;
  /** Some lists hold new rows and others the newest rows, and nothing marks which: this is never decided. */
  private isMixed = false;
  /** Oldest first. */
  private entries: Entry[] = [];
  private newestFirst: { rows?: readonly OpenRecord[] } = {};
  private hasForgotten = false;
  /** Rows after the newest may be missing. */
  private end: Hole | undefined;
  /** Whether frames list the newest row first; learned from rows with different times. */
  private isNewestFirst = false;
  /** While a snapshot is received: the rows held before it, and those received so far. */
  private before: readonly Entry[] | undefined;
  private totalBefore = 0;
  private backlog: readonly OpenRecord[] = [];
  /** Rows that differed in the last audit. */
  private suspected: ReadonlySet<string> = new Set();

  /** @param id the meaning of a row's id, if rows have one */
  constructor(aliases: Aliases, id: Meaning) {
    this.aliases = aliases;
    this.id = id;
  }

  /** Newest first. The same array until something changes. */
  get rows(): readonly OpenRecord[] {
    this.newestFirst.rows ??= this.entries.map(({ row }) => row).reverse();
    return this.newestFirst.rows;
  }

  /** A new subscription repeated no held row: rows before this time may be missing. */
  get mayMissBeforeNs(): bigint | undefined {
    return this.entries.findLast(({ behind: hole }) => hole !== undefined)?.timeNs;
  }

  /** A new subscription has not sent the list: rows after this time may be missing. */
  get mayMissAfterNs(): bigint | undefined {
    return this.end === undefined ? undefined : this.entries.at(-1)?.timeNs;
  }

  /** True when rows may be missing between two subscriptions. */
  get mayMiss(): boolean {
    return this.end !== undefined || this.entries.some(({ behind: hole }) => hole !== undefined);
  }

  /** Rows that may be held twice, while this is undecided; and rows that differed in an audit. */
  get inQuestion(): ReadonlySet<OpenRecord> {
    // Runs for each frame and is mostly empty, so it avoids allocating a list.
    const mayRepeat = this.entries.some((entry) => entry.mayRepeat !== undefined);
    if (!mayRepeat && this.suspected.size === 0) return NONE;
    const isOpen = this.isMixed || !this.isDecided;
    const repeats = this.entries.filter(
      ({ mayRepeat }) => mayRepeat === "backlog" || (mayRepeat === "list" && isOpen),
    );
    const texts = new Set([...this.suspected, ...repeats.map(({ row }) => recordText(row))]);
    if (texts.size === 0) return NONE;
    return new Set(this.rows.filter((row) => texts.has(recordText(row))));
  }

  /** A later frame may be a snapshot, and nothing marks which ones are. */
  mix(): void {
    this.isMixed = true;
  }

  /** Snapshots can be recognised again. */
  markSuspect(): void {
    this.isMixed = false;
  }

  /**
   * Adds rows of a later frame, or of a snapshot, which may repeat held rows.
   * @param continues they continue the list before them, as one list
   * @param looksWhole they belong to a later frame whose content suggests a snapshot
   */
  update(
    rows: readonly OpenRecord[],
    isSnapshot: boolean,
    continues = false,
    looksWhole = false,
  ): void {
    if (isSnapshot && !continues) this.beginSnapshot();
    this.isReceived = true;
    if (isSnapshot) this.lay(rows);
    else this.add(rows, continues, looksWhole);
    if (this.entries.length > MAX_LOGGED + MAX_MORE) {
      this.entries = this.entries.slice(-MAX_LOGGED);
      this.hasForgotten = true;
    }
    this.newestFirst = {};
  }

  /** True when the snapshot being received already contains all of these rows, each as often. */
  hasListed(rows: readonly OpenRecord[]): boolean {
    const left = [...this.backlog];
    const isListed = (row: OpenRecord) => {
      const at = left.findIndex((each) => isSameValue(each, row));
      if (at >= 0) left.splice(at, 1);
      return at >= 0;
    };
    return rows.length > 0 && rows.every(isListed);
  }

  facts(): LogFacts {
    const { total, interpretation, isDecided, isMixed, hasForgotten, end, isNewestFirst } = this;
    return {
      total,
      interpretation,
      isDecided,
      isMixed,
      hasForgotten,
      end,
      isNewestFirst,
      marks: this.entries.flatMap(({ mayRepeat, behind }, position) =>
        mayRepeat === undefined && behind === undefined ? [] : [[position, { mayRepeat, behind }]],
      ),
    };
  }

  /** Replaces the state. @param rows oldest first */
  restore(rows: readonly OpenRecord[], { marks, ...facts }: LogFacts): void {
    Object.assign(this, { end: undefined, ...facts });
    const marked = new Map(marks);
    this.isReceived = true;
    this.entries = rows.map((row, i) => ({ row, timeNs: this.timeOf(row), ...marked.get(i) }));
    this.endTransaction();
    this.newestFirst = {};
  }

  beginSnapshot(): void {
    this.before = this.entries;
    this.totalBefore = this.total;
    this.backlog = [];
    this.end = this.isReceived ? "gap" : undefined;
  }

  /** All frames of a snapshot, or of any other transaction, have been received. */
  endTransaction(): void {
    this.before = undefined;
    this.backlog = [];
  }

  /** Compares the log with a snapshot of the same sequence, over the period that both cover. */
  audit(rows: readonly OpenRecord[]): AuditResult {
    const listed = this.entriesOf(rows);
    const held = this.entries;
    const isCommon = commonTimes(held, listed, this.hasForgotten);
    const from = held.findIndex(isCommon);
    const ours = selectSpan(held, isCommon);
    const theirs = selectSpan(listed, isCommon);
    if (ours.length === 0 || theirs.length === 0) return { compared: 0, differences: [] };
    const [before, after] = [held.slice(0, from), held.slice(from + ours.length)];
    const all = compareCounts(ours, theirs);
    const agreed = all.filter(({ row }) => this.suspected.has(row));
    this.suspected = new Set(agreed.length > 0 ? [] : all.map(({ row }) => row));
    this.newestFirst = {};
    const audit = { compared: theirs.length, differences: all.slice(0, MAX_NAMED) };
    if (agreed.length === 0) {
      // Rows that the snapshot has as many times as we do are not repeats.
      const sure = ours.map((entry) => ({ ...entry, mayRepeat: undefined }));
      if (all.length === 0) this.entries = [...before, ...sure, ...after];
      return audit;
    }
    // A list that does not reach back to a hole does not close it.
    this.entries = [...before, ...afterHole(theirs, ours[0]?.behind), ...after];
    this.total += theirs.length - ours.length;
    if (this.isMixed || !agreed.some(({ how }) => how === "extra"))
      return { ...audit, changed: `${agreed.length} rows replaced` };
    this.interpretation = "window";
    this.isDecided = true;
    return { ...audit, changed: "later lists repeat rows" };
  }

  /** Merges a snapshot with the rows held before it: rows at the same position in both are kept once. */
  private lay(rows: readonly OpenRecord[]): void {
    if (this.before === undefined) this.beginSnapshot();
    const before = this.before ?? [];
    this.backlog = this.backlog.concat(rows);
    const listed = this.entriesOf(this.backlog);
    this.end = before.length > 0 && listed.length === 0 ? "gap" : undefined;
    this.entries = this.laid(withoutRepeats(before, listed), listed);
    this.total = this.totalBefore + this.entries.length - before.length;
  }

  /** Rows after the last hole are contiguous; a list that reaches further back may close the hole. */
  private laid(before: readonly Entry[], listed: readonly Entry[]): Entry[] {
    const hole = before.length - sinceGap(before).length;
    const [head, tail] = [before.slice(0, hole), before.slice(hole)];
    const at = findOverlap(tail, listed);
    if (at === undefined) return behind(before, listed);
    const joined = this.joined(tail, listed, at);
    if (at < 0 && head.length > 0) return this.laid(head, joined);
    // A list ends with the newest row, so a match deeper inside may be of other, equal rows.
    const isDeeper = at + listed.length < tail.length;
    const isVague = at >= 0 && (isDeeper || this.areAlike(before, tail.slice(at)));
    if (!isVague) return [...head, ...joined];
    if (joined.length === tail.length) this.end = "equal";
    const fresh = afterHole(joined.slice(tail.length), "equal");
    return [...head, ...joined.slice(0, tail.length), ...fresh];
  }

  /** The repeated rows are a single row, or identical ones: as many may have been added since. */
  private areAlike(held: readonly Entry[], found: readonly Entry[]): boolean {
    const [first] = found;
    if (first === undefined || !found.every((entry) => isSame(entry, first))) return false;
    const ids = held.slice(-MAX_COMPARED).map(({ row }) => this.aliases.text(row, this.id));
    // A row with a unique id is recognised by it.
    return ids.length < 2 || ids.includes(undefined) || new Set(ids).size < ids.length;
  }

  /** Both, with the first row of the list at position `at` of the held rows. Trimmed rows do not come back. */
  private joined(before: readonly Entry[], listed: readonly Entry[], at: number): Entry[] {
    const older = this.hasForgotten ? 0 : Math.max(0, -at);
    // A contiguous list closes holes, except before its first row, and except where only the number of rows equal to that is open.
    const held = before.map((entry, i) => {
      const again = listed[i - at];
      if (again === undefined) return entry;
      if (entry.mayRepeat !== undefined) return { ...again, mayRepeat: entry.mayRepeat };
      const isCut = i === at || (entry.behind === "equal" && isAlike(listed.slice(0, i - at)));
      return isCut && entry.behind !== undefined ? { ...again, behind: entry.behind } : again;
    });
    return [...listed.slice(0, older), ...held, ...listed.slice(before.length - at)];
  }

  private add(rows: readonly OpenRecord[], continues: boolean, looksWhole: boolean): void {
    this.endTransaction();
    const received = this.entriesOf(rows);
    if (received.length === 0 || this.entries.length === 0 || this.isNew(received, continues)) {
      this.append(received.filter((entry) => !this.revise(entry)));
      return;
    }
    // Rows held once even if lists repeat the newest ones.
    const once = this.entries.filter(({ mayRepeat }) => mayRepeat === undefined);
    const tail = sinceGap(once);
    const at = this.mayOverlap(received) ? findOverlap(tail, received) : undefined;
    const isListing = this.isMixed
      ? isUntimedWindow(tail, received, at)
      : this.weigh(tail, received, at) || (at === undefined && this.repeatsOlder(received));
    if (isListing) this.relay(once, received);
    else if (this.isMixed && this.isListedAgain(received, looksWhole))
      this.relay(withoutRepeats(this.entries, received), received);
    else this.appendMarked(received, at === undefined ? 0 : tail.length - at);
  }

  private isNew(received: readonly Entry[], continues: boolean): boolean {
    if (this.isMixed) return false;
    const isAppended = this.isDecided && this.interpretation === "append";
    return continues || (isAppended && !this.mayOverlap(received));
  }

  /** For a list that may belong to a snapshot: true when it reaches further back than new rows would. */
  private isListedAgain(received: readonly Entry[], looksWhole: boolean): boolean {
    if (looksWhole && findOverlap(sinceGap(this.entries), received) !== undefined) return true;
    return this.repeatsOlder(received);
  }

  /** Equal rows may be distinct, or the list may start with held rows. @param repeated how many rows may be repeats */
  private appendMarked(received: readonly Entry[], repeated: number): void {
    const mayRepeat = this.end === undefined ? ("list" as const) : ("backlog" as const);
    const marked = received.map((entry, i) => (i < repeated ? { ...entry, mayRepeat } : entry));
    this.append(marked.filter((entry) => !this.revise(entry)));
  }

  private relay(held: readonly Entry[], received: readonly Entry[]): void {
    const entries = this.laid(held, received);
    this.total += entries.length - this.entries.length;
    this.entries = entries;
  }

  /** A list with only newer rows than those held repeats nothing. */
  private mayOverlap([first]: readonly Entry[]): boolean {
    const last = this.entries.at(-1)?.timeNs;
    return first?.timeNs === undefined || last === undefined || first.timeNs <= last;
  }

  /** A list with a held row from before the newest time is a listing again, not new rows. */
  private repeatsOlder(received: readonly Entry[]): boolean {
    const last = this.entries.at(-1)?.timeNs;
    if (last === undefined || !this.mayOverlap(received)) return false;
    return received.some(
      (entry) =>
        entry.timeNs !== undefined &&
        entry.timeNs < last &&
        this.entries.some((held) => isSame(held, entry)),
    );
  }

  /**
   * A list that repeats rows other than the newest is a window over the newest; one that repeats none is not.
   * @returns whether lists are such windows
   */
  private weigh(
    held: readonly Entry[],
    received: readonly Entry[],
    at: number | undefined,
  ): boolean {
    // After a hole, rows that the list would repeat may never have been received.
    if (at === undefined)
      this.isDecided ||= this.interpretation === "append" && this.end === undefined;
    else if (!isAlike(repeatedBy(held, received, at))) {
      this.isDecided = true;
      this.interpretation = "window";
    }
    return this.interpretation === "window";
  }

  /** A row with an id that is received again, unchanged but with more fields, replaces the held one. */
  private revise(entry: Entry): boolean {
    const id = this.aliases.text(entry.row, this.id);
    if (id === undefined) return false;
    const last = Math.max(0, this.entries.length - REVISED_WITHIN);
    for (let i = this.entries.length - 1; i >= last; i--) {
      const held = this.entries[i];
      if (held?.timeNs !== undefined && held.timeNs < (entry.timeNs ?? 0n)) return false;
      if (held === undefined || held.timeNs !== entry.timeNs) continue;
      if (!saysMore(entry.row, held.row)) continue;
      this.entries[i] = { ...held, row: entry.row };
      return true;
    }
    return false;
  }

  private append(fresh: readonly Entry[]): void {
    if (fresh.length === 0) return;
    this.total += fresh.length;
    const last = this.entries.at(-1)?.timeNs;
    const first = fresh[0]?.timeNs;
    this.entries = this.entries.concat(this.end === undefined ? fresh : afterHole(fresh, this.end));
    this.end = undefined;
    if (last !== undefined && first !== undefined && first < last) sortByTime(this.entries);
  }

  /** Oldest first if every row has a time; rows with equal times keep their order. */
  private entriesOf(rows: readonly OpenRecord[]): Entry[] {
    const entries = rows.map((row) => ({ row, timeNs: this.timeOf(row) }));
    const first = entries[0]?.timeNs;
    const last = entries.at(-1)?.timeNs;
    if (first === undefined || last === undefined) return entries;
    if (first !== last) this.isNewestFirst = first > last;
    if (this.isNewestFirst) entries.reverse();
    sortByTime(entries);
    return entries;
  }

  private timeOf(row: OpenRecord): bigint | undefined {
    return readTimeNs(this.aliases.value(row, "time"));
  }
}

/**
 * The position in `held` of the first row of `listed`, such that all overlapping rows are the same; negative if the list
 * reaches further back. The longest overlap that reaches the end of `held` wins, since a list ends with the newest row.
 * Undefined if nothing overlaps.
 */
function findOverlap(held: readonly Entry[], listed: readonly Entry[]): number | undefined {
  let best: number | undefined;
  let longest = 0;
  for (let at = held.length - 1; at > -listed.length; at--) {
    const end = Math.min(held.length, at + listed.length);
    const start = Math.max(0, at);
    if (end < held.length && best !== undefined) break;
    if (end - start <= longest || !liesAt(held, listed, at)) continue;
    best = at;
    longest = end - start;
  }
  return best;
}

function repeatedBy(
  held: readonly Entry[],
  received: readonly Entry[],
  at: number,
): readonly Entry[] {
  return received.slice(Math.max(0, -at), held.length - at);
}

function isAlike(entries: readonly Entry[]): boolean {
  const [first] = entries;
  return first === undefined || entries.every((entry) => isSame(entry, first));
}

/** For rows without a time, nothing else shows that they are listed again. */
function isUntimedWindow(
  held: readonly Entry[],
  received: readonly Entry[],
  at: number | undefined,
): boolean {
  if (at === undefined) return false;
  const repeated = repeatedBy(held, received, at);
  return repeated.every(({ timeNs }) => timeNs === undefined) && !isAlike(repeated);
}

/** Held rows, without possible repeats that a listing of their period does not contain as many times. */
function withoutRepeats(held: readonly Entry[], listed: readonly Entry[]): readonly Entry[] {
  const [first, last] = [listed[0]?.timeNs, listed.at(-1)?.timeNs];
  if (first === undefined || last === undefined) return held;
  // The listing may be cut within its oldest moment.
  const isListed = ({ timeNs }: Entry) => timeNs !== undefined && timeNs > first && timeNs <= last;
  if (!held.some((entry) => entry.mayRepeat !== undefined && isListed(entry))) return held;
  const left = listed.filter(isListed);
  const isAvailable = (entry: Entry) => {
    const at = left.findIndex((each) => isSame(each, entry));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  };
  const isOnce = ({ mayRepeat }: Entry) => mayRepeat === undefined;
  for (const entry of held) if (isOnce(entry) && isListed(entry)) isAvailable(entry);
  return held.flatMap((entry) => {
    if (isOnce(entry) || !isListed(entry)) return [entry];
    return isAvailable(entry) ? [{ ...entry, mayRepeat: undefined }] : [];
  });
}

function liesAt(held: readonly Entry[], listed: readonly Entry[], at: number): boolean {
  const end = Math.min(held.length, at + listed.length);
  for (let i = Math.max(0, at); i < end; i++) {
    const [a, b] = [held[i], listed[i - at]];
    if (a === undefined || b === undefined || !isSame(a, b)) return false;
  }
  return true;
}

/** The same row, or one has more fields than the other. */
function isSame(a: Entry, b: Entry): boolean {
  if (a.timeNs !== b.timeNs) return false;
  return isPartOf(a.row, b.row) || isPartOf(b.row, a.row);
}

function saysMore(row: OpenRecord, held: OpenRecord): boolean {
  return Object.keys(row).length > Object.keys(held).length && isPartOf(held, row);
}

function sinceGap(entries: readonly Entry[]): readonly Entry[] {
  return entries.slice(
    Math.max(
      0,
      entries.findLastIndex(({ behind: hole }) => hole === "gap"),
    ),
  );
}

function behind(before: readonly Entry[], listed: readonly Entry[]): Entry[] {
  const since = listed[0]?.timeNs;
  const isOlder = ({ timeNs }: Entry) =>
    since === undefined || timeNs === undefined || timeNs < since;
  const older = before.filter(isOlder);
  return older.length === 0 ? [...listed] : [...older, ...afterHole(listed, "gap")];
}

function afterHole([first, ...others]: readonly Entry[], hole: Hole | undefined): readonly Entry[] {
  return first === undefined ? [] : [{ ...first, behind: hole }, ...others];
}

function sortByTime(entries: Entry[]): void {
  if (entries.some(({ timeNs }) => timeNs === undefined)) return;
  entries.sort(({ timeNs: a = 0n }, { timeNs: b = 0n }) => (a < b ? -1 : a > b ? 1 : 0));
}

/** Tests for the period that both cover; its oldest moment may be cut. */
function commonTimes(
  held: readonly Entry[],
  listed: readonly Entry[],
  isCut: boolean,
): (entry: Entry) => boolean {
  const [first, last] = [listed[0]?.timeNs, listed.at(-1)?.timeNs];
  const [heldFirst, heldLast] = [held[0]?.timeNs, held.at(-1)?.timeNs];
  if (first === undefined || last === undefined) return () => false;
  if (heldFirst === undefined || heldLast === undefined) return () => false;
  const oldest = heldFirst < first ? first : heldFirst;
  const newest = last < heldLast ? last : heldLast;
  // The list that begins at a moment may hold only part of its rows.
  const isEdgeCut = heldFirst !== first || isCut;
  return ({ timeNs }) =>
    timeNs !== undefined && (isEdgeCut ? timeNs > oldest : timeNs >= oldest) && timeNs <= newest;
}

function selectSpan(
  entries: readonly Entry[],
  isInside: (entry: Entry) => boolean,
): readonly Entry[] {
  const from = entries.findIndex(isInside);
  return from < 0 ? [] : entries.slice(from, entries.findLastIndex(isInside) + 1);
}

/** Rows that one side has more often than the other; the caller fills in `part`. */
function compareCounts(held: readonly Entry[], listed: readonly Entry[]): AuditDifference[] {
  const counts = new Map<string, number>();
  const add = ({ row }: Entry, by: number) => {
    const text = recordText(row);
    counts.set(text, (counts.get(text) ?? 0) + by);
  };
  for (const entry of held) add(entry, 1);
  for (const entry of listed) add(entry, -1);
  return [...counts].flatMap(([row, count]) =>
    count === 0 ? [] : [{ part: "", row, how: count > 0 ? "extra" : "missing" } as const],
  );
}

const NONE: ReadonlySet<OpenRecord> = new Set();
