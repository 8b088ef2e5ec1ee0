// A listing that answers with rows of something else than was asked for is refused by name, in exports and in views.
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { RowCheck } from "../../src/listing/listing-source.ts";
import { exportRig } from "../support/export-rig.ts";
import { runInside } from "../support/monitor-inside.ts";
import { serveTrades } from "../support/trades-server.ts";
import { listingOf } from "./compose-listing.ts";
import { startListing } from "./listing-service.ts";

const rig = exportRig();
type Chosen = Parameters<typeof listingOf>[0];

async function run(chosen: Chosen, command: (words: string) => string) {
  const listing = listingOf({ seed: 7, transactions: 120, ...chosen });
  const { baseUrl } = await startListing(listing.service);
  const { kind, marketType, marketId, owner, subaccountId } = listing;
  const words =
    kind === "fills" ? `fills ${owner} ${subaccountId}` : `trades ${marketType}/${marketId}`;
  return runInside([...command(words).split(" "), "--base-url", baseUrl]);
}

const toFile = (words: string) => `export ${words} -o ${rig.fileOf("t.csv")}`;

const LIES: readonly (readonly [what: string, chosen: Chosen, said: RegExp])[] = [
  ["another market", { lie: "other-market" }, /\[[0-9]+\]\.market_id: 2, asked for 1\n/],
  [
    "another market type",
    { lie: "other-market-type" },
    /\[[0-9]+\]\.market_type: "spot", asked for perp\n/,
  ],
  [
    "another owner",
    { kind: "fills", lie: "other-owner" },
    /\[[0-9]+\]\.maker_address: a trade of 0x[0-9a-f]{40}\/[0-9] and 0x[0-9a-f]{40}\/[0-9], asked for 0x/,
  ],
  [
    "another subaccount",
    { kind: "fills", lie: "other-subaccount", selfTradeShare: 0 },
    /\[[0-9]+\]\.maker_address: a trade of /,
  ],
];

describe("rows of", () => {
  test.each(LIES)("%s are not exported", async (_, chosen, said) => {
    const { code, stderr } = await run(chosen, toFile);
    expect(code).toBe(1);
    expect(stderr).toMatch(said);
    expect(stderr).toMatch(/complete: no \(failed: /);
    expect(existsSync(rig.fileOf("t.csv"))).toBe(false);
  });

  test.each(LIES)("%s are not shown", async (_, chosen, said) => {
    const { code, stdout, stderr } = await run(chosen, (words) => `${words} --once --max 200`);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(said);
  });

  test("a market whose type is spelled in a way of its own are exported", async () => {
    const { code, stderr } = await run({ marketTypeText: "PERPETUAL" }, toFile);
    expect(stderr).toMatch(/^120 rows, .* complete: yes/);
    expect(code).toBe(0);
  });

  test("an owner whose address is spelled in any case are exported", async () => {
    const { code, stderr } = await run({ kind: "fills", addressCase: "mixed-by-row" }, toFile);
    expect(stderr).toMatch(/^120 rows, .* complete: yes/);
    expect(code).toBe(0);
  });
});

describe("liquidations that touch the market without a position in it", () => {
  /** Newest first; the document promises no more than that these touch market 7. */
  const event = (id: number, markets: readonly number[]) => ({
    liquidation_id: `${id}`,
    liquidation_type: "full",
    liquidator: "a",
    liquidatee: "b",
    liquidatee_subaccount: 0,
    bucket: "",
    scope: "account",
    timestamp_ms: 1_700_000_000_000 + id * 1000,
    positions: markets.map((market_id) => ({
      market_id,
      side: "long",
      size: "1",
      position_margin: "-2.5",
      margin_mode: "cross",
    })),
  });

  async function runEvents(events: readonly ReturnType<typeof event>[], words: string) {
    const { baseUrl } = await serveTrades([], (_, _count, query) => {
      const before = BigInt(query.get("before") ?? "9000000000000000000");
      const older = events.filter(({ liquidation_id }) => BigInt(liquidation_id) < before);
      return older.slice(0, Number(query.get("limit") ?? 100));
    });
    return runInside([...words.split(" "), "--base-url", baseUrl]);
  }

  const MIXED = [event(9, [7, 8]), event(8, [8]), event(7, []), event(6, [3, 4]), event(5, [7])];

  test("are exported as they came, and the closing line says so", async () => {
    const { code, stdout, stderr } = await runEvents(
      MIXED,
      "export liquidations 7 --format ndjson",
    );
    expect(stderr).toMatch(
      /complete: yes \(.*; some events name other markets only, and are exported as received\)/,
    );
    expect(code).toBe(0);
    const rows = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rows.map(({ time, ...row }) => row)).toEqual(MIXED);
  });

  test("are shown with their own market", async () => {
    const { code, stdout } = await runEvents(MIXED, "liquidations 7 --once --json");
    expect([code, JSON.parse(stdout).rows]).toEqual([0, MIXED]);
  });

  test("are not proven to be what was asked for where none has one", async () => {
    const events = [event(9, [8]), event(8, []), event(7, [3, 4])];
    const exported = await runEvents(events, "export liquidations 7");
    expect(exported.stderr).toMatch(
      /^4 rows, .*complete: no \(not proven: every row down to .* names others alone/,
    );
    expect(exported.code).toBe(3);
    const shown = await runEvents(events, "liquidations 7 --once --json");
    expect([shown.code, JSON.parse(shown.stdout).rows]).toEqual([3, events]);
  });

  test("prove nothing is wrong where no event names any market", async () => {
    const { code } = await runEvents([event(9, []), event(8, [])], "export liquidations 7");
    expect(code).toBe(0);
  });
});

test("two words for the type of one market are refused", () => {
  const listing = listingOf({ seed: 7 });
  const rows = JSON.parse(
    listing.service.answer({ path: listing.service.path, query: "limit=3", headers: {} }, 1).body,
  ) as Record<string, unknown>[];
  const check = () => new RowCheck({ kind: "market", type: "perp", id: "1" });
  expect(check().find(rows)).toBeUndefined();
  const mixed = [...rows, { ...rows[0], market_type: "future" }];
  expect(check().find(mixed)).toEqual({
    path: "[3].market_type",
    detail: '"future", other rows have "perp"',
  });
});
