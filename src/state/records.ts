// Records whose fields the document does not list, as markets and market-stats send them: the first frame
// is the list, later ones change or add by key. Fields are kept as they came. Reading: docs/adr/0007.
import type { OpenRecord } from "../wire/update.ts";
import type { Aliases } from "./aliases.ts";
import type { AuditDifference, AuditResult } from "./audits.ts";
import { type KeyCandidate, RecordKey } from "./record-key.ts";
import { isSameButTimes } from "./row-change.ts";

/** Records that are kept: that more came is said wherever the list is. */
const MAX_RECORDS = 50_000;

/** The key of a market's record: type and id, since ids of spot and perp markets may overlap. */
export const MARKET_KEYS: readonly KeyCandidate[] = [["marketType", "marketRecord"], ["symbol"]];

/**
 * How later frames are taken. `changes`: a record replaces that of its key. `fields`: it may hold only what changed, and
 * the fields that it leaves out stand. `whole`: a frame holds every record that there is.
 */
export type RecordsReading = "changes" | "fields" | "whole";

const READINGS: readonly RecordsReading[] = ["changes", "fields", "whole"];

/** What an update is to those before it. */
export interface RecordsPlace {
  /** The first of a subscription: it holds everything. */
  readonly isFirst: boolean;
  /** A later one that names none before it, and one that does; neither where nothing is numbered. */
  readonly isUnchained: boolean;
  readonly isChained: boolean;
  /** Another part of the same transaction: it adds to it, whatever tells records apart. */
  readonly continues: boolean;
}

const FIRST: RecordsPlace = {
  isFirst: true,
  isUnchained: false,
  isChained: false,
  continues: false,
};

type Held = ReadonlyMap<string, OpenRecord>;

/** Records, each key once. Only the fold changes it. */
export class RecordsState {
  readonly #aliases: Aliases;
  readonly #keys: readonly KeyCandidate[];
  #key: RecordKey;
  #held = new Map<string, OpenRecord>();
  #records: readonly OpenRecord[] | undefined;
  #isCut = false;
  #reading: RecordsReading = "changes";
  /** Where the last audit differed, by row: how. */
  #suspects: ReadonlyMap<string, AuditDifference["how"]> = new Map();
  /** What each reading makes of the frames since the last audit that differed: the next one says which is right. */
  #trials: Map<RecordsReading, Map<string, OpenRecord>> | undefined;

  /** Some later frame has named one before it. */
  #hasChained = false;
  /** Keys that the newest frame that names none left out, while none has: they are gone if that was a snapshot. */
  #omitted = new Set<string>();

  /** @param keys what tells records apart, the likeliest first */
  constructor(aliases: Aliases, keys: readonly KeyCandidate[]) {
    this.#aliases = aliases;
    this.#keys = keys;
    this.#key = new RecordKey(aliases, keys);
  }

