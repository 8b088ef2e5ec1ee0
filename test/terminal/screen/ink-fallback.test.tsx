// Ink's own output stage on our screen: the same picture, whole frames, no flicker and no scrolling.
import { Box, Text } from "ink";
import { describe, expect, test } from "vitest";
import { Canvas } from "../../../src/terminal/screen/Canvas.tsx";
import { Lines } from "../../../src/terminal/screen/Lines.tsx";
import { ChangingText } from "../../support/terminal/changing-text.ts";
import { mountApp } from "../../support/terminal/mounted-app.ts";

function Dashboard({ text }: { readonly text: ChangingText }) {
  return (
    <Box flexDirection="column" flexGrow={1}>
      <Text color="green" bold>
        header
      </Text>
      <Box flexGrow={1}>
        <Canvas paint={text.paint} source={text.source} borderStyle="round" flexGrow={1} />
        <Box borderStyle="single" borderColor="red" width={14}>
          <Text>side 価格</Text>
        </Box>
      </Box>
      <Lines lines={["status", [{ text: "last row" }]]} width={40} />
    </Box>
  );
}

describe("the fallback", () => {
  test("shows what our painter shows, on a screen as high as the terminal, and after a resize", async () => {
    const text = new ChangingText("a");
    const app = <Dashboard text={text} />;
    const ours = mountApp(app, { columns: 40, rows: 8, renderer: "grid" });
    const ink = mountApp(app, { columns: 40, rows: 8, renderer: "ink" });
    for (const next of ["a", "bb", "a"]) {
      text.set(next);
      expect((await ink.shown()).cells()).toEqual((await ours.shown()).cells());
    }
    for (const each of [ours, ink]) {
      (await each.shown()).resize(30, 6);
      each.stdout.resize(30, 6);
    }
    expect((await ink.shown()).cells()).toEqual((await ours.shown()).cells());
    ours.mounted.unmount();
    ink.mounted.unmount();
  });

  test("writes a whole frame at once, from the first row on, and nothing when nothing has changed", async () => {
    const text = new ChangingText("a");
    const app = mountApp(<Dashboard text={text} />, { columns: 40, rows: 8, renderer: "ink" });
    await app.settle();
    app.writer.take();
    await app.settle();
    expect(app.writer.chunks.length).toBe(0);
    text.set("a");
    await app.settle();
    expect(app.writer.chunks.length).toBe(0);
    text.set("b");
    await app.settle();
    expect(app.writer.chunks.length).toBe(1);
    const frame = app.writer.take().toString();
    expect(frame.startsWith("\u001b[?2026h\u001b[1H")).toBe(true);
    expect(frame.endsWith("\u001b[?2026l")).toBe(true);
    expect(frame).not.toContain("\n");
    expect(app.clock.pending).toBe(0);
    app.mounted.unmount();
  });
});
