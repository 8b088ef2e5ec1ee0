// Every view with a market and an account whose figures are known: what a trader reads at first sight.
import { expect, test } from "vitest";
import { select } from "../../src/state/store.ts";
import { ACCOUNT } from "../../src/views/account.ts";
import { ALERTS } from "../../src/views/alerts.ts";
import { FUNDING } from "../../src/views/funding.ts";
import { LINK } from "../../src/views/link.ts";
import { MARKET } from "../../src/views/market/market.ts";
import { MARKETS } from "../../src/views/markets.ts";
import { openRig } from "../screen/rig.tsx";
import { ACCOUNT_NAME, createFilledStore, fold } from "./filled-store.ts";

/** What rises and what falls in the dark theme. */
const GAIN = "#4cc38a";
const LOSS = "#ff7b7b";

const VIEWS = [MARKET, ACCOUNT, MARKETS, FUNDING, ALERTS, LINK];

function open({ columns = 140, rows = 40 } = {}) {
  const store = createFilledStore();
  return { store, ...openRig({ views: VIEWS, store, columns, rows, account: ACCOUNT_NAME }) };
}

test("the market's header has price, spread, mark, funding an hour and a year with its countdown", async () => {
  const { screen, store, ui } = open();
  const text = await screen();
  expect(text).toContain("BTC-PERP");
  expect(text).toMatch(/▲ 96,968\.17 {2}\+1\.93% {2}96,967\.81 │ 96,967\.83 {2}0\.02 0\.002bp/);
  expect(text).toMatch(/mark 96,966\.78 {2}index 96,964\.10 \+0\.3bp/);
  expect(text).toMatch(/funding \+0\.0055%\/h 48\.18%APR in 00:2\d/);
  expect(text).toMatch(/24h vol 1\.72B/);
  ui.market = "perp/9";
  fold(store, "market-stats/perp/9", { market_stats: [{ market_id: 9, open_interest: "31.19" }] });
  expect(await screen()).toMatch(/OI 31\.19(?! perp)/);
});

test("the position strip is there at every size, down to side, size and profit", async () => {
  for (const [columns, rows] of [
    [160, 50],
    [120, 40],
    [80, 24],
    [40, 12],
  ] as const) {
    const { screen, terminal } = open({ columns, rows });
    expect(await screen()).toMatch(/long 0\.2883 (?:@ 96,971\.15)? +uPnL −1\.25/);
    terminal.close();
  }
});

test("the position strip says when the account is not current, and never flat of what is not known or no position", async () => {
  const { store, screen, ui } = open();
  ui.market = "perp/9";
  expect(await screen()).toMatch(/flat +0 orders/);
  ui.market = "spot/1";
  expect(await screen()).toMatch(/^ *0 orders/m);
  ui.market = "perp/1";
  const status = store.channels.get(`account/${ACCOUNT_NAME}`);
  if (status === undefined) throw new Error("no account");
  status.isBroken = true;
  store.version++;
  expect(await screen()).toMatch(/account ↻ resync .*long 0\.2883/);
  store.states.delete(`account/${ACCOUNT_NAME}`);
  store.version++;
  const text = await screen();
  expect(text).toMatch(/account ↻ resync/);
  expect(text).not.toMatch(/flat|0 orders/);
});

test("a funding interval that a record says comes before what spacing suggests", async () => {
  const { store, screen } = open();
  const stats = { market_id: 1, funding_rate: "0.0001", funding_interval_ms: 28_800_000 };
  fold(store, "market-stats/perp/1", { market_stats: [stats] });
  expect(await screen()).toMatch(/\+0\.0012%\/h by 8h 10\.95%APR/);
});

test("each funding rate is of the interval that its own record says, else of the usual spacing", async () => {
  const point = (hoursAgo: number, rest: object = {}) => ({
    ...{ funding_rate: "0.0001", funding_time_ms: 1.8e12 - hoursAgo * 3_600_000, ...rest },
  });
  const show = async (...funding_rates: object[]) => {
    const { store, screen, type, ui } = open();
    ui.market = "perp/2";
    fold(store, "funding-rates/2", { funding_rates });
    type("F");
    return screen();
  };
  const said = { funding_interval_ms: 28_800_000 };
  expect(await show(point(2, said), point(1, said))).toMatch(/(?:\+0\.0012% +\+10\.95%.*){2}/s);
  // One point is missing, and one is late.
  const usual = await show(point(9), point(8), point(5), point(3.99), point(3), point(2));
  expect(usual).toMatch(/(?:\+0\.0100% +\+87\.60%.*){6}/s);
});

