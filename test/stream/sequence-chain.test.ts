import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Numbering } from "../../src/stream/numbering.ts";
import { SequenceChain } from "../../src/stream/sequence-chain.ts";

const createChain = () => new SequenceChain(new Numbering());

/** A frame written as `previous>sequence`, `-` for null, with its server time behind `@` where that counts. */
function frameOf(written: string) {
  const [numbers = "", timestamp_ns = "1000"] = written.split("@");
  const [previous_sequence = null, sequence = null] = numbers
    .split(">")
    .map((number) => (number === "-" ? null : number));
  const frame = { previous_sequence, sequence, timestamp_ns };
  return [frame, JSON.stringify(frame)] as const;
}

/** The verdicts of a chain on these frames, of which the first begins a subscription. */
function verdicts(frames: string, chain = createChain()): string {
  const [first = "", ...rest] = frames.split(" ");
  chain.begin(...frameOf(first));
  return ["first", ...rest.map((each) => chain.advance(...frameOf(each)))].join(" ");
}

/** The same in a later subscription. */
function again(chain: SequenceChain, frames: string): string {
  chain.restart();
  return verdicts(frames, chain);
}

const LARGE = "99999999999999999999";
const LARGER = "100000000000000000000";

describe("sequence chain", () => {
  test.each([
    [
      "accepts sequences that jump, as long as each frame names the one before",
      `->10 10>17 17>${LARGE} ${LARGE}>${LARGER}`,
      "first next next next",
    ],
    ["starts from any first frame, whatever it names before it", "5>10 10>11", "first next"],
    ["sees a gap when a frame names another one before it", "->10 12>15 15>16", "first gap next"],
    [
      "starts anew at a null previous, where others have named one",
      "->10 10>12 ->15 15>16",
      "first next start next",
    ],
    [
      "is unsure of a null previous until another is named, or three have named none",
      "->10 ->12 ->15 ->16 ->17",
      "first unsure unsure start start",
    ],
    [
      "takes a frame that names what a first one holds already for the next",
      "->10 7>12 9>13",
      "first next gap",
    ],
    [
      "drops a frame that has come before, and keeps what it holds",
      "->10 10>15 10>15 ->10 15>20",
      "first next repeat repeat next",
    ],
    [
      "does not stay deaf when the sequence held was damaged: an unseen frame below it is a gap",
      "->10 10>9000000 11>12 12>13",
      "first next stray start",
    ],
    [
      "says nothing of frames without a sequence",
      "->- 3>4 ->-@1001 4>6",
      "first unsure unnumbered next",
    ],
    [
      "compares numbers and not text: leading zeros change nothing",
      "->0010 10>011 10>011",
      "first next repeat",
    ],
  ])("%s", (_, frames, expected) => {
    expect(verdicts(frames)).toBe(expected);
  });

  test("knows a frame of before the new subscribe, also when the first frame has no number", () => {
    const verdict = (written: string) => {
      const chain = createChain();
      chain.begin(...frameOf("9>10"));
      chain.restart();
      chain.raiseFloor(...frameOf("10>014"));
      return verdicts(`->- ${written}`, chain);
    };
    expect(verdict("9>10")).toBe("first late");
    expect(verdict("10>014")).toBe("first late");
    expect(verdict("14>15")).toBe("first unsure");
    // Never seen: the count may have begun anew, and a server time orders nothing.
    expect(verdict("7>8@999")).toBe("first stray");
    expect(verdict("7>8@1001")).toBe("first stray");
  });

  test("sees a gap in an unseen frame that a first one holds by its number, until the count goes on in the next subscription", () => {
    const chain = createChain();
    expect(verdicts("->10 7>8@990 8>9@991", chain)).toBe("first stray start");
    const later = "->20 17>18@990 18>19@991 20>21@1001";
    expect(again(chain, later)).toBe("first late late next");
  });

  describe("behind a first frame without a number", () => {
    test("passes over nothing that has not been seen, and believes server times four times in a row", () => {
      const chain = createChain();
      const begin = (timeNs: number, i: number) =>
        again(chain, `->-@1000 ${10 * i + 4}>${10 * i + 5}@${timeNs}`).split(" ")[1];
      const older = (from: number) => [0, 1, 2, 3, 4].map((i) => begin(999, from + i));
      expect(older(1)).toEqual(["unsure", "unsure", "unsure", "start", "start"]);
      expect(begin(1000, 6)).toBe("start");
      expect(older(7)).toEqual(["unsure", "unsure", "unsure", "start", "start"]);
    });

    test("passes over what was seen before the subscription", () => {
      const chain = createChain();
      verdicts("->5 5>6", chain);
      expect(again(chain, "->-@2000 5>6 6>8@2001")).toBe("first late unsure");
    });

    test.each(["", "->-@1001 "])(
      "is unsure of a frame that names another, until a second has done so, with %j between",
      (between) => {
        const chain = createChain();
        const begin = (i: number) => again(chain, `->- ${between}${10 * i}>${10 * i + 5}@1002`);
        expect([1, 2].map((i) => begin(i).split(" ").at(-1))).toEqual(["unsure", "start"]);
      },
    );

    test("is never sure of it where other subscriptions begin with a number", () => {
      const chain = createChain();
      for (let i = 1; i <= 5; i++) {
        expect(again(chain, `->- 5>${100 * i}`)).toBe("first unsure");
        again(chain, `->${100 * i}`);
      }
    });
  });

  test("is unsure of a null previous behind a first frame without a number, until three begin so in a row", () => {
    const chain = createChain();
    const begun = (sequence: number) => again(chain, `->- ->${sequence}`);
    const unsure = "first unsure";
    expect([10, 11, 12, 13].map(begun)).toEqual([unsure, unsure, "first start", "first start"]);
    // A subscription that begins with a number shows that the others have missed theirs.
    again(chain, "->14");
    expect([15, 16, 17].map(begun)).toEqual([unsure, unsure, "first start"]);
  });

  test("finds every removed frame of an unbroken chain, and no other", () => {
    const step = fc.record({ step: fc.bigInt({ min: 1n, max: 10n ** 12n }), isLost: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1 }), (steps) => {
        let sequence = 1n;
        let wasLost = false;
        const frames = ["->1"];
        const expected = ["first"];
        for (const { step, isLost } of steps) {
          if (!isLost) {
            frames.push(`${sequence}>${sequence + step}`);
            expected.push(wasLost ? "gap" : "next");
          }
          sequence += step;
          wasLost = isLost;
        }
        expect(verdicts(frames.join(" "))).toBe(expected.join(" "));
      }),
    );
  });
});
