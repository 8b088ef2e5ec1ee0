// A change of look that is applied to cells already drawn: a selected row, a depth bar behind numbers.
import type { Style, StyleId, StyleTable } from "./style-table.ts";
import { STYLE_LIMIT } from "./style-table.ts";

const UNKNOWN = 0xffff;

/** Remembers what each style becomes, so that applying it to a cell is one look-up. Make it once, at start. */
export class Restyle {
  readonly #styles: StyleTable;
  readonly #change: Style;
  readonly #results = new Uint16Array(STYLE_LIMIT).fill(UNKNOWN);

  constructor(styles: StyleTable, change: Style) {
    this.#styles = styles;
    this.#change = change;
  }

  /** The style that this one becomes. Never throws. */
  of(style: StyleId): StyleId {
    const known = this.#results[style];
    if (known !== undefined && known !== UNKNOWN) return known;
    const made = this.#styles.derive(style, this.#change);
    this.#results[style] = made;
    return made;
  }
}
