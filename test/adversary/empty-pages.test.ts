// What may stand for a page without rows: the document promises a list of records (4.2 to 4.4) and shows no status codes and no
// errors (4.5). What is no list, and no status that says so, is not taken for an empty page.
import { describe, expect, test } from "vitest";
import { monitor } from "../support/export-rig.ts";
import { listingOf } from "./compose-listing.ts";
import { type ListingAnswer, type ListingRequest, startListing } from "./listing-service.ts";

type Chosen = Parameters<typeof listingOf>[0];
type Change = (answer: ListingAnswer, request: ListingRequest, count: number) => ListingAnswer;

/** Exports a listing of a service that changes some of its answers. */
async function run(chosen: Chosen, change: Change = (answer) => answer) {
  const { service, marketType, marketId, truth } = listingOf({ seed: 7, ...chosen });
  const { baseUrl } = await startListing({
    options: service.options,
    answer: (request, count) => change(service.answer(request, count), request, count),
  });
  const words = `trades ${marketType}/${marketId} --format ndjson`;
  const ended = await monitor(words, { baseUrl });
  const rows = ended.stdout.split("\n").filter((line) => line !== "");
  return { ...ended, rows: rows.length, truth: truth().length };
}

describe("a listing whose empty page is", () => {
  test.each(["204", "404-list", "404-error"] as const)(
    "%s is exported to its end",
    async (emptyPage) => {
      const { code, rows, truth, stderr } = await run({ emptyPage, transactions: 1500 });
      expect(stderr).toMatch(/complete: yes .*no older row in/);
      expect([code, rows]).toEqual([0, truth]);
    },
  );

  test.each(["204", "404-list"] as const)(
    "%s and that has no row is exported whole",
    async (emptyPage) => {
      const { code, stderr } = await run({ emptyPage, transactions: 0 });
      expect(stderr).toMatch(/^0 rows, .*complete: yes/);
      expect(code).toBe(0);
    },
  );

  test.each(["204", "404-list", "404-error"] as const)(
    "%s between older rows, which it filters, is not taken for the end",
    async (emptyPage) => {
      const { rows, truth, stderr } = await run({
        emptyPage,
        kind: "trades",
        transactions: 300,
        scans: true,
        foreign: 40,
      });
      if (stderr.includes("complete: yes")) expect(rows).toBe(truth);
    },
  );

  test.each([
    ["null", "null", /answers null: a page without rows is \[\]/],
    ["nothing", "", /answers nothing at all: a page without rows is \[\]/],
    ["an object", '{"items":[]}', /answers no list of records/],
  ])("%s ends in one line", async (_, body, words) => {
    const { code, stderr } = await run({ transactions: 50 }, (answer) =>
      answer.body === "[]" ? { ...answer, body } : answer,
    );
    expect(stderr).toMatch(words);
    expect(stderr).toMatch(/complete: no \(failed: /);
    expect(code).toBe(1);
  });
});

test("pages under another status than 200 are pages", async () => {
  for (const pageStatus of [203, 206] as const) {
    const { code, rows, truth } = await run({ pageStatus, transactions: 1500 });
    expect([code, rows]).toEqual([0, truth]);
  }
});

test("a listing that cannot be found any more while it is read is not at its end", async () => {
  let isGone = false;
  const { code, stderr } = await run({ transactions: 1500 }, (answer) => {
    isGone ||= answer.body === "[]";
    return isGone ? { ...answer, status: 404, body: '{"error":"no route"}' } : answer;
  });
  expect(stderr).toMatch(/answers 404: \{"error":"no route"\}/);
  expect(code).toBe(1);
});

test("a market that is not found is one line", async () => {
  const { code, stderr, stdout } = await run({ transactions: 50 }, (answer) => ({
    ...answer,
    status: 404,
    body: '{"error":"unknown market"}',
  }));
  expect(stderr).toMatch(/answers 404: \{"error":"unknown market"\}/);
  expect([code, stdout]).toEqual([1, ""]);
});
