// Pasted text, mouse reports and answers of a terminal, as they come through Ink, are not taken for keys; whatever of them is
// begun and never ended, Ctrl+C works at once, and other keys after a second.
import fc from "fast-check";
import { Text } from "ink";
import { useState } from "react";
import { describe, expect, test } from "vitest";
import { keyNames } from "../../../src/screen/keymap.ts";
import {
  InputSorter,
  type KeyReport,
  type SortedInput,
  useSortedInput,
} from "../../../src/terminal/session/input-sorter.ts";
import { type MountedApp, mountApp, reactIsIdle } from "../../support/terminal/mounted-app.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";

interface WatchProps {
  readonly onInput: (what: string) => void;
  readonly clock: () => VirtualClock;
}

function Watch({ onInput, clock }: WatchProps) {
  const [sorter] = useState(() => {
    const timer = { now: () => clock().now(), next: (call: () => void) => clock().next(call) };
    return new InputSorter(timer, (input) => onInput(worded(input)));
  });
  useSortedInput(sorter);
  return <Text>-</Text>;
}

function worded(input: SortedInput): string {
  if (input.kind === "mouse") return `mouse ${input.report.action}`;
  if (input.kind === "answer") return "";
  if (input.kind === "paste") return `paste ${input.text}`;
  const names = keyNames(input.text, input.report).join(" ");
  return names === "" ? "" : `keys ${names}`;
}

/** An app that writes down what it receives. */
async function watched() {
  const seen: string[] = [];
  const app: MountedApp = mountApp(
    <Watch onInput={(what) => what !== "" && seen.push(what)} clock={() => app.clock} />,
  );
  await app.settle();
  return {
    app,
    seen,
    /** Chunks of one turn of the event loop, and its end. */
    type(...chunks: readonly string[]) {
      for (const chunk of chunks) app.stdin.type(chunk);
      app.clock.advance(0);
    },
    /** Turns in which nothing comes: Ink gives up waiting for the rest of a sequence. */
    turn: reactIsIdle,
    take: () => seen.splice(0).join(", "),
  };
}

const ESC = "\u001b";
const CTRL_C = "\u0003";

test("keys, pasted text and the mouse are told apart, however they are cut into chunks", async () => {
  const { type, seen } = await watched();
  type("jk");
  type(`${ESC}[200~quit\nnow${ESC}[201~x`);
  type(`${ESC}[200~`, "q", `q${ESC}[20`, "1~", "y");
  type(`${ESC}[<64;3;4M${ESC}[<0;1;1m`);
  expect(seen).toEqual([
    "keys j k",
    "paste quit\nnow",
    "keys x",
    "paste qq",
    "keys y",
    "mouse wheel-up",
    "mouse release",
  ]);
});

test("Alt and a key is a key of its own, whatever the key is; Ctrl+C and Escape stay what they are", async () => {
  const { type, turn, take } = await watched();
  const keys = ["q", "Q", "1", ":", "?", "é", "\r", " ", "\u007f", "\u0001", "[A", "\\", "]", "P"];
  for (const key of keys) type(ESC + key);
  await turn();
  expect(take()).toBe(
    [..."qQ1:?é", "return", "space", "backspace", "ctrl+a"]
      .map((key) => `keys alt+${key}`)
      .concat("keys up", "keys alt+\\", "keys alt+]", "keys alt+P")
      .join(", "),
  );
  type(`${ESC}${CTRL_C}`, ESC);
  await turn();
  type("q");
  expect(take()).toBe("keys ctrl+c, keys escape, keys q");
});

test("a sequence is known again where it comes in two pieces, whatever lies between them", async () => {
  const { type, turn, take } = await watched();
  for (let at = 2; at < 6; at++) {
    const end = `${ESC}[201~`;
    type(`${ESC}[200~ab${end.slice(0, at)}`);
    await turn();
    type(`${end.slice(at)}k`);
    expect(take()).toBe("paste ab, keys k");
  }
  for (const at of [3, 5, 8]) {
    const report = `${ESC}[<64;3;4M`;
    type(report.slice(0, at));
    await turn();
    type(`${report.slice(at)}k`);
    expect(take()).toBe("mouse wheel-up, keys k");
  }
});

test.each([
  ["Ctrl+F1", `${ESC}[1;5P`],
  ["Ctrl+F14", `${ESC}[26;5~`],
  ["F14", `${ESC}[26~`],
  ["Ctrl+Tab with modifyOtherKeys", `${ESC}[27;5;9~`],
  ["the answer where the cursor is", `${ESC}[24;80R`],
  ["a colour", `${ESC}[31m`],
  ["Enter of a keypad", `${ESC}OM`],
])(
  "%s has no name here: it ends nothing, and none of its letters is a key",
  async (_, sequence) => {
    const { type, seen, app } = await watched();
    for (const chunk of [sequence, `${ESC}[200~a${sequence}b${ESC}[201~`, "k"]) type(chunk);
    expect(seen).toEqual(["paste ab", "keys k"]);
    expect(app.reports).toEqual([]);
  },
);

test("no sequence that a terminal may send ends the program, or is taken for typed letters", async () => {
  const { type, take, app } = await watched();
  const parameters = fc.string({ unit: fc.constantFrom(..."0123456789;:?>="), maxLength: 8 });
  const final = fc.integer({ min: 0x40, max: 0x7e }).map((code) => String.fromCharCode(code));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 }), parameters, final, (escapes, before, last) => {
      fc.pre(!"[u".includes(last) && !/^20[01]$/.test(before));
      type(`${ESC.repeat(escapes)}[${before}${last}`);
      // Keys that have a name have none of the letters.
      expect(take()).not.toMatch(/keys .*(?<![a-z+])[^a-z+ ,](?![a-z])/);
      expect(take()).toBe("");
    }),
  );
  expect(app.reports).toEqual([]);
});