test("where no record says for how long a rate is, the time between rates does, or it stands alone", async () => {
  const { store, screen, ui } = open();
  ui.market = "perp/2";
  fold(store, "market-stats/perp/2", { market_stats: [{ market_id: 2, funding_rate: "-0.0001" }] });
  expect(await screen()).toMatch(/funding −0\.0100%(?!\/h)/);
  const channels = ui.panes.flatMap((pane) => pane.channels?.(ui) ?? []);
  expect(channels).toContain("funding-rates/2");
  const point = (hour: number) => ({ funding_rate: "0", funding_time_ms: 1.8e12 + hour * 3.6e6 });
  fold(store, "funding-rates/2", { funding_rates: [point(0), point(4)] });
  expect(await screen()).toContain("funding −0.0025%/h by 4h −21.90%APR");
});

test.each([
  [{ funding_interval: 8 }],
  [{ funding_interval: "8h" }],
  [{ fundingInterval: 480 }],
  [{ funding_interval: 28_800 }],
  [{ funding_interval: 28_800_000 }],
  [{ fundingIntervalHours: "8" }],
])("an interval said as %j is of eight hours", async (said) => {
  const { store, screen, ui } = open();
  ui.market = "perp/2";
  const stats = { market_id: 2, funding_rate: "0.0001", ...said };
  fold(store, "market-stats/perp/2", { market_stats: [stats] });
  expect(await screen()).toContain("%/h by 8h 10.95%APR");
});

test("on a machine whose clock was set an hour ahead, times are the service's, and that is shown", async () => {
  const store = createFilledStore();
  const log = [{ atMs: 0, weight: "info", text: "connected" }] as const;
  const look = { views: VIEWS, store, columns: 140, rows: 40, account: ACCOUNT_NAME, log };
  const { screen, type, clock } = openRig(look);
  store.link.offsetMs = clock.now() - clock.wall();
  clock.jumpWall(3_600_000);
  expect(await screen()).toMatch(/APR in 00:2\d/);
  type("L");
  const text = await screen();
  expect(text).toContain("our clock +1h 00m");
  expect(text).toMatch(/00:00:00 +connected/);
});

test("book, tape and chart mark what is the own, and under the mask nowhere", async () => {
  const { screen, type } = open();
  const text = await screen();
  expect(text).toMatch(/◆ 96,960\.00/);
  expect(text).toMatch(/◆23:59:58\.500|◆ ?23:59:58\.500/);
  expect(text).toContain("entry 96,971.15");
  type("p");
  const masked = await screen();
  expect(masked).not.toMatch(/◆|entry|0\.2883/);
  expect(masked).toContain("MASKED");
  expect(masked).toContain("96,967.81");
});

test("an account's figures: given where they are, derived exactly where not", async () => {
  const { screen, type } = open();
  type("A");
  const text = await screen();
  expect(text).toMatch(/equity 1,059,858\.67 +uPnL \+33\.82 +margin 0\.3%/);
  // 6.542 × (3391.32 − 3385.96) = 35.06512, and of a margin of 619 that is 5.66 %.
  expect(text).toMatch(
    /ETH-PERP +short +6\.542 +22,150\.95 +3,391\.32 +3,385\.96 +\+35\.07 +\+5\.66%/,
  );
  expect(text).toMatch(/BTC-PERP +buy +96,960\.00 +−0\.01% +0\.05 +0\.01 +limit/);
  expect(text).toMatch(/1 loaded since .* fees −0\.30/);
});

test("one figure in units of a billionth of a billionth does not make whole numbers so", async () => {
  const { store, screen, type } = open();
  fold(store, "markets", {
    markets: [
      {
        market_id: 1,
        type: "perp",
        symbol: "BTC-PERP",
        tick_size: "0.01",
        lot_size: "1",
        cumulative_funding_x18: "5",
      },
    ],
  });
  fold(store, `account/${ACCOUNT_NAME}`, {
    positions: [{ market_id: 1, side: "long", size: "5" }],
  });
  type("A");
  expect(await screen()).toMatch(/BTC-PERP +long +5 +484,833\.90/);
});

