// How many columns and rows the terminal has.

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

const DEFAULT_SIZE: TerminalSize = { columns: 80, rows: 24 };
/** Above these no screen is drawn: a size that is an error must not take the memory of the machine. */
const MAX_COLUMNS = 2000;
const MAX_ROWS = 1000;

/** The present size, cut to what can be drawn. 0 is a size: nothing is drawn. */
export function readSize(source: SizeSource): TerminalSize {
  return {
    columns: clampSize(source.columns, DEFAULT_SIZE.columns, MAX_COLUMNS),
    rows: clampSize(source.rows, DEFAULT_SIZE.rows, MAX_ROWS),
  };
}

/** The same terminal as if it had at most so many rows: those of lines that are drawn inline. */
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

function clampSize(value: number | undefined, fallback: number, most: number): number {
  if (value === undefined || Number.isNaN(value)) return fallback;
  return Math.max(0, Math.min(most, Math.floor(value)));
}
