// Reading a listing a second time: by other cursors than the first pass, so that a service whose answer is a function of
// the request cannot hide the same rows from both.
import { expect, test } from "vitest";
import { Pager, type PagerOptions } from "../../../src/listing/paging/pager.ts";
import { RowDigest, readAgain } from "../../../src/listing/paging/second-pass.ts";
import type { PageRequest } from "../../../src/listing/paging/source.ts";
import { formatVerdict } from "../../../src/listing/paging/verdict.ts";
import { answered } from "../../support/answered.ts";
import { instantClock } from "../../support/instant-clock.ts";
import { below, fields as byId, type Row } from "./rows.ts";

const LISTING: readonly Row[] = Array.from({ length: 2000 }, (_, i) => ({
  id: `${900_000 - i * 7}`,
  ms: 5000 - i,
}));

/** @param onFirst called between the two passes */
async function readTwice(
  answer: (request: PageRequest) => readonly Row[],
  more: Partial<PagerOptions<Row>> = {},
  onFirst: (pager: Pager<Row>, seen: RowDigest<Row>) => void = () => {},
) {
  const asked: PageRequest[] = [];
  const options = {
    source: {
      async get(request: PageRequest) {
        asked.push(request);
        return answered(answer(request));
      },
    },
    fields: byId,
    limit: 50,
    clock: instantClock,
    signal: new AbortController().signal,
    ...more,
  };
  const pager = new Pager<Row>(options);
  const seen = new RowDigest<Row>(options.fields);
  for await (const page of pager.pages()) seen.add(page);
  const first = new Set(asked.splice(0).map(({ before }) => before));
  const { verdict, asOfMs } = pager;
  if (verdict === undefined) throw new Error("no verdict");
  onFirst(pager, seen);
  const again = await readAgain<Row>({ ...options, seen, verdict, asOfMs });
  return { verdict: again.verdict, first, second: asked.map(({ before }) => before) };
}

const whole = ({ before, limit }: PageRequest) =>
  below(LISTING, { before, limit: Math.min(limit, 50) });

test.each([
  ["by a field", byId],
  ["by search", { ...byId, cursorFields: [] }],
])("hardly a cursor is asked for twice, %s", async (_, fields) => {
  const { verdict, first, second } = await readTwice(whole, { fields });
  expect(formatVerdict(verdict)).toMatch(/; read twice by other cursors$/);
  const common = second.filter((cursor) => cursor !== undefined && first.has(cursor));
  expect(second.length).toBeGreaterThan(40);
  expect(common.length / second.length).toBeLessThan(0.25);
});

test("a row that the requests of a first pass leave out, each time they are made, is noticed", async () => {
  const { first } = await readTwice(whole);
  const { verdict } = await readTwice((request) =>
    whole(request).filter(({ ms }) => ms !== 4321 || !first.has(request.before)),
  );
  expect(verdict).toMatchObject({ isComplete: false });
});

test("rows that come after a first pass without rows are no difference", async () => {
  let shown: readonly Row[] = LISTING.slice(10);
  const { verdict } = await readTwice(
    (request) => below(shown, request),
    { bounds: { sinceMs: 4995 } },
    ({ asOfMs }, { headMs }) => {
      expect([headMs, asOfMs]).toEqual([undefined, 4990]);
      shown = LISTING;
    },
  );
  expect(verdict).toMatchObject({ isComplete: true, reach: "since", isReadTwice: true });
});
