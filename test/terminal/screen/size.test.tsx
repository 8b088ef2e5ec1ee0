// The size of the terminal: followed, cut to what can be drawn, and never an error.

import fc from "fast-check";
import { Box, Text } from "ink";
import { describe, expect, test } from "vitest";
import { useTerminalSize } from "../../../src/terminal/screen/Canvas.tsx";
import type { TerminalSize } from "../../../src/terminal/screen/screen.ts";
import { runs } from "../../support/soak.ts";
import { HeadlessTerminal } from "../../support/terminal/headless-terminal.ts";
import { mountApp, reactIsIdle } from "../../support/terminal/mounted-app.ts";

function Size() {
  const { columns, rows } = useTerminalSize();
  return <Text>{`${columns}x${rows}`}</Text>;
}

function Framed() {
  return (
    <Box flexDirection="column" flexGrow={1} borderStyle="single">
      <Size />
      <Box flexGrow={1} backgroundColor="blue" padding={1} overflow="hidden">
        <Text>価格 one two three four five six seven eight nine ten</Text>
      </Box>
      <Text wrap="truncate">the last row, which is cut where it is too long</Text>
    </Box>
  );
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
  });

  test("is drawn as soon as React has laid out, without another period", async () => {
    const app = mountApp(<Size />, { columns: 20, rows: 1 });
    const terminal = await app.shown();
    app.clock.advance(100);
    app.stdout.resize(19, 1);
    app.clock.advance(0);
    await reactIsIdle();
    app.clock.advance(0);
    await terminal.write(app.writer.take());
    expect(terminal.text()[0]).toBe("19x1");
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
  });

  test("may jump between nothing and 500 × 500: what is shown equals a fresh screen of that size", async () => {
    const dimension = fc.oneof(fc.nat({ max: 4 }), fc.nat({ max: 40 }), fc.nat({ max: 500 }));
    const sizes = fc.array(fc.tuple(dimension, dimension), { minLength: 1, maxLength: 8 });
    const last = fc.tuple(fc.integer({ min: 2, max: 60 }), fc.integer({ min: 1, max: 12 }));
    await fc.assert(
      fc.asyncProperty(sizes, last, async (jumps, [columns, rows]) => {
        const app = mountApp(<Framed />, { columns: 30, rows: 8 });
        for (const [width, height] of jumps) {
          app.stdout.resize(width, height);
          await app.settle();
        }
        app.stdout.resize(columns, rows);
        app.mounted.screen.redraw();
        app.writer.take();
        await app.settle();
        const terminal = new HeadlessTerminal(columns, rows);
        await terminal.write(app.writer.take());
        const fresh = mountApp(<Framed />, { columns, rows });
        expect(terminal.cells()).toEqual((await fresh.shown()).cells());
        expect(app.reports).toEqual([]);
        app.mounted.unmount();
        fresh.mounted.unmount();
      }),
      { numRuns: runs(8, 25) },
    );
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
  });
});
