import { describe, expect, test } from "vitest";
import { toAscii } from "../../../src/terminal/cells/ascii.ts";
import { FrameEncoder } from "../../../src/terminal/cells/frame-encoder.ts";
import { StyleTable } from "../../../src/terminal/cells/style-table.ts";
import { surfaceOf } from "../../support/painted.ts";
import { HeadlessTerminal } from "../../support/terminal/headless-terminal.ts";

const ascii = (text: string) =>
  [...text].map((sign) => String.fromCharCode(toAscii(sign.codePointAt(0) ?? 0))).join("");

describe("ASCII mode", () => {
  test("draws frames, bars, candles and states with signs that look like them", () => {
    expect(ascii("╭─╮│╰╯")).toBe("+-+|++");
    expect(ascii("███▌▏")).toBe("###=-");
    expect(ascii("┃╽╿│╵")).toBe("###||");
    expect(ascii("●○◌↻×⊘▲▼…–")).toBe("*o.~x!^v.-");
    expect(ascii("▸◂≡⋯◐■‖")).toBe("><=.@#|");
    expect(ascii("Zürich")).toBe("Zurich");
  });

  test("knows a printable ASCII character for every code point", () => {
    const codePoints = Array.from({ length: 0x3000 - 0x20 }, (_, i) => 0x20 + i);
    const letters = codePoints.map(toAscii);
    expect(
      codePoints.filter((_, i) => !/^[ -~]$/.test(String.fromCodePoint(letters[i] ?? 0))),
    ).toEqual([]);
  });

  test("writes nothing but ASCII, and everything stays where it is", async () => {
    const styles = new StyleTable();
    const { grid, surface } = surfaceOf(24, 2);
    surface.text(0, 0, "│価格│ 12.5 é😀│ ▲ end");
    surface.text(0, 1, "under");
    const bytes = new FrameEncoder(styles, { isAscii: true }).encode(grid);
    expect(bytes.every((byte) => byte < 0x80)).toBe(true);
    const terminal = new HeadlessTerminal(24, 2);
    await terminal.write(bytes);
    expect(terminal.text()).toEqual(["|? ? | 12.5 e? | ^ end", "under"]);
  });
});

test("a theme with colours of its own fills the whole screen, also after an erase, and leaves the terminal's own style behind", async () => {
  const styles = new StyleTable();
  const { grid, surface } = surfaceOf(6, 2);
  const encoder = new FrameEncoder(styles);
  const terminal = new HeadlessTerminal(6, 2);
  surface.text(0, 0, "a", styles.id({ bold: true }));
  await terminal.write(encoder.encode(grid));
  styles.setBase({ foreground: 0x1010203, background: 0x1f0f0f0 });
  grid.mustErase = true;
  await terminal.write(encoder.encode(grid));
  expect(terminal.cells().flat()).toEqual([
    "a|#010203|#f0f0f0|bold",
    ...Array.from({ length: 11 }, () => " |#010203|#f0f0f0"),
  ]);
  surface.text(3, 1, "b");
  await terminal.write(encoder.encode(grid));
  expect(terminal.cells()[1]?.[3]).toBe("b|#010203|#f0f0f0");
  await terminal.write("\r");
  await terminal.write("x");
  expect(terminal.cells()[1]?.[0]).toBe("x|-|-");
});
