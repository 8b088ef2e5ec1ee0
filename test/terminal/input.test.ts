// What a terminal sends, and the keys that come of it.
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Input, InputParser } from "../../src/terminal/input.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const word = (input: Input) =>
  input.kind === "mouse"
    ? `${input.action} ${input.x} ${input.y}`
    : input.kind === "key"
      ? input.name
      : `${input.kind} ${input.text}`;

/** @param chunks text, or a pause in milliseconds */
function keysOf(...chunks: readonly (string | number)[]): readonly string[] {
  const clock = createVirtualClock();
  const seen: Input[] = [];
  const parser = new InputParser(clock, (input) => seen.push(input));
  for (const chunk of chunks)
    if (typeof chunk === "number") clock.advance(chunk);
    else parser.take(chunk);
  clock.advance(1000);
  return seen.map(word);
}

const TABLE: readonly (readonly [string, readonly string[]])[] = [
  ["a", ["a"]],
  ["qq", ["q", "q"]],
  [" \r\t\u007f", ["space", "enter", "tab", "backspace"]],
  ["\u0003", ["ctrl+c"]],
  ["\u001b", ["escape"]],
  ["\u001b\u001b", ["escape", "escape"]],
  ["\u001b[A\u001b[1;5C\u001bOB", ["up", "ctrl+right", "down"]],
  ["\u001b[5~\u001b[6~\u001b[3~\u001b[Z", ["page-up", "page-down", "delete", "shift+tab"]],
  ["\u001b[[A\u001b[[E\u001bOPq", ["q"]],
  ["\u001bx", ["alt+x"]],
  ["\u001b[97u\u001b[99;5u\u001b[27u", ["a", "ctrl+c", "escape"]],
  ["\u001b[200~a\u001b[Ab\u001b[201~c", ["paste a\u001b[Ab", "c"]],
  ["\u001b[<0;10;5M\u001b[<0;10;5m", ["press 9 4", "release 9 4"]],
  ["\u001b]11;rgb:1e1e/1e1e/2e2e\u001b\\\u001b[?62;c", ["reply 11;rgb:1e1e/1e1e/2e2e", "reply "]],
  ["\u001bP>|xterm\u001b\\q", ["q"]],
  ["宽👍", ["宽", "👍"]],
];

test.for(TABLE)("%j is %j", ([text, keys]) => {
  expect(keysOf(text)).toEqual(keys);
});

test.for(TABLE)("%j, cut anywhere by a slow line, is the same", ([text, keys]) => {
  if (text === "\u001b\u001b") return;
  for (let at = 1; at < text.length; at++) {
    const isPair = text.charCodeAt(at - 1) >= 0xd800 && text.charCodeAt(at - 1) < 0xdc00;
    if (!isPair) expect(keysOf(text.slice(0, at), 90, text.slice(at))).toEqual(keys);
  }
});

test("a lone ESC is a key after a tenth of a second, and what follows it is not Alt", () => {
  expect(keysOf("\u001b", 110, "[B")).toEqual(["escape", "[", "B"]);
  expect(keysOf("\u001b", 2, "[B")).toEqual(["down"]);
});

test("a sequence without an end acts as nothing, and keys work after half a second", () => {
  expect(keysOf("\u001b[12", 600, "q")).toEqual(["q"]);
  expect(keysOf("\u001b]11;rgb:", 600, "q")).toEqual(["q"]);
  expect(keysOf("\u001b[200~lost", 600, "q")).toEqual(["paste lost", "q"]);
});

test("Ctrl+C inside a string that never ends is a key at once", () => {
  const seen: string[] = [];
  const parser = new InputParser(createVirtualClock(), (input) => seen.push(word(input)));
  parser.take("\u001b]11;rgb");
  parser.take("\u0003");
  expect(seen).toContain("ctrl+c");
});

test("a pasted megabyte is one paste of bounded length", () => {
  const [paste = "", ...more] = keysOf(`\u001b[200~${"x".repeat(1_000_000)}\u001b[201~`);
  expect(paste.length).toBeLessThan(70_000);
  expect(more).toEqual([]);
});

test("any text at all, in any parts, leaves a parser that knows the next key", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "binary", maxLength: 20 }), { maxLength: 8 }),
      (parts) => {
        const seen = keysOf(...parts, 600, 600, "\u001b[201~", 600, "z");
        expect(seen.at(-1)).toBe("z");
      },
    ),
    { seed: 20261127, numRuns: 300 },
  );
});
