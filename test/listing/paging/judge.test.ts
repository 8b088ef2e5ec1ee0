// One answer against the known rows. A letter is a row; rows of one millisecond and transaction stand together.
import { describe, expect, test } from "vitest";
import { judge } from "../../../src/listing/paging/judge.ts";
import { KnownRows } from "../../../src/listing/paging/known-rows.ts";

interface Row {
  readonly name: string;
  readonly ms: number;
}

/** `ab cd`: a and b of one millisecond, then c and d of an older one. */
const rowsOf = (text: string, firstMs = 9): Row[] =>
  text.split(" ").flatMap((group, i) => [...group].map((name) => ({ name, ms: firstMs - i })));

function judged(known: string, page: string, firstMs?: number) {
  const rows = new KnownRows<Row>(
    {
      timeMs: ({ ms }) => ms,
      transaction: () => "",
      // A digit is a row whose id it is.
      cursorFields: [
        { name: "id", value: ({ name }) => (/[0-9]/.test(name) ? BigInt(name) : undefined) },
      ],
    },
    100,
  );
  rows.append(rowsOf(known));
  const judgement = judge(rows, rowsOf(page, firstMs));
  if (!judgement.isProof) return judgement.refusal;
  const fresh = judgement.fresh.map(({ name }) => name).join("");
  return `${judgement.overlap} known, then ${fresh}${judgement.isReordered ? ", reordered" : ""}`;
}

describe("an answer", () => {
  test.each<[known: string, page: string, firstMs: number, what: string]>([
    ["a b c", "b c d e", 8, "2 known, then de"],
    ["a b c", "b c", 8, "2 known, then "],
    ["a b c", "b d", 8, "short"],
    ["a b c", "d e", 6, "elsewhere"],
    ["a b c", "bx c d", 8, "hole"],
    ["a bcd", "a bcde f", 9, "4 known, then ef"],
    ["a bcd", "a cbde f", 9, "4 known, then ef, reordered"],
    ["a bcd", "a becd f", 9, "4 known, then ef, reordered"],
    // Among rows of one time it is sure where the answer begins by ids that fall.
    ["a 987", "87 f", 8, "2 known, then f"],
    ["a 789", "89 f", 8, "ambiguous"],
    // Many rows of one time, no two of them equal.
    ["a bcdefghij", "ijk m", 8, "2 known, then km"],
    ["a bcdefghij", "jik m", 8, "2 known, then km, reordered"],
    ["a bcdefghij", "jk m", 8, "ambiguous"],
  ])("of %j by %j from %i is: %s", (known, page, firstMs, what) => {
    expect(judged(known, page, firstMs)).toBe(what);
  });
});

describe("rows that are equal in every field may each have an index of their own: an answer", () => {
  test.each<[known: string, page: string, firstMs: number, what: string, why: string]>([
    ["a b", "b d", 8, "ambiguous", "may begin with another row that is equal to the last one"],
    ["a b", "a bb d", 9, "2 known, then bd", "from above shows how many equal ones there are"],
    ["a bb", "bb d", 8, "ambiguous", "with as many equal rows as are known may be of others"],
    ["a bc", "bc d", 8, "ambiguous", "that repeats two rows may be their next repetition"],
    ["a bbcd", "cde f", 8, "ambiguous", "in the midst of few rows of one time"],
    ["a abababab", "ababab f", 8, "ambiguous", "can be laid on in several ways"],
    ["a bcdefghhi", "hhij f", 8, "3 known, then jf", "among many, in one way only"],
    ["a bcdefghhi", "hij f", 8, "ambiguous", "among many, cut in a run of equal ones"],
  ])("%j by %j from %i is: %s, for one that %s", (known, page, firstMs, what) => {
    expect(judged(known, page, firstMs)).toBe(what);
  });
});
