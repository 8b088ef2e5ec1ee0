// A subaccount as a page of plain text.
import { expect, test } from "vitest";
import { accountPage } from "../../src/print/account.ts";
import { accountChannel } from "../../src/select/account.ts";
import { openScales } from "../../src/select/scale.ts";
import type { Scales } from "../../src/state/scales.ts";
import { MarketFeed } from "../support/market-feed.ts";

const address = "gtSFx2ZaJ8MqyRzT3mWJrDvC9wPbLkHnUeQaXsVoJNeD";

test("subaccounts have the words of their state, and a right that has ended says so", () => {
  const feed = new MarketFeed();
  const delegation = { subaccount_id: 0, delegate: address, permissions: ["trade"] };
  const created_at_ns = "1767225692255689000";
  feed.say({ type: "subscribing", channel: `accounts/${address}` });
  feed.first(`accounts/${address}`, {
    subaccounts: [
      { subaccount_id: 0, status: "active", created_at_ns },
      { subaccount_id: 1, status: "closed", created_at_ns },
      { subaccount_id: 2, status: "odd", created_at_ns },
    ],
    delegations: [
      { ...delegation, name: "old", expires_at_ns: "1000000000000000000" },
      { ...delegation, name: "new", expires_at_ns: "1000000001000000000" },
    ],
  });
  const snapshot = {
    store: feed.store,
    scales: openScales(feed.store, {}),
    nowMs: 0,
    isMasked: false,
    wallMs: 1_000_000_000_500,
    account: { address, subaccountId: undefined },
  };
  const page = accountPage(snapshot);
  for (const words of ["● active", "× closed", "? odd"]) expect(page).toContain(words);
  expect(page).toMatch(/old +expired 2001-09-09 01:46:40\n/);
  expect(page).not.toMatch(/expired 2001-09-09 01:46:41/);
  expect(page).toMatch(/new +2001-09-09 01:46:41\n/);
});

test("orders and fills buy or sell, positions are long or short, as on the screen", () => {
  const feed = new MarketFeed();
  const account = { address, subaccountId: "0" };
  const channel = accountChannel(account);
  feed.subscribe(channel);
  const row = (id: number, side: string) => ({ order_id: id, trade_id: id, market_id: 1, side });
  feed.first(channel, {
    orders: [row(1, "bid"), row(2, "ask")],
    fills: [row(3, "bid"), row(4, "ask")],
    positions: [{ market_id: 1, side: "ask", size: "2" }],
    funding_payments: [{ payment_id: 5, market_id: 1, side: "bid", funding_rate: "0.0001" }],
  });
  const snapshot = { store: feed.store, scales: openScales(feed.store, {}), nowMs: 0 };
  const page = accountPage({ ...snapshot, isMasked: false, wallMs: 0, account });
  const sides = page.match(/\b(?:bid|ask|buy|sell|long|short)\b/g);
  expect(sides).toEqual(["short", "buy", "sell", "sell", "buy", "long"]);
  expect(page).toContain("0.0001");
});

test("a position in lots has its value where it is known what a lot is worth, as on the screen", () => {
  const feed = new MarketFeed();
  const account = { address, subaccountId: "0" };
  const channel = accountChannel(account);
  feed.subscribe(channel);
  const position = { market_id: 1, side: "bid", size_base_lots: "375", mark_price: "100000" };
  feed.first(channel, { positions: [position] });
  const known = {
    "perp/1": { tickSize: { mantissa: 1n, places: 2 }, lotSize: { mantissa: 1n, places: 3 } },
  };
  const pageOf = (scales: Scales) =>
    accountPage({ store: feed.store, scales, nowMs: 0, isMasked: false, wallMs: 0, account });
  expect(pageOf(openScales(feed.store, known))).toMatch(/0\.375 +100000 +37500/);
  expect(pageOf(openScales(feed.store, {}))).toMatch(/375 lots +100000\n/);
});
