// A few lines of live data below the prompt: what is above them stays, and nothing of them is left behind.
import xterm from "@xterm/headless";
import { Text, useInput } from "ink";
import { useState } from "react";
import { describe, expect, test } from "vitest";
import type { Terminal } from "../../src/terminal/open-terminal.tsx";
import { useTerminalSize } from "../../src/terminal/screen/Canvas.tsx";
import { restoreSequence } from "../../src/terminal/session/terminal-modes.ts";
import { reactIsIdle } from "../support/terminal/mounted-app.ts";
import { openOnFakes } from "./opened-terminal.tsx";

/** Fills its lines to the last column, differently after each key. */
function Filled({ terminal }: { readonly terminal: Terminal }) {
  const { columns, rows } = useTerminalSize();
  const [count, setCount] = useState(0);
  useInput((input, key) => {
    if (key.ctrl && input === "z") terminal.suspend();
    else setCount((last) => last + 1);
  });
  const lines = Array.from({ length: rows }, (_, y) => `${count}${y} `.repeat(columns));
  return <Text wrap="truncate">{lines.map((line) => line.slice(0, columns)).join("\n")}</Text>;
}

/** The lines that the app above shows. */
function filled(count: number, columns: number, rows: number): string[] {
  return Array.from({ length: rows }, (_, y) =>
    `${count}${y} `.repeat(columns).slice(0, columns).trimEnd(),
  );
}

const PAST = Array.from({ length: 30 }, (_, i) => `output ${i}`);

/** A shell's terminal after some output, with the app in lines of it. the cursor stands behind `pastLines`. */
async function open({ columns = 30, rows = 10, inline = 3, pastLines = 4, isCut = false } = {}) {
  const shell = new xterm.Terminal({
    cols: columns,
    rows,
    allowProposedApi: true,
    // This one moves its cursor with lines that it wraps anew, even with those below it; other terminals do not.
    ...(isCut && { windowsPty: { backend: "conpty", buildNumber: 19_000 } }),
  });
  const write = (bytes: string | Uint8Array) =>
    new Promise<void>((resolve) => shell.write(bytes, resolve));
  const past = PAST.slice(0, pastLines);
  await write(past.map((line) => `${line}\r\n`).join(""));
  const opened = openOnFakes((self) => <Filled terminal={self} />, {
    columns,
    rows,
    inlineRows: inline,
  });
  const { stdout, writer, settle } = opened;
  /** Every line of the terminal, those that were scrolled out first, without the empty ones at its end. */
  const lines = async () => {
    await settle();
    const sent = writer.take();
    await write(sent);
    const { active } = shell.buffer;
    const all = Array.from({ length: active.length }, (_, y) =>
      (active.getLine(y)?.translateToString(false, 0, shell.cols) ?? "").trimEnd(),
    );
    return { sent: sent.toString(), all: all.slice(0, all.findLastIndex(Boolean) + 1) };
  };
  const resize = (toColumns: number, toRows: number) => {
    shell.resize(toColumns, toRows);
    stdout.resize(toColumns, toRows);
  };
  const cursor = () => {
    const { baseY, cursorX, cursorY } = shell.buffer.active;
    return { x: cursorX, y: baseY + cursorY };
  };
  return { ...opened, past, write, lines, resize, cursor, shell };
}

describe("inline", () => {
  test.each([0, 4, 7, 8, 9, 25])(
    "leaves %i lines of output alone, while it draws and when it has gone",
    async (pastLines) => {
      const { past, terminal, stdin, lines, cursor } = await open({ pastLines });
      expect((await lines()).all).toEqual([...past, ...filled(0, 30, 3)]);
      stdin.type("a");
      expect((await lines()).all).toEqual([...past, ...filled(1, 30, 3)]);
      terminal.close();
      expect((await lines()).all).toEqual(past);
      expect(cursor()).toEqual({ x: 0, y: pastLines });
    },
  );

  test("never names a position on the screen, enters no other screen, and takes no mouse", async () => {
    const { terminal, stdin, lines } = await open();
    const first = (await lines()).sent;
    stdin.type("a");
    const second = (await lines()).sent;
    terminal.close();
    const all = `${first}${second}${(await lines()).sent}`;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
    expect(all).not.toMatch(/\u001b\[[\d;]*[Hfd]|\u001b\[2J|\?1049|\?1002h/);
    expect(second).not.toMatch(/\n{2}/);
  });

  test("switches wrapping and the cursor back on", async () => {
    const { terminal, lines, shell } = await open();
    await lines();
    expect(shell.modes.wraparoundMode).toBe(false);
    terminal.close();
    expect((await lines()).sent).toContain("\u001b[?25h");
    expect(shell.modes.wraparoundMode).toBe(true);
  });

  test.each([
    ["narrower", 20, 10],
    ["wider", 44, 10],
    ["lower", 30, 5],
    ["lower than its lines", 30, 2],
    ["higher", 30, 16],
    ["much narrower", 10, 10],
  ])("a terminal made %s has its lines once, below all output", async (_, columns, rows) => {
    for (const pastLines of [2, 9]) {
      const { past, terminal, stdin, lines, resize } = await open({ pastLines, isCut: true });
      await lines();
      resize(columns, rows);
      const shown = Math.min(3, rows);
      const joined = (found: readonly string[]) => found.join("");
      const { all } = await lines();
      expect(all.slice(-shown)).toEqual(filled(0, columns, shown));
      expect(joined(all.slice(0, -shown))).toBe(joined(past));
      stdin.type("a");
      expect((await lines()).all.slice(-shown)).toEqual(filled(1, columns, shown));
      terminal.close();
      expect(joined((await lines()).all)).toBe(joined(past));
    }
  });

  test("goes with a frame that was only half taken, also when the program is killed", async () => {
    for (const end of [(terminal: Terminal) => terminal.close(), undefined]) {
      const { past, terminal, stdin, lines, writer, write, cursor, clock } = await open({
        pastLines: 9,
      });
      await lines();
      stdin.type("a");
      await reactIsIdle();
      clock.advance(20);
      const frame = writer.take();
      expect(frame.length).toBeGreaterThan(40);
      await write(frame.subarray(0, frame.length - 20));
      end?.(terminal);
      // The watcher's part.
      if (end === undefined) await write(restoreSequence({ isInline: true }));
      expect((await lines()).all).toEqual(past);
      expect(cursor()).toEqual({ x: 0, y: 9 });
    }
  });

  test("a stop takes the lines away, and going on draws them where the cursor is then", async () => {
    const { past, process, stdin, lines, writer } = await open();
    await lines();
    process.onKill = (_, signal) => {
      if (signal !== "SIGTSTP") return;
      writer.chunks.push(Buffer.from("$ other\r\n"));
    };
    stdin.type("\u001a");
    const { all } = await lines();
    expect(all).toEqual([...past, "$ other", ...filled(0, 30, 3)]);
  });

  test("takes the whole height where it is lower than what was asked for", async () => {
    const { past, terminal, lines } = await open({ inline: 40, rows: 6 });
    expect((await lines()).all).toEqual([...past, ...filled(0, 30, 6)]);
    terminal.close();
    expect((await lines()).all).toEqual(past);
  });
});