test("a fee of more than the trade was worth is in an unknown unit, and neither shown nor summed", async () => {
  const { store, screen, type } = open();
  type("A");
  const fill = { trade_id: 6, market_id: 1, side: "buy", price: "96967.30", size: "0.01" };
  fold(store, `account/${ACCOUNT_NAME}`, { fills: [{ ...fill, maker_fee: 96967 }] });
  const text = await screen();
  expect(text).toMatch(/buy +96,967\.30 +0\.01 +– +maker/);
  expect(text).not.toMatch(/fees/);
});

test("whole numbers of a service whose ticks are of a unit that nothing names are not shown, which is said", async () => {
  const { store, screen, type } = open();
  const [market] = select(store, "markets", "markets")?.rows.values() ?? [];
  fold(store, "markets", { markets: [{ ...market, tick_size: "10000", lot_size: "1000000" }] });
  const position = { market_id: 1, side: "long", size: "5000000", entry_price: "96971150000" };
  fold(store, `account/${ACCOUNT_NAME}`, { positions: [position] });
  type("A");
  const text = await screen();
  expect(text).toMatch(/units of whole numbers unknown/);
  expect(text).toMatch(/BTC-PERP +long +– +– +– /);
});

test("a fee in another asset than that of sums says so, and sums leave it out and say that", async () => {
  const { store, screen, type } = open({ columns: 200 });
  type("A");
  const fill = { market_id: 1, side: "buy", price: "96967.30", size: "0.01", role: "taker" };
  const paid = (trade_id: number, fee: string, fee_asset: string) =>
    fold(store, `account/${ACCOUNT_NAME}`, { fills: [{ ...fill, trade_id, fee, fee_asset }] });
  paid(6, "0.00001", "BTC");
  paid(7, "0.25", "USDC");
  const spot = { market_id: 9, market_type: "spot", quote_asset: "WETH" };
  fold(store, "markets", { markets: [spot] });
  fold(store, `account/${ACCOUNT_NAME}`, {
    fills: [{ ...spot, trade_id: 8, side: "buy", price: "2", size: "1", fee: "0.125" }],
  });
  const text = await screen();
  expect(text).toMatch(/1 +−0\.125 WETH/);
  expect(text).toMatch(/0\.01 +−0\.00001 BTC +taker/);
  expect(text).toMatch(/4 loaded since .* fees −0\.5500 {2}and fees in BTC, WETH/);
});

test("a tick that the last price is no multiple of is none: its prices stay unknown", async () => {
  const { store, screen, type } = open();
  const market = { market_id: 2, type: "perp", symbol: "ETH-PERP", lot_size: "0.001" };
  const order = { order_id: 12, market_id: 2, side: "buy", size: "5", price_ticks: "339010" };
  fold(store, "markets", { markets: [{ ...market, tick_size: "0.01" }] });
  fold(store, `account/${ACCOUNT_NAME}`, { orders: [order] });
  type("A");
  expect(await screen()).toMatch(/ETH-PERP +buy +3,390\.10 /);
  fold(store, "markets", { markets: [{ ...market, tick_size: "1" }] });
  expect(await screen()).toMatch(/ETH-PERP +buy +– /);
});

test("a position that turns round is one row in the next frame", async () => {
  const { store, screen, type } = open();
  type("A");
  const turned = { market_id: 1, side: "short", size: "0.1", entry_price: "96000" };
  fold(store, `account/${ACCOUNT_NAME}`, { positions: [turned] });
  const text = await screen();
  expect(text).toMatch(/BTC-PERP +short +0\.1 /);
  expect(text).not.toMatch(/BTC-PERP +long/);
  expect(text).toContain("Positions 2");
});

