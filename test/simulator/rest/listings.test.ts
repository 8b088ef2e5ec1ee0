// The REST listings over HTTP, on time that stands still: whatever is listed is compared with the ledger.

import { request } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { conformsLiquidationPage, conformsTradePage } from "../../support/interface-schema.ts";
import { type Rig, startRig } from "../rig.ts";

const closers: (() => unknown)[] = [];
let rig: Rig;

/** `OWNER` stands for the address of the owner of the published account. */
async function get(path: string, method: "GET" | "POST" = "GET") {
  const { base_url, account } = rig.simulator.announcement;
  const url = base_url + path.replace("OWNER", account.owner);
  const { statusCode, headers, body } = await request(url, { method, reset: true });
  // biome-ignore lint/suspicious/noExplicitAny: what a body holds is what the tests find out
  const value: any = await body.json();
  return { status: statusCode, headers, value };
}

beforeAll(async () => {
  rig = await startRig({ seed: 4, history: 20_000, onEnd: (close) => closers.push(close) });
});
afterAll(async () => {
  for (const close of closers) await close();
});

const transposed = <T>(rows: readonly T[]) => [...rows].reverse();

describe("trades and fills", () => {
  const listings = [
    ["/markets/1/trades", () => rig.simulator.ledger.trades("perp", 1)],
    ["/markets/1/trades?market_type=perp", () => rig.simulator.ledger.trades("perp", 1)],
    ["/markets/2/trades", () => rig.simulator.ledger.trades("perp", 2)],
    ["/markets/1/trades?market_type=spot", () => rig.simulator.ledger.trades("spot", 1)],
    [
      "/accounts/OWNER/subaccounts/0/trades",
      () => rig.simulator.ledger.fills(rig.simulator.announcement.account.subaccount_id),
    ],
    ["/accounts/OWNER/subaccounts/2/trades", () => rig.simulator.ledger.fills(2)],
  ] as const;
  test.each(listings)(
    "%s lists the newest 100 first, and pages by transaction index join without a gap",
    async (path, truth) => {
      const rows = transposed(truth());
      const { status, headers, value: newest } = await get(path);
      expect(status).toBe(200);
      expect(headers["content-type"]).toBe("application/json");
      expect(newest).toEqual(rows.slice(0, 100).map(({ record }) => record));
      const joined: object[] = [];
      const mark = path.includes("?") ? "&" : "?";
      for (let before = ""; ; ) {
        const { value } = await get(`${path}${mark}limit=700${before}`);
        expect(conformsTradePage(value)).toBeUndefined();
        // The last transaction of a full page may go on behind it: it is taken from the next page.
        const last = rows[joined.length + value.length - 1];
        const isEnd = value.length < 700 || last === undefined;
        const kept = isEnd
          ? value
          : value.filter((_: object, i: number) => rows[joined.length + i]?.index !== last.index);
        joined.push(...kept);
        if (isEnd) break;
        before = `&before=${last.index + 1}`;
      }
      expect(joined).toEqual(rows.map(({ record }) => record));
    },
  );

  test("before is strict: the transaction that it names is not listed", async () => {
    const rows = rig.simulator.ledger.trades("perp", 1);
    const middle = rows[Math.floor(rows.length / 2)];
    if (middle === undefined) throw new Error("no trades");
    const { value } = await get(`/markets/1/trades?limit=1000&before=${middle.index}`);
    const older = transposed(rows.filter(({ index }) => index < middle.index));
    expect(value).toEqual(older.slice(0, 1000).map(({ record }) => record));
  });

  test.each([
    ["before=0", 0],
    ["before=-9223372036854775808", 0],
    ["before=9223372036854775807", 1000],
    ["before=9007199254740993", 1000],
  ])("%s lists %i of 1000", async (query, count) => {
    const { status, value } = await get(`/markets/1/trades?limit=1000&${query}`);
    expect(status).toBe(200);
    expect(value).toHaveLength(count);
  });

  test("an owner's address may be written in capitals", async () => {
    const { owner } = rig.simulator.announcement.account;
    const { status } = await get(
      `/accounts/0x${owner.slice(2).toUpperCase()}/subaccounts/0/trades`,
    );
    expect(status).toBe(200);
  });

  test("all trades of one transaction share a hash, and no others do", () => {
    const hashes = new Map<string, Set<number>>();
    for (const { index, record } of rig.simulator.ledger.trades("perp", 1)) {
      hashes.set(record.tx_hash, (hashes.get(record.tx_hash) ?? new Set()).add(index));
    }
    expect([...hashes.values()].every((indexes) => indexes.size === 1)).toBe(true);
    expect([...hashes.keys()].every((hash) => /^0x[0-9a-f]{64}$/.test(hash))).toBe(true);
  });
});

describe("liquidations", () => {
  test("are listed for each market that they touch, newest first, and page like trades", async () => {
    const all = transposed(rig.simulator.ledger.liquidations());
    for (const id of [1, 2]) {
      const truth = all.filter(({ record }) =>
        record.positions.some((each) => each.market_id === id),
      );
      const { value } = await get(`/markets/${id}/liquidations`);
      expect(conformsLiquidationPage(value)).toBeUndefined();
      expect(value).toEqual(truth.map(({ record }) => record));
      const [, second] = truth;
      const { value: older } = await get(`/markets/${id}/liquidations?before=${second?.index}`);
      expect(older).toEqual(truth.slice(2).map(({ record }) => record));
    }
    expect(all.length).toBeGreaterThan(3);
  });
});

describe("requests that cannot be answered", () => {
  const unknown = `0x${"0".repeat(40)}`;
  test.each([
    ["/markets/1/trades?limit=0", 400],
    ["/markets/1/trades?limit=1001", 400],
    ["/markets/1/trades?limit=", 400],
    ["/markets/1/trades?limit=1e2", 400],
    ["/markets/1/trades?limit=ten", 400],
    ["/markets/1/trades?before=x", 400],
    ["/markets/1/trades?before=1.5", 400],
    ["/markets/1/trades?before=9223372036854775808", 400],
    ["/markets/1/trades?market_type=option", 400],
    ["/markets/one/trades", 400],
    ["/markets/-1/trades", 400],
    ["/markets/2147483648/trades", 400],
    ["/markets/9/trades", 404],
    ["/markets/2/trades?market_type=spot", 404],
    ["/markets/9/liquidations", 404],
    ["/markets/1/liquidations?limit=9999", 400],
    ["/accounts/me/subaccounts/0/trades", 400],
    [`/accounts/${unknown}/subaccounts/0/trades`, 404],
    ["/accounts/OWNER/subaccounts/7/trades", 404],
    [`/accounts/${unknown}/subaccounts/65536/trades`, 400],
    ["/", 404],
    ["/markets", 404],
    ["/markets/1/trades/", 404],
    ["/v1/markets/1/trades", 404],
  ])("%s gets %i, with a JSON body that says why", async (path, status) => {
    const answer = await get(path);
    expect(answer.status).toBe(status);
    expect(answer.value.error).toMatchObject({ status, message: expect.any(String) });
  });

  test("other methods get 405 and name the one that is allowed", async () => {
    const { status, headers } = await get("/markets/1/trades", "POST");
    expect(status).toBe(405);
    expect(headers.allow).toBe("GET");
  });
});
