// Pasted text and mouse reports, as they come from a terminal through Ink, are not taken for keys.
import fc from "fast-check";
import { Text, useInput } from "ink";
import { useState } from "react";
import { expect, test } from "vitest";
import { InputSorter, type SortedInput } from "../../../src/terminal/session/input-sorter.ts";
import { mountApp } from "../../support/terminal/mounted-app.ts";

function Watch({ onInput }: { readonly onInput: (input: SortedInput) => void }) {
  const [sorter] = useState(() => new InputSorter());
  useInput((input) => {
    const sorted = sorter.sort(input);
    if (sorted !== undefined) onInput(sorted);
  });
  return <Text>-</Text>;
}

test("keys, pasted text and the mouse are told apart, however they are cut into chunks", async () => {
  const seen: string[] = [];
  const note = (input: SortedInput) => {
    const what = input.kind === "mouse" ? input.report.action : input.text;
    seen.push(`${input.kind} ${what}`);
  };
  const app = mountApp(<Watch onInput={note} />);
  await app.settle();
  app.stdin.type("jk");
  app.stdin.type("\u001b[200~quit\nnow\u001b[201~x");
  for (const chunk of ["\u001b[200~", "q", "q\u001b[20", "1~", "y"]) app.stdin.type(chunk);
  app.stdin.type("\u001b[<64;3;4M\u001b[<0;1;1m");
  expect(seen).toEqual([
    "keys jk",
    "paste quit\nnow",
    "keys x",
    "paste qq",
    "keys y",
    "mouse wheel-up",
    "mouse release",
  ]);
  app.mounted.unmount();
});

const ESC = "\u001b";

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
    const seen: string[] = [];
    const app = mountApp(<Watch onInput={(input) => seen.push(JSON.stringify(input))} />);
    await app.settle();
    for (const chunk of [sequence, `${ESC}[200~a${sequence}b${ESC}[201~`, "k"])
      app.stdin.type(chunk);
    expect(seen.filter((each) => each !== '{"kind":"keys","text":""}')).toEqual([
      '{"kind":"paste","text":"ab"}',
      '{"kind":"keys","text":"k"}',
    ]);
    expect(app.reports).toEqual([]);
    app.mounted.unmount();
  },
);

test("no sequence that a terminal may send ends the program, or is taken for typed letters", async () => {
  const seen: string[] = [];
  const app = mountApp(
    <Watch onInput={(input) => input.kind === "keys" && seen.push(input.text)} />,
  );
  await app.settle();
  const parameters = fc.string({ unit: fc.constantFrom(..."0123456789;:?>="), maxLength: 8 });
  const final = fc.integer({ min: 0x40, max: 0x7e }).map((code) => String.fromCharCode(code));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 }), parameters, final, (escapes, before, last) => {
      fc.pre(!"[u".includes(last) && !/^20[01]$/.test(before));
      seen.length = 0;
      app.stdin.type(`${ESC.repeat(escapes)}[${before}${last}`);
      expect(seen.join("")).toBe("");
    }),
  );
  expect(app.reports).toEqual([]);
  app.mounted.unmount();
});

test("a paste without end keeps no more than its limit", () => {
  const sorter = new InputSorter();
  sorter.sort("[200~");
  for (let part = 0; part < 100; part++) sorter.sort("x".repeat(10_000));
  const pasted = sorter.sort("[201~");
  expect(pasted?.kind === "paste" && pasted.text.length).toBe(65_536);
  expect(sorter.sort("a")).toEqual({ kind: "keys", text: "a" });
});
