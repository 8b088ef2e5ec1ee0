// Packed lines come back as they were put in.
import { expect, test } from "vitest";
import { getPosition } from "../../src/timeline/entry.ts";
import { type PackedLine, PackedLines } from "../../src/timeline/history-buffer.ts";

const ROOM = 1000;

/** Adds lines of every sort. @returns them as they were */
function fill(lines: PackedLines, texts: readonly string[]): PackedLine[] {
  return texts.flatMap((text, i): PackedLine[] => {
    const stamp = { t: i, w: 1_800_000_000_000 + i };
    const update = {
      first: i % 3 === 0,
      snapshot: i % 5 === 1 ? (true as const) : undefined,
      part: i % 4 === 1 ? (true as const) : undefined,
      lag: i % 2 === 0 ? undefined : i / 7,
    };
    const event = { ...getPosition(update), atMs: i, channel: "bbo/perp/1", lagMs: update.lag };
    lines.addUpdate(text, event, stamp.w, ROOM);
    lines.addOther({ ...stamp, pass: true }, undefined);
    return [
      { entry: { ...stamp, in: text, update }, channel: "bbo/perp/1" },
      { entry: { ...stamp, pass: true }, channel: undefined },
    ];
  });
}

const read = (lines: PackedLines) => Array.from({ length: lines.count }, (_, i) => lines.at(i));

test("lines come back whatever characters they are of, and there are none behind them", () => {
  const lines = new PackedLines();
  const put = fill(lines, ["{}", "", "é漢😀", '{"type":"update"}', "\u0000\u2028"]);
  expect(read(lines)).toEqual(put);
  expect(lines.at(put.length)).toBeUndefined();
  expect(lines.timeOf(put.length)).toBeUndefined();
  expect(lines.timeOf(2)).toBe(1);
});

test("a first text may be larger than the room", () => {
  const lines = new PackedLines();
  expect(fill(lines, ["é".repeat(ROOM)])).toEqual(read(lines));
});

test("memory of lines that are not kept any more is written over, or left where it is too small", () => {
  const old = new PackedLines();
  fill(old, ["a".repeat(500)]);
  const lines = new PackedLines(old.memory);
  expect(fill(lines, ["b".repeat(300), "c"])).toEqual(read(lines));
  expect(lines.memory).toBe(old.memory);
  const short = new PackedLines(old.memory);
  expect(fill(short, ["e"])).toEqual(read(short));
  const larger = new PackedLines(old.memory);
  expect(fill(larger, ["d".repeat(2 * ROOM)])).toEqual(read(larger));
  expect(larger.memory).not.toBe(old.memory);
});

test("however many lines there are, each has its own numbers and its own channel", () => {
  const lines = new PackedLines();
  const count = 5000;
  for (let i = 0; i < count; i++) {
    const event = {
      ...getPosition({ first: false }),
      atMs: i,
      channel: `c${i % 7}`,
      lagMs: i + 0.5,
    };
    lines.addUpdate(`${i}`, event, -i, 50_000);
  }
  for (let i = 0; i < count; i++) {
    const entry = { t: i, w: -i, in: `${i}`, update: { first: false, lag: i + 0.5 } };
    expect(lines.at(i)).toEqual({ entry, channel: `c${i % 7}` });
  }
  expect(lines.at(-1)).toBeUndefined();
});
