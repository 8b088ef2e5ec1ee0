// Widths against a library that has its own tables, and what a text becomes in cells.
import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import {
  CellReader,
  cutText,
  getWidth,
  getWidthClass,
  HIDDEN,
  isPlainUnit,
  isUnsettled,
  MARK,
  NARROW,
  textWidth,
} from "../../../src/terminal/cells/text-cells.ts";
import { anyCharacter } from "../../support/any-character.ts";
import { isSoak, runs } from "../../support/soak.ts";

/** Between code points that are looked at, where most are alike. */
const STEP = isSoak ? 23 : 97;

function cellsOf(text: string): string[] {
  const cells: string[] = [];
  const reader = new CellReader().start(text);
  while (reader.next()) cells.push(`${String.fromCodePoint(reader.codePoint)}${reader.width}`);
  return cells;
}

describe("the width of a code point", () => {
  test("is one settled column for each unit that is drawn without a look-up", () => {
    const plain = Array.from({ length: 0x10000 }, (_, unit) => unit).filter(isPlainUnit);
    const other = plain.filter((unit) => getWidthClass(unit) !== NARROW || isUnsettled(unit));
    expect(other.map((unit) => unit.toString(16))).toEqual([]);
    for (const unit of plain) {
      const text = String.fromCharCode(unit);
      expect(cellsOf(`${text}${text}`)).toEqual([`${text}1`, `${text}1`]);
    }
  });

  test("is that of string-width for those that are written", () => {
    const differing: string[] = [];
    for (let codePoint = 0x20; codePoint <= 0x10ffff; codePoint += codePoint < 0x3400 ? 1 : STEP) {
      const kind = getWidthClass(codePoint);
      if (kind === HIDDEN || kind === MARK) continue;
      const expected = stringWidth(String.fromCodePoint(codePoint));
      if (getWidth(codePoint) !== expected) differing.push(codePoint.toString(16));
    }
    expect(differing).toEqual([]);
  });

  test.each([
    ["a combining acute", 0x301],
    ["an enclosing circle", 0x20dd],
    ["a variation selector", 0xfe0f],
    ["a joiner", 0x200d],
    ["a Hangul vowel", 0x1161],
  ])("is none for %s", (_, codePoint) => {
    expect(getWidthClass(codePoint)).toBe(MARK);
    expect(getWidth(codePoint)).toBe(0);
  });

  test.each([
    ["ESC", 0x1b],
    ["DEL", 0x7f],
    ["CSI in one byte", 0x9b],
    ["a right-to-left override", 0x202e],
    ["a first-strong isolate", 0x2068],
    ["a zero width space", 0x200b],
    ["a byte order mark", 0xfeff],
    ["a soft hyphen", 0xad],
    ["a line separator", 0x2028],
    ["a tag", 0xe0041],
    ["half a pair", 0xd83d],
    ["a Hangul filler", 0x3164],
    ["no character", 0xffff],
    ["no code point", 0x110000],
  ])("is that of its replacement for %s", (_, codePoint) => {
    expect(getWidthClass(codePoint)).toBe(HIDDEN);
    expect(getWidth(codePoint)).toBe(1);
  });

  test("is known to every terminal for ASCII, lines, blocks, Braille and common CJK, not for emoji", () => {
    for (const character of "aé│█⣿▲価한ｶ") {
      if (character !== "ｶ") expect(isUnsettled(character.codePointAt(0) ?? 0)).toBe(false);
    }
    for (const character of "😀⚠☎") expect(isUnsettled(character.codePointAt(0) ?? 0)).toBe(true);
  });
});

describe("a text in cells", () => {
  test.each([
    ["composes marks where it can", "e\u0301a", ["é1", "a1"]],
    ["drops marks that have no composed form", "x\u0301\u0302", ["x1"]],
    ["composes Hangul", "\u1112\u1161\u11ab", ["한2"]],
    ["draws an emoji family as its first member", "👨‍👩‍👧!", ["👨2", "!1"]],
    ["drops a skin tone", "👍🏽a", ["👍2", "a1"]],
    ["keeps emoji that only stand side by side", "👨👩", ["👨2", "👩2"]],
    ["keeps the emoji after a joined pair", "👨‍👩🐶", ["👨2", "🐶2"]],
    ["shows a flag as its two letters", "🇨🇭", ["🇨1", "🇭1"]],
    ["replaces controls", "a\u001b[m\u009b", ["a1", "\ufffd1", "[1", "m1", "\ufffd1"]],
    ["replaces half a pair", "\ud83dx", ["\ufffd1", "x1"]],
    ["replaces an override", "\u202eab", ["\ufffd1", "a1", "b1"]],
  ])("%s", (_, text, cells) => {
    expect(cellsOf(text)).toEqual(cells);
  });

  test("takes the columns that its cells take, and nothing in it may not be written", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const reader = new CellReader().start(text);
        const kinds = new Set<number>();
        let width = 0;
        while (reader.next()) {
          kinds.add(getWidthClass(reader.codePoint));
          width += reader.width;
        }
        expect(kinds.has(HIDDEN) || kinds.has(MARK)).toBe(false);
        expect(textWidth(text)).toBe(width);
      }),
      { numRuns: runs(200, 10_000) },
    );
  });

  test("is cut to the columns asked for, never over and at most one below", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat({ max: 12 }), (text, columns) => {
        const width = textWidth(cutText(text, columns));
        expect(width).toBeLessThanOrEqual(columns);
        expect(width).toBeGreaterThanOrEqual(Math.min(textWidth(text), columns) - 1);
      }),
      { numRuns: runs(200, 10_000) },
    );
  });
});
