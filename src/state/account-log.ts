// What happened to a subaccount, one row after the other: fills and funding payments. Rows are only added: no field of
// theirs is a name, so two that are equal are two. Only what a new subscription repeats is found again, by its place in
// the sequence. Interpretation: docs/adr/0011.
import type { OpenRecord } from "../wire/update.ts";
import type { Aliases, Meaning } from "./aliases.ts";
import { type AuditDifference, NO_AUDIT, type PartAudit } from "./part-audit.ts";
import { overlapOf } from "./row-overlap.ts";
import { readTimeNs } from "./time-value.ts";

/** Rows that are kept; older ones are let go. */
const MAX_LOGGED = 5000;
/** How far back a row is looked for that a later one says more of. */
const REVISED_WITHIN = 200;
/** Rows by which is told whether each has an id of its own. */
const MAX_COMPARED = 100;
/** Differences of an audit that are named; more are counted only. */
const MAX_NAMED = 20;

interface Entry {
  readonly row: OpenRecord;
  readonly timeNs: bigint | undefined;
  /**
   * Set when the list that brought it began with rows that were held already, so that it may be one of them. That later
   * lists repeat nothing speaks for a `list`, but not for the first one of a subscription, which may be its `backlog`.
   */
  readonly mayRepeat?: "list" | "backlog" | undefined;
  /** Rows before it may be missing. */
  readonly behind?: Hole;
}

/** `gap`: nothing of what was held came again. `doubt`: only equal rows did, of which there may be one more. */
type Hole = "gap" | "doubt";

/** `append`: a later list holds what is new. `window`: it holds the newest rows, of which some may be held already. */
type LogInterpretation = "append" | "window";

/** Rows that are only added, up to a cap. Only the fold changes it. */
export class AccountLog {
  readonly #aliases: Aliases;
  readonly #id: Meaning;
  /** Oldest first. */
  #entries: Entry[] = [];
  #hasCome = false;
  #total = 0;
  #hasForgotten = false;
  #rows: readonly OpenRecord[] | undefined;
  /** Rows behind the newest may be missing. */
  #end: Hole | undefined;
  /** Whether a frame lists the newest row first; learned from rows of different times. */
  #isNewestFirst = false;
  #interpretation: LogInterpretation = "append";
  #isDecided = false;
  /** While a snapshot comes in: what was held before it, and what has come of it. */
  #before: Entry[] | undefined;
  #totalBefore = 0;
  #backlog: OpenRecord[] = [];
  /** Differences of the last audit. */
  #suspected: ReadonlySet<string> = new Set();

  /** @param id the meaning that names rows, where they have it */
  constructor(aliases: Aliases, id: Meaning) {
    this.#aliases = aliases;
    this.#id = id;
  }

