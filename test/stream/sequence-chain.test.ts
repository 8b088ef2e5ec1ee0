import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  advanceChain,
  type Chain,
  emptyChain,
  passOver,
  restartChain,
} from "../../src/stream/sequence-chain.ts";

/** Runs frames, written as [previous, sequence, server time], through a chain and lists the verdicts. */
function verdicts(frames: [string | null, string | null, string?][]): string[] {
  let chain: Chain = emptyChain;
  return frames.map(([previous_sequence, sequence, timestamp_ns = "1000"]) => {
    const advanced = advanceChain(chain, { previous_sequence, sequence, timestamp_ns });
    chain = advanced.chain;
    return advanced.verdict;
  });
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
    ).toEqual(["start", "next", "next", "next"]);
  });

  test("starts from any first frame, whatever it names before it", () => {
    expect(
      verdicts([
        ["5", "10"],
        ["10", "11"],
      ]),
    ).toEqual(["start", "next"]);
  });

  test("knows a frame of before the new subscribe, also when the first frame has no number", () => {
    const timestamp_ns = "1000";
    const { chain: held } = advanceChain(emptyChain, {
      ...{ previous_sequence: null, sequence: "10", timestamp_ns },
    });
    const passed = passOver(restartChain(held), { sequence: "014" });
    const verdict = (chain: Chain, sequence: string) =>
      advanceChain(chain, { previous_sequence: "9", sequence, timestamp_ns }).verdict;
    expect(verdict(restartChain(held), "10")).toBe("late");
    expect(verdict(restartChain(held), "11")).toBe("start");
    expect(verdict(passed, "14")).toBe("late");
    expect(verdict(passOver(passed, { sequence: "12" }), "14")).toBe("late");
    expect(verdict(passOver(passed, { sequence: null }), "15")).toBe("start");
  });

  describe("behind a first frame without a number", () => {
    test("passes over what the service said before that one", () => {
      expect(
        verdicts([
          [null, null, "1000"],
          ["5", "6", "999"],
          ["8", "9", "1000"],
          ["9", "10", "990"],
        ]),
      ).toEqual(["unnumbered", "late", "start", "next"]);
    });

    test("sees a gap where what seemed to be older is the one before the next", () => {
      expect(
        verdicts([
          [null, null, "1000"],
          ["5", "6", "999"],
          ["6", "7", "1001"],
        ]),
      ).toEqual(["unnumbered", "late", "gap"]);
    });

    test("sees a gap where the service's clock was set back, and trusts no such time again", () => {
      const lost = [
        ["5", "6", "100"],
        ["6", "7", "101"],
        ["7", "8", "102"],
        ["8", "9", "103"],
      ] as [string, string, string][];
      expect(verdicts([[null, null, "1000"], ...lost, [null, null, "1000"], ...lost])).toEqual([
        ...["unnumbered", "late", "late", "late", "gap"],
        ...["unnumbered", "start", "next", "next", "next"],
      ]);
    });
  });

  test("sees a gap when a frame names another one before it", () => {
    expect(
      verdicts([
        [null, "10"],
        ["12", "15"],
        ["15", "16"],
      ]),
    ).toEqual(["start", "gap", "next"]);
  });

  test("starts anew at a null previous", () => {
    expect(
      verdicts([
        [null, "10"],
        [null, "15"],
        ["15", "16"],
      ]),
    ).toEqual(["start", "start", "next"]);
  });

  test("takes a frame that is not newer for late and keeps what it holds", () => {
    expect(
      verdicts([
        [null, "10"],
        ["10", "15"],
        ["10", "15"],
        [null, "10"],
        ["15", "20"],
      ]),
    ).toEqual(["start", "next", "late", "late", "next"]);
  });

  test("does not stay deaf when the sequence held was damaged: late frames that chain are a gap", () => {
    expect(
      verdicts([
        [null, "10"],
        ["10", "9000000"],
        ["11", "12"],
        ["12", "13"],
        ["13", "14"],
        ["14", "15"],
        ["15", "16"],
      ]),
    ).toEqual(["start", "next", "late", "late", "late", "gap", "start"]);
  });

  test("says nothing of frames without a sequence", () => {
    expect(
      verdicts([
        [null, null],
        ["3", "4"],
        [null, null],
        ["4", "6"],
      ]),
    ).toEqual(["unnumbered", "start", "unnumbered", "next"]);
  });

  test("compares numbers and not text: leading zeros change nothing", () => {
    expect(
      verdicts([
        [null, "0010"],
        ["10", "011"],
        ["00011", "9"],
      ]),
    ).toEqual(["start", "next", "late"]);
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
