// What Account, Overview, Funding and Fills show of the simulated exchange, recomputed from trades, prices and rates in its ledger.
import { expect, test } from "vitest";
import { RequestBudget } from "../../src/listing/request-budget.ts";
import { createListings } from "../../src/live/listings.ts";
import { openSession } from "../../src/live/session.ts";
import { sheetsOf } from "../../src/print/sheet-text.ts";
import type { View } from "../../src/screen/pane.ts";
import { createWsSocket } from "../../src/stream/ws-socket.ts";
import { createRandom } from "../../src/units/random.ts";
import { ACCOUNT } from "../../src/views/account.ts";
import { FILLS } from "../../src/views/fills.ts";
import { FUNDING } from "../../src/views/funding.ts";
import { openRig } from "../screen/rig.tsx";
import { fillsOf, startRig } from "../simulator/rig.ts";
import { settleLoopback, watchLoopback } from "../support/loopback.ts";

/** Markets of the rig by index: symbol, decimals of a lot. A tick has two. */
const MARKETS = [
  ["BTC-PERP", 4],
  ["ETH-PERP", 3],
  ["BTC/USDC", 4],
] as const;
const SUBACCOUNTS = [0, 1, 2];

/** What fills of the past and of now add up to, by average cost. */
function holding(world: World, id: number, market: number) {
  const own = world.catalogue.accounts[id]?.index;
  let [lots, cost] = [0, 0];
  for (const fill of fillsOf(world, id).filter((each) => each.market === market)) {
    if (fill.maker === fill.taker) continue;
    const isBuy = fill.takerIsBid === (fill.taker === own);
    const signed = isBuy ? fill.sizeLots : -fill.sizeLots;
    if (lots === 0 || lots > 0 === signed > 0) cost += signed * fill.priceTicks;
    else if (Math.abs(signed) <= Math.abs(lots)) cost += (cost / lots) * signed;
    else cost = (lots + signed) * fill.priceTicks;
    lots += signed;
  }
  return { lots, entry: lots === 0 ? 0 : cost / lots / 100 };
}

async function start() {
  watchLoopback();
  const rig = await startRig({ seed: 11, scenario: { funding_interval_ms: 60_000 } });
  const { clock, announcement } = rig;
  const { address, owner } = announcement.account;
  const url = announcement.ws_url;
  const session = openSession({
    ...{ url, clock, random: createRandom(1), onEvent: () => {} },
    openSocket: createWsSocket({ url, headers: {}, clock, environment: {} }),
    learnedPath: undefined,
    channels: [
      ...["markets", "market-stats/perp", "market-stats/spot", `accounts/${address}`],
      ...["funding-rates/1", "bbo/perp/1", "trades/perp/1"],
      ...SUBACCOUNTS.map((id) => `account/${address}/${id}`),
    ],
  });
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 250) {
      clock.advance(250);
      await settleLoopback();
    }
  };
  await pass(130_000);
  const shown = (view: View, id: number) => {
    const { ui, terminal } = openRig({
      ...{ views: [view], store: session.store, account: `${address}/${id}` },
      openListings: () =>
        createListings({
          ...{ clock, random: () => 0.5, headers: {}, baseUrl: announcement.base_url },
          ...{ budget: new RequestBudget(clock, 100), folder: undefined, onChange: () => {} },
          owner: { owner, subaccountId: id },
        }),
    });
    const sheets = (isOverview = false) => {
      Object.assign(ui, { isOverview, view });
      const moment = { store: session.store, nowMs: clock.now(), wallMs: clock.wall() };
      return new Map(
        sheetsOf(view, moment, ui).map((sheet) => [
          sheet.name,
          sheet.rows.map((row) =>
            Object.fromEntries(sheet.columns.map((name, i) => [name, row[i]])),
          ),
        ]),
      );
    };
    return { sheets, close: () => terminal.close() };
  };
  return { ...rig, session, shown, pass };
}

type World = Awaited<ReturnType<typeof startRig>>["world"];

type Fill = ReturnType<typeof fillsOf>[number];

