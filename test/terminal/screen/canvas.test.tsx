// A Canvas: what it shows, how seldom it is painted, and that nothing of it stays behind.
import { Box, type BoxProps, Text, useInput } from "ink";
import { type ReactNode, useState } from "react";
import { describe, expect, test } from "vitest";
import type { Surface } from "../../../src/terminal/cells/surface.ts";
import { Canvas } from "../../../src/terminal/screen/Canvas.tsx";
import { ChangingText } from "../../support/terminal/changing-text.ts";
import { mountApp } from "../../support/terminal/mounted-app.ts";

const never = () => () => {};

/** Fills its surface with one character. */
const filled = (character: string) => (surface: Surface) => {
  surface.fill(0, 0, surface.width, surface.height, 0, character.charCodeAt(0));
};
const paintA = filled("a");
const paintB = filled("b");

/** Shows the next of its views after each key. */
function Steps({ views }: { readonly views: readonly ReactNode[] }) {
  const [step, setStep] = useState(0);
  useInput(() => setStep((last) => last + 1));
  return <>{views[step % views.length]}</>;
}

describe("a canvas", () => {
  test.each<[string, BoxProps, string[]]>([
    ["fills the box that the layout gives it", { width: 3, height: 2 }, ["aaa", "aaa", "", ""]],
    [
      "stays inside border and padding",
      { width: 6, height: 4, borderStyle: "round", paddingX: 1 },
      ["╭────╮", "│ aa │", "│ aa │", "╰────╯"],
    ],
    [
      "grows",
      { flexGrow: 1, marginLeft: 1, marginRight: 2, marginTop: 2 },
      ["", "", " aaaaa", " aaaaa"],
    ],
    ["has no room and draws nothing", { width: 0, height: 0 }, ["", "", "", ""]],
  ])("%s", async (_, box, rows) => {
    const app = mountApp(<Canvas paint={paintA} source={never} {...box} />, {
      columns: 8,
      rows: 4,
    });
    expect((await app.shown()).text()).toEqual(rows);
  });

  test("is painted again when its source notifies it, and shows the new text", async () => {
    const text = new ChangingText("first");
    const app = mountApp(<Canvas paint={text.paint} source={text.source} height={1} />, {});
    expect((await app.shown()).text()[0]).toBe("first");
    text.set("2nd");
    expect((await app.shown()).text()[0]).toBe("2nd");
  });

  test("is painted again at the earliest of the times that it asks for", async () => {
    const text = new ChangingText("first");
    const waits = [5000, 300];
    let paints = 0;
    const paint = (_surface: Surface, again: (afterMs: number) => void) => {
      paints++;
      const waitMs = waits.shift();
      if (waitMs !== undefined) again(waitMs);
    };
    const app = mountApp(<Canvas paint={paint} source={text.source} height={1} />, {});
    await app.settle();
    text.set("2nd");
    await app.settle();
    expect(paints).toBe(2);
    app.clock.advance(300);
    await app.settle();
    expect(paints).toBe(3);
  });

  test("has the terminal's cursor where the user types, in each frame and only while they do", async () => {
    const text = new ChangingText("ab");
    const paint = (surface: Surface) => {
      text.paint(surface);
      if (surface.width > 0) surface.placeCursor(typedAt, 0);
    };
    let typedAt = 2;
    const app = mountApp(
      <Box flexDirection="column">
        <Text>title</Text>
        <Canvas paint={paint} source={text.source} height={1} marginLeft={3} />
      </Box>,
      { columns: 10, rows: 4 },
    );
    const readable = () => app.writer.take().toString().replaceAll("\u001b", "^");
    await app.settle();
    expect(readable()).toMatch(/\^\[2;6H\^\[\?25h\^\[\?2026l$/);
    typedAt = 3;
    text.set("abc");
    await app.settle();
    expect(readable()).toMatch(/^\^\[\?2026h\^\[\?25l.*c\^\[2;7H\^\[\?25h\^\[\?2026l$/);
    typedAt = 99;
    text.set("abc");
    await app.settle();
    expect(readable()).toBe("^[?2026h^[?25l^[?2026l");
    text.set("abc");
    await app.settle();
    expect(app.writer.take().toString()).toBe("");
  });

  test("shows styles and wide characters", async () => {
    const app = mountApp(<Text>replaced below</Text>);
    const bold = app.styles.id({ bold: true, color: "red" });
    app.mounted.unmount();
    const paint = (surface: Surface) => surface.text(0, 0, "a価b", bold) && surface.text(4, 0, "c");
    const shownApp = mountApp(<Canvas paint={paint} source={never} height={1} />, {
      styles: app.styles,
      columns: 6,
    });
    expect((await shownApp.shown()).cells()[0]).toEqual([
      "a|1|-|bold",
      "価|1|-|bold",
      "",
      "b|1|-|bold",
      "c|-|-",
      " |-|-",
    ]);
    shownApp.mounted.unmount();
  });

  test("leaves nothing behind when it moves, is replaced or goes away", async () => {
    const views = [
      <Canvas key="a" paint={paintA} source={never} width={4} height={2} />,
      <Canvas key="a" paint={paintA} source={never} width={2} height={1} marginLeft={3} />,
      <Canvas key="a" paint={paintB} source={never} width={2} height={2} />,
      <Canvas key="b" paint={paintB} source={never} width={3} height={1} />,
      <Text key="none">-</Text>,
    ];
    const app = mountApp(<Steps views={views} />, { columns: 8, rows: 3 });
    const seen: string[][] = [];
    for (const _ of views) {
      seen.push((await app.shown()).text());
      app.stdin.type("n");
    }
    expect(seen).toEqual([
      ["aaaa", "aaaa", ""],
      ["   aa", "", ""],
      ["bb", "bb", ""],
      ["bbb", "", ""],
      ["-", "", ""],
    ]);
  });

  test("is not painted for the change of another one", async () => {
    const text = new ChangingText("x");
    let paints = 0;
    const count = (surface: Surface) => {
      paints++;
      paintA(surface);
    };
    const app = mountApp(
      <Box>
        <Canvas paint={count} source={never} width={4} height={1} />
        <Canvas paint={text.paint} source={text.source} width={4} height={1} />
      </Box>,
    );
    await app.settle();
    const before = paints;
    text.set("y");
    expect((await app.shown()).text()[0]).toBe("aaaay");
    expect(paints).toBe(before);
  });
});

test("a canvas is painted once a frame, however often its source has changed", async () => {
  const text = new ChangingText("0");
  let paints = 0;
  const paint = (surface: Surface) => {
    paints++;
    text.paint(surface);
  };
  const app = mountApp(<Canvas paint={paint} source={text.source} height={1} />);
  await app.settle();
  paints = 0;
  for (let change = 0; change < 100; change++) text.set(String(change));
  await app.settle();
  expect(paints).toBe(1);
});

test("a canvas has the background of the boxes around it", async () => {
  const paint = (surface: Surface) => surface.text(0, 0, "x");
  const app = mountApp(
    <Box backgroundColor="blue" width={3} height={1}>
      <Canvas paint={paint} source={never} flexGrow={1} />
    </Box>,
    { columns: 4, rows: 1 },
  );
  expect((await app.shown()).cells()[0]).toEqual(["x|-|-", " |-|4", " |-|4", " |-|-"]);
});
