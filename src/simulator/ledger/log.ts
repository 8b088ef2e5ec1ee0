// Append-only logs of trades and liquidations over all markets, oldest first.

interface LogRow {
  /** Consecutive, without gaps. */
  readonly id: number;
  /** Index of its transaction; rows may share one. */
  readonly index: number;
  readonly timeUs: number;
}

/** Rows by their position among the stored ones, oldest first. */
export abstract class Log<R extends LogRow> {
  abstract readonly length: number;
  /** @throws {RangeError} for a position without a row */
  abstract at(position: number): R;

  /** Rows of this transaction and all later ones, oldest first. */
  since(index: number): R[] {
    let start = this.length;
    while (start > 0 && this.at(start - 1).index >= index) start--;
    return Array.from({ length: this.length - start }, (_, i) => this.at(start + i));
  }

  /** The newest matching rows before position `end`, newest first. */
  newest(count: number, matches: (row: R) => boolean, end = this.length): R[] {
    const found: R[] = [];
    for (let position = end - 1; position >= 0 && found.length < count; position--) {
      const row = this.at(position);
      if (matches(row)) found.push(row);
    }
    return found;
  }
}

/** Integers only: fees, values and hashes are derived when read. */
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

const CHUNK_BITS = 16;
/** The oldest trades are dropped in chunks of this many. */
export const CHUNK_ROWS = 1 << CHUNK_BITS;
/** Numbers in a row, in the order of `add`. */
const WIDTH = 10;
export const CHUNK_BYTES = CHUNK_ROWS * WIDTH * Float64Array.BYTES_PER_ELEMENT;

/** 80 bytes a trade, outside the heap: half a million objects would take more than twice as much and slow down every collection. */
export class TradeLog extends Log<TradeRow> {
  length = 0;
  readonly #maxRows: number;
  readonly #chunks: Float64Array[] = [];
  #firstId: number;

  /** @param maxRows may be exceeded by a chunk; the oldest rows are dropped */
  constructor(firstId: number, maxRows: number) {
    super();
    this.#firstId = firstId;
    this.#maxRows = maxRows;
  }

  add(trade: Omit<TradeRow, "id">): void {
    const offset = (this.length & (CHUNK_ROWS - 1)) * WIDTH;
    if (offset === 0) this.#chunks.push(new Float64Array(CHUNK_ROWS * WIDTH));
    const numbers = this.#chunks[this.#chunks.length - 1] as Float64Array;
    numbers[offset] = trade.index;
    numbers[offset + 1] = trade.timeUs;
    numbers[offset + 2] = trade.market;
    numbers[offset + 3] = trade.priceTicks;
    numbers[offset + 4] = trade.sizeLots;
    numbers[offset + 5] = trade.takerIsBid ? 1 : 0;
    numbers[offset + 6] = trade.maker;
    numbers[offset + 7] = trade.taker;
    numbers[offset + 8] = trade.makerClientOrderId;
    numbers[offset + 9] = trade.takerClientOrderId;
    this.length++;
    if (this.length < this.#maxRows + CHUNK_ROWS) return;
    this.#chunks.shift();
    this.#firstId += CHUNK_ROWS;
    this.length -= CHUNK_ROWS;
  }

  override at(position: number): TradeRow {
    const chunk = this.#chunks[position >>> CHUNK_BITS];
    if (chunk === undefined || position >= this.length) throw new RangeError(`no row ${position}`);
    const offset = (position & (CHUNK_ROWS - 1)) * WIDTH;
    const number = (column: number) => chunk[offset + column] as number;
    return {
      id: this.#firstId + position,
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
}

export interface LiquidatedPosition {
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

const MAX_LIQUIDATIONS = 100_000;

/** The maximum may be exceeded by a tenth; the oldest rows are dropped. */
export class LiquidationLog extends Log<Liquidation> {
  readonly rows: Liquidation[] = [];
  #nextId = 4_100_001;

  override get length(): number {
    return this.rows.length;
  }

  override at(position: number): Liquidation {
    const row = this.rows[position];
    if (row === undefined) throw new RangeError(`no row ${position}`);
    return row;
  }

  add(liquidation: Omit<Liquidation, "id">): void {
    const surplus = MAX_LIQUIDATIONS / 10;
    const count = this.rows.push({ id: this.#nextId++, ...liquidation });
    if (count > MAX_LIQUIDATIONS + surplus) this.rows.splice(0, surplus);
  }
}
