import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Numbering } from "../../src/stream/numbering.ts";
import { SequenceChain } from "../../src/stream/sequence-chain.ts";

type Written = readonly [previous: string | null, sequence: string | null, timestampNs?: string];

function frameOf([previous_sequence, sequence, timestamp_ns = "1000"]: Written) {
  return { previous_sequence, sequence, timestamp_ns };
}

/** Runs frames, written as [previous, sequence, server time], through a chain and lists the verdicts. */
function verdicts(frames: readonly Written[], chain = createChain()): string[] {
  return frames.map((written, i) => {
    const frame = frameOf(written);
    const message = JSON.stringify(frame);
    if (i > 0) return chain.advance(frame, message);
    chain.begin(frame, message);
    return "first";
  });
}

function createChain(): SequenceChain {
  return new SequenceChain(new Numbering());
}

describe("sequence chain", () => {
  test("accepts sequences that jump, as long as each frame names the one before", () => {
    expect(
      verdicts([
        [null, "10"],
        ["10", "17"],
        ["17", "99999999999999999999"],
        ["99999999999999999999", "100000000000000000000"],
      ]),
    ).toEqual(["first", "next", "next", "next"]);
  });

  test("starts from any first frame, whatever it names before it", () => {
    expect(
      verdicts([
        ["5", "10"],
        ["10", "11"],
      ]),
    ).toEqual(["first", "next"]);
  });

  test("knows a frame of before the new subscribe, also when the first frame has no number", () => {
    const old = frameOf(["9", "10"]);
    const passed = frameOf(["10", "014"]);
    const verdict = (written: Written) => {
      const chain = createChain();
      chain.begin(old, JSON.stringify(old));
      chain.restart();
      chain.raiseFloor(passed, JSON.stringify(passed));
      return verdicts([[null, null], written], chain).at(-1);
    };
    expect(verdict(["9", "10"])).toBe("late");
    expect(verdict(["10", "014"])).toBe("late");
    expect(verdict(["14", "15"])).toBe("unsure");
    // Never seen: the count may have begun anew, and a server time orders nothing.
    expect(verdict(["7", "8", "999"])).toBe("stray");
    expect(verdict(["7", "8", "1001"])).toBe("stray");
  });

  describe("behind a first frame without a number", () => {
    test("passes over nothing that has not been seen, and believes server times four times in a row", () => {
      const chain = createChain();
      const begin = (timeNs: string, i: number) => {
        chain.restart();
        return verdicts(
          [
            [null, null, "1000"],
            [`${10 * i + 4}`, `${10 * i + 5}`, timeNs],
          ],
          chain,
        )[1];
      };
      const older = (from: number) => [0, 1, 2, 3, 4].map((i) => begin("999", from + i));
      expect(older(1)).toEqual(["unsure", "unsure", "unsure", "start", "start"]);
      expect(begin("1000", 6)).toBe("start");
      expect(older(7)).toEqual(["unsure", "unsure", "unsure", "start", "start"]);
    });

    test("passes over what was seen before the subscription", () => {
      const chain = createChain();
      verdicts(
        [
          [null, "5"],
          ["5", "6"],
        ],
        chain,
      );
      chain.restart();
      expect(
        verdicts(
          [
            [null, null, "2000"],
            ["5", "6"],
            ["6", "8", "2001"],
          ],
          chain,
        ),
      ).toEqual(["first", "late", "unsure"]);
    });

    test("is unsure of a frame that names another, until a second has done so, whatever came between without a number", () => {
      const chain = createChain();
      const begin = (i: number) => {
        chain.restart();
        return verdicts(
          [
            [null, null],
            [`${10 * i}`, `${10 * i + 5}`],
          ],
          chain,
        )[1];
      };
      expect([1, 2].map(begin)).toEqual(["unsure", "start"]);
      const between = createChain();
      const beginAgain = (i: number) => {
        between.restart();
        return verdicts(
          [
            [null, null],
            [null, null, "1001"],
            [`${10 * i}`, `${10 * i + 5}`, "1002"],
          ],
          between,
        )[2];
      };
      expect([1, 2].map(beginAgain)).toEqual(["unsure", "start"]);
    });

    test("is never sure of it where other subscriptions begin with a number", () => {
      const chain = createChain();
      const begin = (i: number) => {
        chain.restart();
        const [, behind] = verdicts(
          [
            [null, null],
            ["5", `${100 * i}`],
          ],
          chain,
        );
        chain.restart();
        verdicts([[null, `${100 * i}`]], chain);
        return behind;
      };
      expect([1, 2, 3, 4, 5].map(begin)).toEqual(Array(5).fill("unsure"));
    });
  });

  test("sees a gap when a frame names another one before it", () => {
    expect(
      verdicts([
        [null, "10"],
        ["12", "15"],
        ["15", "16"],
      ]),
    ).toEqual(["first", "gap", "next"]);
  });

  test("starts anew at a null previous, where others have named one", () => {
    expect(
      verdicts([
        [null, "10"],
        ["10", "12"],
        [null, "15"],
        ["15", "16"],
      ]),
    ).toEqual(["first", "next", "start", "next"]);
  });

  test("is unsure of a null previous until another is named, or three have named none", () => {
    expect(
      verdicts([
        [null, "10"],
        [null, "12"],
        [null, "15"],
        [null, "16"],
        [null, "17"],
      ]),
    ).toEqual(["first", "unsure", "unsure", "start", "start"]);
  });

  test("is unsure of a null previous behind a first frame without a number, until three begin so in a row", () => {
    const chain = createChain();
    let sequence = 10;
    const begin = () => {
      chain.restart();
      return verdicts(
        [
          [null, null],
          [null, `${sequence++}`],
        ],
        chain,
      ).at(-1);
    };
    expect([begin(), begin(), begin(), begin()]).toEqual(["unsure", "unsure", "start", "start"]);
    // A subscription that begins with a number shows that the others have missed theirs.
    chain.restart();
    verdicts([[null, `${sequence++}`]], chain);
    expect([begin(), begin(), begin()]).toEqual(["unsure", "unsure", "start"]);
  });

  test("takes a frame that names what a first one holds already for the next", () => {
    expect(
      verdicts([
        [null, "10"],
        ["7", "12"],
        ["9", "13"],
      ]),
    ).toEqual(["first", "next", "gap"]);
  });

  test("drops a frame that has come before, and keeps what it holds", () => {
    expect(
      verdicts([
        [null, "10"],
        ["10", "15"],
        ["10", "15"],
        [null, "10"],
        ["15", "20"],
      ]),
    ).toEqual(["first", "next", "repeat", "repeat", "next"]);
  });

  test("sees a gap in an unseen frame that a first one holds by its number, until the count goes on in the next subscription", () => {
    const chain = createChain();
    const old = [
      ["7", "8", "990"],
      ["8", "9", "991"],
    ] as const;
    expect(verdicts([[null, "10"], ...old], chain)).toEqual(["first", "stray", "start"]);
    chain.restart();
    const later = [
      ["17", "18", "990"],
      ["18", "19", "991"],
      ["20", "21", "1001"],
    ] as const;
    const verdictsLater = verdicts([[null, "20"], ...later], chain);
    expect(verdictsLater).toEqual(["first", "late", "late", "next"]);
  });

  test("does not stay deaf when the sequence held was damaged: an unseen frame below it is a gap", () => {
    expect(
      verdicts([
        [null, "10"],
        ["10", "9000000"],
        ["11", "12"],
        ["12", "13"],
      ]),
    ).toEqual(["first", "next", "stray", "start"]);
  });

  test("says nothing of frames without a sequence", () => {
    expect(
      verdicts([
        [null, null],
        ["3", "4"],
        [null, null, "1001"],
        ["4", "6"],
      ]),
    ).toEqual(["first", "unsure", "unnumbered", "next"]);
  });

  test("compares numbers and not text: leading zeros change nothing", () => {
    expect(
      verdicts([
        [null, "0010"],
        ["10", "011"],
        ["10", "011"],
      ]),
    ).toEqual(["first", "next", "repeat"]);
  });

  test("finds every removed frame of an unbroken chain, and no other", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ step: fc.bigInt({ min: 1n, max: 10n ** 12n }), isLost: fc.boolean() }),
        ),
        (steps) => {
          let sequence = 1n;
          const frames: [string, string][] = [];
          const gaps: boolean[] = [];
          let wasLost = false;
          for (const { step, isLost } of steps) {
            const previous = sequence;
            sequence += step;
            if (!isLost) {
              frames.push([`${previous}`, `${sequence}`]);
              gaps.push(wasLost && frames.length > 1);
            }
            wasLost = isLost;
          }
          expect(verdicts(frames).map((verdict) => verdict === "gap")).toEqual(gaps);
        },
      ),
    );
  });
});
