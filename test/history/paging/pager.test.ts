import { describe, expect, test } from "vitest";
import type { Bounds } from "../../../src/history/paging/bounds.ts";
import { Pager, type PagerState } from "../../../src/history/paging/pager.ts";
import type { RecordReading } from "../../../src/history/paging/record-reading.ts";
import type { PageRequest } from "../../../src/history/paging/source.ts";
import { formatVerdict } from "../../../src/history/paging/verdict.ts";
import { instantClock } from "../../support/instant-clock.ts";

interface Row {
  readonly id: string;
  readonly ms: number;
}

const reading: RecordReading<Row> = {
  timeMs: ({ ms }) => ms,
  transaction: () => "",
  cursorFields: [{ name: "id", value: ({ id }) => (/^[0-9]+$/.test(id) ? BigInt(id) : undefined) }],
};

/** Rows with ids that fall from `newest` to 1 and a time for each. */
const rowsDownFrom = (newest: number, step = 1): Row[] =>
  Array.from({ length: newest }, (_, i) => ({ id: `${newest - i}`, ms: (newest - i) * step }));

const below = (rows: readonly Row[], { before, limit }: PageRequest) =>
  rows.filter(({ id }) => before === undefined || BigInt(id) < before).slice(0, limit);

interface Reading {
  readonly limit?: number;
  readonly bounds?: Bounds;
  readonly resume?: PagerState<Row>;
  /** Stop after so many pages. */
  readonly pages?: number;
}

async function read(
  answer: (request: PageRequest) => readonly Row[],
  { limit = 10, pages = Number.POSITIVE_INFINITY, ...options }: Reading = {},
) {
  const requests: PageRequest[] = [];
  const pager = new Pager<Row>({
    source: {
      async get(request) {
        requests.push(request);
        if (requests.length > 5000) throw new Error("it never ends");
        const rows = answer(request);
        return { records: () => rows, end: (count: number) => rows.slice(-count) };
      },
    },
    reading,
    limit,
    clock: instantClock,
    signal: new AbortController().signal,
    ...options,
  });
  const rows: Row[] = [];
  let count = 0;
  for await (const page of pager.pages()) {
    rows.push(...page);
    if (++count === pages) break;
  }
  return { rows, pager, requests, verdict: pager.verdict, state: pager.state };
}

const words = ({ verdict }: Awaited<ReturnType<typeof read>>) =>
  verdict === undefined ? "none" : formatVerdict(verdict);

describe("a listing", () => {
  const listing = rowsDownFrom(95);

  test("is read whole, and its end is proven", async () => {
    const all = await read((request) => below(listing, request));
    expect(all.rows).toEqual(listing);
    expect(all.verdict).toEqual({ isComplete: true, reach: "end", provenBy: "id" });
  });

  test("that is empty is asked three times before it is believed", async () => {
    const all = await read(() => []);
    expect([all.rows, all.requests.length]).toEqual([[], 3]);
    expect(words(all)).toBe("proven by an empty first page");
    expect(all.verdict).toMatchObject({ isComplete: true, reach: "end" });
  });

  test("that seems empty at first is read all the same", async () => {
    let asked = 0;
    const all = await read((request) => (++asked < 3 ? [] : below(listing, request)));
    expect(all.rows).toEqual(listing);
  });

  test("is read as it was at the first answer", async () => {
    let grown = listing;
    const all = await read((request) => {
      const page = below(grown, request);
      grown = [{ id: `${1000 + grown.length}`, ms: 1000 }, ...grown];
      return page;
    });
    expect(all.rows).toEqual(listing);
    expect(all.verdict).toMatchObject({ isComplete: true });
  });

  test("with ids above 2^53 keeps every digit of its cursors", async () => {
    const large = listing.map(({ id, ms }) => ({ id: `${(1n << 60n) + BigInt(id) * 3n}`, ms }));
    const all = await read((request) => below(large, request));
    expect(all.rows).toEqual(large);
    expect(all.verdict).toMatchObject({ provenBy: "id" });
  });

  test("with ids that begin with zeros is read", async () => {
    const padded = listing.map(({ id, ms }) => ({ id: id.padStart(9, "0"), ms }));
    const all = await read((request) => below(padded, request));
    expect(all.rows).toEqual(padded);
  });

  test("whose pages are longer than asked is read, and that is noted", async () => {
    const all = await read(({ before, limit }) => below(listing, { before, limit: limit + 3 }));
    expect(all.rows).toEqual(listing);
    expect(all.pager.notes).toEqual(["long-page"]);
  });
});

describe("bounds", () => {
  const listing = rowsDownFrom(300, 10);
  const bounded = (bounds: Bounds) => read((request) => below(listing, request), { bounds });

  test("in time take in both ends", async () => {
    const { rows, verdict } = await bounded({ sinceMs: 1000, untilMs: 2000 });
    expect(rows).toEqual(listing.filter(({ ms }) => ms >= 1000 && ms <= 2000));
    expect(verdict).toMatchObject({ isComplete: true, reach: "since" });
  });

  test("far back are found without reading all that is newer", async () => {
    const { rows, requests } = await bounded({ untilMs: 100 });
    expect(rows).toEqual(listing.filter(({ ms }) => ms <= 100));
    expect(requests.filter(({ limit }) => limit > 1).length).toBeLessThan(12);
  });

  test("before all rows give none, and that is proven", async () => {
    const { rows, verdict } = await bounded({ untilMs: 5 });
    expect(rows).toEqual([]);
    expect(verdict).toMatchObject({ isComplete: true, reach: "end" });
  });

  test("by number end with it", async () => {
    const { rows, verdict } = await bounded({ max: 25 });
    expect(rows).toEqual(listing.slice(0, 25));
    expect(verdict).toMatchObject({ isComplete: true, reach: "max" });
  });
});

