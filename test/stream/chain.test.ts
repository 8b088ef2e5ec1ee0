// Where a frame belongs in its subscription: the order of the lines is the rule.
import { describe, expect, it } from "vitest";
import { createDialect } from "../../src/dialect/dialect.ts";
import { advance, createChain, judge } from "../../src/stream/chain.ts";

type Frame = readonly [previous: string | null, sequence: string | null, text?: string];

const frame = ([previous, sequence, text = `${previous} ${sequence}`]: Frame) => ({
  previous,
  sequence,
  text,
});

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
const many = (count: number) => numbers(count).map((i): Frame => [`${i}`, `${i + 1}`]);
const parts = (count: number) => numbers(count).map((i): Frame => ["5", "9", `${i}`]);

/** The verdicts of frames, of which each but late ones, repeats and gaps is accepted. */
function verdicts(frames: readonly Frame[], pinned = {}): readonly string[] {
  const dialect = createDialect({}, pinned);
  const chain = createChain();
  return frames.map(frame).map((each) => {
    const verdict = judge(chain, each, dialect);
    if (verdict === "first" || verdict === "next" || verdict === "part") advance(chain, each);
    return verdict;
  });
}

describe("a chain", () => {
  it.each<[string, readonly Frame[], string]>([
    ["begins with any frame", [["77", "80"]], "first"],
    [
      "goes on where the one before is named",
      [
        [null, "5"],
        ["5", "9"],
      ],
      "next",
    ],
    [
      "goes on without numbers",
      [
        [null, null],
        [null, null],
      ],
      "next",
    ],
    [
      "goes on to a frame without a number",
      [
        [null, "5"],
        [null, null],
      ],
      "next",
    ],
    [
      "goes on from a frame without a number",
      [
        [null, null],
        ["3", "9"],
      ],
      "next",
    ],
    [
      "goes on to a frame without a number that names another one",
      [
        [null, "5"],
        ["3", null],
      ],
      "next",
    ],
    [
      "breaks where a part of a transaction names another one",
      [
        [null, "5"],
        ["5", "9"],
        ["7", "9", "b"],
      ],
      "gap",
    ],
    [
      "drops a repeat of any part",
      [
        [null, "5"],
        ["5", "9", "a"],
        ["5", "9", "b"],
        ["5", "9", "a"],
      ],
      "repeat",
    ],
    ["drops a repeat after many frames", [...many(100), ...many(100).slice(-1)], "repeat"],
    [
      "knows 64 parts of a transaction",
      [[null, "5"], ...parts(64), ...parts(64).slice(-1)],
      "repeat",
    ],
    ["and no more", [[null, "5"], ...parts(65), ...parts(65).slice(-1)], "part"],
    [
      "drops a repeat",
      [
        [null, "5"],
        ["5", "9"],
        ["5", "9"],
      ],
      "repeat",
    ],
    [
      "takes another part of a transaction",
      [
        [null, "5"],
        ["5", "9"],
        ["5", "9", "b"],
      ],
      "part",
    ],
    [
      "drops what is older than the first frame",
      [
        [null, "9"],
        ["5", "7"],
      ],
      "late",
    ],
    [
      "drops what the first frame holds",
      [
        [null, "9"],
        ["5", "9"],
      ],
      "late",
    ],
    [
      "compares numbers, not texts",
      [
        [null, "10"],
        ["5", "9"],
      ],
      "late",
    ],
    [
      "goes on where a count begins again",
      [
        [null, "90"],
        ["90", "1"],
      ],
      "next",
    ],
    [
      "breaks where another one is named",
      [
        [null, "5"],
        ["5", "9"],
        ["8", "12"],
      ],
      "gap",
    ],
    [
      "breaks where a number goes back later",
      [
        [null, "5"],
        ["5", "9"],
        ["3", "4"],
      ],
      "gap",
    ],
    [
      "takes null for a change",
      [
        [null, "5"],
        ["5", "9"],
        [null, "12"],
      ],
      "next",
    ],
  ])("%s", (_, frames, last) => {
    expect(verdicts(frames).at(-1)).toBe(last);
  });

  it.each<[string, readonly Frame[], string]>([
    [
      "a snapshot where frames name the one before",
      [
        [null, "5"],
        ["5", "9"],
        [null, "12"],
      ],
      "first",
    ],
    [
      "a change where they do not",
      [
        [null, "5"],
        [null, "9"],
      ],
      "next",
    ],
    [
      "a change where the first one named what nobody has seen",
      [
        ["77", "80"],
        [null, "90"],
      ],
      "next",
    ],
    [
      "a change where they had no numbers",
      [
        [null, null],
        [null, null],
        [null, "5"],
        [null, "9"],
      ],
      "next",
    ],
  ])("takes null, which the dialect says is a snapshot, for %s", (_, frames, last) => {
    expect(verdicts(frames, { nullPrevious: "snapshot" }).at(-1)).toBe(last);
  });

  it("never breaks where the numbers show no gaps", () => {
    expect(
      verdicts(
        [
          [null, "5"],
          ["8", "9"],
        ],
        { chain: "none" },
      ).at(-1),
    ).toBe("next");
  });
});
