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

async function exportSince(backMs: number, since: number, pageSize: number) {
  const { baseUrl } = await serveTrades(rowsOf(backMs), () => undefined);
  const args = ["export", "trades", "perp/1", "--since", `${START_MS + since * 1000}`];
  const { code, stdout, stderr } = await runInside([
    ...args,
    "--page-size",
    `${pageSize}`,
    "--base-url",
    baseUrl,
    "--format",
    "ndjson",
  ]);
  return { code, rows: stdout.trim().split("\n").length, words: stderr };
}

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
