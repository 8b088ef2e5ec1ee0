// Append-only logs of trades and liquidations over all markets.

interface LogRow {
  /** Consecutive, without gaps. */
  readonly id: number;
  /** Index of its transaction; rows may share one. */
  readonly index: number;
  readonly timeUs: number;
}

/** Fees, values and hashes are derived when read. */
export interface TradeRow extends LogRow {
  readonly market: number;
  readonly priceTicks: number;
  readonly sizeLots: number;
  readonly takerIsBid: boolean;
  readonly maker: number;
  readonly taker: number;
  readonly makerClientOrderId: number;
  readonly takerClientOrderId: number;
}

interface LiquidatedPosition {
  readonly market: number;
  readonly isLong: boolean;
  readonly closedLots: number;
  /** Its remaining margin in quote atoms; negative if the account was bankrupt. */
  readonly marginAtoms: bigint;
}

export interface Liquidation extends LogRow {
  readonly account: number;
  readonly isBankrupt: boolean;
  /** Not empty; at most one per market. */
  readonly positions: readonly LiquidatedPosition[];
}

/** The rows of a log, oldest first: an array is one. */
interface Rows<R> {
  readonly length: number;
  at(position: number): R | undefined;
  push(row: R): void;
  /** Drops the oldest rows. */
  splice(start: 0, count: number): void;
}

/** A row as it is stored: its place says its id. */
type Unnumbered<R> = Omit<R, "id">;

export class Log<R extends LogRow> {
  readonly #rows: Rows<Unnumbered<R>>;
  readonly #maxRows: number;
  /** Of the oldest row. */
  #firstId: number;

  /** @param maxRows may be exceeded by a tenth; then the oldest rows are dropped */
  constructor(firstId: number, maxRows: number, rows: Rows<Unnumbered<R>> = []) {
    this.#firstId = firstId;
    this.#maxRows = maxRows;
    this.#rows = rows;
  }

  get length(): number {
    return this.#rows.length;
  }

  add(row: Unnumbered<R>): void {
    const surplus = Math.ceil(this.#maxRows / 10);
    if (this.length === this.#maxRows + surplus) {
      this.#rows.splice(0, surplus);
      this.#firstId += surplus;
    }
    this.#rows.push(row);
  }

  /** Position after the last row of the transactions before this one. */
  endBefore(index: number | bigint): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#rows.at(middle)?.index ?? 0) < index) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Matching rows of this transaction and all later ones, oldest first. */
  since(index: number, matches: (row: R) => boolean): R[] {
    return this.newest(this.length, matches, this.length, this.endBefore(index)).reverse();
  }

  /** The newest matching rows between two positions, newest first. */
  newest(count: number, matches: (row: R) => boolean, end = this.length, start = 0) {
    const found: R[] = [];
    for (let position = end - 1; position >= start && found.length < count; position--) {
      const row = this.#rows.at(position) as R;
      if (matches(row)) found.push({ ...row, id: this.#firstId + position });
    }
    return found;
  }
}

const WIDTH = 10;

/** Trades as numbers, side by side: as objects, tens of thousands of them would take twice the memory. */
export class PackedTrades implements Rows<Unnumbered<TradeRow>> {
  length = 0;
  readonly #numbers: Float64Array;

  /** @param most how many rows there may be; memory is taken only as they come */
  constructor(most: number) {
    this.#numbers = new Float64Array(most * WIDTH);
  }

  at(position: number): Unnumbered<TradeRow> {
    const number = (place: number) => this.#numbers[position * WIDTH + place] ?? 0;
    return {
      index: number(0),
      timeUs: number(1),
      market: number(2),
      priceTicks: number(3),
      sizeLots: number(4),
      takerIsBid: number(5) === 1,
      maker: number(6),
      taker: number(7),
      makerClientOrderId: number(8),
      takerClientOrderId: number(9),
    };
  }

  push(row: Unnumbered<TradeRow>): void {
    const terms = [row.market, row.priceTicks, row.sizeLots, Number(row.takerIsBid)];
    const parties = [row.maker, row.taker, row.makerClientOrderId, row.takerClientOrderId];
    this.#numbers.set([row.index, row.timeUs, ...terms, ...parties], this.length++ * WIDTH);
  }

  splice(_start: 0, count: number): void {
    this.#numbers.copyWithin(0, count * WIDTH);
    this.length -= count;
  }
}
