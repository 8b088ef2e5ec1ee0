// Folds records whose fields the document does not list (markets, market-stats): the first frame is the full list, later ones
// change or add records by key. Fields are kept as received.
import { stripZeros } from "../units/uint.ts";
import { exactText } from "../wire/exact-numbers.ts";
import type { ChainPosition } from "../wire/stream-event.ts";
import type { OpenRecord } from "../wire/update.ts";
import type { Aliases, Meaning } from "./aliases.ts";
import type { AuditDifference, AuditResult } from "./audits.ts";
import type { SliceFacts } from "./facts-schema.ts";
import { isSameButTimes, recordText } from "./row-change.ts";

/** Maximum records held; views of the list indicate when there were more. */
const MAX_RECORDS = 50_000;

type KeyCandidate = readonly Meaning[];

/** Key of a market's record: type and id, since ids of spot and perp markets may overlap. */
export const MARKET_KEYS: readonly KeyCandidate[] = [["marketType", "marketRecord"], ["symbol"]];

/**
 * How later frames are interpreted. `changes`: a record replaces the one with its key. `fields`: it may hold only changed
 * fields, and omitted ones stay. `whole`: a frame holds every record.
 */
export type RecordsInterpretation = "changes" | "fields" | "whole";

const INTERPRETATIONS: readonly RecordsInterpretation[] = ["changes", "fields", "whole"];

const FIRST: ChainPosition = { isFirst: true, isSnapshot: true, continues: false };

type Held = ReadonlyMap<string, OpenRecord>;

/** Records, one per key. Only the fold changes it. */
export class RecordsState {
  /** How later frames are interpreted: `changes`, until audits show otherwise. */
  interpretation: RecordsInterpretation = "changes";
  /** True when the service sent more records than are held, so an absent record may exist. */
  isCut = false;
  protected readonly aliases: Aliases;
  private readonly candidates: readonly KeyCandidate[];
  private recordKey: RecordKey = NO_KEY;
  private held = new Map<string, OpenRecord>();
  private derived: { records?: readonly OpenRecord[] } = {};
  /** Differences found by the last audit, by row. */
  private suspects: ReadonlyMap<string, AuditDifference["how"]> = new Map();
  /** Folds under each interpretation since the last audit that found differences: the next one shows which is right. */
  private trials: Map<RecordsInterpretation, Map<string, OpenRecord>> | undefined;
  /** A later frame has named the one before it. */
  private hasChained = false;
  /** Keys that the newest null-previous frame omitted, while no frame has named another: gone if that frame was a snapshot. */
  private omitted = new Set<string>();

  /** @param candidates possible keys, the most likely first */
  constructor(aliases: Aliases, candidates: readonly KeyCandidate[]) {
    this.aliases = aliases;
    this.candidates = candidates;
  }

  /** The fields that distinguish records, as in `market_type/market_id`; empty if none do. */
  get key(): string {
    return this.recordKey.words;
  }

  /** In the order first seen. The same array until something changes. */
  get records(): readonly OpenRecord[] {
    this.derived.records ??= [...this.held.values()];
    return this.derived.records;
  }

  protected get size(): number {
    return this.held.size;
  }

  protected keepOnly(records: ReadonlySet<OpenRecord>): void {
    this.held = new Map([...this.held].filter(([, record]) => records.has(record)));
    this.derived = {};
  }

  facts(): SliceFacts["markets"] {
    const { interpretation, isCut, hasChained } = this;
    return { interpretation, isCut, hasChained };
  }

  restore(facts: SliceFacts["markets"]): this {
    return Object.assign(this, facts);
  }

  /** @param previous the frame's `previous_sequence`; null also where nothing is numbered */
  update(received: readonly OpenRecord[], position: ChainPosition, previous: string | null): void {
    this.derived = {};
    this.begin(position, previous);
    const isUnchained = position.isSnapshot && !position.isFirst;
    const isWhole = isUnchained && this.hasChained && !position.continues;
    const isAnew = position.isFirst || isWhole;
    const start = (held: Map<string, OpenRecord>) =>
      isAnew ? new Map<string, OpenRecord>() : held;
    if (received.length > 0) this.findKey(received, position, isAnew);
    const before = this.held;
    this.held = this.fold(start(before), received, position);
    if (this.held !== before) this.isCut = false;
    this.isCut ||= this.held.size >= MAX_RECORDS && this.leavesOut(received);
    if (isUnchained && !this.hasChained) this.noteOmitted(received, position.continues);
    for (const [each, held] of this.trials ?? [])
      this.trials?.set(each, this.fold(start(held), received, position, each));
  }

