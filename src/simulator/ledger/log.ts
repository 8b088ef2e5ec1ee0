// Every trade of every market and every liquidation, oldest first.

interface LogRow {
  /** Rows are numbered without gaps. */
  readonly id: number;
  /** Of the transaction that made it; rows may share one. */
  readonly index: number;
  readonly timeUs: number;
}

export class Log<R extends LogRow> {
  readonly rows: R[] = [];
  readonly #maxRows: number;
  #nextId: number;

  /** @param maxRows at most a tenth more than this is kept; the oldest go first */
  constructor(firstId: number, maxRows: number) {
    this.#nextId = firstId;
    this.#maxRows = maxRows;
  }

  add(row: Omit<R, "id">): R {
    const added = { id: this.#nextId++, ...row } as R;
    const surplus = Math.ceil(this.#maxRows / 10);
    if (this.rows.push(added) > this.#maxRows + surplus) this.rows.splice(0, surplus);
    return added;
  }

  /** Those of a transaction and of all after it, oldest first. */
  since(index: number): R[] {
    let start = this.rows.length;
    while ((this.rows[start - 1]?.index ?? -1) >= index) start--;
    return this.rows.slice(start);
  }

  /** The newest ones that match, of those before position `end`; newest first. */
  newest(count: number, matches: (row: R) => boolean, end = this.rows.length): R[] {
    const found: R[] = [];
    for (let at = end - 1; at >= 0 && found.length < count; at--) {
      const row = this.rows[at];
      if (row !== undefined && matches(row)) found.push(row);
    }
    return found;
  }
}

/** In whole numbers: fees, values and hashes follow from these and are worked out when read. */
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

export interface LiquidatedPosition {
  readonly market: number;
  readonly isLong: boolean;
  readonly closedLots: number;
  /** Margin that was left for it, in quote atoms; negative when the account was bankrupt. */
  readonly marginAtoms: bigint;
}

export interface Liquidation extends LogRow {
  readonly account: number;
  /** True when only a part of the positions was closed. */
  readonly isPartial: boolean;
  readonly isBankrupt: boolean;
  /** Not empty; a market once at most. */
  readonly positions: readonly LiquidatedPosition[];
}
