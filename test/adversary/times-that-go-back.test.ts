// Listings whose cursor is an index, and whose times go back: the clock of the service was set back in the middle of them.
import { expect, test } from "vitest";
import { listedTrade } from "../support/listed-trade.ts";
import { runInside } from "../support/monitor-inside.ts";
import { serveTrades } from "../support/trades-server.ts";

const START_MS = 1_760_000_000_000;
const ROWS = 2000;

/** Newest first; each a second later than the one before it, but for the step. */
function rowsOf(backMs: number) {
  return Array.from({ length: ROWS }, (_, i) => {
    const id = ROWS - i;
    const stepMs = id > ROWS / 2 ? backMs : 0;
    return listedTrade({ trade_id: `${id}`, timestamp_ms: START_MS + id * 1000 - stepMs });
  });
}

type Rows = ReturnType<typeof rowsOf>;

async function exportPart(rows: Rows, words: string, pageSize: number) {
  const { baseUrl } = await serveTrades(rows, () => undefined);
  const { code, stdout, stderr } = await runInside([
    "export",
    "trades",
    "perp/1",
    ...words.split(" "),
    "--page-size",
    `${pageSize}`,
    "--base-url",
    baseUrl,
    "--format",
    "ndjson",
  ]);
  return { code, rows: stdout.trim().split("\n").length, words: stderr };
}

const timeAt = (second: number) => `${START_MS + second * 1000}`;

const exportSince = (backMs: number, since: number, pageSize: number) =>
  exportPart(rowsOf(backMs), `--since ${timeAt(since)}`, pageSize);

test.each([
  ["on the next page", 600_000, 900, 100],
  ["far below", 990_000, 995, 50],
])(
  "an export since a time is not complete where later rows stand below earlier ones, %s",
  async (_, backMs, since, pageSize) => {
    const { code, words } = await exportSince(backMs, since, pageSize);
    expect(code).toBe(3);
    expect(words).toContain("complete: no (not proven: the service's rows are not newest first");
  },
);

test("an export since a time is complete where times only fall", async () => {
  const { code, rows, words } = await exportSince(0, 1500, 100);
  expect([code, rows]).toEqual([0, 501]);
  expect(words).toContain("complete: yes");
});

/** The newest hundred in ten seconds: the pace of the newest page leads far below. */
const hurried: Rows = rowsOf(600_000).map((row, i) =>
  i < 100 ? { ...row, timestamp_ms: START_MS + 1_310_000 - i * 100 } : row,
);

test.each<[how: string, rows: Rows, more: string]>([
  ["its ids", hurried, ""],
  ["search", rowsOf(600_000), " --cursor-field search"],
])(
  "an export until a time is not complete where earlier rows stand far above later ones, by %s",
  async (_, rows, more) => {
    const { code, words } = await exportPart(rows, `--until ${timeAt(420)}${more}`, 50);
    expect(code).toBe(3);
    expect(words).toContain("complete: no (not proven: the service's rows are not newest first");
  },
);

test.each(["", " --cursor-field search"])(
  "an export until a time%s is complete where times only fall",
  async (more) => {
    const ended = await exportPart(rowsOf(0), `--until ${timeAt(420)}${more}`, 50);
    expect([ended.code, ended.rows]).toEqual([0, 420]);
    expect(ended.words).toContain("complete: yes");
  },
);

test("rows since a time are not said to be complete either where later ones stand below", async () => {
  const { baseUrl } = await serveTrades(rowsOf(600_000), () => undefined);
  const args = ["trades", "perp/1", "--since", timeAt(900), "--max", "1990", "--json"];
  const { code, stdout } = await runInside([...args, "--base-url", baseUrl]);
  expect(JSON.parse(stdout)).toMatchObject({ complete: false });
  expect(code).toBe(3);
});
