// A terminal without a window: takes bytes and has what it shows, cell by cell.
import xterm, { type IBufferCell } from "@xterm/headless";

/** What one cell shows: its character (a space where nothing was written) and its style, in one comparable text. */
export type ShownCell = string;

export class HeadlessTerminal {
  readonly #terminal: InstanceType<typeof xterm.Terminal>;

  constructor(columns: number, rows: number, { convertEol = false } = {}) {
    this.#terminal = new xterm.Terminal({
      cols: columns,
      rows,
      convertEol,
      allowProposedApi: true,
    });
    // Where there is no scroll back and no reflow: a line that scrolls away is missing.
    this.#terminal.write("\u001b[?1049h");
  }

  get columns(): number {
    return this.#terminal.cols;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  write(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(bytes, resolve));
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
  }

  /** The text of each row, without the spaces at its end. */
  text(): string[] {
    return Array.from({ length: this.rows }, (_, y) => this.#line(y).translateToString().trimEnd());
  }

  /** All cells, row by row. The second half of a wide character shows nothing of its own. */
  cells(): ShownCell[][] {
    return Array.from({ length: this.rows }, (_, y) => {
      const line = this.#line(y);
      return Array.from({ length: this.columns }, (_, x) => describeCell(line.getCell(x)));
    });
  }

  #line(y: number) {
    const { active } = this.#terminal.buffer;
    const line = active.getLine(active.baseY + y);
    if (line === undefined) throw new Error(`no row ${y}`);
    return line;
  }
}

function describeCell(cell: IBufferCell | undefined): ShownCell {
  if (cell === undefined) throw new Error("no such cell");
  if (cell.getWidth() === 0) return "";
  const flags = [
    cell.isBold() ? "bold" : "",
    cell.isDim() ? "dim" : "",
    cell.isItalic() ? "italic" : "",
    cell.isUnderline() ? "underline" : "",
    cell.isInverse() ? "inverse" : "",
    cell.isStrikethrough() ? "strikethrough" : "",
  ].filter(Boolean);
  const foreground = describeColor(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor());
  const background = describeColor(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor());
  return [cell.getChars() || " ", foreground, background, ...flags].join("|");
}

function describeColor(isDefault: boolean, isRgb: boolean, value: number): string {
  if (isDefault) return "-";
  return isRgb ? `#${value.toString(16).padStart(6, "0")}` : String(value);
}
