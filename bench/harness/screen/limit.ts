// The lower limit of drawing: writes text into cells, compares cells, encodes the differences as bytes, and nothing else.
import { encodeCell, SPACE } from "../../../src/terminal/cells/grid.ts";
import { FRAME_COUNT, type Pane, type Piece, styles, type Way } from "./dashboard-panes.ts";

/** One screen, drawn at the limit. */
export class Limit implements Way {
  readonly firstPaint: number;
  readonly #columns: number;
  readonly #panes: readonly Pane[];
  readonly #back: Uint32Array;
  readonly #front: Uint32Array;
  readonly #bytes: Buffer;
  /** The cursor movement to each cell. */
  readonly #places: readonly Buffer[];
  #length = 0;
  #style = 0;

  constructor(columns: number, rows: number, panes: readonly Pane[]) {
    this.#columns = columns;
    this.#panes = panes;
    this.#back = new Uint32Array(columns * rows).fill(SPACE);
    this.#front = new Uint32Array(columns * rows);
    this.#bytes = Buffer.allocUnsafe(columns * rows * 64);
    this.#places = Array.from(this.#back, (_, at) =>
      Buffer.from(`\x1b[${Math.floor(at / columns) + 1};${(at % columns) + 1}H`),
    );
    this.firstPaint = this.frame(0);
  }

  readonly frame = (index: number): number => {
    for (const pane of this.#panes) {
      for (const piece of pane.frames[index % FRAME_COUNT] ?? []) this.#draw(pane, piece);
    }
    this.#length = 0;
    let next = -1;
    for (let at = 0; at < this.#back.length; at++) {
      const cell = this.#back[at] ?? 0;
      if (cell === this.#front[at]) continue;
      this.#encode(cell, at, at === next);
      this.#front[at] = cell;
      next = at + 1;
    }
    return this.#length;
  };

  #draw({ top, left }: Pane, { x, y, text, style }: Piece): void {
    const from = (top + y) * this.#columns + left + x;
    for (let unit = 0; unit < text.length; unit++) {
      this.#back[from + unit] = encodeCell(text.charCodeAt(unit), style);
    }
  }

  #encode(cell: number, at: number, isNext: boolean): void {
    if (!isNext) this.#appendAll(this.#places[at] ?? this.#bytes);
    if (cell >>> 21 !== this.#style) this.#appendAll(styles.transition(this.#style, cell >>> 21));
    this.#style = cell >>> 21;
    const codePoint = cell & 0x1fffff;
    if (codePoint >= 0x80) {
      this.#bytes[this.#length++] = 0xe0 | (codePoint >> 12);
      this.#bytes[this.#length++] = 0x80 | ((codePoint >> 6) & 63);
    }
    this.#bytes[this.#length++] = codePoint < 0x80 ? codePoint : 0x80 | (codePoint & 63);
  }

  #appendAll(bytes: Uint8Array): void {
    for (let index = 0; index < bytes.length; index++) {
      this.#bytes[this.#length++] = bytes[index] ?? 0;
    }
  }
}
