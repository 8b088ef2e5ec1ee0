// No text reaches the terminal as a sequence, whichever way it takes to the screen.

import chalk from "chalk";
import fc from "fast-check";
import { Box, Text, Transform } from "ink";
import { afterAll, describe, expect, test } from "vitest";
import { FrameEncoder } from "../../src/terminal/cells/frame-encoder.ts";
import { encodeCell, Grid } from "../../src/terminal/cells/grid.ts";
import { StyleTable } from "../../src/terminal/cells/style-table.ts";
import type { Surface } from "../../src/terminal/cells/surface.ts";
import { Canvas } from "../../src/terminal/screen/Canvas.tsx";
import { visible, visibleJson } from "../../src/terminal/visible.ts";
import { anyCharacter } from "../support/any-character.ts";
import { surfaceOf } from "../support/painted.ts";
import { isSoak, report } from "../support/soak.ts";
import { forbiddenIn } from "../support/terminal/allowed-bytes.ts";
import { ATTACKS, hostileText } from "../support/terminal/hostile-text.ts";
import { mountApp } from "../support/terminal/mounted-app.ts";

/** Texts by the way that they take; in the long form they are a million. */
const COUNTS = isSoak
  ? { mounted: 5000, cells: 195_000, surface: 400_000, visible: 400_000 }
  : { mounted: 30, cells: 300, surface: 400, visible: 400 };
let tried = 0;
const never = () => () => {};

afterAll(() => {
  report(`${tried} hostile texts and frames`);
});

/** Every way by which a text can come to the screen. */
function everyPath(text: string) {
  const paint = (surface: Surface) => {
    surface.text(0, 0, text);
    surface.textRight(surface.width, 1, text);
    for (let index = 0; index < text.length; index++) {
      surface.put(index, 2, text.charCodeAt(index));
      surface.fill(index, 3, 1, 1, 0, text.charCodeAt(index));
    }
  };
  // Ink takes these for colours and calls them, though some, such as `length`, are no functions.
  const color = text in chalk ? "red" : text;
  const border = { top: text, bottom: "x", left: text, right: "x" };
  const corners = { topLeft: text, topRight: "x", bottomLeft: "x", bottomRight: text };
  return (
    <Box flexDirection="column" width={30} height={20}>
      <Text>{text}</Text>
      <Text wrap="truncate" color={color} backgroundColor="red">
        {text} <Text bold>{text}</Text>
      </Text>
      <Transform transform={(line) => line + text}>
        <Text>{text}a</Text>
      </Transform>
      <Box borderStyle={{ ...border, ...corners }} borderColor={color} height={3} flexShrink={0} />
      <Canvas paint={paint} source={never} height={4} flexShrink={0} />
    </Box>
  );
}

async function bytesOf(text: string): Promise<Uint8Array> {
  const { settle, mounted, writer, reports } = mountApp(everyPath(text), {
    columns: 30,
    rows: 20,
  });
  await settle();
  mounted.unmount();
  expect(reports).toEqual([]);
  const bytes = writer.take();
  expect(bytes.length).toBeGreaterThan(100);
  return bytes;
}

/** Allowed in a frame, and so not to be found. */
const STYLES_ONLY = new Set(["\u001b[2J", "\u001b[31;1mred"]);

test("the list of what is allowed separates attacks from frames", () => {
  const bytesOf = (text: string) => Buffer.from(text);
  const encodable = ATTACKS.filter((attack) => !/\p{Cs}/u.test(attack) && !STYLES_ONLY.has(attack));
  for (const attack of encodable) expect(forbiddenIn(bytesOf(attack)), attack).not.toEqual([]);
  expect(forbiddenIn(bytesOf("\u001b[?2026h\u001b[3;4Hab\r\n\u001b[1;38;5;9m価\u001b[m"))).toEqual(
    [],
  );
});

describe("only allowed sequences are written", () => {
  test.each(ATTACKS.map((attack) => [JSON.stringify(attack), attack]))(
    "for %s",
    async (_, attack) => {
      expect(forbiddenIn(await bytesOf(attack))).toEqual([]);
    },
  );

  test("for any text", async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, async (text) => {
        tried++;
        expect(forbiddenIn(await bytesOf(text))).toEqual([]);
      }),
      { numRuns: COUNTS.mounted },
    );
  });

  test("for any number in a cell", () => {
    const styles = new StyleTable();
    const encoder = new FrameEncoder(styles);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 0xffffffff }), { maxLength: 12 }), (cells) => {
        tried++;
        const grid = new Grid(12, 1);
        grid.back.set(cells);
        grid.back.set(cells.slice(0, 4).map((cell) => encodeCell(cell & 0x9f, 0)));
        expect(forbiddenIn(encoder.encode(grid))).toEqual([]);
      }),
      { numRuns: COUNTS.cells },
    );
  });

  test("for any text on a surface", () => {
    const { grid, surface } = surfaceOf(40, 1);
    const encoder = new FrameEncoder(new StyleTable());
    fc.assert(
      fc.property(hostileText, (text) => {
        tried++;
        grid.mustErase = true;
        surface.clear();
        surface.text(0, 0, text);
        expect(forbiddenIn(encoder.encode(grid))).toEqual([]);
      }),
      { numRuns: COUNTS.surface },
    );
  });
});

describe("visible", () => {
  test("leaves nothing that a terminal obeys or hides, and changes nothing else", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        tried++;
        expect(visible(text)).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
      }),
      { numRuns: COUNTS.visible },
    );
    fc.assert(
      fc.property(fc.string({ unit: "grapheme-ascii" }), (text) => {
        expect(visible(text)).toBe(text);
      }),
    );
  });

  test.each([
    ["\u001b[31mred", "\\x1b[31mred"],
    ["\u0007", "\\x07"],
    ["\u009b", "\\x9b"],
    ["a\nb\r\tc", "a\\nb\\r\\tc"],
    ["\u202eusd", "\\u202eusd"],
    ["BTC\u200bUSD", "BTC\\u200bUSD"],
    ["BTC\u200dUSD", "BTC\\u200dUSD"],
    ["BTC\ufe0f", "BTC\\ufe0f"],
    ["\ud800x", "\\ud800x"],
    ["\u{e0041}", "\\u{e0041}"],
    ["C:\\x1b", "C:\\x1b"],
    ["👩‍💻 ❤️ é 価格", "👩‍💻 ❤️ é 価格"],
  ])("%j becomes %j", (text, shown) => {
    expect(visible(text)).toBe(shown);
  });
});

test("JSON made visible is the same JSON, and a terminal obeys nothing of it", () => {
  const value = fc.jsonValue({ stringUnit: anyCharacter });
  fc.assert(
    fc.property(value, fc.constantFrom(...ATTACKS), (inner, attack) => {
      const text = JSON.stringify({ [attack]: [inner, attack] });
      const shown = visibleJson(text);
      expect(JSON.parse(shown)).toEqual(JSON.parse(text));
      expect(visible(shown)).toBe(shown);
    }),
  );
});

test("blanks between values stay blanks, and lines stay lines", () => {
  expect(visibleJson('{\r\n\t"a":\u00851}\nb')).toBe('{ \n "a":\\u00851}\nb');
});