/** What a fill cost the account, negative; a rebate is positive. Who trades with himself pays both. */
function feeOf(world: World, id: number, { market, maker, taker, priceTicks, sizeLots }: Fill) {
  const [ofMaker, ofTaker] = world.exchange.markets[market]?.isPerp ? [-20, 350] : [0, 500];
  const own = world.catalogue.accounts[id]?.index;
  const value = (priceTicks / 100) * baseOf(market, sizeLots);
  const ppm = (maker === own ? ofMaker : 0) + (taker === own ? ofTaker : 0);
  return (-value * ppm) / 1e6;
}

const baseOf = (market: number, lots: number) => lots / 10 ** (MARKETS[market]?.[1] ?? 0);

const near = (text: string | undefined, value: number, within = 1e-5) =>
  expect(Math.abs(Number(text) - value), `${text} for ${value}`).toBeLessThanOrEqual(within);

type Row = Record<string, string | undefined>;
type Sheets = ReadonlyMap<string, readonly Row[]>;

/** @returns sums of all positions in quote */
function checkPositions(sheets: Sheets, world: World, id: number) {
  const account = world.catalogue.accounts[id];
  const sums = { unrealised: 0, margin: 0, positions: 0 };
  for (const [index, [symbol]] of MARKETS.slice(0, 2).entries()) {
    const { lots, entry } = holding(world, id, index);
    const row = sheets.get("positions")?.find((each) => each.symbol === symbol);
    expect(row !== undefined).toBe(lots !== 0);
    if (row === undefined) continue;
    const leverage = account?.leverages[index] ?? 1;
    const [size, mark] = [
      baseOf(index, lots),
      (world.exchange.markets[index]?.markTicks ?? 0) / 100,
    ];
    const [gain, used] = [size * (mark - entry), (Math.abs(size) * mark) / leverage];
    expect(row).toMatchObject({ side: lots > 0 ? "long" : "short", leverage: String(leverage) });
    near(row.size, Math.abs(size), 0);
    near(row.value, Math.abs(size) * mark);
    near(row.entry, entry, 0.001);
    near(row.mark, mark, 0);
    near(row.uPnL, gain, 0.001);
    near(row["ROE %"], (gain / used) * 100, 0.01);
    sums.unrealised += gain;
    sums.margin += used;
    sums.positions++;
  }
  return sums;
}

function checkFills(rows: readonly Row[], world: World, id: number, newest = -1) {
  const fills = fillsOf(world, id);
  const own = world.catalogue.accounts[id]?.index;
  for (const [i, row] of rows.entries()) {
    const fill = fills.at(newest - i);
    if (fill === undefined) throw new Error("a fill that was not made");
    const size = baseOf(fill.market, fill.sizeLots);
    near(row.price, fill.priceTicks / 100, 0);
    near(row.size, size, 0);
    if ("value" in row) near(row.value, (size * fill.priceTicks) / 100, 1e-6);
    near(row.fee, feeOf(world, id, fill), 1e-6);
    if (fill.maker === fill.taker) continue;
    const isTaker = fill.taker === own;
    expect(row.side).toBe(fill.takerIsBid === isTaker ? "buy" : "sell");
    expect(row.role).toBe(isTaker ? "taker" : "maker");
  }
}

/** Each fill has its part of what the positions realised. */
function checkRealised(sheets: Sheets, world: World, id: number) {
  const { index = 0, positions = [] } = world.catalogue.accounts[id] ?? {};
  const gains = fillsOf(world, id).map(({ maker, makerGainAtoms, takerGainAtoms }) =>
    maker === index ? makerGainAtoms : takerGainAtoms,
  );
  const realised = positions.reduce((sum, position) => sum + (position?.realisedAtoms ?? 0), 0);
  expect(gains.reduce((sum, each) => sum + each, 0)).toBe(realised);
  for (const [i, row] of (sheets.get("account-fills") ?? []).entries())
    near(row.realised, (gains.at(-1 - i) ?? 0) / 1e6, 1e-6);
}