  /**
   * Compares the records with a snapshot of the same sequence. When two audits in a row find the same row wrong, the snapshot's
   * rows replace the held ones, and the interpretation that explains them is adopted, if any.
   * @param part wire name of the list
   */
  audit(snapshot: readonly OpenRecord[], part: string): AuditResult {
    const differences = this.compare(this.held, snapshot, part);
    const compared = snapshot.length;
    const isAgreed = differences.some(({ row, how }) => this.suspects.get(row) === how);
    this.suspects = new Map(isAgreed ? [] : differences.map(({ row, how }) => [row, how]));
    const { trials } = this;
    this.trials = undefined;
    if (differences.length === 0) return { compared, differences };
    if (!isAgreed) {
      const start = () => this.fold(new Map(), snapshot, FIRST);
      this.trials = new Map(INTERPRETATIONS.map((each) => [each, start()]));
      return { compared, differences };
    }
    const fitting = [...(trials ?? [])]
      .filter(([, held]) => this.compare(held, snapshot, part).length === 0)
      .map(([each]) => each);
    const before = this.interpretation;
    if (!fitting.includes(before)) this.interpretation = fitting[0] ?? before;
    this.update(snapshot, FIRST, null);
    const rows = `${differences.length} ${part} replaced by those of a snapshot`;
    const words = `${rows}; ${WORDS[this.interpretation]}`;
    return { compared, differences, changed: this.interpretation === before ? rows : words };
  }

  /**
   * If some frames name the one before them, those that do not were snapshots. If none ever does, a null means nothing, and
   * records omitted by a frame stay.
   */
  private begin({ isFirst, isSnapshot, continues }: ChainPosition, previous: string | null): void {
    if (isFirst) this.trials = undefined;
    else {
      if (isSnapshot || continues || previous === null) return;
      this.hasChained = true;
      for (const key of this.omitted) this.held.delete(key);
    }
    this.omitted.clear();
  }

  /** Updates the key: records that exist at the same time show what distinguishes them. */
  private findKey(received: readonly OpenRecord[], position: ChainPosition, isAnew: boolean): void {
    const isAll = isAnew || (this.interpretation === "whole" && !position.continues);
    if (isAll) this.fitKey(received, received, []);
    else if (!position.isSnapshot || !position.continues) this.findKeyOfChanges(received);
    else {
      const held = [...this.held.values()];
      this.fitKey([...held, ...received], received, held);
    }
  }

  /** Two records of a later frame with the same key are two changes of one record, unless another candidate distinguishes them. */
  private findKeyOfChanges(received: readonly OpenRecord[]): void {
    const isOfAll = this.key !== "" && hasKeys(received, this.recordKey);
    if (isOfAll && distinguishes(received, this.recordKey)) return;
    const held = [...this.held.values()];
    if (!isOfAll) {
      this.fitKey(held.length === 0 ? received : held, received, held);
      return;
    }
    const isFiner = (key: RecordKey) => distinguishes(held, key) && distinguishes(received, key);
    const finer = listKeys(this.aliases, this.candidates, held).find(isFiner);
    if (finer !== undefined) this.takeKey(finer, held);
  }

  /**
   * Chooses a key that distinguishes the records that exist together and that all received ones have, if the current one does not.
   * @param held the records held so far, dropped if there is no such key: it is unknown which of them a received one replaces
   */
  private fitKey(
    together: readonly OpenRecord[],
    received: readonly OpenRecord[],
    held: readonly OpenRecord[],
  ): void {
    if (this.isKeyOf(together) && hasKeys(received, this.recordKey)) return;
    const isPossible = (key: RecordKey) => hasKeys(received, key);
    const common = chooseKey(this.aliases, this.candidates, together, isPossible);
    if (common !== NO_KEY) this.takeKey(common, held);
    else this.takeKey(chooseKey(this.aliases, this.candidates, received), []);
  }

  /** @param held the records held from now on */
  private takeKey(key: RecordKey, held: readonly OpenRecord[]): void {
    this.recordKey = key;
    this.held = new Map(held.map((record) => [key.of(record) ?? "", record]));
    this.omitted.clear();
    this.trials = undefined;
  }

  private noteOmitted(received: readonly OpenRecord[], continues: boolean): void {
    // Without a key, the frame has replaced all records.
    if (this.key === "") return;
    if (!continues) this.omitted = new Set(this.held.keys());
    for (const record of received) this.omitted.delete(this.find(this.held, record) ?? "");
  }

  private fold(
    before: Map<string, OpenRecord>,
    received: readonly OpenRecord[],
    { continues }: ChainPosition,
    interpretation = this.interpretation,
  ): Map<string, OpenRecord> {
    // Without a key it is unknown which held record one of these replaces.
    const isAll = interpretation === "whole" || (this.key === "" && received.length > 0);
    const held = isAll && !continues ? new Map<string, OpenRecord>() : before;
    const first = continues ? held.size : 0;
    const keyOf = held.size > 0 ? this.find.bind(this, held) : this.recordKey.of;
    const isFields = interpretation === "fields";
    for (const [i, record] of received.entries())
      put(held, keyOf(record) ?? `#${first + i}`, record, isFields);
    return held;
  }

  /** The key of a record; if it omits the type of its market, that of the only held record that it can be. */
  private find(held: Held, record: OpenRecord): string | undefined {
    const key = this.recordKey.of(record);
    if (key === undefined || held.has(key) || !this.recordKey.lacksType(record)) return key;
    const alike = [...held.keys()].filter((each) => each.endsWith(key));
    return alike.length === 1 ? alike[0] : key;
  }

