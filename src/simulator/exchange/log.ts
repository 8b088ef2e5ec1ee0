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

export class Log<R extends LogRow> {
  /** Oldest first. */
  readonly rows: R[] = [];
  readonly #maxRows: number;
  #nextId: number;

  /** @param maxRows may be exceeded by a tenth; then the oldest rows are dropped */
  constructor(firstId: number, maxRows: number) {
    this.#nextId = firstId;
    this.#maxRows = maxRows;
  }

  nextId(): number {
    return this.#nextId++;
  }

  add(row: R): void {
    this.rows.push(row);
    const surplus = Math.ceil(this.#maxRows / 10);
    if (this.rows.length > this.#maxRows + surplus) this.rows.splice(0, surplus);
  }

  /** Rows of this transaction and all later ones, oldest first. */
  since(index: number): R[] {
    const start = this.rows.findLastIndex((row) => row.index < index) + 1;
    return this.rows.slice(start);
  }

  /** The newest matching rows before position `end`, newest first. */
  newest(count: number, matches: (row: R) => boolean, end = this.rows.length): R[] {
    const found: R[] = [];
    for (let position = end - 1; position >= 0 && found.length < count; position--) {
      const row = this.rows[position];
      if (row !== undefined && matches(row)) found.push(row);
    }
    return found;
  }
}
