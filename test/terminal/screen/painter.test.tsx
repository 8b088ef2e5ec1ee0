// Where the painter is meant to differ from Ink, and what Ink has no say in: sizes without room, what covers a canvas.
import { Box, Text, Transform } from "ink";
import { describe, expect, test } from "vitest";
import type { Surface } from "../../../src/terminal/cells/surface.ts";
import { Canvas } from "../../../src/terminal/screen/Canvas.tsx";
import { mountApp } from "../../support/terminal/mounted-app.ts";

async function shownText(app: React.ReactNode, columns = 20, rows = 6): Promise<string[]> {
  const { shown, mounted } = mountApp(app, { columns, rows });
  const text = (await shown()).text();
  mounted.unmount();
  return text;
}

describe("differs from Ink where Ink is wrong", () => {
  test("a cut view inside a cut view shows nothing outside of the outer one", async () => {
    const text = await shownText(
      <Box width={6} height={2} overflow="hidden">
        <Box width={12} height={4} flexShrink={0} overflow="hidden">
          <Text>{"abcdefghijkl\nabcdefghijkl\nabcdefghijkl"}</Text>
        </Box>
      </Box>,
    );
    expect(text).toEqual(["abcdef", "abcdef", "", "", "", ""]);
  });

  test("a transform gets the true number of a line in a scrolled view", async () => {
    const text = await shownText(
      <Box height={2} overflow="hidden" flexDirection="column">
        <Box flexShrink={0} marginTop={-2}>
          <Transform transform={(line, index) => `${index}${line}`}>
            <Text>{"a\nb\nc\nd"}</Text>
          </Transform>
        </Box>
      </Box>,
    );
    expect(text.slice(0, 2)).toEqual(["2c", "3d"]);
  });

  test("bold stays on when dim inside of it ends", async () => {
    const app = mountApp(
      <Text bold>
        a<Text dimColor>b</Text>c
      </Text>,
    );
    const [row = []] = (await app.shown()).cells();
    expect(row.slice(0, 3)).toEqual(["a|-|-|bold", "b|-|-|bold|dim", "c|-|-|bold"]);
  });

  test("a sequence that sets no style is shown, and not obeyed", async () => {
    const text = await shownText(<Text>{"a\u001b[2Kb\u001b]0;c\u0007\u009b1A"}</Text>);
    expect(text[0]).toBe("a\ufffd[2Kb\ufffd]0;c\ufffd\ufffd1A");
  });

  test("text that leaves the screen is cut and does not wrap", async () => {
    const text = await shownText(
      <Box flexShrink={0} width={60}>
        <Text>{"x".repeat(60)}</Text>
      </Box>,
    );
    expect(text).toEqual(["x".repeat(20), "", "", "", "", ""]);
  });

  test("half of a wide character at the edge of a view is a space", async () => {
    const text = await shownText(
      <Box width={3} overflow="hidden">
        <Box flexShrink={0} width={8}>
          <Text>価格上昇</Text>
        </Box>
      </Box>,
    );
    expect(text[0]).toBe("価");
  });
});

describe("has no size that it cannot draw", () => {
  const dashboard = (
    <Box flexDirection="column" flexGrow={1}>
      <Box borderStyle="single" backgroundColor="red" padding={1} flexGrow={1}>
        <Text wrap="truncate">hello world</Text>
      </Box>
      <Box borderStyle="double" width="10%" height="10%">
        <Text>価格</Text>
      </Box>
    </Box>
  );

  test.each([
    [0, 0],
    [1, 1],
    [0, 10],
    [10, 0],
    [2, 1],
    [3, 3],
    [500, 2],
  ])("%d × %d", async (columns, rows) => {
    const { settle, mounted, writer, reports } = mountApp(dashboard, { columns, rows });
    await settle();
    expect(reports).toEqual([]);
    if (columns * rows === 0) expect(writer.take().length).toBe(0);
    mounted.unmount();
    expect(reports).toEqual([]);
  });
});

describe("what lies over a canvas", () => {
  const listeners = new Set<() => void>();
  const source = (onChange: () => void) => {
    listeners.add(onChange);
    return () => listeners.delete(onChange);
  };
  let mark = "a";
  const paint = (surface: Surface) => {
    for (let y = 0; y < surface.height; y++) surface.text(0, y, mark.repeat(surface.width));
  };

  test("stays over it when the canvas changes", async () => {
    const app = mountApp(
      <Box width={8} height={3}>
        <Canvas paint={paint} source={source} flexGrow={1} />
        <Box position="absolute" marginLeft={2} marginTop={1}>
          <Text>over</Text>
        </Box>
      </Box>,
    );
    expect((await app.shown()).text().slice(0, 3)).toEqual(["aaaaaaaa", "aaoveraa", "aaaaaaaa"]);
    mark = "b";
    for (const listener of listeners) listener();
    expect((await app.shown()).text().slice(0, 3)).toEqual(["bbbbbbbb", "bboverbb", "bbbbbbbb"]);
    app.mounted.unmount();
    expect(listeners.size).toBe(0);
  });
});
