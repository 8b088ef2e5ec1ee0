// The size of the terminal: followed, cut to what can be drawn, and never an error.
import { Box, Text } from "ink";
import { describe, expect, test } from "vitest";
import { useTerminalSize } from "../../../src/terminal/screen/screen-context.ts";
import type { TerminalSize } from "../../../src/terminal/screen/terminal-size.ts";
import { mountApp } from "../../support/terminal/mounted-app.ts";

function Size() {
  const { columns, rows } = useTerminalSize();
  return <Text>{`${columns}x${rows}`}</Text>;
}

function SizeWatch({ onLayout }: { readonly onLayout: (size: TerminalSize) => void }) {
  onLayout(useTerminalSize());
  return null;
}

describe("the size", () => {
  test("is followed, with a full paint that equals a fresh one", async () => {
    const app = mountApp(
      <Box borderStyle="single" flexGrow={1}>
        <Size />
      </Box>,
      { columns: 20, rows: 5 },
    );
    const terminal = await app.shown();
    expect(terminal.text()[1]).toBe("│20x5              │");
    app.stdout.resize(12, 4);
    terminal.resize(12, 4);
    expect((await app.shown()).text()).toEqual([
      "┌──────────┐",
      "│12x4      │",
      "│          │",
      "└──────────┘",
    ]);
    app.mounted.unmount();
  });

  test("that changes a thousand times between frames lays out a few times", async () => {
    let layouts = 0;
    const app = mountApp(<SizeWatch onLayout={() => layouts++} />);
    await app.settle();
    layouts = 0;
    for (let step = 0; step < 1000; step++) app.stdout.resize(step % 500, (step * 7) % 500);
    await app.settle();
    expect(layouts).toBeLessThanOrEqual(2);
    expect(app.reports).toEqual([]);
    app.mounted.unmount();
  });

  test.each([
    [undefined, undefined, "80x24"],
    [Number.NaN, 10, "80x10"],
    [1e9, 1e9, "2000x1000"],
    [-5, 3, "0x3"],
  ])("%s × %s is taken as %s", async (columns, rows, shown) => {
    let seen = "";
    const watch = <SizeWatch onLayout={({ columns: x, rows: y }) => (seen = `${x}x${y}`)} />;
    const app = mountApp(watch, { columns: 10, rows: 2 });
    app.stdout.resize(columns, rows);
    await app.settle();
    expect(seen).toBe(shown);
    app.mounted.unmount();
  });
});
