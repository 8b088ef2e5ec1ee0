// The same dashboard as a user of Ink would write it: a Text for each row, drawn by Ink itself.
import { EventEmitter } from "node:events";
import chalk from "chalk";
import { Box, render, Text } from "ink";
import { useSyncExternalStore } from "react";
import { FRAME_COUNT, type Pane } from "./dashboard-panes.ts";

/** A terminal as Ink expects it, which counts bytes. */
class CountingOutput extends EventEmitter {
  readonly isTTY = true;
  readonly columns: number;
  readonly rows: number;
  bytes = 0;

  constructor(columns: number, rows: number) {
    super();
    this.columns = columns;
    this.rows = rows;
  }

  write(text: string): boolean {
    this.bytes += Buffer.byteLength(text);
    return true;
  }
}

/** A dashboard drawn by Ink. `frame` resolves to the number of bytes, once React and Ink have drawn it. */
export interface StockInk {
  readonly frame: (index: number) => Promise<number>;
  readonly unmount: () => void;
}

export function createStockInk(columns: number, rows: number, panes: readonly Pane[]): StockInk {
  chalk.level = 3;
  let index = 0;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const PaneText = ({ pane }: { readonly pane: Pane }) => {
    const shown = useSyncExternalStore(subscribe, () => index);
    return (
      <Box
        borderStyle="round"
        borderColor="gray"
        flexDirection="column"
        width={pane.width + 2}
        height={pane.height + 2}
      >
        {rowsOf(pane, shown).map(({ y, text }) => (
          <Text key={y} wrap="truncate">
            {text}
          </Text>
        ))}
      </Box>
    );
  };
  // One more row than is drawn: at full height Ink would erase the whole terminal for each frame.
  const output = new CountingOutput(columns, rows + 1);
  const app = (
    <Box flexWrap="wrap" width={columns} height={rows}>
      {panes.map((pane) => (
        <PaneText key={`${pane.left}/${pane.top}`} pane={pane} />
      ))}
    </Box>
  );
  const { unmount } = render(app, {
    stdout: output as unknown as NodeJS.WriteStream,
    stdin: Object.assign(new EventEmitter(), { isTTY: false }) as unknown as NodeJS.ReadStream,
    patchConsole: false,
    maxFps: 1000,
  });
  const frame = async (next: number) => {
    const before = output.bytes;
    index = next;
    for (const listener of listeners) listener();
    for (let turn = 0; turn < 100 && output.bytes === before; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return output.bytes - before;
  };
  return { frame, unmount };
}

const COLORS = [chalk.white, chalk.green, chalk.red, chalk.gray];

function rowsOf(pane: Pane, index: number): { y: number; text: string }[] {
  const rows = new Map<number, string>();
  for (const { x, y, text, style } of pane.frames[index % FRAME_COUNT] ?? []) {
    const row = rows.get(y) ?? "";
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the width is measured without colour sequences
    const width = row.replace(/\u001b\[\d+m/g, "").length;
    rows.set(y, `${row}${" ".repeat(Math.max(0, x - width))}${(COLORS[style] ?? String)(text)}`);
  }
  return [...rows].map(([y, text]) => ({ y, text }));
}
