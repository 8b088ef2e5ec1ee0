// Records whose fields the document does not list, as markets and market-stats send them: the first frame
// is the list, later ones change or add by key. Fields are kept as they came. Reading: docs/adr/0007.
import type { OpenRecord } from "../protocol/channels/update.ts";
import type { Aliases } from "./aliases.ts";
import { type KeyCandidate, RecordKey } from "./record-key.ts";

/** Records that are kept: that more came is said wherever the list is. */
const MAX_RECORDS = 50_000;

/** The key of a market's record: type and id, since ids of spot and perp markets may overlap. */
export const MARKET_KEYS: readonly KeyCandidate[] = [["marketType", "marketRecord"], ["symbol"]];

/** Records, each key once. Only the fold changes it. */
export class RecordsState {
  readonly #aliases: Aliases;
  readonly #keys: readonly KeyCandidate[];
  #key: RecordKey;
  #held = new Map<string, OpenRecord>();
  #records: readonly OpenRecord[] | undefined;
  #isCut = false;

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
    return copy;
  }

  /** The fields that tell records apart, as in `market_type/market_id`; empty when none do. */
  get key(): string {
    return this.#key.words;
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

  /** Folds in the records of an update; those of a first one replace everything. */
  update(came: readonly OpenRecord[], isFirst: boolean): void {
    this.#records = undefined;
    if (isFirst) {
      this.#held = new Map();
      this.#isCut = false;
    }
    if (!this.#tellsApart(came)) this.#key.choose(came);
    // Without a key, nothing says which of the held records one of these replaces.
    if (this.#key.words === "" && came.length > 0) {
      this.#held = new Map();
      this.#isCut = false;
    }
    for (const [i, record] of came.entries()) {
      const key = this.#key.of(record) ?? `#${i}`;
      if (this.#held.size < MAX_RECORDS || this.#held.has(key)) this.#held.set(key, record);
      else this.#isCut = true;
    }
  }

  #tellsApart(came: readonly OpenRecord[]): boolean {
    return came.length === 0 || (this.#key.words !== "" && this.#key.fits(came));
  }
}
