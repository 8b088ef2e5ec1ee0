// Whether the terminal is dark or light: asked once, answered before the first key or not at all, and never a key.
import fc from "fast-check";
import { Text } from "ink";
import { expect, test } from "vitest";
import { keyNames } from "../../../src/screen/keymap.ts";
import { BackgroundQuery } from "../../../src/terminal/session/background.ts";
import {
  InputSorter,
  type SortedInput,
  useSortedInput,
} from "../../../src/terminal/session/input-sorter.ts";
import { type MountedApp, mountApp, reactIsIdle } from "../../support/terminal/mounted-app.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const ESC = "\u001b";
const DA1 = `${ESC}[?62;22c`;
const answer = (color: string, end = "\u0007") => `${ESC}]11;${color}${end}`;

function Asking({ sorter }: { readonly sorter: InputSorter }) {
  useSortedInput(sorter);
  return <Text>-</Text>;
}

/** An app that has asked, what the terminal was sent, and what has come of its answers. */
async function asked() {
  const clock = createVirtualClock();
  const query = new BackgroundQuery(clock);
  const sent: string[] = [];
  const seen: string[] = [];
  query.emit = (sequence) => sent.push(sequence);
  query.onAnswer = (ground) => seen.push(ground);
  const take = (input: SortedInput) => {
    if (input.kind === "answer") query.take(input.text);
    else if (input.kind === "keys") {
      query.end();
      seen.push(...keyNames(input.text, input.report));
    }
  };
  const sorter = new InputSorter(clock, take, () => query.isOpen);
  const app: MountedApp = mountApp(<Asking sorter={sorter} />);
  await app.settle();
  query.ask();
  const type = async (...chunks: readonly string[]) => {
    for (const chunk of chunks) {
      app.stdin.type(chunk);
      clock.advance(0);
      await reactIsIdle();
    }
  };
  return { clock, sent, seen, type, query };
}

test("the terminal is asked for its background, and what it is at the end", async () => {
  const { sent } = await asked();
  expect(sent).toEqual([`${ESC}]11;?${ESC}\\${ESC}[c`]);
});

test.each([
  ["rgb:0000/0000/0000", "dark"],
  ["rgb:1e1e/1e1e/2e2e", "dark"],
  ["rgb:ffff/ffff/ffff", "light"],
  ["rgb:fd/f6/e3", "light"],
  ["rgba:fdfd/f6f6/e3e3/ffff", "light"],
  ["rgb:00/2b/36", "dark"],
  ["rgb:8/8/8", "light"],
])("%s is %s, with either end, in one piece or in two", async (color, ground) => {
  const { seen, type, query } = await asked();
  for (const tail of ["\u0007", `${ESC}\\`]) {
    const whole = answer(color, tail);
    for (const at of [whole.length, 2, 5, 12]) {
      query.ask();
      await type(whole.slice(0, at), whole.slice(at) + DA1, "k");
      expect(seen.splice(0)).toEqual([ground, "k"]);
    }
  }
});

test("an answer that comes behind the end mark, a key or a second changes nothing, and is no key", async () => {
  const late = answer("rgb:ffff/ffff/ffff");
  const first = await asked();
  await first.type(DA1, late);
  expect(first.seen).toEqual([]);
  const second = await asked();
  await second.type("k", late);
  expect(second.seen).toEqual(["k"]);
  const third = await asked();
  third.clock.advance(1001);
  await third.type(late + DA1);
  expect(third.seen).toEqual([]);
});

test("no answer of any form is a key, and a wrong one is no background", async () => {
  const { seen, type, query } = await asked();
  const inner = fc.string({ unit: fc.constantFrom(..."rgb:;/0f1q#?"), maxLength: 80 });
  await fc.assert(
    fc.asyncProperty(inner, async (text) => {
      query.ask();
      await type(`${ESC}]11;${text}\u0007${DA1}`, `${ESC}]${text}${ESC}\\`);
      expect(seen.splice(0).filter((each) => each !== "dark" && each !== "light")).toEqual([]);
    }),
    { numRuns: 30 },
  );
  query.ask();
  for (const wrong of ["rgb:zz/00/00", "#002b36", "rgb:00/00", "red", "rgb:0/00/000", ""])
    await type(answer(wrong));
  expect(seen).toEqual([]);
});

test("a terminal that never answers leaves every key behind the first second as it is", async () => {
  const { clock, seen, type, query } = await asked();
  await type("j");
  expect(query.isOpen).toBe(false);
  query.ask();
  clock.advance(1001);
  await type(`${ESC}]`, "k");
  expect(seen).toEqual(["j", "alt+]", "k"]);
});

test("a terminal is silent at the end mark, at the first key or after a second, and not when it has answered", async () => {
  const ends = [[DA1], ["k"], [], [answer("rgb:0/0/0") + DA1, "k"]];
  const silences = ends.map(async (chunks) => {
    const { clock, type, query } = await asked();
    let count = 0;
    query.onSilence = () => count++;
    await type(...chunks);
    clock.advance(1001);
    return count;
  });
  expect(await Promise.all(silences)).toEqual([1, 1, 1, 0]);
});
