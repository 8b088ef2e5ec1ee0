// One list of a subaccount: rows by key, under both readings of later frames. Which rows a list left out is
// remembered, so that nothing is taken for closed because it was not mentioned. Reading: docs/adr/0011.
import type { OpenRecord } from "../protocol/channels/update.ts";
import type { Aliases } from "./aliases.ts";
import { type ListReading, ListReadings } from "./list-reading.ts";
import { type KeyCandidate, RecordKey } from "./record-key.ts";
import { completed, isSameButTimes, RequiredFields } from "./row-change.ts";

/** Rows that are held; what comes beyond that is counted and left out. */
const MAX_ROWS = 20_000;
/** Keys of rows that were dropped because a whole list left them out: by their return the reading is found wrong. */
const MAX_DROPPED = 1000;

/** How rows of a list are told apart, and which of them are over. */
export interface ListOptions {
  readonly aliases: Aliases;
  /** What tells rows apart, the likeliest first. */
  readonly keys: readonly KeyCandidate[];
  /** True for a row that says itself that it is over. */
  readonly isFinished: (row: OpenRecord) => boolean;
}

interface Held {
  readonly row: OpenRecord;
  /** Number of the list that named it last. */
  readonly named: number;
}

type Named = ReadonlyMap<string, OpenRecord>;

/** One list of a subaccount, folded as its updates are read (docs/adr/0011). */
export class AccountList {
  readonly #options: ListOptions;
  #key: RecordKey;
  #readings = new ListReadings();
  #required = new RequiredFields();
  #held = new Map<string, Held>();
  #dropped = new Set<string>();
  /** Number of the newest list, and how many of the held rows it named. */
  #lists = 0;
  #namedNow = 0;
  #rows: readonly OpenRecord[] | undefined;
  #leftOut = 0;
  #splitSinceMs: number | undefined;
  #isOld = false;

  constructor(options: ListOptions) {
    this.#options = options;
    this.#key = new RecordKey(options.aliases, options.keys);
  }