test("a liquidation price on the side on which a position gains has no distance", async () => {
  const { store, screen, type } = open();
  type("A");
  const odd = {
    market_id: 1,
    side: "short",
    size: "3",
    entry_price: "97000",
    liquidation_price: "90000",
  };
  fold(store, `account/${ACCOUNT_NAME}`, { positions: [odd] });
  expect(await screen()).toMatch(/BTC-PERP +short +3 .*90,000\.00 +– /);
});

test("what stands for nothing is no value: no trade in a period, a price of zero, a position without an entry", async () => {
  const { store, screen, type, ui } = open();
  ui.market = "perp/2";
  const minute = (ago: number, price: string, trades: number) => ({
    ...{ open_time_ms: 1_767_225_600_000 - ago * 60_000, open: price, high: price, low: price },
    ...{ close: price, volume_base: trades > 0 ? "1" : "0", volume_quote: "0", trades },
  });
  for (const candle of [
    minute(9, "3380", 4),
    minute(8, "0", 0),
    minute(7, "3380", 0),
    minute(1, "3390", 2),
  ])
    fold(store, "candles/perp/2/1m", { candles: [candle] });
  const none = { price_ticks: "0", size_base_lots: "0" };
  fold(store, "bbo/perp/2", { bbo: { bid: none, ask: { ...none, price_ticks: "67810" } } });
  const trade = { timestamp_ns: "1767225599000000000", taker_is_bid: true };
  fold(store, "trades/perp/2", { trades: [{ ...trade, ...none }] });
  const prices = {
    last_price: "0",
    mark_price: "0",
    index_price: "0",
    high_24h: "0.00",
    low_24h: 0,
  };
  fold(store, "market-stats/perp/2", { market_stats: [{ market_id: 2, ...prices }] });
  const order = { order_id: 9, market_id: 2, is_bid: true, price: "0", qty: "7", flags: [] };
  const times = { created_at: "0001-01-01T00:00:00Z" };
  fold(store, `account/${ACCOUNT_NAME}`, { orders: [{ ...order, ...times }] });
  const held = { market_id: 2, side: "short", size: "1", entry_price: "0", mark_price: "0" };
  fold(store, `account/${ACCOUNT_NAME}`, { positions: [held] });
  type("3");
  const text = await screen();
  expect(text.replace("0 orders", "")).not.toMatch(/[^.,\d]0(?:\.0+)? |index|high|bp/);
  expect(text).toMatch(/ 3,390 /);
  // Two candles, eight minutes apart, and their volumes.
  expect(text).toMatch(/│ {70}█ {15}█ /);
  type("A");
  const account = await screen();
  expect(account).toMatch(/ETH-PERP +short +1 +– +– +– /);
  expect(account).toMatch(/ETH-PERP +buy +– +– +7 /);
  expect(account).not.toMatch(/\d{4,}d/);
});

test("a time of the next funding that is over is no countdown", async () => {
  const { store, screen, clock } = open();
  expect(await screen()).toContain("APR in 00:2");
  clock.advance(100_000);
  store.version++;
  expect(await screen()).toMatch(/funding \+0\.0055%\/h 48\.18%APR (?!in)/);
});

test("Esc goes to all subaccounts, the most endangered first, and Enter opens one", async () => {
  const { screen, type, ui } = open();
  type("A", "\u001b");
  expect(await screen()).toMatch(/Subaccounts 2.*active.*1,059,858\.67.*restricted/s);
  type("\r");
  expect(ui.account).toBe(ACCOUNT_NAME);
});

test("of a subaccount whose equity is gone the margin in use is more than all of it, everywhere", async () => {
  const { store, screen, type } = open();
  const spent = { equity: "-12.5", margin_used: "40" };
  fold(store, `account/${ACCOUNT_NAME}`, { account: spent }, 2000);
  type("A");
  expect(await screen()).toMatch(/equity −12\.50.*margin >100%/);
  type("\u001b");
  expect(await screen()).toMatch(/active +−12\.50.* >100% █████/);
});

test("markets: the own position, funding and open interest in quote; Enter opens the market", async () => {
  const { screen, type, ui } = open();
  type("M");
  expect(await screen()).toMatch(
    /BTC-PERP +96,968\.17 +\+1\.93%.*1\.72B +\+0\.0055% +\+48\.18% +2\.99M +long 0\.2883/,
  );
  type("j", "\r");
  expect([ui.view.name, ui.market]).toEqual(["market", "perp/2"]);
});