  private isKeyOf(rows: readonly OpenRecord[]): boolean {
    return this.key !== "" && distinguishes(rows, this.recordKey);
  }

  private leavesOut(received: readonly OpenRecord[]): boolean {
    return received.some((record, i) => !this.held.has(this.recordKey.of(record) ?? `#${i}`));
  }

  private compare(held: Held, snapshot: readonly OpenRecord[], part: string): AuditDifference[] {
    const isKeyed = this.isKeyOf(snapshot);
    const named = (rows: Iterable<OpenRecord>) =>
      isKeyed
        ? new Map([...rows].map((row, i) => [this.recordKey.of(row) ?? `#${i}`, row]))
        : byText(rows);
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
}

function put(
  held: Map<string, OpenRecord>,
  key: string,
  record: OpenRecord,
  isFields: boolean,
): void {
  const old = held.get(key);
  if (held.size >= MAX_RECORDS && old === undefined) return;
  held.set(key, isFields ? { ...old, ...record } : record);
}

const WORDS: Readonly<Record<RecordsInterpretation, string>> = {
  changes: "a later record replaces that of its key",
  fields: "a later record may hold only the fields that changed",
  whole: "a later frame holds every record that there is",
};

/** By their whole text, numbered among equal rows. */
function byText(rows: Iterable<OpenRecord>): Map<string, OpenRecord> {
  const copies = new Map<string, number>();
  return new Map(
    [...rows].map((row) => {
      const text = recordText(row);
      const copy = (copies.get(text) ?? 0) + 1;
      copies.set(text, copy);
      return [copy === 1 ? text : `${text} (${copy})`, row];
    }),
  );
}

interface RecordKey {
  /** The key as text: `symbol`, `market_type/market_id`; empty if there is none. */
  readonly words: string;
  /** As text: a number and the string of its digits are the same key. Undefined if the record has none. */
  readonly of: (record: OpenRecord) => string | undefined;
  /** True for a record that omits the type of its market. */
  readonly lacksType: (record: OpenRecord) => boolean;
}

const NO_KEY: RecordKey = { words: "", of: () => undefined, lacksType: () => false };

/**
 * The first candidate that distinguishes these rows; else the first field that does, preferring names that look like keys.
 * @param isPossible false for a key that must not be chosen
 */
function chooseKey(
  aliases: Aliases,
  candidates: readonly KeyCandidate[],
  rows: readonly OpenRecord[],
  isPossible: (key: RecordKey) => boolean = () => true,
): RecordKey {
  const [first] = rows;
  const isKey = (key: RecordKey) => distinguishes(rows, key) && isPossible(key);
  const candidate = listKeys(aliases, candidates, rows).find(isKey);
  if (candidate !== undefined) return candidate;
  // A single row does not show which of its fields are keys.
  if (first === undefined || rows.length < 2) return NO_KEY;
  const fields = Object.keys(first).sort((a, b) => Number(isKeyLike(b)) - Number(isKeyLike(a)));
  const keys = fields.map(
    (words): RecordKey => ({
      words,
      of: (row) => (Object.hasOwn(row, words) ? exactText(row[words]) : undefined),
      lacksType: () => false,
    }),
  );
  return keys.find(isKey) ?? NO_KEY;
}

function listKeys(
  aliases: Aliases,
  candidates: readonly KeyCandidate[],
  [first]: readonly OpenRecord[],
): readonly RecordKey[] {
  const columnOf = (each: Meaning) => (first && aliases.columnOf(first, each)) ?? each;
  return candidates.map((meanings) => ({
    words: meanings.map(columnOf).join("/"),
    of: meaningsKey(aliases, meanings),
    lacksType: (record) =>
      meanings.includes("marketType") && aliases.text(record, "marketType") === undefined,
  }));
}

/** The market type may be missing; every other part of a key must be present. */
function meaningsKey(aliases: Aliases, meanings: KeyCandidate): RecordKey["of"] {
  return (record) => {
    const parts = meanings.map((meaning) => readPart(aliases.text(record, meaning), meaning));
    const isWhole = parts.every((part, i) => part !== undefined || meanings[i] === "marketType");
    return isWhole && parts.some((part) => part !== undefined) ? parts.join("/") : undefined;
  };
}

/** Types in another case, and ids with leading zeros, denote the same market. */
function readPart(text: string | undefined, meaning: Meaning): string | undefined {
  if (meaning === "marketType") return text?.toLowerCase();
  return text !== undefined && /^[0-9]+$/.test(text) ? stripZeros(text) : text;
}

function distinguishes(rows: readonly OpenRecord[], key: RecordKey): boolean {
  const keys = new Set<string>();
  for (const row of rows) {
    const text = key.of(row);
    if (text === undefined || keys.has(text)) return false;
    keys.add(text);
  }
  return true;
}

function hasKeys(rows: readonly OpenRecord[], key: RecordKey): boolean {
  return rows.every((row) => key.of(row) !== undefined);
}

function isKeyLike(field: string): boolean {
  return /(?:^|_)(?:id|key|uuid|hash|index)$|Id$/.test(field);
}
