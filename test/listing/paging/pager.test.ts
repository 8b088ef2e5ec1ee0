import { describe, expect, onTestFinished, test } from "vitest";
import type { Bounds } from "../../../src/listing/paging/bounds.ts";
import type { PageRequest } from "../../../src/listing/paging/source.ts";
import { formatEvidence, formatReach, formatVerdict } from "../../../src/listing/paging/verdict.ts";
import { HistoryError } from "../../../src/units/monitor-error.ts";
import { createRandom } from "../../../src/units/random.ts";
import { below, type Reading, type Row, read, rowsDownFrom } from "./rows.ts";

const words = ({ verdict }: Awaited<ReturnType<typeof read>>) =>
  verdict === undefined ? "none" : formatVerdict(verdict);

describe("a listing", () => {
  const listing = rowsDownFrom(95);

  test("is read whole, and its end is proven", async () => {
    const all = await read((request) => below(listing, request));
    expect(all.rows).toEqual(listing);
    expect(all.verdict).toMatchObject({ isComplete: true, reach: "end", provenBy: "id" });
    expect(words(all)).toBe("proven by id; nothing listed below 1 in 1 probe");
    expect(all.verdict && [formatReach(all.verdict), formatEvidence(all.verdict)]).toEqual([
      "none left out, none older is listed",
      "pages joined by id; no older row in 1 request below 1",
    ]);
  });

  test("that is empty is asked three times, and at all cursors, before it is believed", async () => {
    const all = await read(() => []);
    const cursors = all.requests.flatMap(({ before }) => before ?? []);
    expect([all.rows, all.requests.length - cursors.length]).toEqual([[], 3]);
    expect(words(all)).toBe(
      `proven by an empty first page; nothing listed below 9,223,372,036,854,775,807 in ${cursors.length} probes`,
    );
    expect(cursors.length).toBeLessThanOrEqual(80);
    expect(all.verdict).toMatchObject({ isComplete: true, reach: "end" });
  });

  test("that is empty on its first page only is not taken for empty", async () => {
    const all = await read((request) =>
      request.before === undefined ? [] : below(listing, request),
    );
    expect(all.rows).toEqual([]);
    expect(words(all)).toContain(
      "not proven: the first page has no rows, but older ones are listed",
    );
  });

  test("that seems empty at first is read all the same", async () => {
    let asked = 0;
    const all = await read((request) => (++asked < 3 ? [] : below(listing, request)));
    expect(all.rows).toEqual(listing);
  });

  test("that gets its first rows while it is looked for is read from then on", async () => {
    let asked = 0;
    const all = await read((request) => (++asked < 30 ? [] : below(listing, request)));
    expect(all.rows).toEqual(listing);
    expect(all.verdict).toMatchObject({ isComplete: true, reach: "end" });
  });

  test("that gets new rows while it is looked for is not these alone, where older ones were seen", async () => {
    let isFound = false;
    const newer = rowsDownFrom(3).map(({ ms }) => ({ id: `${5000 + ms}`, ms: 5000 + ms }));
    const all = await read((request) => {
      if (isFound) return below(newer, request);
      isFound = request.before !== undefined;
      return isFound ? below(listing, request) : [];
    });
    expect(words(all)).toContain("the first page has no rows, but older ones are listed");
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

  test.each<[string, (id: string) => string]>([
    ["above 2^53 keeps every digit of its cursors", (id) => `${(1n << 60n) + BigInt(id) * 3n}`],
    ["that begin with zeros is read", (id) => id.padStart(9, "0")],
  ])("with ids %s", async (_, idOf) => {
    const renamed = listing.map(({ id, ms }) => ({ id: idOf(id), ms }));
    const all = await read((request) => below(renamed, request));
    expect(all.rows).toEqual(renamed);
    expect(all.verdict).toMatchObject({ isComplete: true, provenBy: "id" });
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

  test.each([
    ["its own ids", rowsDownFrom(100_000), undefined],
    [
      "rows that come ever faster",
      rowsDownFrom(100_000).map((row) => ({
        ...row,
        ms: Math.floor(Math.sqrt(Number(row.id) * 1e7)),
      })),
      undefined,
    ],
    [
      "the numbering of the stream",
      rowsDownFrom(100_000).map((row) => ({ ...row, id: "-" })),
      700_000_000n,
    ],
  ])("far back in a long listing are found in few requests by %s", async (_, long, newestIndex) => {
    const untilMs = long[90_000]?.ms ?? 0;
    const numbered =
      newestIndex === undefined
        ? long
        : long.map((row, i) => ({ ...row, place: newestIndex - BigInt(i) * 7000n }));
    const answer = ({ before, limit }: PageRequest) =>
      newestIndex === undefined || before === undefined
        ? below(long, { before, limit })
        : numbered.slice(Math.max(0, Number((newestIndex - before) / 7000n + 1n))).slice(0, limit);
    const { rows, requests } = await read(answer, {
      limit: 1000,
      bounds: { untilMs },
      pages: 1,
      newestIndex,
    });
    expect(rows[0]).toMatchObject({ ms: untilMs });
    expect(requests.length).toBeLessThan(10);
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
          .slice(0, Math.min(10, limit)),
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
  expect(second.verdict).toMatchObject({ isComplete: true, reach: "end", provenBy: "id" });
  expect(second.requests[0]?.before).toBeDefined();
});

test.each<[Bounds]>([[{ max: 20 }], [{ sinceMs: 76 }]])(
  "a run that was stopped when it had reached %j asks for nothing more",
  async (bounds) => {
    const listing = rowsDownFrom(95);
    const { state, verdict } = await read((request) => below(listing, request), { bounds });
    const asked = () => expect.unreachable("a request");
    const second = await read(asked, { bounds, ...(state && { resume: state }) });
    expect(second.requests).toEqual([]);
    expect(second.rows).toEqual([]);
    expect(second.verdict).toEqual(verdict);
  },
);

test.each([1, 3, 5, 7])(
  "a listing that loses its oldest rows is proven to its end, by a run stopped after %i pages, too",
  async (pages) => {
    const listing = rowsDownFrom(95);
    let requests = 0;
    const answer = (request: PageRequest) =>
      below(listing.slice(0, listing.length - (requests++ >> 1)), request);
    const whole = await read(answer);
    expect(whole.verdict).toMatchObject({ isComplete: true, reach: "end" });
    requests = 0;
    const { rows, state } = await read(answer, { pages });
    const rest = await read(answer, state === undefined ? {} : { resume: state });
    expect(rest.verdict).toMatchObject({ isComplete: true, reach: "end" });
    const all = [...rows, ...rest.rows];
    expect(all).toEqual(listing.slice(0, all.length));
    expect(all.length).toBeGreaterThan(95 - (requests >> 1));
  },
);

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
  const { pages, requests } = await read((request) => below(listing, request), { pages: 4 });
  expect(pages).toBe(4);
  expect(requests.length).toBeGreaterThan(4);
});

/** Reads a listing to its end. @returns how often an answer was waited for, and how much was asked */
async function countRounds(listing: readonly Row[], options: Reading & { readonly limit: number }) {
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
  const { verdict, pages, requests } = await read(async (request) => {
    const rows = below(listing, request);
    await travel();
    return rows;
  }, options);
  expect(verdict).toMatchObject({ isComplete: true, reach: "end" });
  return { rounds, pages, requests: requests.length };
}

test("only pages wait for each other: what proves the end and what is asked again travel beside them", async () => {
  const { rounds, pages, requests } = await countRounds(rowsDownFrom(95), { limit: 10 });
  // Each page; then the one that ends with the last row, and what shows that it is the last one.
  expect(rounds - pages).toBeLessThanOrEqual(5);
  expect(requests - pages).toBeLessThanOrEqual(12);
});

describe("a listing of full pages, with a short one at its end", () => {
  const dense = rowsDownFrom(12_340).map((row) => ({
    ...row,
    id: `${10n ** 9n + BigInt(row.id)}`,
  }));
  const sparse = dense.map((row) => ({ ...row, id: `${(BigInt(row.id) - 10n ** 9n) ** 2n}` }));

  test.each([
    ["without gaps", dense, 1],
    ["with gaps, which may be rows that a filter leaves out", sparse, 3],
  ])(
    "%s waits at most so often for what proves its end: the probes travel together",
    async (_, listing, most) => {
      const { rounds, pages, requests } = await countRounds(listing, { limit: 1000 });
      expect(rounds - pages).toBeLessThanOrEqual(most);
      expect(requests - pages).toBeLessThanOrEqual(80 + 12);
    },
  );

  test("whose ids fall one by one is read through in half the time, for at most so many requests", async () => {
    const { rounds, pages, requests } = await countRounds(dense, {
      limit: 1000,
      isReadThrough: true,
    });
    expect(rounds).toBeLessThan(pages * 0.8);
    expect(requests - pages).toBeLessThanOrEqual(80 + 12);
  });

  test("whose ids fall by other steps each time asks for no page in vain more than a few times", async () => {
    const { pages, requests } = await countRounds(sparse, { limit: 1000, isReadThrough: true });
    expect(requests - pages).toBeLessThanOrEqual(80 + 12);
  });

  test("is not at its end where an answer that came too early shows older rows", async () => {
    // Answers look only so far back from their cursor, and no probe is near enough to the older rows.
    const listing = rowsDownFrom(20_000).filter(
      ({ ms }) => ms > 10_000 || (ms > 8400 && ms <= 8500),
    );
    const answer = ({ before = 20_001n, limit }: PageRequest) =>
      below(listing, { before, limit }).filter(({ id }) => BigInt(id) >= before - 1200n);
    const all = await read(answer, { limit: 1000, probes: 1, isReadThrough: true });
    expect(all.rows).toEqual(listing.slice(0, 10_000));
    expect(all.verdict).toMatchObject({ isComplete: false, flag: "not-joined" });
  });
});

describe("the end of a listing", () => {
  /** Answers look only so far back from their cursor. */
  const lookingBack =
    (rows: readonly Row[], units: bigint) =>
    ({ before, limit }: PageRequest) =>
      below(rows, { before, limit }).filter(({ id }) => BigInt(id) >= (before ?? 1001n) - units);
  const quiet = (from: number, to: number) =>
    rowsDownFrom(1000).filter(({ ms }) => ms > to || ms <= from);

  test("is looked for far below: rows behind a quiet time are not passed over", async () => {
    const listing = quiet(500, 700);
    const all = await read(lookingBack(listing, 100n), { limit: 1000 });
    expect(all.rows).toEqual(listing.slice(0, all.rows.length));
    expect(all.verdict).toMatchObject({ isComplete: false, flag: "not-joined" });
    expect(words(all)).toBe(
      "not proven: older rows are listed, from 1970-01-01T00:00:00.500Z on, but no answer joins them to the last row, of 1970-01-01T00:00:00.701Z",
    );
  });

  test("is not where a page has no rows, if a longer one reaches further", async () => {
    const listing = rowsDownFrom(3000).filter(({ ms }) => ms % 50 === 0);
    // So many rows of everybody are looked at as are asked for.
    const scanning = ({ before = 3001n, limit }: PageRequest) =>
      listing.filter(({ ms }) => BigInt(ms) < before && ms >= Number(before) - limit);
    const all = await read(scanning, { limit: 20 });
    expect(all.rows).toEqual(listing);
    expect(all.verdict).toMatchObject({ isComplete: true, reach: "end" });
  });

  test("is not proven when nobody looks below", async () => {
    const all = await read((request) => below(rowsDownFrom(95), request), { probes: 0 });
    expect(all.rows).toEqual(rowsDownFrom(95));
    expect(words(all)).toContain("not proven: it was not checked whether anything is listed below");
  });

  test.each([1, 2, 8, 20, 80])("is looked for by at most %i requests", async (probes) => {
    const listing = rowsDownFrom(95).map((row) => ({
      ...row,
      id: `${BigInt(row.id) + (1n << 60n)}`,
    }));
    const all = await read((request) => below(listing, request), { probes });
    expect(all.verdict).toMatchObject({ isComplete: true });
    const below60 = all.requests.filter(({ before = 1n << 61n }) => before <= 1n << 60n);
    expect(below60.length).toBeLessThanOrEqual(probes);
    if (probes === 80) expect(below60.length).toBeGreaterThan(60);
  });

  test("is that of a service that refuses cursors below it", async () => {
    const all = await read((request) => {
      if ((request.before ?? 2n) < 2n) throw new HistoryError("http-400", "out of range");
      return below(rowsDownFrom(95), request);
    });
    expect(all.rows).toEqual(rowsDownFrom(95));
    expect(words(all)).toBe("proven by id; every cursor below 1 is refused");
  });

  test("is found by a service that refuses cursors above its newest row", async () => {
    const listing = rowsDownFrom(95).map((row) => ({ ...row, id: `${row.id}x` }));
    const all = await read((request) => {
      if ((request.before ?? 0n) > 95n) throw new HistoryError("http-400", "out of range");
      const rows = rowsDownFrom(95);
      return below(rows, request).map(({ id, ms }) => ({ id: `${id}x`, ms }));
    });
    expect(all.rows).toEqual(listing);
    expect(all.verdict).toMatchObject({ isComplete: true, provenBy: "search" });
  });
});

describe("the oldest transaction", () => {
  /** Rows of one index, below some others. */
  const listingOf = (others: number, last: number) => [
    ...Array.from({ length: others }, (_, i) => ({ id: `${900 - i}`, ms: 900 - i, note: i })),
    ...Array.from({ length: last }, (_, i) => ({ id: "7", ms: 7, note: i })),
  ];
  const alone = "nothing shows that one can hold more rows of one transaction";
  const long = "may have more rows than a page of this service holds";
  test.each([
    [800, 60, 40, long],
    [800, 150, 99, long],
    [800, 40, 40, long],
    [30, 60, 40, long],
    [0, 60, 40, alone],
    [0, 40, 1000, alone],
    [1, 41, 41, long],
    [800, 39, 40, "proven by"],
    [30, 8, 40, "proven by"],
    [1, 40, 41, "proven by"],
    [1, 1, 1000, "proven by"],
  ])("below %i rows, of %i rows in pages of at most %i: %s", async (others, last, cap, why) => {
    const listing = listingOf(others, last);
    const all = await read(
      ({ before, limit }) => below(listing, { before, limit: Math.min(cap, limit) }),
      { limit: 1000 },
    );
    const isProven = why === "proven by";
    expect(all.rows).toEqual(isProven ? listing : listing.slice(0, all.rows.length));
    expect(all.verdict).toMatchObject({ isComplete: isProven, ...(isProven && { reach: "end" }) });
    expect(words(all)).toContain(why);
  });
});

test.each([
  ["one as long as the others, with a short row above", 40, 25],
  ["one of long rows, in fewer to a page than others", 120, 40],
])("an oldest transaction that is cut by its bytes is not proven: %s", async (_, long, above) => {
  const row = (id: number, length: number) => ({ id: `${id}`, ms: id, note: "x".repeat(length) });
  const listing = [
    ...Array.from({ length: 400 }, (_, i) => row(900 - i, i === 399 ? above : 40)),
    ...Array.from({ length: 90 }, (_, i) => row(7, long + (i % 2))),
  ];
  const textOf = (rows: readonly Row[]) => JSON.stringify(rows);
  const most = textOf(listing.slice(399, 440)).length;
  const cut = (rows: readonly Row[]) => {
    let count = rows.length;
    while (count > 1 && textOf(rows.slice(0, count)).length > most) count--;
    return rows.slice(0, count);
  };
  const all = await read((request) => cut(below(listing, request)), { limit: 1000 });
  expect(all.rows).toHaveLength(440);
  expect(words(all)).toContain("may have more rows than a page of this service holds");
});

test("a listing by transactions, which none of its fields names, is proven wherever its pages begin", async () => {
  const unproven: string[] = [];
  for (let seed = 1; seed <= 400; seed++) {
    const random = createRandom(seed);
    const sizes = Array.from({ length: 12 }, () => 1 + Math.floor(random() * 5));
    let index = 1000;
    const rows = sizes.flatMap((size, i) => {
      index += i === 0 ? 0 : 1 + Math.floor(random() * 90);
      return Array.from({ length: i === 0 ? 1 : size }, (_, k) => ({
        row: { id: `${i}-${k}`, ms: 40 * index },
        index,
      }));
    });
    const newestFirst = rows.reverse();
    const answer = ({ before = 1n << 62n, limit }: PageRequest) =>
      newestFirst
        .filter((each) => each.index < before)
        .slice(0, limit)
        .map(({ row }) => row);
    const all = await read(answer, { limit: 12 + (seed % 8) });
    expect(all.rows).toEqual(newestFirst.map(({ row }) => row));
    if (all.verdict?.isComplete !== true) unproven.push(`${seed}: ${words(all)}`);
  }
  expect(unproven).toEqual([]);
});

test("rows equal in every field, each with an index of its own, are counted at each page edge", async () => {
  // Runs of one to five equal rows; the index stands in no field.
  const listing = Array.from({ length: 400 }, (_, i) => ({
    id: "0",
    ms: 4000 - (i >> 1) - (i % 5 === 0 ? 1 : 0),
  })).sort((a, b) => b.ms - a.ms);
  for (let limit = 3; limit < 30; limit++) {
    const all = await read(
      ({ before = 401n, limit: most }) =>
        listing.filter((_, i) => BigInt(400 - i) < before).slice(0, Math.min(most, limit)),
      { limit },
    );
    if (all.verdict?.isComplete) expect(all.rows, `pages of ${limit}`).toEqual(listing);
    if (limit > 12) expect(all.verdict, `pages of ${limit}`).toMatchObject({ isComplete: true });
  }
});

test.each([
  ["always hold 99 rows", () => 99],
  ["hold 40 to 139 rows, as it comes", (i: number) => 40 + ((i * 7919) % 100)],
])("a service whose pages %s is asked for each page once", async (_, capacity) => {
  const listing = rowsDownFrom(20_000);
  let asked = 0;
  const { rows, verdict, pages, requests } = await read(
    async ({ before = 20_001n, limit }) => {
      const start = 20_001 - Math.min(20_001, Number(before));
      const page = listing.slice(start, start + Math.min(limit, capacity(asked++)));
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
      return page;
    },
    { limit: 1000 },
  );
  expect([rows.length, verdict?.isComplete]).toEqual([20_000, true]);
  // One page in a hundred is asked for again; pages shorter than all before them, and the end, cost a few more.
  expect(requests.length - pages).toBeLessThanOrEqual(pages * 0.02 + 50);
});

test("an export of 4,000 pages costs at most 2 % more requests than its pages", async () => {
  const [count, limit] = [40_000, 10];
  const { rows, verdict, pages, requests } = await read(({ before = 40_001n, limit: most }) => {
    if (most > limit) throw new HistoryError("http-400", "limit is too large");
    const newest = Math.min(Number(before), count + 1) - 1;
    const length = Math.max(0, Math.min(newest, most));
    return Array.from({ length }, (_, i) => ({ id: `${newest - i}`, ms: newest - i }));
  });
  expect([rows.length, verdict?.isComplete]).toEqual([count, true]);
  // Pages overlap by two rows, here of ten.
  expect(pages).toBeLessThanOrEqual(count / (limit - 2) + 1);
  expect(requests.length - pages).toBeLessThanOrEqual(pages * 0.02);
});

test("many requests at once at the end of a listing are no warning on the terminal", async () => {
  const warnings: string[] = [];
  const onWarning = ({ message }: Error) => warnings.push(message);
  process.on("warning", onWarning);
  onTestFinished(() => {
    process.off("warning", onWarning);
  });
  const { signal } = new AbortController();
  let underWay = 0;
  let most = 0;
  const listing = rowsDownFrom(1000, 7).map((row) => ({
    ...row,
    id: `${10n ** 18n + BigInt(row.id)}`,
  }));
  const { verdict } = await read(
    async (request) => {
      const onAbort = () => {};
      signal.addEventListener("abort", onAbort);
      most = Math.max(most, ++underWay);
      await new Promise(setImmediate);
      underWay--;
      signal.removeEventListener("abort", onAbort);
      return below(listing, request);
    },
    { signal, probes: 80 },
  );
  await new Promise(setImmediate);
  expect(verdict?.isComplete).toBe(true);
  expect(most).toBeGreaterThan(10);
  expect(warnings).toEqual([]);
});