  /** The same list with all that was learned of it; later frames of this one do not reach it. */
  copy(): AccountList {
    const copy = new AccountList(this.#options);
    copy.#key = this.#key.copy();
    copy.#readings = this.#readings.copy();
    copy.#required = this.#required.copy();
    copy.#held = new Map(this.#held);
    copy.#dropped = new Set(this.#dropped);
    copy.#lists = this.#lists;
    copy.#namedNow = this.#namedNow;
    copy.#rows = this.#rows;
    copy.#leftOut = this.#leftOut;
    copy.#splitSinceMs = this.#splitSinceMs;
    copy.#isOld = this.#isOld;
    return copy;
  }

  /** False until the list has come once: then "no rows" means that there are none. */
  get hasCome(): boolean {
    return this.#lists > 0;
  }

  /** In the order first seen, none of them finished. The same array until something changes. */
  get rows(): readonly OpenRecord[] {
    this.#rows ??= [...this.#held.values()].map(({ row }) => row);
    return this.#rows;
  }

  /** True when the rows are from before the newest subscription, which has not sent the list. */
  get isOld(): boolean {
    return this.#isOld;
  }

  /** Rows that are not held because there are too many. */
  get leftOut(): number {
    return this.#leftOut;
  }

  /** The fields that tell rows apart; empty when none do. */
  get key(): string {
    return this.#key.words;
  }

  /** Without a key, a list can only be taken as it comes. */
  get reading(): ListReading {
    return this.#held.size > 0 && this.#key.words === "" ? "whole" : this.#readings.reading;
  }

  get isDecided(): boolean {
    return this.#readings.isDecided;
  }

  /** Frames that spoke for one reading and against the other. */
  get observations(): number {
    return this.#readings.observations;
  }

  /** Since when the two readings hold different rows, by our clock, while it is not decided which of them is right. */
  get splitSinceMs(): number | undefined {
    return this.isDecided ? undefined : this.#splitSinceMs;
  }

  /** Rows that the newest list left out, while the reading is not decided: they may be over. */
  get unnamed(): ReadonlySet<OpenRecord> {
    if (this.splitSinceMs === undefined) return NONE;
    const old = [...this.#held.values()].filter(({ named }) => named < this.#lists);
    return new Set(old.map(({ row }) => row));
  }

  /**
   * Takes a list; that of a first frame replaces everything.
   * @param continues it goes on with the list before: both are one
   */
  update(rows: readonly OpenRecord[], isFirst: boolean, atMs: number, continues = false): void {
    const startsAnew = isFirst || !this.hasCome;
    this.#chooseKey(rows, startsAnew);
    const named = this.#keyed(rows, (row) => row);
    if (continues) this.#extend(named);
    else if (startsAnew) this.#replace(named);
    else this.#merge(named);
    if (!continues && !startsAnew && this.reading === "whole") this.#dropUnnamed();
    const isSplit = this.#held.size > this.#namedNow;
    this.#splitSinceMs = isSplit ? (this.#splitSinceMs ?? atMs) : undefined;
    this.#isOld = false;
    this.#rows = undefined;
  }

  /** A new subscription has begun, and its first frame does not hold this list. */
  outlive(): void {
    this.#isOld = this.#held.size > 0;
  }

  /** By their keys. A row without one is known by all of its text, and by which of the rows with that text it is. */
  #keyed<T>(items: readonly T[], rowOf: (item: T) => OpenRecord): Map<string, T> {
    const copies = new Map<string, number>();
    const keyOf = (row: OpenRecord) => {
      const text = JSON.stringify(row);
      const copy = (copies.get(text) ?? 0) + 1;
      copies.set(text, copy);
      return `${text} ${copy}`;
    };
    return new Map(items.map((item) => [this.#key.of(rowOf(item)) ?? keyOf(rowOf(item)), item]));
  }

  #chooseKey(rows: readonly OpenRecord[], startsAnew: boolean): void {
    const keyed = rows.filter((row) => this.#key.of(row) !== undefined);
    if (rows.length === 0 || (keyed.length > 0 && this.#key.fits(keyed))) return;
    this.#key.choose(rows);
    if (this.#key.words === "" && !startsAnew) this.#key.choose([...this.rows, ...rows]);
    this.#held = this.#keyed([...this.#held.values()], ({ row }) => row);
  }

  #replace(named: Named): void {
    const signs = { stillThere: 0, gone: 0, named: 0, ended: 0 };
    for (const [key, held] of this.#held) {
      const isThere = named.has(key);
      if (held.named < this.#lists) signs[isThere ? "stillThere" : "gone"]++;
      else {
        signs.named++;
        if (!isThere) signs.ended++;
      }
    }
    this.#readings.weighAnew(signs);
    this.#held = new Map();
    this.#dropped.clear();
    this.#leftOut = 0;
    this.#required.start(named.values());
    this.#begin();
    for (const [key, row] of named) this.#put(key, row);
  }

  #merge(named: Named): void {
    const newest = this.#lists;
    const signs = { repeated: 0, finished: 0, returned: 0 };
    this.#begin();
    for (const [key, row] of named) {
      const held = this.#held.get(key);
      if (held === undefined) {
        this.#required.meet(row);
        if (this.#dropped.delete(key)) signs.returned++;
        this.#put(key, row);
        continue;
      }
      const change = this.#changeOf(held.row, row);
      if (change !== undefined) signs[change]++;
      if (held.named < newest) signs.returned++;
      this.#put(key, completed(row, held.row, this.#required.fields));
    }
    if (this.#key.words !== "") this.#readings.weigh(signs);
  }

  /** Rows of the list that came last: what left them out was only a part of it. */
  #extend(named: Named): void {
    for (const [key, row] of named) {
      const held = this.#held.get(key);
      this.#dropped.delete(key);
      if (held === undefined) this.#required.meet(row);
      this.#put(key, held === undefined ? row : completed(row, held.row, this.#required.fields));
    }
  }

  #changeOf(held: OpenRecord, row: OpenRecord): "finished" | "repeated" | undefined {
    if (this.#options.isFinished(row)) return "finished";
    return isSameButTimes(held, row) ? "repeated" : undefined;
  }

  #begin(): void {
    this.#lists++;
    this.#namedNow = 0;
  }

  #put(key: string, row: OpenRecord): void {
    if (this.#options.isFinished(row)) {
      this.#held.delete(key);
    } else if (this.#held.size >= MAX_ROWS && !this.#held.has(key)) {
      this.#leftOut++;
    } else {
      this.#held.set(key, { row, named: this.#lists });
      this.#namedNow++;
    }
  }

  #dropUnnamed(): void {
    for (const [key, { named }] of this.#held) {
      if (named === this.#lists) continue;
      this.#held.delete(key);
      if (this.#dropped.size < MAX_DROPPED) this.#dropped.add(key);
    }
  }
}

const NONE: ReadonlySet<OpenRecord> = new Set();