test("a list of markets shows new figures in their order, and the markets that come", async () => {
  const { store, screen, type } = open();
  const stats = (market_id: number, last_price: string) => ({ market_id, last_price });
  type("M", "s", "s", "s");
  await screen();
  fold(store, "market-stats/perp", { market_stats: [stats(2, "99000.5")] });
  expect(await screen()).toMatch(/ETH-PERP +99,000\.5 .*BTC-PERP +96,968\.17 /s);
  const market = { type: "perp", tick_size: "0.01", lot_size: "0.0001" };
  fold(store, "markets", { markets: [{ market_id: 3, symbol: "SOL-PERP", ...market }] });
  fold(store, "market-stats/perp", { market_stats: [stats(3, "7.25")] });
  expect(await screen()).toMatch(/SOL-PERP +7\.25/);
});

test("a star puts a market first, and * shows the starred only", async () => {
  const { screen, type } = open();
  type("M");
  await screen();
  type("j", " ");
  expect(await screen()).toMatch(/★ +ETH-PERP[^\n]*\n[^\n]*BTC-PERP/);
  type("*");
  expect(await screen()).not.toContain("BTC-PERP  ");
});

test("funding: the newest point stands at the right edge, with its own payment in the table", async () => {
  const { screen, type } = open();
  type("F");
  const text = await screen();
  expect(text).toMatch(/12-31 00:00 +12-31 23:00/);
  expect(text).toMatch(/−0\.64/);
});

test("the palette finds what other views do, and does it there", async () => {
  const { screen, type, ui } = open();
  type("N", ":", ..."crosshair");
  expect(await screen()).toMatch(/│ chart: crosshair +D │/);
  type("\r");
  expect(ui.view).toBe(MARKET);
  expect(await screen()).toMatch(/│ 01-01 00:00 O /);
});

test("the last line of a frozen screen says of when it is", async () => {
  const { screen, type } = open();
  type("f");
  expect(await screen()).toMatch(/\n frozen at \d\d:\d\d:\d\d /);
});

test("the link says how each point of the dialect is known", async () => {
  const { screen, type } = open();
  type("L");
  const text = await screen();
  expect(text).toMatch(/frames of the order book +changes +assumed/);
  expect(text).toMatch(/orderbook\/perp\/1 +(?:live|quiet)/);
});

test.each(["D", "A", "M", "F"])("what is not current says so and looks so in %s", async (key) => {
  const { store, screen, cells, type } = open();
  type(key);
  const columns = 140;
  /** Of the panes: neither of the first line nor of the last. */
  const hasColour = (colour: string) =>
    cells()
      .slice(columns, -columns)
      .some((cell) => !cell.startsWith(" ") && cell.includes(colour));
  await screen();
  expect(hasColour(GAIN)).toBe(true);
  store.link.state = "waiting";
  expect(await screen()).toMatch(/× offline/);
  expect([hasColour(GAIN), hasColour(LOSS)]).toEqual([false, false]);
});

test.each(VIEWS.map(({ title, key }) => [title, key] as const))(
  "frozen in %s, all views stand still until it is left",
  async (_, key) => {
    const { store, screen, type, clock } = open();
    type(key, "f");
    const walk = async () => {
      const texts: string[] = [];
      for (const { key: each } of [...VIEWS, { key }]) {
        type(each);
        texts.push(await screen());
      }
      return texts;
    };
    const before = await walk();
    for (const text of before) expect(text).toContain("FROZEN");
    fold(store, "market-stats/perp/1", { market_stats: [{ market_id: 1, mark_price: "1" }] });
    fold(store, "bbo/perp/1", { bbo: { bid: null, ask: null } }, 2000);
    fold(store, "markets", { markets: [] }, 2000);
    fold(store, `account/${ACCOUNT_NAME}`, { positions: [], orders: [] }, 2000);
    clock.advance(5000);
    expect(await walk()).toEqual(before);
    type("f");
    expect((await walk()).at(0)).not.toEqual(before.at(0));
  },
);

