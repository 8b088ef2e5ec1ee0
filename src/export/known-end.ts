// The end of a file that is added to: which of the listed records it holds already, and whether it is of this listing.
import type { RecordReading } from "../listing/paging/record-reading.ts";
import { doubt, type Verdict } from "../listing/paging/verdict.ts";
import { lineReading } from "./lines.ts";
import type { RowFormat } from "./row-format.ts";

/** The last millisecond of an oldest-first file, with all of its lines. */
export class KnownEnd<T> {
  readonly lastMs: number;
  readonly #left: Map<string, number>;
  readonly #textOf: (line: string) => string;
  readonly #reading: RecordReading<T>;
  readonly #format: RowFormat<T>;

  /** @param lines of `lastMs`, each with its line end */
  constructor(
    lastMs: number,
    lines: readonly string[],
    { reading, format }: { readonly reading: RecordReading<T>; readonly format: RowFormat<T> },
  ) {
    this.lastMs = lastMs;
    this.#left = new Map();
    this.#textOf = lineReading(format.header).textOf;
    for (const text of lines.map(this.#textOf)) {
      this.#left.set(text, (this.#left.get(text) ?? 0) + 1);
    }
    this.#reading = reading;
    this.#format = format;
  }

  /** The records that the file does not hold. */
  fresh(records: readonly T[]): readonly T[] {
    return records.filter((record) => {
      const ms = this.#reading.timeMs(record);
      return ms > this.lastMs || (ms === this.lastMs && !this.#take(record));
    });
  }

  /** A proof that reaches down to the end of the file is none if the file's last lines are not in the listing. */
  judge(verdict: Verdict): Verdict {
    if (!verdict.isComplete) return verdict;
    const isWhole = [...this.#left.values()].every((count) => count === 0);
    if (isWhole && verdict.reach !== "max") return verdict;
    return isWhole
      ? doubt("not-reached", this.lastMs, 0)
      : doubt("not-its-continuation", this.lastMs, 0);
  }

  #take(record: T): boolean {
    const lines = this.#format.linesOf(record).map(this.#textOf);
    if (!lines.every((line) => (this.#left.get(line) ?? 0) > 0)) return false;
    for (const line of lines) this.#left.set(line, (this.#left.get(line) ?? 0) - 1);
    return true;
  }
}
