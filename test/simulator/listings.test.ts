// The REST listings over HTTP, on time that stands still: whatever is listed is compared with the exchange's own rows.
import { expect, test } from "vitest";
import { Log, TRADE } from "../../src/simulator/exchange/log.ts";
import { conformsLiquidationPage, conformsTradePage } from "../support/interface-schema.ts";
import { fillsOf, startRig, tradesOf } from "./rig.ts";

test.each([
  ["/markets/1/trades", 0, "trades"],
  ["/markets/1/trades?market_type=spot", 2, "trades"],
  ["/accounts/OWNER/subaccounts/2/trades", 2, "fills"],
  ["/markets/2/liquidations", 1, "liquidations"],
] as const)(
  "%s has the newest 100 first, and pages join without a gap",
  async (path, place, kind) => {
    const { world, get } = await startRig({ seed: 4 });
    const { liquidations } = world.exchange;
    const rows: readonly { readonly id: number; readonly index: number }[] = {
      trades: () => tradesOf(world, place),
      fills: () => fillsOf(world, place),
      liquidations: () => liquidations.since(0, { value: place, in: ["market"] }),
    }[kind]();
    const newestFirst = rows.toReversed();
    const idOf = (row: Record<string, string>) => Number(row.trade_id ?? row.liquidation_id);
    const { status, headers, value } = await get(path);
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("application/json");
    const conforms = kind === "liquidations" ? conformsLiquidationPage : conformsTradePage;
    expect(conforms(value)).toBeUndefined();
    expect(value.map(idOf)).toEqual(newestFirst.slice(0, 100).map(({ id }) => id));
    // Strictly before: the last transaction of a page may go on behind it, so the next page begins with it.
    const mark = path.includes("?") ? "&" : "?";
    let before = world.exchange.lastIndex + 1;
    for (let pages = 0; pages < 4; pages++) {
      const { value: page } = await get(`${path}${mark}limit=70&before=${before}`);
      const expected = newestFirst.filter(({ index }) => index < before).slice(0, 70);
      expect(page.map(idOf)).toEqual(expected.map(({ id }) => id));
      before = (expected.at(-1)?.index ?? 0) + 1;
    }
  },
);

test("a record says what the exchange did, exactly", async () => {
  const { world, get } = await startRig({ seed: 3 });
  const { value } = await get("/markets/2/trades?limit=1000");
  expect(value.length).toBe(1000);
  const rows = new Map(tradesOf(world, 1).map((row) => [`${row.id}`, row]));
  const digits = (text: string) => BigInt(text.replace(".", ""));
  const hashes = new Map<string, number>();
  for (const record of value) {
    const row = rows.get(record.trade_id);
    if (row === undefined) throw new Error("a trade that nobody made");
    const notional = BigInt(row.priceTicks) * BigInt(row.sizeLots) * 10n;
    expect(digits(record.price)).toBe(BigInt(row.priceTicks));
    expect(digits(record.quantity)).toBe(BigInt(row.sizeLots));
    expect(digits(record.quote_notional)).toBe(notional);
    expect(digits(record.taker_fee_quote)).toBe((notional * 350n + 500_000n) / 1_000_000n);
    expect(record.taker_is_bid).toBe(row.takerIsBid);
    // Trades of one transaction share a hash, and no others do.
    expect(hashes.get(record.tx_hash) ?? row.index).toBe(row.index);
    hashes.set(record.tx_hash, row.index);
  }
  expect(hashes.size).toBe(new Set(hashes.values()).size);
});

test("the numbers of a request may be as large as the document allows", async () => {
  const { get } = await startRig();
  for (const [query, count] of [
    ["before=0", 0],
    ["before=-9223372036854775808", 0],
    ["before=9223372036854775807", 1000],
  ] as const) {
    const { status, value } = await get(`/markets/1/trades?limit=1000&${query}`);
    expect([status, value.length]).toEqual([200, count]);
  }
});

test("an owner's address may be written in capitals", async () => {
  const { get, announcement } = await startRig();
  const owner = announcement.account.owner.slice(2).toUpperCase();
  expect((await get(`/accounts/0x${owner}/subaccounts/0/trades`)).status).toBe(200);
});

test("what cannot be answered gets a status and a JSON body that says why", async () => {
  const { get } = await startRig();
  const unknown = `0x${"0".repeat(40)}`;
  for (const [path, status] of [
    ["/markets/1/trades?limit=0", 400],
    ["/markets/1/trades?limit=1001", 400],
    ["/markets/1/trades?limit=", 400],
    ["/markets/1/trades?limit=1e2", 400],
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
    ["/markets/1/trades/", 404],
    ["/v1/markets/1/trades", 404],
  ] as const) {
    const answer = await get(path);
    expect(answer.status, path).toBe(status);
    expect(answer.value.error).toMatchObject({ status, message: expect.any(String) });
  }
  const { status, headers } = await get("/markets/1/trades", "POST");
  expect([status, headers.allow]).toEqual([405, "GET"]);
});

test("when there are too many trades the oldest go, and those that stay keep their ids", () => {
  const log = new Log(TRADE, 700, 20);
  const made = Array.from({ length: 100 }, (_, i) => ({
    ...{ index: 10 + 2 * i, timeUs: 1e15 + i, market: i % 20, maker: i, taker: 99 - i },
    ...{ priceTicks: 2 ** 44 + i, takerLots: -(2 ** 40) - i },
    ...{ makerClientOrderId: 1e9 + i, takerClientOrderId: 2e9 + i },
    ...{ makerGainAtoms: 5 * i, takerGainAtoms: -7 * i },
  }));
  for (const row of made) log.add(...TRADE.map((field) => row[field]));
  const kept = log.since(0);
  expect(kept.length).toBeGreaterThanOrEqual(18);
  expect(kept).toEqual(made.map((row, i) => ({ ...row, id: 700 + i })).slice(-kept.length));
  const before = log.newest(2, { value: 8, in: ["market", "maker"] }, log.endBefore(205));
  expect(before.map(({ index }) => index)).toEqual([186]);
});