function checkLists(sheets: Sheets, world: World, id: number) {
  const account = world.catalogue.accounts[id];
  const orders = (account?.orders ?? []).map(({ market, isBid, priceTicks, sizeLots }) =>
    [isBid ? "buy" : "sell", priceTicks / 100, baseOf(market, sizeLots)].join(" "),
  );
  const shown = sheets.get("orders") ?? [];
  expect(
    shown.map(({ price, size, side }) => [side, Number(price), Number(size)].join(" ")).sort(),
  ).toEqual(orders.sort());
  const [quote] = sheets.get("balances") ?? [];
  near(quote?.total, Number(account?.quoteAtoms) / 1e6, 0);
  const paid = sheets.get("funding-payments") ?? [];
  const amounts = (account?.payments ?? []).map(({ amountAtoms }) => Number(amountAtoms) / 1e6);
  expect(paid.length).toBeGreaterThan(50);
  expect(paid.map(({ amount }) => Number(amount))).toEqual(amounts.slice(-paid.length).reverse());
}

test("every figure of an account is that of the ledger", async () => {
  const { world, shown, session } = await start();
  for (const id of SUBACCOUNTS) {
    const account = world.catalogue.accounts[id];
    const view = shown(ACCOUNT, id);
    const sheets = view.sheets();
    const { unrealised, margin, positions } = checkPositions(sheets, world, id);
    expect(sheets.get("account-fills")?.length).toBeGreaterThan(0);
    checkFills(sheets.get("account-fills") ?? [], world, id);
    checkRealised(sheets, world, id);
    checkLists(sheets, world, id);

    const name = `${world.catalogue.owner.address}/${id}`;
    const row = view
      .sheets(true)
      .get("subaccounts")
      ?.find(({ account: of }) => of === short(name));
    // The third market's base currency, at its index price.
    const coins = baseOf(2, account?.positions[2]?.lots ?? 0);
    const worth = (coins * (world.exchange.markets[2]?.indexTicks ?? 0)) / 100;
    const equity = Number(account?.quoteAtoms) / 1e6 + unrealised + worth;
    near(row?.equity, equity, 0.01);
    near(row?.uPnL, unrealised, 0.001);
    near(row?.["margin %"], (margin / equity) * 100, 0.01);
    const orders = String(account?.orders.length);
    expect(row).toMatchObject({ positions: String(positions), orders });
    view.close();
  }
  session.close();
});

const short = (name: string) => name.replace(/^(.{4}).*(.{4}\/)/, "$1…$2");

test("every figure of funding and of the listed fills is that of the ledger", async () => {
  const { world, shown, pass, session } = await start();
  const [market] = world.exchange.markets;
  const account = world.catalogue.accounts[0];
  const funding = shown(FUNDING, 0);
  const rows = funding.sheets().get("funding") ?? [];
  const rates = [market?.nextFunding, ...(market?.settledFunding.toReversed() ?? [])];
  expect(rows.length).toBeGreaterThanOrEqual(rates.length);
  for (const [i, row] of rows.slice(0, rates.length).entries()) {
    const rate = Number(rates[i]?.rate) / 1e8;
    near(row.rate, rate, 0);
    near(row["per hour %"], rate * 60 * 100, 6e-5);
    near(row["APR %"], rate * 60 * 24 * 365 * 100, 0.01);
    const paid = account?.payments.find((each) => each.market === 0 && each.funding === rates[i]);
    if (row.payment !== "") near(row.payment, Number(paid?.amountAtoms) / 1e6, 0);
  }
  // The stream tells the newest payments of all markets.
  expect(rows.filter(({ payment }) => payment !== "").length).toBeGreaterThan(20);
  funding.close();

  const listed = shown(FILLS, 0);
  listed.sheets();
  await pass(2000);
  const fills = listed.sheets().get("fills") ?? [];
  expect(fills.length).toBeGreaterThan(100);
  const [newest] = fills;
  const held = fillsOf(world, 0);
  const at = held.findLastIndex(
    ({ priceTicks, sizeLots, market }) =>
      priceTicks / 100 === Number(newest?.price) &&
      baseOf(market, sizeLots) === Number(newest?.size),
  );
  checkFills(fills, world, 0, at - held.length);
  listed.close();
  session.close();
});
