// A console of Windows: what it is given shows the same, in parts that no line is too short for.
import xterm from "@xterm/headless";
import { expect, test } from "vitest";
import { openConsole } from "../../src/terminal/output.ts";

const [COLUMNS, ROWS] = [80, 12];

async function shown(...texts: readonly string[]): Promise<string[]> {
  const terminal = new xterm.Terminal({ cols: COLUMNS, rows: ROWS, allowProposedApi: true });
  for (const text of texts) await new Promise<void>((resolve) => terminal.write(text, resolve));
  const { active } = terminal.buffer;
  return Array.from({ length: ROWS }, (_, y) => active.getLine(y)?.translateToString() ?? "");
}

test("a frame goes to a console in short parts, each from the first cell, and shows the same", async () => {
  const colours = "\u001b[;1;4;38;2;255;255;255;48;2;100;100;100m";
  const rows = Array.from(
    { length: ROWS },
    (_, y) =>
      `\u001b[${y + 1};3H${"│▲".repeat(10)}${colours}${`${y}`.repeat(20)}\u001b[m\u001b[4C宽👍${"x".repeat(y)}`,
  );
  const frame = `\u001b[?2026h\u001b[2J\u001b]2;a title\u0007${rows.join("")}\u001b[?2026l`;
  const parts: string[] = [];
  const file = openConsole({
    write(part: string, done?: () => void) {
      parts.push(part);
      done?.();
    },
  } as unknown as NodeJS.WriteStream);
  let written = 0;
  file.write(Buffer.from(frame), (_, bytes) => {
    written = bytes;
  });
  expect(written).toBe(Buffer.byteLength(frame));
  for (const part of parts) {
    expect(part.startsWith("\r")).toBe(true);
    expect(part.length).toBeLessThan(COLUMNS);
  }
  expect(await shown(...parts)).toEqual(await shown(frame));
  const [before, enter, leave] = ["a\r\nb\r\n", "\u001b[?1049h", "\u001b[?1049l"];
  const all = [...parts.splice(0)];
  for (const text of [enter, leave]) file.writeNow(text);
  const [taken = "", given = ""] = parts;
  expect(await shown(before, taken, ...all, given, "c")).toEqual(await shown(before, "c"));
});
