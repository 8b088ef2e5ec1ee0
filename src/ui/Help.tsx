// The help in the place of the dashboard: every key and what it does, from the table of keys.
import { Box, Text } from "ink";
import Table from "ink-table";
import { useTerminalSize } from "../terminal/screen/screen-context.ts";
import { KEYS } from "./keys.ts";

interface HelpProps {
  /** Rows that are scrolled out at the top. */
  readonly scroll: number;
}

/** Rows of the frame and of the table's head. */
const FRAME_ROWS = 3;

const ROWS = KEYS.map(({ keys, words }) => ({ key: keys.join("  "), "what it does": words }));

/** The last scroll that still fills a screen of this height. */
export function lastHelpScroll(rows: number): number {
  return Math.max(0, ROWS.length - Math.max(1, rows - FRAME_ROWS));
}

export function Help({ scroll }: HelpProps) {
  const { columns, rows } = useTerminalSize();
  const first = Math.min(scroll, lastHelpScroll(rows));
  const shown = ROWS.slice(first, first + Math.max(1, rows - FRAME_ROWS));
  return (
    <Box width={columns} height={rows} justifyContent="center" overflow="hidden">
      <Box borderStyle="round" flexDirection="column" alignSelf="flex-start" overflow="hidden">
        <Table data={shown} skeleton={NoLines} cell={KeyCell} />
      </Box>
    </Box>
  );
}

/** The table's own lines would take every second row. */
function NoLines() {
  return <></>;
}

function KeyCell({ column, children }: { readonly column: number; readonly children?: unknown }) {
  const text = String(children);
  return column === 0 ? (
    <Text color="cyan" wrap="truncate">
      {text}
    </Text>
  ) : (
    <Text wrap="truncate">{text}</Text>
  );
}