test("the footprint shows sold × bought beside its candle, with delta and total below", async () => {
  const { screen, type } = open({ columns: 160, rows: 50 });
  type("u");
  const text = await screen();
  // Of the tape's 40 trades every third was sold: 413 of 1180 lots of 0.0001.
  expect(text).toMatch(/0\.020×0\.042.*\+0\.035.*0\.118/s);
  expect(text).toMatch(/flow since 23:59/);
});

test("where a footprint has no room, the chart says so and has its candles", async () => {
  const { screen, type } = open({ columns: 60, rows: 24 });
  type("u");
  const text = await screen();
  expect(text).toMatch(/no room for a footprint/);
  expect(text).not.toMatch(/\d×\d/);
});

test("what is put into the book shows as stacked, what is taken as pulled, beside trades", async () => {
  const { store, screen, type, clock } = open();
  type("b");
  await screen();
  clock.advance(1000);
  const level = (price: number, size: number) => ({
    price_ticks: String(price),
    size_base_lots: String(size),
  });
  const change = { bids: [level(9_696_781, 300)], asks: [level(9_696_783, 40)] };
  fold(store, "orderbook/perp/1", { orderbook: change }, 1200);
  const text = await screen();
  expect(text).toMatch(/96,968\.00 .*−0\.0050/);
  expect(text).toMatch(/96,967\.00 .*\+0\.0200/);
});

test("the cursor in the book says what filling up to it costs, and an alert begins there", async () => {
  const { screen, type, ui } = open();
  await screen();
  type("c");
  const text = await screen();
  expect(text).toMatch(/buy 0\.0090 for 872\.71/);
  type("!");
  expect(ui.field?.text).toBe("last < 96968.00");
  type("\u001b");
  type("C");
  expect(await screen()).toMatch(/size +in base, such as 2\.5/);
  type(..."0.02", "\r");
  // 90 lots at 96,967.83, 95 at 96,968.20 and 15 at 96,968.57.
  expect(await screen()).toContain("buy 0.02 avg 96,968.06 0.024bp");
});

test("< and > change how many candles there are, arrows go back in time, Esc puts the crosshair away", async () => {
  const { screen, type } = open();
  const times = async () => (await screen()).match(/\b23:[0-5]0\b/g)?.length;
  const usual = await times();
  type(">");
  expect(await times()).toBeGreaterThanOrEqual(usual ?? 0);
  type("r", "\u001b[D");
  expect(await screen()).toContain("12-31 23:59");
  type("\u001b");
  expect(await screen()).not.toContain("12-31 23:59");
});

test("where little trades, the arrows lead over all candles, each at its time", async () => {
  const { store, screen, type, ui } = open();
  ui.market = "perp/2";
  const prices = { open: "3380", high: "3380", low: "3380", close: "3380", volume_quote: "1" };
  for (let n = 0; n < 30; n++)
    fold(store, "candles/perp/2/1m", {
      candles: [{ ...prices, open_time_ms: n * 1_200_000, volume_base: `${n + 1}`, trades: 1 }],
    });
  type("3", "r");
  expect(await screen()).toMatch(/09:40 +O 3,380.* V 30 /);
  const volumes = new Set<string>();
  for (let n = 0; n < 40; n++) {
    volumes.add(/ V (\d+) /.exec(await screen())?.[1] ?? "none");
    type("\u001b[D");
  }
  expect([...volumes]).toEqual(Array.from({ length: 30 }, (_, n) => `${30 - n}`));
});

test("the last price stays on the smallest screens", async () => {
  for (const [columns, rows] of [
    [29, 8],
    [20, 5],
    [24, 2],
  ] as const) {
    const { screen, terminal } = open({ columns, rows });
    expect(await screen()).toContain("96,968.17");
    terminal.close();
  }
});

test("where columns do not fit, a position keeps its distance to liquidation", async () => {
  const { screen, type } = open({ columns: 80, rows: 24 });
  type("A");
  expect(await screen()).toMatch(/entry +uPnL.*liquidation +distance/);
});

test("an order and a fill keep price and size, and the smallest account its equity", async () => {
  const { screen, type } = open({ columns: 80, rows: 24 });
  type("A");
  const text = await screen();
  expect(text).toMatch(/Orders 1.*\n.*price +size.*price +size/);
  expect(text).toMatch(/margin 0\.3%/);
  const small = open({ columns: 40, rows: 12 });
  small.type("A");
  expect(await small.screen()).toMatch(/equity 1,059,858\.67.*size +uPnL/s);
});

