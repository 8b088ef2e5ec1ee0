// A file that is added to, and a listing that it may not be of any more: edited in its middle, or amended by the service. What
// is compared is told; what differs ends with 3 and the place, and the file stays as it is.
import { readdirSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { rowsOf } from "../support/csv-rows.ts";
import { asTrades, exportRig, monitor } from "../support/export-rig.ts";
import { isSoak } from "../support/soak.ts";
import { type Rows, serveTrades, tradesDownFrom } from "../support/trades-server.ts";

const rig = exportRig();
const { fileOf, read } = rig;
const ROWS = 1200;

interface Cursor {
  /** Of a row, by its place from the oldest one on. */
  readonly indexOf: (place: number) => bigint;
}

const CURSORS: Readonly<Record<string, Cursor>> = {
  trade_id: { indexOf: (place) => BigInt((place + 1) * 3) },
  "an id and one": { indexOf: (place) => BigInt((place + 1) * 3) + 1n },
  timestamp_ms: { indexOf: (place) => BigInt(1_763_000_000_000 + ((place + 1) >> 1) * 1000) },
  "nothing that a row has": { indexOf: (place) => 7_000_000n + BigInt(place) * 11n },
};

/** Most rows that come later. */
const NEWER = 500;
const ALL: readonly Record<string, unknown>[] = tradesDownFrom(ROWS + NEWER);

/** What the first export makes of the listing, by all that decides about it: made once. */
const firstExports = new Map<string, string>();

/** A listing that grows at its top, with a file of what it was. */
async function appended(cursor: string, pageSize: number, name = "t.csv") {
  const ledger = ALL.slice(NEWER);
  const { indexOf } = CURSORS[cursor] ?? { indexOf: () => 0n };
  let requests = 0;
  let isListOnly = true;
  const indexes = new Map<unknown, bigint>(
    ALL.map(({ trade_id }) => [trade_id, indexOf(Number(trade_id) / 3 - 1)]),
  );
  const rowsBefore = (text: string | null): Rows => {
    if (text === null) return ledger;
    const before = BigInt(text);
    return ledger.filter(({ trade_id }) => (indexes.get(trade_id) ?? 0n) < before);
  };
  const server = await serveTrades([], (_, _count, query) => {
    requests++;
    const rows = rowsBefore(query.get("before")).slice(0, Number(query.get("limit")));
    return isListOnly || rows.length > 0 ? rows : { status: 404, body: "no such page" };
  });
  const words = `trades 1 -o ${fileOf(name)} --append --page-size ${pageSize}`;
  const run = async () => {
    requests = 0;
    return { ...(await monitor(words, server)), requests };
  };
  const key = `${cursor} ${pageSize} ${name}`;
  const made = firstExports.get(key);
  if (made === undefined) {
    const first = await run();
    expect(first.code, first.stderr).toBe(0);
    firstExports.set(key, read(name));
  } else writeFileSync(fileOf(name), made);
  const grow = (count: number) => ledger.unshift(...ALL.slice(NEWER - count, NEWER));
  /** A page without rows is 404 from now on. */
  const answer404 = () => {
    isListOnly = false;
  };
  return { ledger, server, run, grow, answer404 };
}

type Ledger = Record<string, unknown>[];
const edit = (lines: string[], at: number) => {
  lines[at] = (lines[at] ?? "").replace("9000.00", "9000.01");
};
const amend = (ledger: Ledger, at: number) => {
  ledger[at] = { ...ledger[at], quantity: "0.11" };
};

describe.each(["trade_id", "timestamp_ms"])("a file whose listing goes by %s", (cursor) => {
  test.each<[pageSize: number, newer: number]>([
    [1000, 0],
    [1000, 40],
    [100, 0],
    [100, 1],
    [100, 250],
    [20, 0],
    [20, 50],
  ])(
    "in pages of %i gets %i newer rows, and what was compared is told",
    async (pageSize, newer) => {
      const { ledger, run, grow } = await appended(cursor, pageSize);
      const same = await run();
      grow(newer);
      const { code, stderr, requests } = await run();
      expect(code, stderr).toBe(0);
      expect(rowsOf(read("t.csv"))).toEqual(asTrades([...ledger]).reverse());
      expect(stderr).toMatch(
        /; (all|[0-9]+ of) 1200 rows of the file compared with the listing\)\n$/,
      );
      // At most eight requests besides those for the newest rows.
      expect(same.requests).toBeLessThanOrEqual(10);
      expect(requests).toBeLessThanOrEqual(same.requests + 8 + 3 * Math.ceil(newer / pageSize));
      expect(readdirSync(rig.folder)).toEqual(["t.csv"]);
    },
  );

  /** What is done to the lines of the file, or to the listing, at a row counted from the oldest one. */
  const damages: Readonly<Record<string, (at: number, lines: string[], ledger: Ledger) => void>> = {
    "was edited at": (at, lines) => edit(lines, at + 1),
    // Its first row could have been left out by --since: nobody can tell.
    "has lost a row at": (at, lines) => lines.splice(Math.max(at, 3) + 1, 1),
    "is of a service that has amended": (at, _, ledger) => amend(ledger, ROWS - 1 - at),
    // So many that no page reaches over them.
    "is of a service that has taken rows away at": (at, _, ledger) =>
      at < 160 ? ledger.splice(ROWS - 30, 20) : ledger.splice(ROWS - 161 - at, 320),
  };
  const places = {
    ...{ "first row": 0, beginning: 7, middle: ROWS / 2 },
    ...{ "third quarter": ROWS * 0.75, "last page": ROWS - 9 },
  };
  const all = Object.keys(damages).flatMap((what, i) =>
    Object.entries(places)
      // In the short form each place and each damage with each cursor, in half of all ways.
      .filter((_, j) => isSoak || (i + j) % 2 === (cursor === "trade_id" ? 0 : 1))
      .filter(([place]) => !(what.includes("away") && place === "last page"))
      .map(([place, at]) => [what, place, at] as const),
  );

  test.each(all)("that %s its %s is left as it is, with 3 and the place", async (what, _, at) => {
    const { ledger, run, grow } = await appended(cursor, 100);
    const lines = read("t.csv").split("\r\n");
    damages[what]?.(at, lines, ledger);
    writeFileSync(fileOf("t.csv"), lines.join("\r\n"));
    grow(30);
    const { code, stderr } = await run();
    const time = what === "was edited at" ? ` near ${lines[at + 1]?.split(",").at(-1)} ` : "";
    expect(stderr).toMatch(/complete: no \(not proven: the file's (last )?rows/);
    expect(stderr).toContain(time);
    expect(code).toBe(3);
    expect(read("t.csv")).toBe(lines.join("\r\n"));
  });

  test("whose service lists its oldest rows no more is added to, and that is told", async () => {
    const { ledger, run, grow } = await appended(cursor, 100);
    const rows = asTrades([...ledger]).reverse();
    ledger.splice(ROWS / 2 + 200);
    grow(30);
    const { code, stderr } = await run();
    expect(code, stderr).toBe(0);
    expect(rowsOf(read("t.csv")).slice(0, ROWS)).toEqual(rows);
    expect(rowsOf(read("t.csv"))).toHaveLength(ROWS + 30);
    expect(stderr).toContain("; not found there: its first rows, its first quarter");
  });
});

describe("a file whose listing goes by nothing that a row has", () => {
  const cursor = "nothing that a row has";

  test.each([0, 40, 350])(
    "gets %i newer rows, and what could not be compared is told",
    async (newer) => {
      const { ledger, run, grow } = await appended(cursor, 100);
      grow(newer);
      const { code, stderr, requests } = await run();
      expect(code, stderr).toBe(0);
      expect(rowsOf(read("t.csv"))).toEqual(asTrades([...ledger]).reverse());
      expect(stderr).toMatch(/(all|[0-9]+ of) 1200 rows of the file compared with the listing/);
      expect(requests).toBeLessThan(200);
    },
  );

  test("and was edited in its last page is left as it is", async () => {
    const { run, grow } = await appended(cursor, 100);
    const lines = read("t.csv").split("\r\n");
    edit(lines, ROWS - 20);
    writeFileSync(fileOf("t.csv"), lines.join("\r\n"));
    grow(30);
    const { code } = await run();
    expect(code).toBe(3);
    expect(read("t.csv")).toBe(lines.join("\r\n"));
  });
});

test.each([51, 100])(
  "a file whose listing goes by an id and one gets newer rows in pages of %i",
  async (pageSize) => {
    const { ledger, run, grow } = await appended("an id and one", pageSize);
    for (const newer of [0, 250]) {
      grow(newer);
      const { code, stderr } = await run();
      expect(code, stderr).toBe(0);
      expect(rowsOf(read("t.csv"))).toEqual(asTrades([...ledger]).reverse());
    }
  },
);

test.each(Object.keys(CURSORS))(
  "a page without rows may be 404 where a file is compared whose listing goes by %s",
  async (cursor) => {
    const { ledger, run, grow, answer404 } = await appended(cursor, 100);
    answer404();
    grow(30);
    const { code, stderr } = await run();
    expect(code, stderr).toBe(0);
    expect(rowsOf(read("t.csv"))).toEqual(asTrades([...ledger]).reverse());
  },
);

test("a copy that lags behind, and lacks what the file ends with, is asked again", async () => {
  const { ledger, run, grow } = await appended("trade_id", 100);
  grow(30);
  const rows = asTrades([...ledger]).reverse();
  const slice = ledger.slice;
  let isBehind = true;
  ledger.slice = (from, to) => {
    const shown = isBehind ? slice.call(ledger, 33) : ledger;
    isBehind = false;
    return slice.call(shown, from, to);
  };
  const { code, stderr } = await run();
  expect(code, stderr).toBe(0);
  expect(rowsOf(read("t.csv"))).toEqual(rows);
});

test("the fields of a record may come in another order each time", async () => {
  const { ledger, run, grow } = await appended("trade_id", 100, "t.ndjson");
  for (const [at, row] of ledger.entries()) {
    ledger[at] = Object.fromEntries(Object.entries(row).reverse());
  }
  grow(30);
  const { code, stderr } = await run();
  expect(code, stderr).toBe(0);
  expect(read("t.ndjson").trimEnd().split("\n")).toHaveLength(ROWS + 30);
});

test("a file with rows that another program puts in while it is added to keeps them", async () => {
  const { ledger, run, grow } = await appended("trade_id", 100);
  grow(250);
  const theirs = `${read("t.csv")}a row of somebody else\r\n`;
  // Between two pages.
  let isWritten = false;
  const find = ledger.filter;
  ledger.filter = ((...args: Parameters<typeof find>) => {
    if (!isWritten) writeFileSync(fileOf("t.csv"), theirs);
    isWritten = true;
    return find.apply(ledger, args);
  }) as typeof find;
  const { code, stderr } = await run();
  expect(stderr).toContain("was changed while it was added to");
  expect(code).toBe(1);
  expect(read("t.csv")).toBe(theirs);
});
