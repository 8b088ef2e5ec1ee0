// Pasted text and mouse reports, as they come from a terminal through Ink, are not taken for keys.
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

test("a paste without end keeps no more than its limit", () => {
  const sorter = new InputSorter();
  sorter.sort("[200~");
  for (let part = 0; part < 100; part++) sorter.sort("x".repeat(10_000));
  const pasted = sorter.sort("[201~");
  expect(pasted?.kind === "paste" && pasted.text.length).toBe(65_536);
  expect(sorter.sort("a")).toEqual({ kind: "keys", text: "a" });
});
