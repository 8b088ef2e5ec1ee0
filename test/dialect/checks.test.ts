// When the numbers, or the best prices, say that the dialect is another one.
import { describe, expect, it } from "vitest";
import {
  contradictionOf,
  createBookCheck,
  noteBbo,
  noteBook,
} from "../../src/dialect/book-check.ts";
import { createDialect, type Dialect, learn } from "../../src/dialect/dialect.ts";
import { checkNumbers, createNumberCheck } from "../../src/dialect/number-check.ts";
import { advance, type Chain, createChain, judge } from "../../src/stream/chain.ts";
import { level } from "../support/frames.ts";

type Pair = readonly [previous: number | null, sequence: number];

/** Feeds subscriptions of one channel, each ended by its first gap. @returns the dialect after them */
function numbered(subscriptions: readonly (readonly Pair[])[], dialect = createDialect()) {
  const check = createNumberCheck();
  const noticed: string[] = [];
  for (const frames of subscriptions) {
    const chain = createChain();
    for (const pair of frames) if (!feed(chain, pair, { check, dialect, noticed })) break;
  }
  return { dialect, noticed };
}

interface Learning {
  readonly check: ReturnType<typeof createNumberCheck>;
  readonly dialect: Dialect;
  readonly noticed: string[];
}

/** @returns false at a gap */
function feed(chain: Chain, [previous, sequence]: Pair, { check, dialect, noticed }: Learning) {
  const frame = {
    channel: "orderbook/perp/1",
    previous: previous === null ? null : `${previous}`,
    sequence: `${sequence}`,
    text: `${previous} ${sequence}`,
  };
  const { sequence: held, frames, isNaming } = chain;
  const isGap = judge(chain, frame, dialect) === "gap";
  if (typeof held === "string")
    take(dialect, checkNumbers(check, dialect, frame, { held, frames, isNaming }, isGap), noticed);
  if (!isGap) advance(chain, frame);
  return !isGap;
}

function take(dialect: Dialect, findings: ReturnType<typeof checkNumbers>, noticed: string[]) {
  for (const finding of findings) {
    if (finding.kind === "doubt") noticed.push(finding.because);
    else if (learn(dialect, finding.point, finding.value, "2026-11-27"))
      noticed.push(`${finding.point} = ${finding.value}`);
  }
}

describe("the numbers", () => {
  const broken: readonly Pair[] = [
    [null, 10],
    [14, 15],
  ];

  it("show no gaps where three subscriptions break at once", () => {
    expect(numbered([broken, broken]).dialect.chain.value).toBe("channel");
    expect(numbered([broken, broken, broken]).dialect.chain.value).toBe("none");
  });

  it("show gaps where subscriptions hold in between", () => {
    const holds = Array.from({ length: 15 }, (_, i): Pair => [i === 0 ? null : 9 + i, 10 + i]);
    const subscriptions = [broken, broken, holds, broken, broken];
    expect(numbered(subscriptions).dialect.chain.value).toBe("channel");
  });

  it("show gaps again after a hundred frames that name the one before", () => {
    const dialect = createDialect({ chain: { value: "none", source: "learned" } });
    const frames = Array.from({ length: 150 }, (_, i): Pair => [i === 0 ? null : 9 + i, 10 + i]);
    numbered([frames.slice(0, 100)], dialect);
    expect(dialect.chain.value).toBe("none");
    numbered([frames], dialect);
    expect(dialect.chain.value).toBe("channel");
  });

  it("teach that null means something as soon as a frame names the one before", () => {
    const { dialect } = numbered([
      [
        [null, 10],
        [10, 11],
      ],
    ]);
    expect(dialect.nullPrevious).toMatchObject({ value: "snapshot", source: "learned" });
  });

  it("ask at a null while nothing is known, and no more after five in a row", () => {
    const frames = Array.from({ length: 20 }, (_, i): Pair => [null, 10 + i]);
    const { dialect, noticed } = numbered([frames]);
    expect(dialect.nullPrevious).toMatchObject({ value: "nothing", source: "learned" });
    expect(noticed.filter((each) => each.includes("null in mid-stream"))).toHaveLength(4);
  });

  it("find back from snapshots where five nulls in a row follow named frames", () => {
    const named: readonly Pair[] = [
      [null, 1],
      [1, 2],
    ];
    const nulls = Array.from({ length: 5 }, (_, i): Pair => [null, 3 + i]);
    expect(numbered([[...named, ...nulls]]).dialect.nullPrevious.value).toBe("nothing");
  });
});

describe("a book and its best prices", () => {
  const bbo = (bid: number, ask: number) => ({ bid: level(bid, 1), ask: level(ask, 1) });

  /** Both channels every 100 ms. @param of prices at a time @returns the first contradiction and when it was */
  function run(
    ms: number,
    of: (atMs: number) => { bbo?: [number, number]; book?: [number, number] },
  ) {
    const check = createBookCheck(0);
    for (let atMs = 0; atMs <= ms; atMs += 100) {
      const now = of(atMs);
      if (now.bbo) noteBbo(check, bbo(...now.bbo), atMs);
      if (now.book) noteBook(check, `${now.book[0]}`, `${now.book[1]}`, atMs);
      const because = contradictionOf(check, atMs);
      if (because !== undefined) return { because, atMs };
    }
    return undefined;
  }

  const move = (atMs: number): [number, number] => [1000 + atMs, 1001 + atMs];

  it("agree where each had the other's price within a second", () => {
    expect(run(20_000, (atMs) => ({ bbo: move(atMs), book: move(atMs) }))).toBeUndefined();
    expect(run(20_000, (atMs) => ({ bbo: move(atMs - 800), book: move(atMs) }))).toBeUndefined();
  });

  it("contradict each other where a price is none of the other's for a second", () => {
    const found = run(9000, (atMs) => ({ bbo: move(atMs), book: [5, 1001 + atMs] }));
    expect(found?.atMs).toBeGreaterThan(1000);
    expect(found?.atMs).toBeLessThan(1600);
  });

  it("say nothing while one of them is silent", () => {
    expect(
      run(20_000, (atMs) =>
        atMs < 1000 ? { bbo: move(atMs), book: move(atMs) } : { book: move(atMs) },
      ),
    ).toBeUndefined();
    expect(
      run(20_000, (atMs) => (atMs < 1000 ? { bbo: [1, 2], book: [1, 2] } : {})),
    ).toBeUndefined();
  });

  it("say nothing where a side is empty", () => {
    const check = createBookCheck(0);
    for (let atMs = 0; atMs < 9000; atMs += 100) {
      noteBbo(check, { bid: level(atMs, 1), ask: null }, atMs);
      noteBook(check, `${atMs}`, undefined, atMs);
      expect(contradictionOf(check, atMs)).toBeUndefined();
    }
  });

  it("are in doubt where the book is crossed for a second", () => {
    const found = run(9000, (atMs) => ({ book: atMs < 2000 ? [5, 6] : [7, 6] }));
    expect(found).toEqual({ because: "the book is crossed", atMs: 3100 });
  });
});
