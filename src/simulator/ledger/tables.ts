// Every trade of every market and every liquidation, oldest first, each by its row number from the first one ever.

/** Rows are kept from `first` (included) to `end` (not included). */
export interface Table {
  readonly first: number;
  readonly end: number;
  /** Ids count up from here: the id of row 0. */
  readonly firstId: number;
  indexAt(row: number): number;
  timeUsAt(row: number): number;
}

/** One trade, in whole numbers. */
export interface TradeRow {
  /** Index of the transaction that made it; several trades may share one. */
  readonly index: number;
  readonly timeUs: number;
  readonly market: number;
  readonly priceTicks: number;
  readonly sizeLots: number;
  readonly takerIsBid: boolean;
  /** Indexes of the accounts. */
  readonly maker: number;
  readonly taker: number;
  readonly makerClientOrderId: number;
  readonly takerClientOrderId: number;
}

const CHUNK_BITS = 16;
/** Rows in a chunk; whole chunks are what a table forgets. */
export const CHUNK_ROWS = 1 << CHUNK_BITS;
/** Numbers of a row, in the order of `add`. */
const WIDTH = 9;
const MARKET = 2;
const MAKER = 5;
const TAKER = 6;

/** The newest trades, 72 bytes each. Fees, values and hashes follow from these numbers and are worked out when read. */
export class TradeTable implements Table {
  first = 0;
  end = 0;
  readonly firstId = 700_000_001;
  readonly #maxRows: number;
  /** No copying as it grows, and the oldest chunk can go. */
  readonly #chunks: Float64Array[] = [];

  /** @param maxRows at most one chunk more than this is kept; the oldest go first */
  constructor(maxRows: number) {
    this.#maxRows = maxRows;
  }

  add(trade: TradeRow): void {
    const row = this.end++;
    const place = (row & (CHUNK_ROWS - 1)) * WIDTH;
    if (place === 0) this.#chunks.push(new Float64Array(CHUNK_ROWS * WIDTH));
    const numbers = this.#chunks[this.#chunks.length - 1] as Float64Array;
    numbers[place] = trade.index;
    numbers[place + 1] = trade.timeUs;
    numbers[place + MARKET] = trade.market * 2 + (trade.takerIsBid ? 1 : 0);
    numbers[place + 3] = trade.priceTicks;
    numbers[place + 4] = trade.sizeLots;
    numbers[place + MAKER] = trade.maker;
    numbers[place + TAKER] = trade.taker;
    numbers[place + 7] = trade.makerClientOrderId;
    numbers[place + 8] = trade.takerClientOrderId;
    if (this.end - this.first < this.#maxRows + CHUNK_ROWS) return;
    this.#chunks.shift();
    this.first += CHUNK_ROWS;
  }

  /** NaN for a row that is not kept. */
  #numberAt(row: number, column: number): number {
    const chunk = this.#chunks[(row - this.first) >>> CHUNK_BITS];
    return chunk?.[(row & (CHUNK_ROWS - 1)) * WIDTH + column] ?? Number.NaN;
  }

  /** @throws {RangeError} for a row that is not kept. */
  at(row: number): TradeRow {
    if (row < this.first || row >= this.end) throw new RangeError(`trade ${row} is not kept`);
    const number = (column: number) => this.#numberAt(row, column);
    return {
      index: number(0),
      timeUs: number(1),
      market: this.marketAt(row),
      priceTicks: number(3),
      sizeLots: number(4),
      takerIsBid: number(MARKET) % 2 === 1,
      maker: number(MAKER),
      taker: number(TAKER),
      makerClientOrderId: number(7),
      takerClientOrderId: number(8),
    };
  }

  indexAt(row: number): number {
    return this.#numberAt(row, 0);
  }

  timeUsAt(row: number): number {
    return this.#numberAt(row, 1);
  }

  marketAt(row: number): number {
    return this.#numberAt(row, MARKET) >>> 1;
  }

  isOf(row: number, account: number): boolean {
    return this.#numberAt(row, MAKER) === account || this.#numberAt(row, TAKER) === account;
  }
}

export interface LiquidatedPosition {
  readonly market: number;
  readonly isLong: boolean;
  readonly closedLots: number;
  /** Margin that was left for it, in quote atoms; negative when the account was bankrupt. */
  readonly marginAtoms: bigint;
}

export interface Liquidation {
  readonly index: number;
  readonly timeUs: number;
  readonly account: number;
  /** True when only a part of the positions was closed. */
  readonly isPartial: boolean;
  readonly isBankrupt: boolean;
  /** Not empty; a market once at most. */
  readonly positions: readonly LiquidatedPosition[];
}

const MAX_LIQUIDATIONS_KEPT = 100_000;

export class LiquidationLog implements Table {
  /** Oldest first; the first one has row number `first`. */
  readonly rows: Liquidation[] = [];
  first = 0;
  readonly firstId = 4_100_001;

  get end(): number {
    return this.first + this.rows.length;
  }

  add(liquidation: Liquidation): void {
    this.rows.push(liquidation);
    if (this.rows.length <= MAX_LIQUIDATIONS_KEPT) return;
    this.rows.shift();
    this.first++;
  }

  /** @throws {RangeError} for a row that is not kept */
  at(row: number): Liquidation {
    const liquidation = this.rows[row - this.first];
    if (liquidation === undefined) throw new RangeError(`liquidation ${row} is not kept`);
    return liquidation;
  }

  indexAt(row: number): number {
    return this.at(row).index;
  }

  timeUsAt(row: number): number {
    return this.at(row).timeUs;
  }
}
