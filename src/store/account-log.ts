// What happened to a subaccount, one row after the other: fills and funding payments. Rows are only added; what
// comes again after a new subscription is recognised by its id, or by all of it. Reading: docs/adr/0011.
import type { OpenRecord } from "../protocol/channels/update.ts";
import type { Aliases, Meaning } from "./aliases.ts";
import { readTimeNs } from "./time-value.ts";

/** Rows that are kept; older ones are let go. */
const MAX_LOGGED = 5000;

interface Entry {
  readonly row: OpenRecord;
  readonly timeNs: bigint | undefined;
  readonly identity: string;
  readonly hasId: boolean;
}

/** Rows that are only added, each once, up to a cap. Only the fold changes it. */
export class AccountLog {
  readonly #aliases: Aliases;
  readonly #id: Meaning;
  /** Oldest first. */
  #entries: Entry[] = [];
  /** How often each identity is held. */
  #counts = new Map<string, number>();
  #hasCome = false;
  #total = 0;
  /** Rows before this time have been let go. */
  #forgottenNs = 0n;
  #rows: readonly OpenRecord[] | undefined;
  #mayMissBefore: bigint | undefined;

  /** @param id the meaning that tells rows apart, where they have it */
  constructor(aliases: Aliases, id: Meaning) {
    this.#aliases = aliases;
    this.#id = id;
  }

  /** The same rows; later ones of this log do not reach it. */
  copy(): AccountLog {
    const copy = new AccountLog(this.#aliases, this.#id);
    copy.#entries = [...this.#entries];
    copy.#counts = new Map(this.#counts);
    copy.#hasCome = this.#hasCome;
    copy.#total = this.#total;
    copy.#forgottenNs = this.#forgottenNs;
    copy.#rows = this.#rows;
    copy.#mayMissBefore = this.#mayMissBefore;
    return copy;
  }

  /** False until the list has come once. */
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
    return this.#mayMissBefore;
  }

  /** Takes rows; those of a first frame may repeat what is held. */
  update(rows: readonly OpenRecord[], isFirst: boolean): void {
    const came = this.#entriesOf(rows);
    const fresh = this.#withoutRepeats(came, isFirst);
    const isDetached = isFirst && this.#entries.length > 0 && fresh.length === came.length;
    if (isDetached && fresh[0] !== undefined) this.#mayMissBefore = fresh[0].timeNs;
    this.#hasCome = true;
    if (fresh.length < came.length) this.#revise(came);
    if (fresh.length > 0) this.#append(fresh);
    this.#rows = undefined;
  }

  /** A row that comes again with its id may say more than before. */
  #revise(came: readonly Entry[]): void {
    const news = new Map(came.filter(({ hasId }) => hasId).map((each) => [each.identity, each]));
    for (let i = this.#entries.length - 1; i >= 0 && news.size > 0; i--) {
      const entry = this.#entries[i];
      const newer = entry === undefined ? undefined : news.get(entry.identity);
      if (newer === undefined) continue;
      this.#entries[i] = newer;
      news.delete(newer.identity);
    }
  }

  #entriesOf(rows: readonly OpenRecord[]): Entry[] {
    const seen = new Map<string, number>();
    const entries = rows.map((row): Entry => {
      const id = this.#aliases.text(row, this.#id);
      const side = this.#aliases.text(row, "side") ?? "";
      const known = id === undefined ? JSON.stringify(row) : `${id} ${side}`;
      // A trade with oneself may stand there twice with one id.
      const copies = seen.get(known) ?? 0;
      seen.set(known, copies + 1);
      const identity = id === undefined || copies === 0 ? known : `${known} ${copies}`;
      return { row, timeNs: this.#timeOf(row), identity, hasId: id !== undefined };
    });
    return sortByTime(entries);
  }

  #timeOf(row: OpenRecord): bigint | undefined {
    return readTimeNs(this.#aliases.value(row, "time"));
  }

  /** Rows with an id, or of a moment, can be held only as often as one frame has them. */
  #withoutRepeats(came: readonly Entry[], isFirst: boolean): readonly Entry[] {
    const left = new Map<string, number>();
    return came.filter(({ timeNs, identity, hasId }) => {
      if (timeNs !== undefined && timeNs < this.#forgottenNs) return false;
      if (!isFirst && !hasId && timeNs === undefined) return true;
      const held = left.get(identity) ?? this.#counts.get(identity) ?? 0;
      left.set(identity, held - 1);
      return held <= 0;
    });
  }

  #append(fresh: readonly Entry[]): void {
    this.#total += fresh.length;
    for (const { identity } of fresh) {
      this.#counts.set(identity, (this.#counts.get(identity) ?? 0) + 1);
    }
    const last = this.#entries.at(-1)?.timeNs;
    const first = fresh[0]?.timeNs;
    this.#entries = this.#entries.concat(fresh);
    if (last !== undefined && first !== undefined && first < last) {
      this.#entries = sortByTime(this.#entries);
    }
    if (this.#entries.length > MAX_LOGGED) this.#trim();
  }

  #trim(): void {
    const dropped = this.#entries.splice(0, this.#entries.length - MAX_LOGGED);
    this.#forgottenNs = this.#entries[0]?.timeNs ?? 0n;
    for (const { identity } of dropped) {
      const count = (this.#counts.get(identity) ?? 1) - 1;
      if (count > 0) this.#counts.set(identity, count);
      else this.#counts.delete(identity);
    }
  }
}

/** Oldest first, where every row has a time; rows of one moment keep their order. */
function sortByTime(entries: Entry[]): Entry[] {
  const first = entries[0]?.timeNs;
  const last = entries.at(-1)?.timeNs;
  if (first === undefined || last === undefined) return entries;
  if (entries.some(({ timeNs }) => timeNs === undefined)) return entries;
  const ordered = first > last ? [...entries].reverse() : entries;
  return ordered.sort((a, b) => compareTime(a.timeNs ?? 0n, b.timeNs ?? 0n));
}

function compareTime(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
