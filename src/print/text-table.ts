// Rows of text as a table of plain lines: columns as wide as their widest cell.
import { textWidth } from "../terminal/cells/text-cells.ts";
import { visible } from "../terminal/visible.ts";

/** One cell; numbers stand on the right. */
export interface TextCell {
  readonly text: string;
  readonly isRight: boolean;
}

/** Text of cells may come from outside: what a terminal would obey is spelled out. */
export function textTable(rows: readonly (readonly TextCell[])[]): string[] {
  const shown = rows.map((row) =>
    row.map(({ text, isRight }) => ({ text: visible(text), isRight })),
  );
  const widths = (shown[0] ?? []).map((_, column) =>
    Math.max(...shown.map((row) => textWidth(row[column]?.text ?? ""))),
  );
  return shown.map((row) => {
    const cells = row.map(({ text, isRight }, column) => {
      const space = " ".repeat(Math.max(0, (widths[column] ?? 0) - textWidth(text)));
      return isRight ? space + text : text + space;
    });
    return cells.join("  ").trimEnd();
  });
}
