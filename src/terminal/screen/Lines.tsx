// Text for React trees that changes often: headers, short lists, whatever is not worth a Canvas.
import { RESET } from "../cells/sgr.ts";
import type { StyleId, StyleTable } from "../cells/style-table.ts";
import { cutText, textWidth } from "../cells/text-cells.ts";
import { visible } from "../visible.ts";
import { useScreen } from "./screen-context.ts";
import { TextRows } from "./TextRows.tsx";

/** A piece of a line in one style. */
interface Span {
  readonly text: string;
  readonly style?: StyleId | undefined;
}

/** A line: one text in the terminal's own look, or pieces from left to right. */
export type Line = string | readonly Span[];

interface LinesProps {
  /** From top to bottom; may be empty. */
  readonly lines: readonly Line[];
  /** Columns to take; longer lines are cut. */
  readonly width: number;
}

/**
 * Shows lines of text, as a plain `<Text>` would, without the memory that Ink keeps of each text it measures.
 * Controls and invisible characters are spelled out, so text from outside can be passed as it is.
 */
export function Lines({ lines, width }: LinesProps) {
  const { styles } = useScreen();
  return <TextRows rows={lines.map((line) => rowOf(line, width, styles))} width={width} />;
}

function rowOf(line: Line, width: number, styles: StyleTable): string {
  if (typeof line === "string") return cutText(visible(line), width);
  let row = "";
  let left = width;
  for (const { text, style } of line) {
    const shown = cutText(visible(text), left);
    left -= textWidth(shown);
    row += style === undefined ? shown : styles.sequence(style) + shown + RESET;
  }
  return row;
}