describe("what cannot be proven is said", () => {
  const listing = rowsDownFrom(95);

  test.each<[string, (request: PageRequest) => readonly Row[], string]>([
    ["the same page again and again", () => listing.slice(0, 10), "the same rows whatever cursor"],
    ["pages that are oldest first", (r) => below(listing, r).toReversed(), "not newest first"],
    [
      "a transaction that fills a page",
      ({ before, limit }) =>
        listing
          .map((row) => ({ ...row, ms: row.ms > 40 && row.ms < 80 ? 50 : row.ms }))
          .filter(({ ms }) => before === undefined || BigInt(ms) < before)
          .slice(0, limit),
      "one transaction fills a page of 10 rows",
    ],
    [
      "pages after a gap",
      (r) => below(r.before === undefined ? listing : listing.slice(40), r),
      "",
    ],
  ])("%s", async (_, answer, message) => {
    const all = await read(answer);
    expect(all.verdict).toMatchObject({ isComplete: false });
    expect(words(all)).toContain(`not proven: `);
    expect(words(all)).toContain(message);
    expect(all.rows).toEqual(all.rows.filter((row, i) => all.rows.indexOf(row) === i));
  });
});

test("a run goes on where an earlier one was stopped", async () => {
  const listing = rowsDownFrom(95);
  const answer = (request: PageRequest) => below(listing, request);
  const first = await read(answer, { pages: 3 });
  expect(first.verdict).toBeUndefined();
  const { state } = first;
  const second = await read(answer, state === undefined ? {} : { resume: state });
  expect([...first.rows, ...second.rows]).toEqual(listing);
  expect(second.verdict).toEqual({ isComplete: true, reach: "end", provenBy: "id" });
  expect(second.requests[0]?.before).toBeDefined();
});

describe("one page in a hundred is asked for again", () => {
  const listing = rowsDownFrom(150).map((row) => ({ ...row, ms: row.ms >> 2 }));
  const reading = (again: (rows: readonly Row[]) => readonly Row[]) =>
    read((request) => {
      const rows = below(listing, request);
      return request.limit === 7 ? again(rows) : rows;
    });

  test("and the same answer costs a request, nothing else", async () => {
    const all = await reading((rows) => rows);
    expect(all.rows).toEqual(listing);
    expect([all.verdict?.isComplete, all.pager.notes]).toEqual([true, []]);
    expect(all.requests.filter(({ limit }) => limit === 7)).toHaveLength(1);
  });

  test("and another answer is a doubt", async () => {
    const all = await reading((rows) => rows.map((row) => ({ ...row, id: `${row.id}9` })));
    expect(words(all)).toContain("not proven: a page that was asked for again was another one");
    expect(all.rows).toEqual(listing.slice(0, all.rows.length));
  });

  test("and another order of rows of one time is noted", async () => {
    const all = await reading((rows) =>
      rows.toReversed().sort((a, b) => b.ms - a.ms || Number(a.id) - Number(b.id)),
    );
    expect(all.rows).toEqual(listing);
    expect([all.verdict?.isComplete, all.pager.notes]).toEqual([true, ["unstable-order"]]);
  });
});

test("a page is asked for while the one before it is with its reader", async () => {
  const listing = rowsDownFrom(95);
  let asked = 0;
  const { pager } = await read(
    (request) => {
      asked++;
      return below(listing, request);
    },
    { pages: 4 },
  );
  expect(pager.counts.pages).toBe(4);
  expect(asked).toBeGreaterThan(4);
});

test("only pages wait for each other: what proves the end and what is asked again travel beside them", async () => {
  const listing = rowsDownFrom(95);
  let rounds = 0;
  const pending: (() => void)[] = [];
  /** A network that answers all at once what was asked by then. */
  const travel = (): Promise<void> =>
    new Promise((resolve) => {
      if (pending.push(resolve) > 1) return;
      setImmediate(() => {
        rounds++;
        for (const arrive of pending.splice(0)) arrive();
      });
    });
  const pager = new Pager<Row>({
    source: {
      async get(request) {
        const rows = below(listing, request);
        await travel();
        return { records: () => rows, end: (count: number) => rows.slice(-count) };
      },
    },
    reading,
    limit: 10,
    clock: instantClock,
    signal: new AbortController().signal,
  });
  for await (const _ of pager.pages());
  expect(pager.verdict).toMatchObject({ isComplete: true, reach: "end" });
  const { pages, requests } = pager.counts;
  // Each page, then the one that ends with the last row.
  expect([rounds, requests]).toEqual([pages + 1, pages + 3]);
});
