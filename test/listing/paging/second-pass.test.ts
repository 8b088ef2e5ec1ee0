// Reading a listing a second time: by other cursors than the first pass, so that a service whose answer is a function of
// the request cannot hide the same rows from both.
import { expect, test } from "vitest";
import { Pager } from "../../../src/listing/paging/pager.ts";
import { RowDigest, readAgain } from "../../../src/listing/paging/second-pass.ts";
import type { PageRequest, RecordFields } from "../../../src/listing/paging/source.ts";
import { formatVerdict } from "../../../src/listing/paging/verdict.ts";
import { instantClock } from "../../support/instant-clock.ts";

interface Row {
  readonly id: string;
  readonly ms: number;
}

const LISTING: readonly Row[] = Array.from({ length: 2000 }, (_, i) => ({
  id: `${900_000 - i * 7}`,
  ms: 5000 - i,
}));

const BY_ID: RecordFields<Row> = {
  timeMs: ({ ms }) => ms,
  transaction: () => "",
  cursorFields: [{ name: "id", value: ({ id }) => BigInt(id) }],
};

async function readTwice(
  fields: RecordFields<Row>,
  change: (page: readonly Row[], request: PageRequest) => readonly Row[] = (page) => page,
) {
  const asked: PageRequest[] = [];
  const options = {
    source: {
      async get(request: PageRequest) {
        asked.push(request);
        const { before = 1n << 62n, limit } = request;
        const rows = LISTING.filter(({ id }) => BigInt(id) < before).slice(0, Math.min(limit, 50));
        const page = change(rows, request);
        return { records: () => page, end: (count: number) => page.slice(-count) };
      },
    },
    fields,
    limit: 50,
    clock: instantClock,
    signal: new AbortController().signal,
  };
  const pager = new Pager<Row>(options);
  const seen = new RowDigest<Row>(fields);
  for await (const page of pager.pages()) seen.add(page);
  const first = new Set(asked.map(({ before }) => before));
  const count = asked.length;
  const { verdict } = pager;
  if (verdict === undefined) throw new Error("no verdict");
  const again = await readAgain<Row>({ ...options, seen, verdict });
  const second = asked.slice(count).map(({ before }) => before);
  return { verdict: again.verdict, first, second };
}

test.each([
  ["by a field", BY_ID],
  ["by search", { ...BY_ID, cursorFields: [] }],
])("hardly a cursor is asked for twice, %s", async (_, fields) => {
  const { verdict, first, second } = await readTwice(fields);
  expect(formatVerdict(verdict)).toMatch(/; read twice by other cursors$/);
  const common = second.filter((cursor) => cursor !== undefined && first.has(cursor));
  expect(second.length).toBeGreaterThan(40);
  expect(common.length / second.length).toBeLessThan(0.25);
});

test("a row that the requests of a first pass leave out, each time they are made, is noticed", async () => {
  const { first } = await readTwice(BY_ID);
  const { verdict } = await readTwice(BY_ID, (page, { before }) =>
    first.has(before) ? page.filter(({ ms }) => ms !== 4321) : page,
  );
  expect(verdict).toMatchObject({ isComplete: false });
});

test("rows that come after a first pass without rows are no difference", async () => {
  let shown: readonly Row[] = LISTING.slice(10);
  const options = {
    source: {
      async get({ before = 1n << 62n, limit }: PageRequest) {
        const rows = shown.filter(({ id }) => BigInt(id) < before).slice(0, limit);
        return { records: () => rows, end: (count: number) => rows.slice(-count) };
      },
    },
    fields: BY_ID,
    limit: 50,
    clock: instantClock,
    signal: new AbortController().signal,
    bounds: { sinceMs: 4995 },
  };
  const pager = new Pager<Row>(options);
  const seen = new RowDigest<Row>(BY_ID);
  for await (const page of pager.pages()) seen.add(page);
  const { verdict, asOfMs } = pager;
  if (verdict === undefined) throw new Error("no verdict");
  expect([seen.headMs, asOfMs]).toEqual([undefined, 4990]);
  shown = LISTING;
  const again = await readAgain<Row>({ ...options, seen, verdict, asOfMs });
  expect(again.verdict).toMatchObject({ isComplete: true, reach: "since", isReadTwice: true });
});