  /** The same records; later ones of this list do not reach it. */
  copy(): RecordsState {
    const copy = new RecordsState(this.#aliases, this.#keys);
    copy.#key = this.#key.copy();
    copy.#held = new Map(this.#held);
    copy.#records = this.#records;
    copy.#isCut = this.#isCut;
    copy.#reading = this.#reading;
    copy.#suspects = this.#suspects;
    copy.#hasChained = this.#hasChained;
    copy.#omitted = new Set(this.#omitted);
    copy.#trials =
      this.#trials && new Map([...this.#trials].map(([name, held]) => [name, new Map(held)]));
    return copy;
  }

  /** The fields that tell records apart, as in `market_type/market_id`; empty when none do. */
  get key(): string {
    return this.#key.words;
  }

  /** How later frames are taken: `changes`, until audits have shown another. */
  get reading(): RecordsReading {
    return this.#reading;
  }

  /** In the order first seen. The same array until something changes. */
  get records(): readonly OpenRecord[] {
    this.#records ??= [...this.#held.values()];
    return this.#records;
  }

  /** True when the service has sent more records than are held: one that is not among them may be there all the same. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Folds in the records of an update. */
  update(came: readonly OpenRecord[], place: RecordsPlace): void {
    this.#records = undefined;
    this.#begin(place);
    const isWhole = place.isUnchained && this.#hasChained && !place.continues;
    if (!this.#tellsApart(came)) this.#key.choose(came);
    const before = this.#held;
    this.#held = this.#fold(place.isFirst || isWhole ? new Map() : before, came, place);
    if (this.#held !== before) this.#isCut = false;
    this.#isCut ||= this.#held.size >= MAX_RECORDS && this.#leavesOut(came);
    if (place.isUnchained && !this.#hasChained) this.#noteOmitted(came, place.continues);
    for (const [reading, held] of this.#trials ?? []) {
      const trial = isWhole ? new Map<string, OpenRecord>() : held;
      this.#trials?.set(reading, this.#fold(trial, came, place, reading));
    }
  }

  #begin({ isFirst, isChained }: RecordsPlace): void {
    if (isFirst) {
      this.#trials = undefined;
      this.#omitted.clear();
    } else if (isChained) this.#onChained();
  }

  /**
   * Some frames name the one before them: those that do not were snapshots, then. Where none ever does, a null says
   * nothing, and what a frame leaves out stands.
   */
  #onChained(): void {
    this.#hasChained = true;
    for (const key of this.#omitted) this.#held.delete(key);
    this.#omitted.clear();
  }

  #noteOmitted(came: readonly OpenRecord[], continues: boolean): void {
    if (!continues) this.#omitted = new Set(this.#held.keys());
    for (const record of came) this.#omitted.delete(this.#key.of(record) ?? "");
  }

  /**
   * Compares the records with a snapshot of the same sequence. When two audits in a row find the same row wrong, the
   * snapshot's rows are taken, and the reading that explains them, if one does. Interpretation: docs/adr/0050.
   * @param part name of the list on the wire
   */
  audit(snapshot: readonly OpenRecord[], part: string): AuditResult {
    const differences = this.#compare(this.#held, snapshot, part);
    const compared = snapshot.length;
    const isAgreed = differences.some(({ row, how }) => this.#suspects.get(row) === how);
    this.#suspects = new Map(
      isAgreed ? [] : differences.map(({ row, how }) => [row, how] as const),
    );
    const trials = this.#trials;
    this.#trials = undefined;
    if (differences.length === 0) return { compared, differences };
    if (!isAgreed) {
      const start = () => this.#fold(new Map(), snapshot, FIRST);
      this.#trials = new Map(READINGS.map((reading) => [reading, start()]));
      return { compared, differences };
    }
    const fitting = READINGS.filter((reading) => {
      const trial = trials?.get(reading);
      return trial !== undefined && this.#compare(trial, snapshot, part).length === 0;
    });
    const isRight = fitting.includes(this.#reading);
    const reading = isRight ? this.#reading : (fitting[0] ?? this.#reading);
    const isOther = reading !== this.#reading;
    this.#reading = reading;
    this.update(snapshot, FIRST);
    const rows = `${differences.length} ${part} replaced by those of a snapshot`;
    return { compared, differences, changed: isOther ? `${rows}; ${WORDS[reading]}` : rows };
  }

  #fold(
    before: Map<string, OpenRecord>,
    came: readonly OpenRecord[],
    { continues }: RecordsPlace,
    reading = this.#reading,
  ): Map<string, OpenRecord> {
    const isAll = !continues && this.#isAll(came, reading);
    const held = isAll ? new Map<string, OpenRecord>() : before;
    const first = continues ? held.size : 0;
    for (const [i, record] of came.entries()) {
      const key = this.#key.of(record) ?? `#${first + i}`;
      const old = held.get(key);
      if (held.size >= MAX_RECORDS && old === undefined) continue;
      held.set(key, old === undefined || reading !== "fields" ? record : { ...old, ...record });
    }
    return held;
  }

  #isAll(came: readonly OpenRecord[], reading: RecordsReading): boolean {
    // Without a key, nothing says which of the held records one of these replaces.
    return reading === "whole" || (this.#key.words === "" && came.length > 0);
  }

  #leavesOut(came: readonly OpenRecord[]): boolean {
    return came.some((record, i) => !this.#held.has(this.#key.of(record) ?? `#${i}`));
  }

  #compare(held: Held, snapshot: readonly OpenRecord[], part: string): AuditDifference[] {
    const isKeyed = this.#key.words !== "" && this.#key.fits(snapshot);
    const named = (rows: Iterable<OpenRecord>) =>
      isKeyed ? byKey(rows, (row) => this.#key.of(row)) : byText(rows);
    const ours = named(held.values());
    const theirs = named(snapshot);
    const differences: AuditDifference[] = [];
    for (const row of ours.keys()) {
      if (!theirs.has(row)) differences.push({ part, row, how: "extra" });
    }
    for (const [row, record] of theirs) {
      const own = ours.get(row);
      if (own === undefined) {
        if (held.size < MAX_RECORDS) differences.push({ part, row, how: "missing" });
      } else if (!isSameButTimes(own, record)) differences.push({ part, row, how: "different" });
    }
    return differences;
  }

  #tellsApart(came: readonly OpenRecord[]): boolean {
    return came.length === 0 || (this.#key.words !== "" && this.#key.fits(came));
  }
}

const WORDS: Readonly<Record<RecordsReading, string>> = {
  changes: "a later record replaces that of its key",
  fields: "a later record may hold only the fields that changed",
  whole: "a later frame holds every record that there is",
};

function byKey(
  rows: Iterable<OpenRecord>,
  keyOf: (row: OpenRecord) => string | undefined,
): Map<string, OpenRecord> {
  return new Map([...rows].map((row, i) => [keyOf(row) ?? `#${i}`, row]));
}

/** By all of their text, and by which of the rows with that text they are. */
function byText(rows: Iterable<OpenRecord>): Map<string, OpenRecord> {
  const copies = new Map<string, number>();
  return new Map(
    [...rows].map((row) => {
      const text = JSON.stringify(row);
      const copy = (copies.get(text) ?? 0) + 1;
      copies.set(text, copy);
      return [copy === 1 ? text : `${text} (${copy})`, row];
    }),
  );
}
