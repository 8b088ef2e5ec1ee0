// Copying with a key: text that is safe to paste and no longer than terminals accept, and a notice for the status line.
import { visible } from "../terminal/visible.ts";

/** Rows of cells; with `hasTitles`, the first is the titles. */
export interface CopiedRows {
  readonly rows: readonly (readonly string[])[];
  readonly hasTitles: boolean;
}

export interface ClipboardOptions {
  readonly send: (text: string) => void;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly isTaken: boolean;
}

/** 100,000 bytes in base64: xterm and others silently drop anything longer. */
export const MAX_COPIED_BYTES = 74_994;
const SENT = "sent to the terminal's clipboard";
const NOT_SUPPORTED = "sent, but this terminal takes none: Shift selects";
const NOTICE_MS = 5_000;
/** Spreadsheets treat text that starts with one of these as a formula (CWE-1236). */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^[+-]?[0-9]+(?:\.[0-9]+)?$/;

export class Clipboard {
  readonly #options: ClipboardOptions;
  #notice = { text: "", untilMs: 0 };

  constructor(options: ClipboardOptions) {
    this.#options = options;
  }

  /** For the status line; empty again after `NOTICE_MS`. */
  get notice(): string {
    const { text, untilMs } = this.#notice;
    return this.#options.now() < untilMs ? text : "";
  }

  get #sent(): string {
    return this.#options.isTaken ? SENT : NOT_SUPPORTED;
  }

  /** Copies nothing if the value is too long: a truncated value would be a different one. */
  copyValue(value: string): void {
    const text = visible(value);
    if (text === "") this.showNotice("nothing to copy here");
    else if (getSize(text) > MAX_COPIED_BYTES)
      this.showNotice("not sent: too long for the clipboard");
    else this.#send(text, `value ${this.#sent}`);
  }

  /** As tab-separated text: as many whole rows as fit, from the first. */
  copyRows({ rows, hasTitles }: CopiedRows): void {
    const lines = fitLines(rows.map(formatLine));
    const titles = hasTitles ? 1 : 0;
    const [copied, all] = [lines.length - titles, rows.length - titles];
    if (all <= 0) this.showNotice("nothing to copy here");
    else if (copied <= 0) this.showNotice("not sent: too long for the clipboard");
    else if (copied < all)
      this.#send(lines.join("\n"), `first ${copied} of ${all} rows ${this.#sent}`);
    else this.#send(lines.join("\n"), `${all} ${all === 1 ? "row" : "rows"} ${this.#sent}`);
  }

  showNotice(text: string): void {
    this.#notice = { text, untilMs: this.#options.now() + NOTICE_MS };
  }

  #send(text: string, notice: string): void {
    this.#options.send(text);
    this.showNotice(notice);
  }
}

/** Makes tabs and line breaks within a cell visible, so that a row stays one line. */
function formatLine(cells: readonly string[]): string {
  const isFormula = (text: string) => FORMULA.test(text) && !NUMBER.test(text);
  return cells.map((text) => visible(isFormula(text) ? `'${text}` : text)).join("\t");
}

function fitLines(lines: readonly string[]): readonly string[] {
  let size = -1;
  const tooMany = lines.findIndex((line) => {
    size += getSize(line) + 1;
    return size > MAX_COPIED_BYTES;
  });
  return tooMany < 0 ? lines : lines.slice(0, tooMany);
}

function getSize(text: string): number {
  return Buffer.byteLength(text, "utf8");
}
