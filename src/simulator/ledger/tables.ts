// A growing column of numbers in fixed chunks of a typed array: no copying as it grows, the oldest chunk can go.

const CHUNK_BITS = 16;
/** Rows in a chunk; whole chunks are what a table forgets. */
export const CHUNK_ROWS = 1 << CHUNK_BITS;
const CHUNK_MASK = CHUNK_ROWS - 1;

type Numbers = Float64Array | Uint32Array | Uint16Array | Uint8Array;

/** One column of a table. */
class Column {
  readonly #make: () => Numbers;
  readonly #chunks: Numbers[] = [];
  #dropped = 0;

  /** @param kind how wide a number is: doubles hold whole numbers up to 2^53 */
  constructor(kind: { new (length: number): Numbers }) {
    this.#make = () => new kind(CHUNK_ROWS);
  }

  /** Writes a row; rows are written in order, from 0. */
  set(row: number, value: number): void {
    const chunk = (row >>> CHUNK_BITS) - this.#dropped;
    let numbers = this.#chunks[chunk];
    if (numbers === undefined) {
      numbers = this.#make();
      this.#chunks[chunk] = numbers;
    }
    numbers[row & CHUNK_MASK] = value;
  }

  /** Reads a row; NaN for one that was never written or was dropped. */
  at(row: number): number {
    return this.#chunks[(row >>> CHUNK_BITS) - this.#dropped]?.[row & CHUNK_MASK] ?? Number.NaN;
  }

  /** Forgets the oldest chunk. */
  dropChunk(): void {
    this.#chunks.shift();
    this.#dropped++;
  }
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

/** Ids of trades count up from here, over all markets: the row number plus this. */
export const FIRST_TRADE_ID = 700_000_001;

/**
 * The newest trades of all markets, by row number from the first one ever. Reading a number of a row that is not kept
 * answers NaN.
 */
export class TradeTable {
  /** Rows are kept from `first` (included) to `end` (not included). */
  first = 0;
  end = 0;
  readonly #maxRows: number;
  readonly #index = new Column(Float64Array);
  readonly #timeUs = new Column(Float64Array);
  readonly #priceTicks = new Column(Float64Array);
  readonly #sizeLots = new Column(Uint32Array);
  readonly #makerClientOrderId = new Column(Uint32Array);
  readonly #takerClientOrderId = new Column(Uint32Array);
  readonly #maker = new Column(Uint16Array);
  readonly #taker = new Column(Uint16Array);
  /** Twice the market's index, and 1 more when the taker bought. */
  readonly #market = new Column(Uint8Array);

  /** @param maxRows at most one chunk more than this is kept; the oldest go first */
  constructor(maxRows: number) {
    this.#maxRows = maxRows;
  }

  add(trade: TradeRow): void {
    const row = this.end++;
    this.#index.set(row, trade.index);
    this.#timeUs.set(row, trade.timeUs);
    this.#priceTicks.set(row, trade.priceTicks);
    this.#sizeLots.set(row, trade.sizeLots);
    this.#makerClientOrderId.set(row, trade.makerClientOrderId);
    this.#takerClientOrderId.set(row, trade.takerClientOrderId);
    this.#maker.set(row, trade.maker);
    this.#taker.set(row, trade.taker);
    this.#market.set(row, trade.market * 2 + (trade.takerIsBid ? 1 : 0));
    if (this.end - this.first >= this.#maxRows + CHUNK_ROWS) this.#forget();
  }

  /** @throws {RangeError} for a row that is not kept. */
  at(row: number): TradeRow {
    if (row < this.first || row >= this.end) throw new RangeError(`trade ${row} is not kept`);
    const market = this.#market.at(row);
    return {
      index: this.#index.at(row),
      timeUs: this.#timeUs.at(row),
      market: market >>> 1,
      priceTicks: this.#priceTicks.at(row),
      sizeLots: this.#sizeLots.at(row),
      takerIsBid: market % 2 === 1,
      maker: this.#maker.at(row),
      taker: this.#taker.at(row),
      makerClientOrderId: this.#makerClientOrderId.at(row),
      takerClientOrderId: this.#takerClientOrderId.at(row),
    };
  }

  indexAt(row: number): number {
    return this.#index.at(row);
  }

  timeUsAt(row: number): number {
    return this.#timeUs.at(row);
  }

  marketAt(row: number): number {
    return this.#market.at(row) >>> 1;
  }

  /** True when the account made or took the trade of a row, or both. */
  isOf(row: number, account: number): boolean {
    return this.#maker.at(row) === account || this.#taker.at(row) === account;
  }

  #forget(): void {
    for (const column of [
      this.#index,
      this.#timeUs,
      this.#priceTicks,
      this.#sizeLots,
      this.#makerClientOrderId,
      this.#takerClientOrderId,
      this.#maker,
      this.#taker,
      this.#market,
    ]) {
      column.dropChunk();
    }
    this.first += CHUNK_ROWS;
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

/** Ids of liquidations count up from here. */
export const FIRST_LIQUIDATION_ID = 4_100_001;
const MAX_LIQUIDATIONS_KEPT = 100_000;

/** The newest liquidations. */
export class LiquidationLog {
  /** Oldest first; the first one kept has number `first`. */
  readonly rows: Liquidation[] = [];
  first = 0;

  add(liquidation: Liquidation): void {
    this.rows.push(liquidation);
    if (this.rows.length <= MAX_LIQUIDATIONS_KEPT) return;
    this.rows.shift();
    this.first++;
  }

  /** Liquidations so far, with those that are no longer kept. */
  get end(): number {
    return this.first + this.rows.length;
  }
}
