// A copy of a state has every field of it, and stays as it is: what is forgotten or shared would show only in some past.
import { readdirSync, readFileSync } from "node:fs";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { copyState } from "../../src/state/copy-state.ts";
import { OrderbookState } from "../../src/state/orderbook.ts";
import type { OrderbookUpdate } from "../../src/wire/channels/orderbook.ts";
import { composeStream } from "../adversary/compose-stream.ts";
import { openComposed } from "../support/composed-session.ts";
import { level } from "../support/market-feed.ts";
import { runs } from "../support/soak.ts";

const folder = new URL("../../src/state/", import.meta.url);
const SOURCES = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), "utf8"));
const COPIED = SOURCES.flatMap((source) => source.split(/^export class /m).slice(1)).filter(
  (text) => /^ {2}copy\(/m.test(text),
);
/** What is made anew, for good reason: derived, or what the readers of one store only are told. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  Store: ["#listeners", "#notified", "#newSuspects", "#watchers"],
};

test.each(COPIED.map((text) => [/^\w+/.exec(text)?.[0] ?? "", text]))(
  "a copy of %s has all of its fields",
  (name, text) => {
    const fields = [...text.matchAll(/^ {2}(?:readonly )?(#\w+)(?:[:=?]| =)/gm)].map(
      ([, it]) => it,
    );
    const [, copy = ""] = /^ {2}copy\([^)]*\)[^{]*\{\n(.*?)^ {2}\}/ms.exec(text) ?? [];
    const [, made = ""] = /^ {2}constructor\(([^)]*)\)/ms.exec(text) ?? [];
    const forgotten = fields.filter(
      (field = "") =>
        !copy.includes(field) &&
        !made.includes(`${field.slice(1)}:`) &&
        !OWN[name]?.includes(field),
    );
    expect(fields.length).toBeGreaterThan(0);
    expect(forgotten).toEqual([]);
  },
);

test("a copy of a store holds the same, and nothing that comes later reaches it", () => {
  for (let seed = 1; seed <= runs(10, 40); seed++) {
    const composed = composeStream(seed);
    const session = openComposed(composed, seed);
    for (const channel of composed.channels) session.stream.subscribe(channel);
    const pass = (steps: number) => {
      for (let i = 0; i < steps; i++) session.step();
    };
    const textOf = ({ slices, log, link, counts }: typeof session.store) =>
      inspect([slices, log, link, counts], { depth: 20, maxArrayLength: null });
    pass(120);
    const [copy, text] = [session.store.copy(), textOf(session.store)];
    expect([seed, textOf(copy)]).toEqual([seed, text]);
    pass(120);
    expect([seed, textOf(copy)]).toEqual([seed, text]);
    session.close();
  }
});

test("what a state holds in two places its copy holds in two places, too; values and what is frozen are shared", () => {
  class Held {
    count = 0;
  }
  const held = new Held();
  const value = { in: [1] };
  const frozen = Object.freeze(new Held());
  const state = { __proto__: Held.prototype, held, again: new Map([["a", held]]), value, frozen };
  const copy = copyState(state);
  held.count = 1;
  expect(copy.held).toEqual({ count: 0 });
  expect(copy.again.get("a")).toBe(copy.held);
  expect(copy.value).toBe(value);
  expect(copy.frozen).toBe(frozen);
});

test("what a book has looked like to one of two copies is nothing that the other has seen", () => {
  const side = (first: number) => Array.from({ length: 8 }, (_, i) => level(first + i));
  const whole = { bids: side(90).reverse(), asks: side(100) };
  const frame = (orderbook: OrderbookUpdate["orderbook"], sequence: string): OrderbookUpdate => ({
    type: "update",
    channel: "orderbook/perp/1",
    timestamp_ns: sequence,
    previous_sequence: null,
    sequence,
    orderbook,
  });
  const book = new OrderbookState();
  book.update(frame(whole, "1"), true, 0);
  const copy = copyState(book);
  book.update(frame(whole, "2"), false, 1);
  copy.update(frame({ bids: [level(90, 0)], asks: [] }, "2"), false, 1);
  expect([book.facts().isMixed, copy.facts().isMixed]).toEqual([false, false]);
});
