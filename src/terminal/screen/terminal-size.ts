// How many columns and rows the terminal has, and when that changes.

/** Columns and rows of the screen: whole numbers, 0 to the limits below. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** The part of a terminal output stream that knows its size. */
export interface SizeSource {
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  on(event: "resize", listener: () => void): unknown;
  off(event: "resize", listener: () => void): unknown;
}

/** What a terminal has that does not say its size. */
const USUAL_SIZE: TerminalSize = { columns: 80, rows: 24 };
/** Above these no screen is drawn: a size that is an error must not take the memory of the machine. */
const MAX_COLUMNS = 2000;
const MAX_ROWS = 1000;

/** The present size, cut to what can be drawn. 0 is a size: nothing is drawn. Never throws. */
export function readSize(source: SizeSource): TerminalSize {
  return {
    columns: clampSize(source.columns, USUAL_SIZE.columns, MAX_COLUMNS),
    rows: clampSize(source.rows, USUAL_SIZE.rows, MAX_ROWS),
  };
}

/** The same terminal as if it had at most so many rows: those of lines that are drawn inline. Never throws. */
export function inlineSize(source: SizeSource, rows: number): SizeSource {
  return {
    get columns() {
      return source.columns;
    },
    get rows() {
      return Math.min(rows, readSize(source).rows);
    },
    on: (event, listener) => source.on(event, listener),
    off: (event, listener) => source.off(event, listener),
  };
}

/** Calls back when the size may have changed. Returns its undo. Never throws. */
export function watchSize(source: SizeSource, callback: () => void): () => void {
  source.on("resize", callback);
  return () => {
    source.off("resize", callback);
  };
}

function clampSize(value: number | undefined, usual: number, most: number): number {
  if (value === undefined || Number.isNaN(value)) return usual;
  return Math.max(0, Math.min(most, Math.floor(value)));
}