describe("an answer of the terminal", () => {
  test.each([
    ["a colour", `${ESC}]11;rgb:1e1e/1e1e/2e2e`],
    ["a clipboard", `${ESC}]52;c;aGFjaw==`],
    ["a version", `${ESC}P>|xterm(390)`],
    ["a picture", `${ESC}_Gi=1;OK`],
    ["a private message", `${ESC}^pm`],
  ])("is no key, and the one behind it is: %s", async (_, answer) => {
    const { type, turn, take } = await watched();
    for (const end of [`${ESC}\\`, "\u0007"]) {
      type(`${answer}${end}k`);
      expect(take()).toBe("keys k");
      // In two pieces, as over a slow line.
      type(answer.slice(0, 6));
      await turn();
      type(`${answer.slice(6)}${end}k`);
      expect(take()).toBe("keys k");
    }
  });

  test("that never ends swallows keys for a fifth of a second", async () => {
    const { type, take, app } = await watched();
    type(`${ESC}]11;rgb:`);
    type("j");
    expect(take()).toBe("");
    app.clock.advance(201);
    type("j");
    expect(take()).toBe("keys j");
  });

  test.each([..."]PX^_\\"])("begins like Alt+%s, which is that key", async (letter) => {
    const { type, take } = await watched();
    type(`${ESC}${letter}`);
    type("j");
    expect(take()).toBe(`keys alt+${letter}, keys j`);
  });
});

/** What a terminal may have begun; the decoder of standard input makes the last one of half a letter. */
const UNFINISHED: readonly (readonly [string, string])[] = [
  ["a paste", `${ESC}[200~`],
  ["a paste with text", `${ESC}[200~abc`],
  ["a paste whose end is cut", `${ESC}[200~abc${ESC}[20`],
  ["a paste with half a sequence", `${ESC}[200~abc${ESC}`],
  ["an answer", `${ESC}]11;rgb:1e`],
  ["an answer that has just begun", `${ESC}]`],
  ["a device string", `${ESC}P1$r`],
  ["a sequence", `${ESC}[`],
  ["a sequence with numbers", `${ESC}[1;5`],
  ["a report of the mouse", `${ESC}[<0;12`],
  ["a key of the keypad", `${ESC}O`],
  ["Escape", ESC],
  ["two of it", `${ESC}${ESC}`],
  ["half a letter", "\ufffd"],
  ["typed letters", "jj"],
];

describe.each(UNFINISHED)("behind %s that never ends", (_, begun) => {
  test("Ctrl+C is a key at once: in one piece, in the same turn, a turn later", async () => {
    const { type, turn, seen } = await watched();
    type(begun + CTRL_C);
    expect(seen.splice(0).at(-1)).toMatch(/\bctrl\+c$/);
    type(begun, CTRL_C);
    expect(seen.splice(0).at(-1)).toMatch(/\bctrl\+c$/);
    type(begun);
    await turn();
    type(CTRL_C);
    expect(seen.at(-1)).toMatch(/\bctrl\+c$/);
  });

  test("keys are keys again a second later", async () => {
    const { type, turn, take, app } = await watched();
    type(begun);
    await turn();
    take();
    app.clock.advance(1001);
    type("k");
    expect(take()).toBe("keys k");
  });

  test("a key that is held down does not keep it open", async () => {
    const { type, turn, take, app } = await watched();
    type(begun);
    await turn();
    for (let i = 0; i < 50; i++) {
      app.clock.advance(33);
      type("k");
    }
    expect(take()).toMatch(/(?:keys k, ){5}keys k$/);
  });
});

describe("a paste", () => {
  const sorted = () => {
    const clock = createVirtualClock();
    const seen: SortedInput[] = [];
    const sorter = new InputSorter(clock, (input) => seen.push(input));
    return { clock, seen, take: (input: string, key: KeyReport = {}) => sorter.take(input, key) };
  };

  test("with Ctrl+C in it is a paste", async () => {
    const { type, take } = await watched();
    type(`${ESC}[200~a${CTRL_C}b${ESC}[201~`);
    type(`${ESC}[200~a${CTRL_C}`, `${ESC}[201~`);
    expect(take()).toBe(`paste a${CTRL_C}b, paste a${CTRL_C}`);
  });

  test("may take as long as its text comes, over the slowest line", () => {
    const { clock, seen, take } = sorted();
    take("[200~");
    for (let i = 0; i < 600; i++) {
      clock.advance(100);
      take("q".repeat(10));
    }
    take("[201~");
    expect(seen).toEqual([{ kind: "paste", text: "q".repeat(6000) }]);
  });

  test("without end keeps no more than its limit, and is dropped", () => {
    const { clock, seen, take } = sorted();
    take("[200~");
    for (let part = 0; part < 100; part++) take("x".repeat(10_000));
    take("[201~");
    expect(seen[0]?.kind === "paste" && seen[0].text.length).toBe(65_536);
    take("[200~");
    take("half of it");
    clock.advance(1001);
    take("a");
    expect(seen.slice(1)).toEqual([{ kind: "keys", text: "a", report: {} }]);
  });
});
