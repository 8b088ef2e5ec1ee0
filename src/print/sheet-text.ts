// The sheets of a view as plain text: nothing here has columns of its own.

import { panesOf } from "../screen/layout.ts";
import type { Sheet, View } from "../screen/pane.ts";
import type { Ui } from "../screen/ui.ts";
import type { Moment } from "../state/moment.ts";
import { textWidth } from "../terminal/width.ts";
import { visible } from "../units/visible.ts";

/** The sheets of a view's panes, in the order of its layout. */
export function sheetsOf(view: View, moment: Moment, ui: Ui): readonly Sheet[] {
  return panesOf(view.layout(ui)).flatMap((pane) => pane.sheet?.(moment, ui) ?? []);
}

const GAP = 2;
/** Words stand at the left, numbers at the right. */
const NUMBER = /^[-+\u2212]?[0-9][0-9,.]*%?$/;

/** Lines of one width a column; what would act in a terminal is spelled out. */
export function sheetText({ columns, rows }: Sheet): string {
  const cells = rows.map((row) => row.map((text) => visible(text)));
  const widths = columns.map((title, i) =>
    cells.reduce((most, row) => Math.max(most, textWidth(row[i] ?? "")), textWidth(title)),
  );
  const isNumber = columns.map((_, i) => cells.some((row) => NUMBER.test(row[i] ?? "")));
  const line = (row: readonly string[]) =>
    row
      .map((text, i) => {
        const space = " ".repeat(Math.max(0, (widths[i] ?? 0) - textWidth(text)));
        return isNumber[i] ? space + text : text + space;
      })
      .join(" ".repeat(GAP))
      .trimEnd();
  return [line(columns), ...cells.map(line)].join("\n");
}

/** A view as text, each sheet under its name where there are several. */
export function viewText(sheets: readonly Sheet[]): string {
  if (sheets.length === 1 && sheets[0] !== undefined) return sheetText(sheets[0]);
  return sheets.map((sheet) => `${sheet.name}\n${sheetText(sheet)}`).join("\n\n");
}
