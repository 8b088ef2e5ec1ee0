// The help in the place of the dashboard: what each key does in the view that is shown, from the table of keys.
import { Box, Text } from "ink";
import Table from "ink-table";
import type { KEYS } from "./keys.ts";

interface HelpProps {
  /** Size of the screen. */
  readonly columns: number;
  readonly rows: number;
  /** Rows that are scrolled out at the top. */
  readonly scroll: number;
  /** Keys of the view that is shown. */
  readonly bindings: typeof KEYS;
}

/** Rows of the frame and of the table's head. */
const FRAME_ROWS = 3;
/** Cells of the frame, and of the blanks around two columns. */
const FRAME_CELLS = 6;
/** Words of a narrower terminal are cut by its edge. */
const MIN_WORDS_CELLS = 8;

/** The help, from the row that it is scrolled to. */
export function Help({ columns, rows, scroll, bindings }: HelpProps) {
  const all = bindings.map(({ keys, words }) => ({
    key: keys.join("  "),
    words,
  }));
  const keyCells = Math.max(...all.map(({ key }) => key.length));
  const wordsRoom = Math.max(MIN_WORDS_CELLS, columns - FRAME_CELLS - keyCells);
  const wordsCells = Math.min(wordsRoom, Math.max(...all.map(({ words }) => words.length)));
  const isWhole = all.length <= rows - FRAME_ROWS;
  const room = Math.max(1, rows - FRAME_ROWS - (isWhole ? 0 : 1));
  // Never further than where the last key stands in the last row.
  const first = Math.min(scroll, Math.max(0, all.length - room));
  const shown = all.slice(first, first + room).map(({ key, words }) => ({
    // Of one width: the columns stay where they are while it is scrolled.
    key: key.padEnd(keyCells),
    "what it does": cutTo(words, wordsCells).padEnd(wordsCells),
  }));
  const place = `${first + 1} to ${first + shown.length} of ${all.length}`;
  return (
    <Box width={columns} height={rows} justifyContent="center" overflow="hidden">
      <Box borderStyle="round" flexDirection="column" alignSelf="flex-start" overflow="hidden">
        <Table data={shown} skeleton={NoLines} header={HeadCell} cell={KeyCell} />
        {isWhole ? null : <Text wrap="truncate">{` ${place}: up, down, pageup, pagedown`}</Text>}
      </Box>
    </Box>
  );
}

function cutTo(words: string, cells: number): string {
  return words.length <= cells ? words : `${words.slice(0, cells - 1)}…`;
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
  return column === 0 ? (
    <Text bold wrap="truncate">
      {text}
    </Text>
  ) : (
    <Text wrap="truncate">{text}</Text>
  );
}
