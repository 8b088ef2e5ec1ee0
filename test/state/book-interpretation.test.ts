import { describe, expect, test } from "vitest";
import { OrderbookState } from "../../src/state/orderbook.ts";
import { Numbering } from "../../src/stream/numbering.ts";
import { SequenceChain } from "../../src/stream/sequence-chain.ts";
import type { OrderbookUpdate } from "../../src/wire/channels/orderbook.ts";
import {
  type BookServiceEvent,
  type BookServiceOptions,
  playBookService,
  steadyBook,
} from "../support/book-service.ts";
import { type Levels, level, levelsOf } from "../support/market-feed.ts";
import { runs } from "../support/soak.ts";

const RUNS = runs(4, 2000);

const scenarios: Record<string, Partial<BookServiceOptions>> = {
  "whole books": { sends: "whole" },
  "whole books of 20 levels": { sends: "whole", depth: 20, levels: 60 },
  "whole books of 5 levels": { sends: "whole", depth: 5, levels: 60 },
  "whole books whose top rarely moves": { sends: "whole", topShare: 0.01 },
  "whole books, 5 % of them lost": { sends: "whole", lossShare: 0.05 },
  "whole books, channels half a second apart": { sends: "whole", jitterMs: 500 },
  "whole books without a previous sequence": { sends: "whole", isUnchained: true },
  changes: {},
  "changes of a book whose top rarely moves": { topShare: 0.01 },
  "changes, 0.2 % of them lost": { lossShare: 0.002 },
  "changes, channels half a second apart": { jitterMs: 500 },
  "changes with whole books in between": { wholeEvery: 200 },
  "changes without a previous sequence": { isUnchained: true },
};

/** A first gap that comes before so many frames leaves too few on which readings differ: three must speak for one. */
const TOO_FEW_FRAMES = 10;

function run(seed: number, options: BookServiceOptions) {
  const state = new OrderbookState();
  let frames = 0;
  let decidedFrames = 0;
  /** Frames after which the reading was decided and the top differed from the service's own. */
  let wrongFrames = 0;
  for (const { event, isSnapshot } of untilGap(playBookService(seed, options), options)) {
    if (event.kind === "bbo") {
      state.observe(event.frame, event.atMs);
      continue;
    }
    state.update(event.frame, frames === 0, event.atMs, false, isSnapshot);
    frames++;
    if (!state.isDecided) continue;
    decidedFrames++;
    if (topOf(state) !== event.truth && !state.isInconsistent) wrongFrames++;
  }
  return {
    seed,
    isOpen: !state.isDecided && frames >= TOO_FEW_FRAMES,
    isRight: state.interpretation === options.sends,
    wrongFrames,
    decidedFrames,
    decidedAfter: frames - decidedFrames,
  };
}

/** Changes are only followed up to the first gap: there the stream fetches the book anew, as another run. */
function untilGap(events: BookServiceEvent[], { sends, isUnchained }: BookServiceOptions) {
  const numbering = new Numbering();
  // As if three subscriptions had shown it.
  if (isUnchained) while (numbering.classifyNull() !== "nothing");
  const chain = new SequenceChain(numbering);
  const placed: { event: BookServiceEvent; isSnapshot: boolean }[] = [];
  for (const event of events) {
    const verdict = event.kind === "orderbook" ? verdictOf(chain, event.frame) : "next";
    if (verdict === "gap" && sends !== "whole") break;
    placed.push({ event, isSnapshot: verdict === "start" && chain.isWhole });
  }
  return placed;
}

function verdictOf(chain: SequenceChain, frame: OrderbookUpdate) {
  const message = JSON.stringify(frame);
  if (chain.held !== undefined) return chain.advance(frame, message);
  chain.begin(frame, message);
  return "next";
}

function topOf(state: OrderbookState): string {
  const { bids, asks } = state.depth(1);
  return `${bids[0]?.price_ticks ?? ""}/${asks[0]?.price_ticks ?? ""}`;
}

describe(`how order book frames are to be read (${RUNS} runs each)`, () => {
  test.each(Object.entries(scenarios))("is found out for %s", (_, part) => {
    const options = { ...steadyBook, ...part };
    const outcomes = Array.from({ length: RUNS }, (_unused, i) => run(i + 1, options));
    expect(outcomes.filter(({ isOpen, isRight }) => isOpen || !isRight)).toEqual([]);
    const sum = (name: "wrongFrames" | "decidedFrames") =>
      outcomes.reduce((all, outcome) => all + outcome[name], 0);
    if (options.lossShare === 0) expect(sum("wrongFrames")).toBe(0);
    else expect(sum("wrongFrames") / sum("decidedFrames")).toBeLessThan(0.001);
    expect(Math.max(...outcomes.map((o) => o.decidedAfter))).toBeLessThanOrEqual(120);
  });
});

const at = (ms: number) => ({ channel: "", timestamp_ns: `${ms}000000`, type: "update" }) as const;
const frame = (sequence: number, bids: Levels, asks: Levels = "") => ({
  ...at(sequence * 1000),
  previous_sequence: sequence === 1 ? null : `${sequence - 1}`,
  sequence: `${sequence}`,
  orderbook: { bids: levelsOf(bids), asks: levelsOf(asks) },
});

/** A book whose best prices are 99 and 101, by both channels. */
function startBook() {
  const state = new OrderbookState();
  const observe = (ms: number) =>
    state.observe({ ...at(ms), bbo: { bid: level(99), ask: level(101) } }, ms);
  observe(900);
  state.update(frame(1, "99:1", "101:1"), true, 1000);
  return { state, observe };
}

test("one word of the best bid and offer on which the interpretations differ decides nothing, three that speak for one of them do", () => {
  const { state, observe } = startBook();
  const seen = [2, 3, 4, 5, 6].map((n) => {
    // A deeper bid alone: as a whole book it would have another top than the best bid and offer say.
    state.update(frame(n, `${99 - n}:1`), false, n * 1000);
    observe(n * 1000 + 500);
    return [state.judged, state.isDecided];
  });
  expect(seen).toEqual([
    [0, false],
    [0, false],
    [1, false],
    [2, false],
    [3, true],
  ]);
  expect(state.interpretation).toBe("changes");
});

test("a silent best bid and offer speak for no interpretation: a service may publish them seldom", () => {
  const { state } = startBook();
  for (let n = 2; n < 50; n++) {
    state.update(frame(n, `${99 - (n % 3)}:1`, `${101 - (n % 3)}:1`), false, n * 1000);
    state.advance(n * 1000 + 500);
  }
  expect([state.judged, state.isDecided]).toEqual([0, false]);
});

test("whole books that name none are whole books again once they go on where a jump of the price has led", () => {
  const state = new OrderbookState();
  const side = (first: number, step: number, changed: number): Levels =>
    Array.from({ length: 10 }, (_, i) => [first + step * i, i === changed ? 1000 + i : 1 + i]);
  let sequence = 0;
  const send = (middle: number, changed = -1) => {
    const sides = [side(middle - 1, -1, changed), side(middle + 1, 1, changed)] as const;
    const whole = { ...frame(++sequence, ...sides), previous_sequence: null };
    state.update(whole, sequence === 1, sequence);
  };
  send(1000);
  send(2000);
  for (let i = 0; i < 6; i++) send(2000, i);
  expect(state.interpretation).toBe("whole");
  expect([state.isDecided, state.isOpen]).toEqual([true, false]);
});
