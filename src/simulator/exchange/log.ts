// Append-only logs of trades and liquidations over all markets. Rows are numbers, side by side: as objects, tens of thousands of
// them would take twice the memory.

/** `index` is that of the transaction: rows may share one. */
const PLACE = ["index", "timeUs", "market"] as const;
/** Lots that the taker bought, negative if it sold; what both realised. Fees, values and hashes are derived when read. */
export const TRADE = [
  ...PLACE,
  ...(["priceTicks", "takerLots", "maker", "taker"] as const),
  ...(["makerClientOrderId", "takerClientOrderId", "makerGainAtoms", "takerGainAtoms"] as const),
] as const;
/** Lots that were closed, negative for a short position; what was left of its margin, negative if the account was bankrupt. */
export const LIQUIDATION = [...PLACE, "account", "lots", "marginAtoms"] as const;

/** Ids are consecutive, without gaps. */
type Row<F extends string> = Readonly<Record<F | "id", number>>;
export type TradeRow = Row<(typeof TRADE)[number]>;
export type Liquidation = Row<(typeof LIQUIDATION)[number]>;

/** Rows in which one of the fields has the value. */
export interface Filter<F extends string> {
  readonly value: number;
  readonly in: readonly F[];
}

/** Rows in a first frame. */
export const BACKLOG = 50;

export class Log<F extends string> {
  length = 0;
  readonly #fields: readonly F[];
  readonly #numbers: Float64Array;
  /** Of the oldest row. */
  #firstId: number;

  /** @param maxRows when there are more, the oldest are dropped; memory is taken only as rows come */
  constructor(fields: readonly F[], firstId: number, maxRows: number) {
    this.#fields = fields;
    this.#firstId = firstId;
    this.#numbers = new Float64Array(maxRows * fields.length);
  }

  /** @param row in the order of the fields */
  add(...row: readonly number[]): void {
    const width = this.#fields.length;
    if (this.length * width === this.#numbers.length) {
      const surplus = Math.ceil(this.length / 10);
      this.#numbers.copyWithin(0, surplus * width);
      this.length -= surplus;
      this.#firstId += surplus;
    }
    this.#numbers.set(row, this.length++ * width);
  }

  /** Position after the last row of the transactions before this one. */
  endBefore(index: number | bigint): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#numbers[middle * this.#fields.length] ?? 0) < index) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Rows of this transaction and all later ones, or some of the newest if it is undefined, oldest first. */
  since(index: number | undefined, filter?: Filter<F>): Row<F>[] {
    if (index === undefined) return this.newest(BACKLOG, filter).reverse();
    return this.newest(this.length, filter, this.length, this.endBefore(index)).reverse();
  }

  /** The newest rows between two positions, newest first. */
  newest(count: number, filter?: Filter<F>, end = this.length, first = 0): Row<F>[] {
    const width = this.#fields.length;
    const places = filter?.in.map((field) => this.#fields.indexOf(field));
    const found: Row<F>[] = [];
    for (let position = end - 1; position >= first && found.length < count; position--) {
      let at = position * width;
      const isMeant = (place: number) => this.#numbers[at + place] === filter?.value;
      if (places?.some(isMeant) === false) continue;
      const row: Record<string, number> = { id: this.#firstId + position };
      for (const field of this.#fields) row[field] = this.#numbers[at++] ?? 0;
      found.push(row as Row<F>);
    }
    return found;
  }
}
