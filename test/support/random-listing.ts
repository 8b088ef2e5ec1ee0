// A listing that pages as the document says, and in every other respect as its seed says: what `before` is
// compared with, how rows share it, how pages are capped, what changes meanwhile. It shares no code with the program.

/** A row, with only the fields that matter to paging. */
export interface ListedRow {
  readonly trade_id: string;
  readonly tx_hash?: string;
  readonly timestamp_ms: number;
  readonly note: string;
}

export interface ListingOptions {
  readonly transactions: number;
  /** Most steps of the hidden index, of the time in ms and of the id, from one transaction or row to the next. */
  readonly indexGap: number;
  readonly timeGap: number;
  readonly idGap: number;
  /** Transactions with several rows, of a hundred; and their most rows. */
  readonly groupPercent: number;
  readonly groupMost: number;
  /** A transaction of so many rows now and then: one in `giantEvery`; 0 for never. */
  readonly giantEvery: number;
  readonly giantRows: number;
  readonly cursor: "hidden" | "trade_id" | "timestamp_ms";
  /** Most rows of a page, whatever is asked for. */
  readonly cap: number;
  readonly hasHash: boolean;
  /** All rows of a transaction have one trade_id. */
  readonly isIdShared: boolean;
  /** Some rows of a transaction are equal in every field. */
  readonly hasEqualRows: boolean;
  /** Rows of one cursor value come in another order each time. */
  readonly isUnstable: boolean;
  /** Requests of a hundred before which a transaction is added; that fail; that an old copy answers. */
  readonly insertPercent: number;
  readonly failPercent: number;
  readonly lagPercent: number;
}

interface IndexedRow {
  readonly row: ListedRow;
  readonly index: bigint;
}

/** Whole numbers from 0 to below a bound, the same for the same seed. */
type Dice = (below: number) => number;

function createDice(seed: number): Dice {
  let a = (seed * 2_654_435_761) >>> 0;
  let b = 0x9e3779b9 ^ seed;
  return (below) => {
    a = (Math.imul(a, 1_103_515_245) + 12_345) >>> 0;
    b ^= b << 13;
    b ^= b >>> 17;
    b ^= b << 5;
    return Math.floor((((a ^ b) >>> 0) / 4_294_967_296) * below);
  };
}

/** A service of a kind that the seed chooses, and the page size to read it with. */
export function randomListing(seed: number): { options: ListingOptions; limit: number } {
  const dice = createDice(seed);
  for (let warm = 0; warm < 8; warm++) dice(2);
  const limit = 20 + dice(80);
  const cursor = (["hidden", "hidden", "trade_id", "timestamp_ms"] as const)[dice(4)];
  const options = {
    transactions: dice(400),
    indexGap: 1 + dice(1000),
    timeGap: dice(3) > 0 ? 1 + dice(2000) : 1 + dice(2),
    idGap: dice(2) > 0 ? 1 : 1 + dice(50),
    groupPercent: dice(60),
    groupMost: 2 + dice(12),
    giantEvery: dice(5) === 0 ? 150 : 0,
    giantRows: limit + dice(limit),
    cursor: cursor ?? "hidden",
    cap: dice(4) === 0 ? 20 + dice(30) : 1000,
    hasHash: dice(2) === 1,
    isIdShared: dice(4) === 0,
    hasEqualRows: dice(3) === 0,
    isUnstable: dice(3) === 0,
    insertPercent: dice(2) > 0 ? 20 : 0,
    failPercent: dice(2) > 0 ? 10 : 0,
    lagPercent: dice(4) === 0 ? 10 : 0,
  };
  return { options, limit };
}

export class RandomListing {
  readonly options: ListingOptions;
  /** Requests that were answered or refused. */
  requests = 0;
  /** Rows, the oldest counted first, that the copy had from which the newest page came that was not empty. */
  asOfRows = 0;
  readonly #dice: Dice;
  /** Newest first. */
  #rows: IndexedRow[] = [];
  #index = 1_000_000n;
  #timeMs = 1_700_000_000_000;
  #id = 5_000_000n;
  #made = 0;

