// Every view with a market and an account whose figures are known: what a trader reads at first sight.
import { expect, test } from "vitest";
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
  const { screen } = open();
  const text = await screen();
  expect(text).toContain("BTC-PERP");
  expect(text).toMatch(/▲ 96,968\.17 {2}\+1\.93% {2}96,967\.81 │ 96,967\.83 {2}0\.02 0\.002bp/);
  expect(text).toMatch(/mark 96,966\.78 {2}index 96,964\.10 \+0\.3bp/);
  expect(text).toMatch(/funding \+0\.0055%\/h 48\.18%APR in 00:2\d/);
  expect(text).toMatch(/24h vol 1\.72B/);
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

test("a funding interval that a record says comes before what spacing suggests", async () => {
  const { store, screen } = open();
  const stats = { market_id: 1, funding_rate: "0.0001", funding_interval_ms: 28_800_000 };
  fold(store, "market-stats/perp/1", { market_stats: [stats] });
  expect(await screen()).toMatch(/\+0\.0012%\/h by 8h 10\.95%APR/);
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
  expect(await screen()).toMatch(/BTC-PERP +short +3 .*90,000 +– /);
});

test("Esc goes to all subaccounts, the most endangered first, and Enter opens one", async () => {
  const { screen, type, ui } = open();
  type("A", "\u001b");
  expect(await screen()).toMatch(/Subaccounts 2.*active.*1,059,858\.67.*restricted/s);
  type("\r");
  expect(ui.account).toBe(ACCOUNT_NAME);
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

test("the link says how each point of the dialect is known", async () => {
  const { screen, type } = open();
  type("L");
  const text = await screen();
  expect(text).toMatch(/frames of the order book +changes +assumed/);
  expect(text).toMatch(/orderbook\/perp\/1 +(?:live|quiet)/);
});

test("data that are not current say so and look so, in every pane", async () => {
  const { store, screen, cells } = open();
  const columns = 140;
  /** Of the panes: neither of the first line nor of the last. */
  const hasColour = (colour: string) =>
    cells()
      .slice(columns, -columns)
      .some((cell) => !cell.startsWith(" ") && cell.includes(colour));
  await screen();
  expect([hasColour(GAIN), hasColour(LOSS)]).toEqual([true, true]);
  store.link.state = "waiting";
  expect(await screen()).toMatch(/× offline/);
  expect([hasColour(GAIN), hasColour(LOSS)]).toEqual([false, false]);
});

test("frozen stays as it was in every view, and says so", async () => {
  const { store, screen, type } = open();
  type("f");
  fold(store, "bbo/perp/1", { bbo: { bid: null, ask: null } });
  for (const key of ["D", "A", "M", "F", "N", "L"]) {
    type(key);
    expect(await screen()).toContain("FROZEN");
  }
  type("D");
  expect(await screen()).toContain("96,967.81");
});

test("every view stands at any size without an error, and cuts no number", async () => {
  for (const [columns, rows] of [
    [200, 60],
    [120, 40],
    [80, 24],
    [40, 12],
    [20, 5],
    [9, 3],
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