  /** The same rows; later ones of this log do not reach it. */
  copy(): AccountLog {
    const copy = new AccountLog(this.#aliases, this.#id);
    copy.#entries = [...this.#entries];
    copy.#hasCome = this.#hasCome;
    copy.#total = this.#total;
    copy.#hasForgotten = this.#hasForgotten;
    copy.#rows = this.#rows;
    copy.#end = this.#end;
    copy.#isNewestFirst = this.#isNewestFirst;
    copy.#interpretation = this.#interpretation;
    copy.#isDecided = this.#isDecided;
    copy.#before = this.#before && [...this.#before];
    copy.#totalBefore = this.#totalBefore;
    copy.#backlog = [...this.#backlog];
    copy.#suspected = this.#suspected;
    return copy;
  }

  /** False until the list has come once: then "no rows" means that there are none. */
  get hasCome(): boolean {
    return this.#hasCome;
  }

  /** Newest first. The same array until something comes. */
  get rows(): readonly OpenRecord[] {
    this.#rows ??= this.#entries.map(({ row }) => row).reverse();
    return this.#rows;
  }

  /** Rows since the start, without repeats. */
  get total(): number {
    return this.#total;
  }

  /** Nothing of what was held came again after a new subscription: rows before this time may be missing. */
  get mayMissBeforeNs(): bigint | undefined {
    return this.#entries.findLast(({ behind: hole }) => hole !== undefined)?.timeNs;
  }

  /** A new subscription has not sent the list: rows after this time may be missing. */
  get mayMissAfterNs(): bigint | undefined {
    return this.#end === undefined ? undefined : this.#entries.at(-1)?.timeNs;
  }

  /** True when rows between two subscriptions may be missing. */
  get mayMiss(): boolean {
    return this.#end !== undefined || this.#entries.some(({ behind: hole }) => hole !== undefined);
  }

  get interpretation(): LogInterpretation {
    return this.#interpretation;
  }

  get isDecided(): boolean {
    return this.#isDecided;
  }

  /** Rows that may be held twice, as far as nothing has decided that; and those that an audit did not find so. */
  get inQuestion(): ReadonlySet<OpenRecord> {
    const repeats = this.#entries.filter(
      ({ mayRepeat }) => mayRepeat === "backlog" || (mayRepeat === "list" && !this.#isDecided),
    );
    const texts = new Set([...this.#suspected, ...repeats.map(({ row }) => JSON.stringify(row))]);
    if (texts.size === 0) return NONE;
    return new Set(this.rows.filter((row) => texts.has(JSON.stringify(row))));
  }

  /**
   * Takes rows of a later frame, or of a snapshot: those may repeat what is held.
   * @param continues they go on with the list before them: both are one
   */
  update(rows: readonly OpenRecord[], isSnapshot: boolean, continues = false): void {
    if (isSnapshot && !continues) this.beginSnapshot();
    this.#hasCome = true;
    this.#rows = undefined;
    if (isSnapshot) this.#lay(rows);
    else this.#add(rows, continues);
    if (this.#entries.length > MAX_LOGGED) {
      this.#entries.splice(0, this.#entries.length - MAX_LOGGED);
      this.#hasForgotten = true;
    }
  }

  /** A new subscription has begun. */
  beginSnapshot(): void {
    this.#before = this.#entries;
    this.#totalBefore = this.#total;
    this.#backlog = [];
    this.#end = this.#hasCome ? "gap" : undefined;
  }

  /** All frames of a snapshot, or of any other transaction, have come. */
  endTransaction(): void {
    this.#before = undefined;
    this.#backlog = [];
  }

  /** Compares with a snapshot of the same sequence, as far as both reach. */
  audit(rows: readonly OpenRecord[]): PartAudit {
    const listed = this.#entriesOf(rows);
    const held = this.#entries;
    const range = commonRange(held, listed, this.#hasForgotten);
    if (range === undefined) return NO_AUDIT;
    const differences = compareCounts(
      held.slice(range.heldFrom, range.heldTo),
      listed.slice(range.listedFrom, range.listedTo),
    );
    const agreed = differences.filter(({ row }) => this.#suspected.has(row));
    this.#suspected = new Set(differences.map(({ row }) => row));
    this.#rows = undefined;
    const compared = range.listedTo - range.listedFrom;
    const named = differences.slice(0, MAX_NAMED);
    if (agreed.length === 0) {
      if (differences.length === 0) this.#confirm(range.heldFrom, range.heldTo);
      return { compared, differences: named };
    }
    this.#suspected = new Set();
    const isTwice = agreed.some(({ how }) => how === "extra");
    if (isTwice) {
      this.#interpretation = "window";
      this.#isDecided = true;
    }
    const changed = isTwice ? "later lists repeat rows" : `${agreed.length} rows replaced`;
    this.#entries = [
      ...held.slice(0, range.heldFrom),
      ...listed.slice(range.listedFrom, range.listedTo),
      ...held.slice(range.heldTo),
    ];
    return { compared, differences: named, changed };
  }

  /** These rows are there as often as they are held: none of them is a repeat. */
  #confirm(from: number, to: number): void {
    for (const [i, { mayRepeat, ...entry }] of this.#entries.entries()) {
      if (mayRepeat !== undefined && i >= from && i < to) this.#entries[i] = entry;
    }
  }

  /** Lays a snapshot over what was held before it: what both hold at the same place is held once. */
  #lay(rows: readonly OpenRecord[]): void {
    if (this.#before === undefined) this.beginSnapshot();
    const before = this.#before ?? [];
    this.#backlog = this.#backlog.concat(rows);
    const listed = this.#entriesOf(this.#backlog);
    this.#end = before.length > 0 && listed.length === 0 ? "gap" : undefined;
    this.#entries = this.#laid(before, listed);
    this.#total = this.#totalBefore + this.#entries.length - before.length;
  }

  /** What is behind the last hole is one sequence; a list that reaches further back may close the hole. */
  #laid(before: readonly Entry[], listed: readonly Entry[]): Entry[] {
    const hole = before.length - sinceGap(before).length;
    const [head, tail] = [before.slice(0, hole), before.slice(hole)];
    const at = overlapOf(tail, listed, isSame);
    if (at === undefined) return behind(before, listed);
    const joined = this.#joined(tail, listed, at);
    if (at < 0 && head.length > 0) return this.#laid(head, joined);
    const isVague = at >= 0 && this.#areAlike(before, tail.slice(at));
    if (!isVague) return [...head, ...joined];
    if (joined.length === tail.length) this.#end = "doubt";
    const fresh = afterHole(joined.slice(tail.length), "doubt");
    return [...head, ...joined.slice(0, tail.length), ...fresh];
  }

  /** What was found again is one row, or several that are the same: as many may have come since. */
  #areAlike(held: readonly Entry[], found: readonly Entry[]): boolean {
    const [first] = found;
    if (first === undefined || !found.every((entry) => isSame(entry, first))) return false;
    const ids = held.slice(-MAX_COMPARED).map(({ row }) => this.#aliases.text(row, this.#id));
    // A row with an id that no other row has is found again by that.
    return ids.length < 2 || ids.includes(undefined) || new Set(ids).size < ids.length;
  }

  /** Both, with the first of the list at a place of what was held. What was let go does not come back. */
  #joined(before: readonly Entry[], listed: readonly Entry[], at: number): Entry[] {
    const older = this.#hasForgotten ? 0 : Math.max(0, -at);
    // What the list shows without a hole has none, but for what is before its first.
    const held = before.map((entry, i) => {
      const again = listed[i - at];
      if (again === undefined) return entry;
      if (entry.mayRepeat !== undefined) return { ...again, mayRepeat: entry.mayRepeat };
      return i === at && entry.behind !== undefined ? { ...again, behind: entry.behind } : again;
    });
    return [...listed.slice(0, older), ...held, ...listed.slice(before.length - at)];
  }

  #add(rows: readonly OpenRecord[], continues: boolean): void {
    this.endTransaction();
    const came = this.#entriesOf(rows);
    const isNew = this.#isDecided && this.#interpretation === "append" && !this.#mayOverlap(came);
    if (continues || isNew || came.length === 0 || this.#entries.length === 0) {
      this.#append(came.filter((entry) => !this.#revise(entry)));
      return;
    }
    const once = this.#once;
    const tail = sinceGap(once);
    const at = this.#mayOverlap(came) ? overlapOf(tail, came, isSame) : undefined;
    this.#weigh(tail, came, at);
    if (this.#interpretation === "window" || (at === undefined && this.#repeatsOlder(came))) {
      this.#replace(this.#laid(once, came));
      return;
    }
    // Equal rows may well be two, or the list may have begun with what is held.
    const repeated = at === undefined ? 0 : tail.length - at;
    const mayRepeat = this.#end === undefined ? ("list" as const) : ("backlog" as const);
    const marked = came.map((entry, i) => (i < repeated ? { ...entry, mayRepeat } : entry));
    this.#append(marked.filter((entry) => !this.#revise(entry)));
  }

