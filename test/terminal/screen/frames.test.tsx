// Frames of a mounted app: what the first one costs, how often they come, and what a slow terminal gets.
import { Box, Text } from "ink";
import { describe, expect, test } from "vitest";
import { Canvas } from "../../../src/terminal/screen/Canvas.tsx";
import { ChangingText } from "../../support/terminal/changing-text.ts";
import { mountApp } from "../../support/terminal/mounted-app.ts";

describe("frames", () => {
  test("the first one is one write without erase codes, below 12 KB", async () => {
    const { settle, writer } = mountApp(
      <Box borderStyle="round" flexGrow={1}>
        <Text>{"⣿".repeat(2000)}</Text>
      </Box>,
      { columns: 120, rows: 40 },
    );
    await settle();
    expect(writer.chunks.length).toBe(1);
    const bytes = writer.take();
    expect(bytes.toString()).not.toMatch(/\[\d*[JK]/);
    expect(bytes.length).toBeLessThan(12 * 1024);
  });

  test("nothing is written and no timer runs while nothing changes", async () => {
    const value = new ChangingText("a");
    const { settle, writer, clock } = mountApp(
      <Box flexDirection="column">
        <Text>a</Text>
        <Canvas paint={value.paint} source={value.source} height={1} />
      </Box>,
    );
    await settle();
    writer.take();
    clock.advance(60_000);
    await settle();
    expect(writer.chunks.length).toBe(0);
    expect(clock.pending).toBe(0);
  });

  test("come at most 60 times a second, and the last state is shown", async () => {
    const value = new ChangingText("start");
    const app = mountApp(<Canvas paint={value.paint} source={value.source} height={1} />);
    await app.settle();
    const before = app.mounted.screen.statistics.frames;
    for (let tick = 0; tick < 5000; tick++) {
      value.set(`tick ${tick}`);
      app.clock.advance(0.2);
    }
    expect(app.mounted.screen.statistics.frames - before).toBeGreaterThanOrEqual(59);
    expect(app.mounted.screen.statistics.frames - before).toBeLessThanOrEqual(61);
    expect((await app.shown()).text()[0]).toBe("tick 4999");
  });

  test("are counted, with their bytes", async () => {
    const value = new ChangingText("a");
    const app = mountApp(<Canvas paint={value.paint} source={value.source} height={1} />);
    await app.settle();
    value.set("b");
    await app.settle();
    const { frames, bytes, coalesced, lastPaintMs } = app.mounted.screen.statistics;
    expect([frames, bytes, coalesced, lastPaintMs]).toEqual([2, app.writer.take().length, 0, 0]);
  });

  test("a slow terminal gets fewer and newer frames", async () => {
    const value = new ChangingText("start");
    const app = mountApp(<Canvas paint={value.paint} source={value.source} height={1} />);
    await app.shown();
    app.writer.isSlow = true;
    for (let tick = 0; tick < 500; tick++) {
      value.set(`tick ${tick}`);
      app.clock.advance(17);
    }
    expect(app.writer.unanswered).toBe(1);
    expect(app.writer.chunks.length).toBe(1);
    expect(app.mounted.screen.statistics.coalesced).toBeGreaterThan(0);
    app.writer.answer();
    app.clock.advance(17);
    expect(app.writer.chunks.length).toBe(2);
    expect((await app.shown()).text()[0]).toBe("tick 499");
  });
});
