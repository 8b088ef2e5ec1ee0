// The help over the dashboard, which goes on behind it: groups of keys in as many columns as fit.
import { Box, Text } from "ink";
import Table from "ink-table";
import { cutText } from "../terminal/cells/text-cells.ts";
import { type HelpLayout, type HelpLine, layOutHelp } from "./help.ts";
import { CARET } from "./text-field.ts";

interface HelpProps {
  readonly columns: number;
  readonly rows: number;
  readonly scroll: number;
  readonly lines: readonly HelpLine[];
  readonly search: string;
  readonly isTyping: boolean;
}

/** Border, title, and the head of the columns. */
const FRAME_ROWS = 4;
const FRAME_CELLS = 4;
/** Blanks on both sides of a cell of the table. */
const CELL_PADDING = 2;

/** The help, from the line that it is scrolled to. Every cell of it is written: nothing is seen through it. */
export function HelpPanel({ columns, rows, scroll, lines, search, isTyping }: HelpProps) {
  const room = { width: columns - FRAME_CELLS, height: rows - FRAME_ROWS };
  const layout = layOutHelp(lines, { ...room, scroll });
  const { keyCells, wordsCells } = layout;
  const width = layout.columns.length * (keyCells + wordsCells + 2 * CELL_PADDING);
  return (
    <Box position="absolute" width={columns} height={rows} justifyContent="center">
      <Box borderStyle="round" flexDirection="column" alignSelf="flex-start" overflow="hidden">
        <Text bold wrap="truncate">
          {` ${formatTitle(layout, search, isTyping)}`.padEnd(width)}
        </Text>
        <Box>
          {layout.columns.map((column) => (
            <Table
              key={column.map(({ key, words }) => `${key} ${words}`).join("\n")}
              data={column.map((line) => ({
                key: line.key.padEnd(keyCells),
                "what it does": cutText(line.words, wordsCells).padEnd(wordsCells),
              }))}
              skeleton={NoLines}
              header={HeadCell}
              cell={KeyCell}
            />
          ))}
        </Box>
      </Box>
    </Box>
  );
}

function formatTitle(
  { columns, first, count }: HelpLayout,
  search: string,
  isTyping: boolean,
): string {
  const shown = columns.flat().length;
  const isWhole = shown >= count;
  const found = isTyping || search !== "" ? `/${search}${isTyping ? CARET : ""}` : "/ finds";
  return [
    "Keys",
    found,
    isWhole ? "" : `${first + 1} to ${Math.min(count, first + shown)} of ${count}: PgUp PgDn`,
    "Esc closes",
  ]
    .filter(Boolean)
    .join("   ");
}

/** The table's own lines would take every second row. */
function NoLines() {
  return <Box display="none" />;
}

/** Without the blue of the table's own, which vanishes on black. */
function HeadCell({ children }: { readonly children?: unknown }) {
  return (
    <Text bold wrap="truncate">
      {String(children)}
    </Text>
  );
}

function KeyCell({ column, children }: { readonly column: number; readonly children?: unknown }) {
  const text = String(children);
  // A heading.
  const isBold = column === 0 || text.trimStart().startsWith("── ");
  return (
    <Text bold={isBold} wrap="truncate">
      {text}
    </Text>
  );
}
