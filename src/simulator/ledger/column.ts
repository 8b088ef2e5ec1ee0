// A growing column of numbers in fixed chunks of a typed array: no copying as it grows, the oldest chunk can go.

const CHUNK_BITS = 16;
/** Rows in a chunk; whole chunks are what a table forgets. */
export const CHUNK_ROWS = 1 << CHUNK_BITS;
const CHUNK_MASK = CHUNK_ROWS - 1;

type Numbers = Float64Array | Uint32Array | Uint16Array | Uint8Array;

/** One column of a table. Never throws. */
export class Column {
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
