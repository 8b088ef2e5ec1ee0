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

interface Outcome {
  readonly frames: number;
  readonly isDecided: boolean;
  readonly isRight: boolean;
  /** Frames after which the reading was decided and the top differed from the service's own. */
  readonly wrongFrames: number;
  readonly decidedFrames: number;
  readonly decidedAfter: number;
}

function run(seed: number, options: BookServiceOptions): Outcome {
  const state = new OrderbookState();
  let frames = 0;
  let decidedFrames = 0;
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
  const { interpretation, isDecided } = state;
  const isRight = interpretation === options.sends;
  return {
    frames,
    isDecided,
    isRight,
    wrongFrames,
    decidedFrames,
    decidedAfter: frames - decidedFrames,
  };
}

interface Placed {
  readonly event: BookServiceEvent;
  readonly isSnapshot: boolean;
}

/** Changes are only followed up to the first gap: there the stream fetches the book anew, as another run. */
function untilGap(
  events: BookServiceEvent[],
  { sends, isUnchained }: BookServiceOptions,
): readonly Placed[] {
  const numbering = new Numbering();
  // As if three subscriptions had shown it.
  if (isUnchained) while (numbering.classifyNull() !== "nothing");
  const chain = new SequenceChain(numbering);
  const placed: Placed[] = [];
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
    const isOpen = ({ frames, isDecided }: Outcome) => !isDecided && frames >= TOO_FEW_FRAMES;
    expect(
      outcomes.map((each, i) => (isOpen(each) ? `seed ${i + 1}` : "")).filter(Boolean),
    ).toEqual([]);
    expect(
      outcomes.map(({ isRight }, i) => (isRight ? "" : `seed ${i + 1}`)).filter(Boolean),
    ).toEqual([]);
    const sum = (pick: (o: Outcome) => number) => outcomes.reduce((n, o) => n + pick(o), 0);
    if (options.lossShare === 0) expect(sum((o) => o.wrongFrames)).toBe(0);
    else expect(sum((o) => o.wrongFrames) / sum((o) => o.decidedFrames)).toBeLessThan(0.001);
    expect(Math.max(...outcomes.map((o) => o.decidedAfter))).toBeLessThanOrEqual(120);
  });
});

const at = (ms: number) => ({ channel: "", timestamp_ns: `${ms}000000`, type: "update" }) as const;
const level = (price: number) => ({ price_ticks: `${price}`, size_base_lots: "1" });
const bboAt = (ms: number, bid: number, ask: number) => ({
  ...at(ms),
  bbo: { bid: level(bid), ask: level(ask) },
});
const frame = (sequence: number, bids: readonly number[], asks: readonly number[] = []) => ({
  ...at(sequence * 1000),
  previous_sequence: sequence === 1 ? null : `${sequence - 1}`,
  sequence: `${sequence}`,
  orderbook: { bids: bids.map(level), asks: asks.map(level) },
});

test("one word of the best bid and offer on which the interpretations differ decides nothing, three that speak for one of them do", () => {
  const state = new OrderbookState();
  state.observe(bboAt(900, 99, 101), 900);
  state.update(frame(1, [99], [101]), true, 1000);
  const seen = [2, 3, 4, 5, 6].map((n) => {
    // A deeper bid alone: as a whole book it would have another top than the best bid and offer say.
    state.update(frame(n, [99 - n]), false, n * 1000);
    state.observe(bboAt(n * 1000 + 500, 99, 101), n * 1000 + 500);
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
  const state = new OrderbookState();
  state.observe(bboAt(900, 99, 101), 900);
  state.update(frame(1, [99], [101]), true, 1000);
  for (let n = 2; n < 50; n++) {
    state.update(frame(n, [99 - (n % 3)], [101 - (n % 3)]), false, n * 1000);
    state.advance(n * 1000 + 500);
  }
  expect([state.judged, state.isDecided]).toEqual([0, false]);
});

test("whole books that name none are whole books again once they go on where a jump of the price has led", () => {
  const state = new OrderbookState();
  const side = (first: number, step: number, changed: number) =>
    Array.from({ length: 10 }, (_, i) => ({
      price_ticks: `${first + step * i}`,
      size_base_lots: `${i === changed ? 1000 + i : 1 + i}`,
    }));
  let sequence = 0;
  const send = (middle: number, changed = -1) => {
    const frame: OrderbookUpdate = {
      type: "update",
      channel: "orderbook/perp/1",
      timestamp_ns: `${++sequence}`,
      previous_sequence: null,
      sequence: `${sequence}`,
      orderbook: { bids: side(middle - 1, -1, changed), asks: side(middle + 1, 1, changed) },
    };
    state.update(frame, sequence === 1, sequence);
  };
  send(1000);
  send(2000);
  for (let i = 0; i < 6; i++) send(2000, i);
  expect(state.interpretation).toBe("whole");
  expect([state.isDecided, state.isOpen]).toEqual([true, false]);
});