  /** Rows that are held once even if lists repeat the newest ones. */
  get #once(): readonly Entry[] {
    return this.#entries.some(({ mayRepeat }) => mayRepeat !== undefined)
      ? this.#entries.filter(({ mayRepeat }) => mayRepeat === undefined)
      : this.#entries;
  }

  /** A list whose rows are all newer than what is held repeats nothing. */
  #mayOverlap([first]: readonly Entry[]): boolean {
    const last = this.#entries.at(-1)?.timeNs;
    return first?.timeNs === undefined || last === undefined || first.timeNs <= last;
  }

  /** A list that holds a row from before the newest moment, which is held, is a listing again and nothing new. */
  #repeatsOlder(came: readonly Entry[]): boolean {
    const last = this.#entries.at(-1)?.timeNs;
    if (last === undefined || !this.#mayOverlap(came)) return false;
    return came.some(
      (entry) =>
        entry.timeNs !== undefined &&
        entry.timeNs < last &&
        this.#entries.some((held) => isSame(held, entry)),
    );
  }

  /** A list that repeats rows that are not the newest is a window over the newest; one that repeats none is not. */
  #weigh(held: readonly Entry[], came: readonly Entry[], at: number | undefined): void {
    if (at === undefined) {
      // Behind a hole, what the list would repeat may never have come.
      this.#isDecided ||= this.#interpretation === "append" && this.#end === undefined;
      return;
    }
    const repeated = came.slice(Math.max(0, -at), held.length - at);
    const [first] = repeated;
    if (first === undefined || repeated.every((entry) => isSame(entry, first))) return;
    this.#isDecided = true;
    this.#interpretation = "window";
  }

  #replace(entries: Entry[]): void {
    this.#total += entries.length - this.#entries.length;
    this.#entries = entries;
  }

  /** A row with an id that comes again as it was, with more fields, is the same row, which now says more. */
  #revise(entry: Entry): boolean {
    const id = this.#aliases.text(entry.row, this.#id);
    if (id === undefined) return false;
    const last = Math.max(0, this.#entries.length - REVISED_WITHIN);
    for (let i = this.#entries.length - 1; i >= last; i--) {
      const held = this.#entries[i];
      if (held?.timeNs !== undefined && held.timeNs < (entry.timeNs ?? 0n)) return false;
      if (held === undefined || held.timeNs !== entry.timeNs) continue;
      if (!saysMore(entry.row, held.row)) continue;
      this.#entries[i] = { ...held, row: entry.row };
      return true;
    }
    return false;
  }

  #append(fresh: readonly Entry[]): void {
    if (fresh.length === 0) return;
    this.#total += fresh.length;
    const last = this.#entries.at(-1)?.timeNs;
    const first = fresh[0]?.timeNs;
    this.#entries = this.#entries.concat(
      this.#end === undefined ? fresh : afterHole(fresh, this.#end),
    );
    this.#end = undefined;
    if (last !== undefined && first !== undefined && first < last) sortByTime(this.#entries);
  }

  /** Oldest first, where every row has a time; rows of one moment keep their order. */
  #entriesOf(rows: readonly OpenRecord[]): Entry[] {
    const entries = rows.map((row) => ({ row, timeNs: this.#timeOf(row) }));
    const first = entries[0]?.timeNs;
    const last = entries.at(-1)?.timeNs;
    if (first === undefined || last === undefined) return entries;
    if (first !== last) this.#isNewestFirst = first > last;
    if (this.#isNewestFirst) entries.reverse();
    sortByTime(entries);
    return entries;
  }

  #timeOf(row: OpenRecord): bigint | undefined {
    return readTimeNs(this.#aliases.value(row, "time"));
  }
}

/** The same row, or one of the two says more than the other. */
function isSame(a: Entry, b: Entry): boolean {
  if (a.timeNs !== b.timeNs) return false;
  return isPartOf(a.row, b.row) || isPartOf(b.row, a.row);
}

function isPartOf(part: OpenRecord, row: OpenRecord): boolean {
  return Object.keys(part).every(
    (name) =>
      Object.hasOwn(row, name) &&
      (part[name] === row[name] || JSON.stringify(part[name]) === JSON.stringify(row[name])),
  );
}

function saysMore(row: OpenRecord, held: OpenRecord): boolean {
  return Object.keys(row).length > Object.keys(held).length && isPartOf(held, row);
}

/** The rows since the last gap: of them it is known that nothing is missing between. */
function sinceGap(entries: readonly Entry[]): readonly Entry[] {
  return entries.slice(
    Math.max(
      0,
      entries.findLastIndex(({ behind: hole }) => hole === "gap"),
    ),
  );
}

/** The list behind what is older than it. */
function behind(before: readonly Entry[], listed: readonly Entry[]): Entry[] {
  const since = listed[0]?.timeNs;
  const isOlder = ({ timeNs }: Entry) =>
    since === undefined || timeNs === undefined || timeNs < since;
  const older = before.filter(isOlder);
  return older.length === 0 ? [...listed] : [...older, ...afterHole(listed, "gap")];
}

function afterHole([first, ...others]: readonly Entry[], hole: Hole): readonly Entry[] {
  return first === undefined ? [] : [{ ...first, behind: hole }, ...others];
}

function sortByTime(entries: Entry[]): void {
  if (entries.some(({ timeNs }) => timeNs === undefined)) return;
  entries.sort((a, b) => compareTime(a.timeNs ?? 0n, b.timeNs ?? 0n));
}

function compareTime(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

interface CommonRange {
  readonly heldFrom: number;
  readonly heldTo: number;
  readonly listedFrom: number;
  readonly listedTo: number;
}

/** The rows of both that lie between the oldest and the newest moment that both hold; the oldest may be cut. */
function commonRange(
  held: readonly Entry[],
  listed: readonly Entry[],
  isCut: boolean,
): CommonRange | undefined {
  const [first, last] = [listed[0]?.timeNs, listed.at(-1)?.timeNs];
  const [heldFirst, heldLast] = [held[0]?.timeNs, held.at(-1)?.timeNs];
  if (first === undefined || last === undefined) return undefined;
  if (heldFirst === undefined || heldLast === undefined) return undefined;
  const isHeldDeeper = heldFirst < first;
  const isEqual = heldFirst === first;
  const oldest = isHeldDeeper ? first : heldFirst;
  const newest = last < heldLast ? last : heldLast;
  // A moment at which one of the two begins may be held in part.
  const isEdgeCut = !isEqual || isCut;
  const isInside = ({ timeNs }: Entry) =>
    timeNs !== undefined && (isEdgeCut ? timeNs > oldest : timeNs >= oldest) && timeNs <= newest;
  const range = (entries: readonly Entry[]) => {
    const from = entries.findIndex(isInside);
    return from < 0 ? [0, 0] : [from, entries.findLastIndex(isInside) + 1];
  };
  const [heldFrom = 0, heldTo = 0] = range(held);
  const [listedFrom = 0, listedTo = 0] = range(listed);
  return heldTo === heldFrom || listedTo === listedFrom
    ? undefined
    : { heldFrom, heldTo, listedFrom, listedTo };
}

/** Rows that one of the two has more often than the other; `part` is filled in by the caller. */
function compareCounts(held: readonly Entry[], listed: readonly Entry[]): AuditDifference[] {
  const counts = new Map<string, number>();
  for (const { row } of held) add(counts, JSON.stringify(row), 1);
  for (const { row } of listed) add(counts, JSON.stringify(row), -1);
  return [...counts].flatMap(([row, count]) =>
    count === 0 ? [] : [{ part: "", row, how: count > 0 ? "extra" : "missing" } as const],
  );
}

function add(counts: Map<string, number>, text: string, by: number): void {
  counts.set(text, (counts.get(text) ?? 0) + by);
}

const NONE: ReadonlySet<OpenRecord> = new Set();
