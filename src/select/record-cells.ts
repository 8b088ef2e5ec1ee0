// The cells of a table's rows, formatted and measured once: a row is replaced by another object when it changes.
import type { OpenRecord } from "../wire/update.ts";
import type { Cell } from "./cells.ts";
import { formatField, headerOf, type RecordFormat } from "./record-format.ts";

/** How text is measured where it will be drawn, in cells. */
export interface TextMeasure {
  readonly width: (text: string) => number;
  readonly cut: (text: string, columns: number) => string;
  /** Text of the service, with everything spelled out that a terminal would obey or hide. */
  readonly visible: (text: string) => string;
}

interface MeasuredCell extends Cell {
  /** Cells of the screen that the text takes. */
  readonly width: number;
}

interface Head {
  readonly header: string;
  /** Numbers stand on the right. */
  readonly isRight: boolean;
}

/** Empties itself when fields are shown otherwise. No method throws. */
export class CellCache {
  readonly #measure: TextMeasure;
  readonly #formatNow: () => RecordFormat;
  #format: RecordFormat | undefined;
  #cells = new WeakMap<OpenRecord, Map<string, MeasuredCell>>();
  readonly #heads = new Map<string, Head>();
  /** The widest that each column has been: columns do not jump while the table is scrolled. */
  readonly #widths = new Map<string, number>();

  constructor(measure: TextMeasure, formatNow: () => RecordFormat) {
    this.#measure = measure;
    this.#formatNow = formatNow;
  }

  /** The cell of a row in a column, as it is shown now. */
  cellOf(record: OpenRecord, column: string): MeasuredCell {
    const format = this.#formatInForce();
    const cells = this.#cells.get(record) ?? new Map<string, MeasuredCell>();
    const known = cells.get(column);
    if (known !== undefined) return known;
    const { text: raw, kind } = formatField(format, record, column);
    const text = this.#measure.visible(raw);
    const cell = { text, kind, width: this.#measure.width(text) };
    this.#cells.set(record, cells.set(column, cell));
    return cell;
  }

  /** The widest of the rows, of which text counts no more than `maxText`. */
  widthOf(column: string, rows: readonly OpenRecord[], maxText: number): number {
    this.#formatInForce();
    let widest = this.#widths.get(column) ?? 0;
    for (const row of rows) {
      const { width, kind } = this.cellOf(row, column);
      const counted = kind === "text" || kind === "address" ? Math.min(maxText, width) : width;
      if (counted > widest) widest = counted;
      if (kind !== "missing" && !this.#heads.has(column)) this.#learn(row, column);
    }
    this.#widths.set(column, widest);
    return widest;
  }

  /** What stands over a column: by the first value that was seen in it. */
  headOf(column: string): Head {
    return this.#heads.get(column) ?? { header: this.#headerOf([], column), isRight: false };
  }

  #learn(row: OpenRecord, column: string): void {
    const isRight = this.cellOf(row, column).kind === "number";
    this.#heads.set(column, { header: this.#headerOf([row], column), isRight });
  }

  #headerOf(rows: readonly OpenRecord[], column: string): string {
    return this.#measure.visible(headerOf(this.#formatInForce(), rows, column));
  }

  #formatInForce(): RecordFormat {
    const format = this.#formatNow();
    if (format !== this.#format) {
      this.#format = format;
      this.#cells = new WeakMap();
      this.#heads.clear();
      this.#widths.clear();
    }
    return format;
  }
}
