// One text cell of a CSV file: quoted where it must be, and harmless in a spreadsheet.

/** How text becomes a cell. `visible` spells out characters that hide or command; raw cells keep them. */
export interface CellRule {
  readonly isRaw: boolean;
  readonly visible: (text: string) => string;
}

/** Text that needs nothing: printable ASCII without a quote or a comma that does not begin like a formula. */
const PLAIN = /^(?![=+\-@])[\x20\x21\x23-\x2b\x2d-\x7e]*$/;
const NEEDS_QUOTES = /[",\r\n]/;
/** Spreadsheets take text that begins so for a formula (CWE-1236); some of them also the full-width forms. */
const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^[+-]?[0-9]+(?:\.[0-9]+)?$/;

/** Text as a cell. Never throws. */
export function textCell(text: string, { isRaw, visible }: CellRule): string {
  if (PLAIN.test(text)) return text;
  return quoted(isRaw ? text : harmless(text, visible));
}

function harmless(text: string, visible: (text: string) => string): string {
  const shown = visible(text);
  const isFormula = FORMULA.test(text) && !NUMBER.test(text);
  return isFormula ? `'${shown}` : shown;
}

function quoted(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
