// One answer against the known rows. A letter is a row; rows of one millisecond and transaction stand together.
import { describe, expect, test } from "vitest";
import { judge } from "../../../src/history/paging/judge.ts";
import { KnownRows } from "../../../src/history/paging/known-rows.ts";

interface Row {
  readonly name: string;
  readonly ms: number;
}

/** `ab cd`: a and b of one millisecond, then c and d of an older one. */
const rowsOf = (text: string, firstMs = 9): Row[] =>
  text.split(" ").flatMap((group, i) => [...group].map((name) => ({ name, ms: firstMs - i })));

function judged(known: string, page: string, firstMs?: number) {
  const rows = new KnownRows<Row>(
    { timeMs: ({ ms }) => ms, transaction: () => "", cursorFields: [] },
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
    ["a b c", "c d", 7, "1 known, then d"],
    ["a b c", "b c d e", 8, "2 known, then de"],
    ["a b c", "b d", 8, "short"],
    ["a b c", "d e", 6, "elsewhere"],
    ["a b c", "c", 7, "1 known, then "],
    ["a bcd", "bcde f", 8, "3 known, then ef"],
    ["a bcd", "cbde f", 8, "3 known, then ef, reordered"],
    ["a bcd", "becd f", 8, "3 known, then ef, reordered"],
  ])("of %j by %j from %i is: %s", (known, page, firstMs, what) => {
    expect(judged(known, page, firstMs)).toBe(what);
  });
});

describe("among equal rows, an answer that does not hold all known ones", () => {
  test.each<[known: string, page: string, what: string]>([
    ["bbcd", "cde f", "2 known, then ef"],
    ["bbcdd", "cddde f", "3 known, then def"],
    // A run of equal rows alone may be another one; cut in the middle, it may be longer than it seems.
    ["bbcdd", "dde f", "ambiguous"],
    ["bccd", "cde f", "ambiguous"],
    // Two ways to lay it on.
    ["bcdcd", "cdcde f", "ambiguous"],
    // A row again that should be above, or that was there before.
    ["bbcd", "cdb f", "ambiguous"],
    ["bbcd", "cdc f", "ambiguous"],
    // In another order nothing can be told.
    ["bbcd", "dce f", "ambiguous"],
  ])("known %j, answered %j: %s", (known, page, what) => {
    expect(judged(`a ${known}`, page, 8)).toBe(what);
  });
});