  constructor(seed: number, options: ListingOptions) {
    this.#dice = createDice(seed + 77_777);
    this.options = options;
    for (let i = 0; i < options.transactions; i++) this.#add();
  }

  /** Everything that is listed now, newest first. */
  get rows(): readonly ListedRow[] {
    return this.#rows.map(({ row }) => row);
  }

  /** The value of each listed row that `before` is compared with. */
  get indexes(): readonly bigint[] {
    return this.#rows.map(({ index }) => index);
  }

  /** A page, or undefined for a request that fails. */
  answer(before: bigint | undefined, limit: number): ListedRow[] | undefined {
    const { insertPercent, failPercent, lagPercent, isUnstable, cap } = this.options;
    this.requests++;
    if (this.#dice(100) < insertPercent) this.#add();
    if (this.#dice(100) < failPercent) return undefined;
    const hidden = this.#dice(100) < lagPercent ? 1 + this.#dice(10) : 0;
    const start = Math.max(hidden, this.#firstBelow(before));
    if (before === undefined && start < this.#rows.length) {
      this.asOfRows ||= this.#rows.length - start;
    }
    const most = Math.min(limit, cap);
    const rows = isUnstable ? this.#shuffled(start, most) : this.#rows.slice(start, start + most);
    return rows.map(({ row }) => row);
  }

  #firstBelow(before: bigint | undefined): number {
    if (before === undefined) return 0;
    let [low, high] = [0, this.#rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#rows[middle]?.index ?? 0n) < before) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #add(): void {
    const { indexGap, timeGap, giantEvery, giantRows } = this.options;
    this.#index += BigInt(1 + this.#dice(indexGap));
    this.#timeMs += this.#dice(timeGap);
    this.#made++;
    const isGiant = giantEvery > 0 && this.#made % giantEvery === giantEvery - 1;
    const count = isGiant ? giantRows : this.#groupSize();
    const group: IndexedRow[] = [];
    for (let i = 0; i < count; i++) group.push(this.#make(group.at(-1)));
    this.#rows.unshift(...group.reverse());
  }

  #groupSize(): number {
    const { groupPercent, groupMost } = this.options;
    return this.#dice(100) < groupPercent ? 2 + this.#dice(groupMost - 1) : 1;
  }

  #make(last: IndexedRow | undefined): IndexedRow {
    const { hasEqualRows, isIdShared, idGap, cursor, hasHash } = this.options;
    if (last !== undefined && hasEqualRows && this.#dice(4) === 0) return last;
    if (last === undefined || !isIdShared) this.#id += BigInt(1 + this.#dice(idGap));
    const row = {
      trade_id: `${this.#id}`,
      ...(hasHash ? { tx_hash: `0x${this.#index.toString(16)}` } : {}),
      timestamp_ms: this.#timeMs,
      note: `${this.#dice(1_000_000)}`,
    };
    const indexes = {
      hidden: this.#index,
      trade_id: this.#id,
      timestamp_ms: BigInt(this.#timeMs),
    };
    return { row, index: indexes[cursor] };
  }

  /** So many rows from a place on, with those of each cursor value in a random order. */
  #shuffled(start: number, count: number): IndexedRow[] {
    const taken: IndexedRow[] = [];
    for (let at = start; at < this.#rows.length && taken.length < count; ) {
      const group = this.#groupFrom(at);
      at += group.length;
      for (let i = 0; i < group.length && taken.length < count; i++) {
        const other = i + this.#dice(group.length - i);
        [group[i], group[other]] = [group[other] as IndexedRow, group[i] as IndexedRow];
        taken.push(group[i] as IndexedRow);
      }
    }
    return taken;
  }

  /** The rows of one cursor value, from a place on. */
  #groupFrom(start: number): IndexedRow[] {
    const index = this.#rows[start]?.index;
    let end = start + 1;
    while (this.#rows[end]?.index === index) end++;
    return this.#rows.slice(start, end);
  }
}
