// Every trade of every market and every liquidation, oldest first, each by its row number from the first one ever.

/** Rows are kept from `first` (included) to `end` (not included). */
export interface Table {
  readonly first: number;
  readonly end: number;
  /** Ids count up from here: the id of row 0. */
  readonly firstId: number;
  /** Index of the transaction. */
  indexAt(row: number): number;
  /** Simulated microseconds. */
  timeUsAt(row: number): number;
}

/** One trade, in whole numbers. */
export interface TradeRow {
  /** Index of the transaction that made it; several trades may share one. */
  readonly index: number;
  /** Simulated microseconds. */
  readonly timeUs: number;
  /** Index of the market. */
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
const CHUNK_MASK = CHUNK_ROWS - 1;

type Numbers = Float64Array | Uint32Array | Uint16Array | Uint8Array;

/** A growing column of numbers in chunks of a typed array: no copying as it grows, the oldest chunk can go. */
class Column {
  readonly #make: () => Numbers;
  readonly #chunks: Numbers[] = [];
  #dropped = 0;

  /** @param kind how wide a number is: doubles hold whole numbers up to 2^53 */
  constructor(kind: { new (length: number): Numbers }) {
    this.#make = () => new kind(CHUNK_ROWS);
  }

  /** Rows are written in order, from 0. */
  set(row: number, value: number): void {
    const chunk = (row >>> CHUNK_BITS) - this.#dropped;
    let numbers = this.#chunks[chunk];
    if (numbers === undefined) {
      numbers = this.#make();
      this.#chunks[chunk] = numbers;
    }
    numbers[row & CHUNK_MASK] = value;
  }

  /** NaN for a row that was never written or was dropped. */
  at(row: number): number {
    return this.#chunks[(row >>> CHUNK_BITS) - this.#dropped]?.[row & CHUNK_MASK] ?? Number.NaN;
  }

  dropChunk(): void {
    this.#chunks.shift();
    this.#dropped++;
  }
}

/** The newest trades, 41 bytes each. Fees, values and hashes follow from these numbers and are worked out when read. */
export class TradeTable implements Table {
  first = 0;
  end = 0;
  readonly firstId = 700_000_001;
  readonly #maxRows: number;
  readonly #columns = {
    index: new Column(Float64Array),
    timeUs: new Column(Float64Array),
    priceTicks: new Column(Float64Array),
    sizeLots: new Column(Uint32Array),
    makerClientOrderId: new Column(Uint32Array),
    takerClientOrderId: new Column(Uint32Array),
    maker: new Column(Uint16Array),
    taker: new Column(Uint16Array),
    /** Twice the market's index, and 1 more when the taker bought. */
    market: new Column(Uint8Array),
  };

  /** @param maxRows at most one chunk more than this is kept; the oldest go first */
  constructor(maxRows: number) {
    this.#maxRows = maxRows;
  }

  add(trade: TradeRow): void {
    const row = this.end++;
    const columns = this.#columns;
    columns.index.set(row, trade.index);
    columns.timeUs.set(row, trade.timeUs);
    columns.priceTicks.set(row, trade.priceTicks);
    columns.sizeLots.set(row, trade.sizeLots);
    columns.makerClientOrderId.set(row, trade.makerClientOrderId);
    columns.takerClientOrderId.set(row, trade.takerClientOrderId);
    columns.maker.set(row, trade.maker);
    columns.taker.set(row, trade.taker);
    columns.market.set(row, trade.market * 2 + (trade.takerIsBid ? 1 : 0));
    if (this.end - this.first < this.#maxRows + CHUNK_ROWS) return;
    for (const column of Object.values(columns)) column.dropChunk();
    this.first += CHUNK_ROWS;
  }

  /** @throws {RangeError} for a row that is not kept. */
  at(row: number): TradeRow {
    if (row < this.first || row >= this.end) throw new RangeError(`trade ${row} is not kept`);
    const columns = this.#columns;
    const market = columns.market.at(row);
    return {
      index: columns.index.at(row),
      timeUs: columns.timeUs.at(row),
      market: market >>> 1,
      priceTicks: columns.priceTicks.at(row),
      sizeLots: columns.sizeLots.at(row),
      takerIsBid: market % 2 === 1,
      maker: columns.maker.at(row),
      taker: columns.taker.at(row),
      makerClientOrderId: columns.makerClientOrderId.at(row),
      takerClientOrderId: columns.takerClientOrderId.at(row),
    };
  }

  indexAt(row: number): number {
    return this.#columns.index.at(row);
  }

  timeUsAt(row: number): number {
    return this.#columns.timeUs.at(row);
  }

  marketAt(row: number): number {
    return this.#columns.market.at(row) >>> 1;
  }

  /** True when the account made or took the trade of a row, or both. */
  isOf(row: number, account: number): boolean {
    return this.#columns.maker.at(row) === account || this.#columns.taker.at(row) === account;
  }
}

/** A position as a liquidation found it, and how much of it was closed. */
export interface LiquidatedPosition {
  readonly market: number;
  readonly isLong: boolean;
  readonly closedLots: number;
  /** Margin that was left for it, in quote atoms; negative when the account was bankrupt. */
  readonly marginAtoms: bigint;
}

/** One liquidation of one account. */
export interface Liquidation {
  /** Index of the transaction. */
  readonly index: number;
  readonly timeUs: number;
  /** Index of the account. */
  readonly account: number;
  /** True when only a part of the positions was closed. */
  readonly isPartial: boolean;
  readonly isBankrupt: boolean;
  /** Not empty; a market once at most. */
  readonly positions: readonly LiquidatedPosition[];
}

const MAX_LIQUIDATIONS_KEPT = 100_000;

/** The newest liquidations. */
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
