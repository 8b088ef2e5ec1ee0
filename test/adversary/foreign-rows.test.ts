// A listing that answers with rows of something else than was asked for is refused by name, in exports and in views.
import { existsSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { exportRig } from "../support/export-rig.ts";
import { runInside } from "../support/monitor-inside.ts";
import { listingOf } from "./compose-listing.ts";
import { startListing } from "./listing-service.ts";

const rig = exportRig();
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Chosen = Parameters<typeof listingOf>[0];

async function run(chosen: Chosen, command: (words: string) => string) {
  const listing = listingOf({ seed: 7, transactions: 120, ...chosen });
  const { baseUrl, close } = await startListing(listing.service);
  stops.push(close);
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

test("two words for the type of one market are refused", async () => {
  const listing = listingOf({ seed: 7 });
  const rows = JSON.parse(
    listing.service.answer({ path: listing.service.path, query: "limit=3", headers: {} }, 1).body,
  ) as Record<string, unknown>[];
  const { RowCheck } = await import("../../src/listing/listing-source.ts");
  const check = () => new RowCheck({ kind: "market", type: "perp", id: "1" });
  expect(check().find(rows)).toBeUndefined();
  const mixed = [...rows, { ...rows[0], market_type: "future" }];
  expect(check().find(mixed)).toEqual({
    path: "[3].market_type",
    detail: '"future", other rows have "perp"',
  });
});
