// The lines of a page as the bytes that a file gets.
import type { TradeText } from "../wire/rest/trades-text.ts";

/** As many as a page of 1000 trades needs. */
const FIRST_BYTES = 384 * 1024;
/** Most bytes that one unit of a text becomes in UTF-8. */
const MOST_BYTES = 3;

/** Grows line by line, and is used again for the next page. */
export class Block {
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #end = 0;

  /** Adds text. Never throws. */
  add(text: string): void {
    this.#makeRoom(text.length * MOST_BYTES);
    this.#end += this.#bytes.write(text, this.#end);
  }

  /** Adds the cells of a record, which are bytes already. Never throws. */
  addCells(record: TradeText): void {
    const { cellBytes } = record;
    this.#makeRoom(cellBytes);
    record.copyCells(this.#bytes, this.#end);
    this.#end += cellBytes;
  }

  /** Empties it. @returns its bytes, which change with the next line */
  take(): Uint8Array {
    const bytes = this.#bytes.subarray(0, this.#end);
    this.#end = 0;
    return bytes;
  }

  #makeRoom(bytes: number): void {
    const wanted = this.#end + bytes;
    if (wanted <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(wanted, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#end);
    this.#bytes = larger;
  }
}