test("labels and costs are whole or not there, and further columns of the book come before the chart", async () => {
  for (const columns of [100, 80, 70, 60, 50]) {
    const { screen, type, terminal } = open({ columns, rows: 24 });
    type("C", ..."0.02", "\r");
    for (const key of ["S", "b", "S"]) {
      type(key);
      const text = await screen();
      expect(text).not.toMatch(/(?:entry|buy 0\.05|avg) (?!96,9\d\d\.\d\d)/);
      expect(text).not.toMatch(/avg \S+ (?! *│|[\d.]+bp)/);
      if (columns >= 60) expect(text).toContain("╭─ Book");
    }
    terminal.close();
  }
});

test("in a narrow chart the time, the close and what is drawn below are the last figures to go", async () => {
  const { screen, type } = open({ columns: 80, rows: 24 });
  type("d", "r");
  expect(await screen()).toMatch(/│ \d\d-\d\d \d\d:\d\d C 96,960\.50 delta /);
});

test("the mask hides addresses in the link, too", async () => {
  const { screen, type } = open();
  type("L");
  expect(await screen()).toContain("account/7EcD…FLtV/0");
  type("p");
  expect(await screen()).toMatch(/account\/•••\/0/);
});

test("hints name help, the palette and the way out at every width", async () => {
  for (const columns of [160, 80, 40]) {
    const { screen, type, terminal } = open({ columns, rows: 12 });
    for (const key of ["D", "M", "N"]) {
      type(key);
      expect(await screen()).toMatch(/\? help {2}: go to {2}q quit/);
    }
    terminal.close();
  }
});

test("without colours and with plain characters gain and loss have signs and falling candles are hollow", async () => {
  const store = createFilledStore();
  const look = { theme: { name: "mono", depth: "none" }, isAscii: true } as const;
  const size = { columns: 140, rows: 40 };
  const { screen } = openRig({ views: VIEWS, store, account: ACCOUNT_NAME, ...size, ...look });
  const text = await screen();
  expect([...text].filter((character) => character > "~")).toEqual([]);
  expect(text).toMatch(/uPnL -1\.25 -0\.04%/);
});

test("every view stands at any size without an error, and cuts no number", async () => {
  for (const [columns, rows] of [
    [200, 60],
    [120, 40],
    [80, 24],
    [40, 12],
    [20, 5],
    [9, 3],
    [1, 1],
  ] as const) {
    const { screen, type, terminal } = open({ columns, rows });
    for (const key of [
      "D",
      "H",
      "S",
      "u",
      "o",
      "P",
      "d",
      "2",
      "3",
      "4",
      "1",
      "A",
      "M",
      "F",
      "N",
      "L",
    ]) {
      type(key);
      await screen();
    }
    terminal.close();
  }
});

test("a candle from before the first trade that is known has no delta; the running sum begins with the day", async () => {
  const { screen, type } = open();
  type("d", "r");
  expect(await screen()).toMatch(/ delta [+−]?[\d.]+/);
  for (let i = 0; i < 5; i++) type("\u001b[D");
  expect(await screen()).not.toMatch(/ delta /);
  type("r", "d");
  // All trades are of the day before.
  expect(await screen()).toMatch(/ CVD 0(?:\.0+)? /);
});

test("an average price of the day with trades missing is none, in the line and in the figure", async () => {
  const { store, screen, type } = open();
  const ns = (ms: number) => `${Date.UTC(2026, 0, 1) + ms}000000`;
  const trade = { timestamp_ns: ns(1), price_ticks: "9696800", size_base_lots: "5" };
  fold(store, "trades/perp/1", { trades: [{ ...trade, taker_is_bid: true }] });
  type("o");
  expect(await screen()).toContain("VWAP 96,968.00");
  const missed = { cause: "connection", healed: false, at: 1 } as const;
  select(store, "trades", "trades/perp/1")?.holes.push({
    ...{ after_ns: ns(100), until_ns: ns(200), ...missed },
  });
  expect(await screen()).not.toContain("VWAP");
});
