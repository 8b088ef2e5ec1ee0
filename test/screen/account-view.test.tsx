// The view of a subaccount as its user sees it, on a terminal without a window.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DashboardOptions } from "../../src/screen/dashboard.ts";
import { accountView } from "../../src/screen/views/account/account.tsx";
import {
  ACCOUNT_PANES,
  type AccountPane,
  layOutAccount,
} from "../../src/screen/views/account/panes.ts";
import type { MarketScale, Scales } from "../../src/state/scales.ts";
import type { Scale } from "../../src/units/scale.ts";
import { MarketFeed } from "../support/market-feed.ts";
import { mountDashboard } from "../support/mount-dashboard.tsx";
import { openDashboard } from "../support/open-dashboard.ts";
import type { AppOptions } from "../support/terminal/mounted-app.ts";

const address = "gtSFx2ZaJ8MqyRzT3mWJrDvC9wPbLkHnUeQaXsVoJNeD";
const CATALOGUE = `accounts/${address}`;
const ACCOUNT = `account/${address}/0`;

const catalogue = (...statuses: string[]) => ({
  subaccounts: statuses.map((status, subaccount_id) => ({
    subaccount_id,
    status,
    created_at_ns: "1767225692255689000",
  })),
  delegations: [
    {
      subaccount_id: 0,
      delegate: "8JNe3gtSFx2ZaJMqyRzT3mWJrDvC9wPbLkHnUeQaXsVo",
      permissions: ["trade", "cancel"],
      expires_at_ns: "1000000000000000000",
      name: "bot",
    },
  ],
});

const order = (order_id: string, symbol: string, side: string, price: string, size: string) => ({
  ...{ order_id, symbol, side, price, size },
  status: "open",
});

const everything = {
  account: { equity: "1000.50", upnl: "-3.25", note: "x" },
  positions: [
    {
      market_id: 1,
      symbol: "BTC-PERP",
      side: "long",
      size: "0.375",
      entry_price: "97000.1",
      mark_price: "100000",
      liquidation_price: "90000",
      unrealized_pnl: "12.5",
    },
  ],
  leverages: [{ market_id: 1, leverage: 7 }],
  orders: [
    order("11", "BTC-PERP", "bid", "96000", "0.1"),
    order("12", "ETH-PERP", "ask", "3500.25", "2"),
  ],
  fills: [{ trade_id: "5", symbol: "BTC-PERP", side: "buy", price: "97000.1", size: "0.375" }],
  balances: [{ asset: "USDC", total: "1003.75" }],
};

type Options = AppOptions & Partial<DashboardOptions> & { readonly id?: string | null };

/** @param id null: no subaccount is named */
function open({ columns = 140, rows = 40, id = "0", ...options }: Options = {}) {
  const feed = new MarketFeed();
  const { dashboard } = openDashboard(feed, {
    account: { address, subaccountId: id ?? undefined },
    start: "account",
    wall: () => 1_800_000_000_000,
    ...options,
  });
  feed.link("open", { roundTripMs: 4.2 });
  feed.subscribe(CATALOGUE, ACCOUNT);
  return { ...mountDashboard(dashboard, { columns, rows }), feed };
}

function opened(options: Options = {}) {
  const view = open(options);
  view.feed.first(CATALOGUE, catalogue("active"));
  view.feed.first(ACCOUNT, everything);
  return view;
}

describe("view of a subaccount", () => {
  test("shows summary, positions, orders, fills and balances in one screen", async () => {
    const { screen } = opened();
    const text = await screen();
    expect(text).toContain("account gtSF…JNeD/0  ● active");
    expect(text).toContain("unrealised -3.25  margin not provided");
    expect(text).toMatch(
      /BTC-PERP +long +0\.375 +37500 +12\.5 +\+0\.24% +97000\.1 +100000 +90000 +▋ +10\.0% +7×/,
    );
    expect(text).toMatch(/Orders 2 .* ● live/);
    expect(text).toMatch(/ETH-PERP +sell +3500\.25 +2 +open/);
    expect(text).toMatch(/Fills 1/);
    expect(text).toMatch(/USDC +1003\.75/);
  });

  test("the head says what the session brought: what one gets is positive, what one pays negative", async () => {
    const { feed, dashboard, screen } = opened({ columns: 160 });
    dashboard.tick();
    expect(await screen()).not.toContain("session");
    const fill = (trade_id: string, fee_quote: string, realized_pnl?: string) =>
      realized_pnl === undefined ? { trade_id, fee_quote } : { trade_id, fee_quote, realized_pnl };
    feed.next(ACCOUNT, 2, {
      account: { equity: "990.255", status: "active" },
      fills: [fill("6", "0.4", "2"), fill("7", "-0.15", "0.25")],
      funding_payments: [{ payment_id: "1", amount_quote: "9" }],
    });
    dashboard.tick();
    const text = await screen();
    expect(text).toContain("equity 990.255  session +2.00 since 08:00  realised +2.25  fees -0.25");
    // The first list of payments that came is where they begin.
    expect(text).not.toContain("funding");
    expect(text).not.toContain("status active");
    const payment = { payment_id: "2", amount_quote: "-0.5" };
    feed.next(ACCOUNT, 3, { funding_payments: [payment] });
    feed.next(ACCOUNT, 4, { fills: [fill("8", "-1")] });
    dashboard.tick();
    // One fill does not say what it realised.
    expect(await screen()).toContain("session fees +0.75 since 08:00  funding -0.5");
  });

  test("the head has no sum of fees where a row does not say its own", async () => {
    const { feed, dashboard, screen } = opened({ columns: 160 });
    dashboard.tick();
    const fills = [{ trade_id: "6", fee_quote: "0.4" }, { trade_id: "7" }];
    feed.next(ACCOUNT, 2, { fills });
    dashboard.tick();
    expect(await screen()).not.toContain("fees");
  });

  test("a later frame changes and removes rows; what it leaves out stays", async () => {
    const { feed, screen } = opened();
    const orders = [{ ...everything.orders[0], status: "filled" }];
    feed.next(ACCOUNT, 2, { orders });
    const text = await screen();
    expect(text).toContain("Orders 1");
    expect(text).toContain("ETH-PERP");
    expect(text).toMatch(/USDC +1003\.75/);
  });

  test("Enter shows every field of a row over the whole view, Enter again all panes", async () => {
    const { screen, press } = opened();
    await screen();
    press("tab");
    await screen();
    press("return");
    const text = await screen();
    expect(text).toContain("order_id");
    expect(text).not.toMatch(/Positions|Fills|equity/);
    press("return");
    expect(await screen()).toMatch(/Positions.*/);
  });

  test("says what the service has not provided, instead of showing nothing", async () => {
    const { feed, screen } = open();
    feed.first(ACCOUNT, { balances: [] });
    const text = await screen();
    expect(text).toMatch(/Positions .* ● live/);
    expect(text.match(/not provided by the service so far/g)).toHaveLength(3);
    expect(text).toContain("no balances");
  });

  test("an account that the service does not know is refused in its own words", async () => {
    const { feed, dashboard, screen } = open();
    feed.say({ type: "refused", channel: ACCOUNT, code: 404, message: "no\u001b[2Jsuch" });
    dashboard.tick();
    const text = await screen();
    expect(text).toContain("refused: 404: no\\x1b[2Jsuch");
    expect(text).toMatch(/Positions .* ⊘ refused/);
  });

  test.each(["restricted", "closed"])("a %s subaccount says so in capitals", async (status) => {
    const { feed, screen } = open();
    feed.first(CATALOGUE, catalogue(status));
    expect(await screen()).toContain(status.toUpperCase());
  });

  test("without an id all subaccounts are shown, Enter opens one, and Escape goes back to all", async () => {
    const { feed, dashboard, screen, press } = open({ id: null });
    feed.first(CATALOGUE, catalogue("active", "restricted", "closed", "new"));
    await screen();
    dashboard.tick();
    const text = await screen();
    expect(text).toMatch(/Subaccounts 4 .* ● live/);
    for (const words of ["● active", "◐ restricted", "× closed", "? new"]) {
      expect(text).toContain(words);
    }
    expect(await press("j")).toMatch(/▸. +1 /);
    const opened = await press("return");
    expect(opened).toMatch(/account gtSF…JNeD\/\d/);
    expect(opened).toContain("Esc all");
    const id = dashboard.account?.subaccountId;
    expect(dashboard.channels).toContain(`account/${address}/${id}`);
    expect(await press("escape")).toContain("Subaccounts 4");
    expect(dashboard.account?.subaccountId).toBe(id);
  });

  test("z shows the focused pane alone, and Escape all of them before all subaccounts", async () => {
    const { press, screen } = opened();
    await screen();
    const alone = await press("tab", "z");
    expect(alone).toContain("Orders 2");
    expect(alone).not.toContain("Positions");
    expect(await press("escape")).toContain("Positions 1");
    expect(await press("escape")).toContain("Subaccounts 1");
  });

  test("the focused pane stays on the screen when that becomes smaller, and keys act on it", async () => {
    const { dashboard, screen, press, stdout } = opened();
    await screen();
    await press("tab", "tab");
    stdout.resize(80, 24);
    await screen();
    expect(await press(..."/BTC")).toMatch(/Fills .*1 of 1 for \/BTC/);
    expect(dashboard.typing).toBeDefined();
  });

  test("p hides address, sizes, balances and profit, and shows them again", async () => {
    const { press, screen } = opened();
    await screen();
    const masked = await press("p");
    for (const secret of ["gtSF", "JNeD", "1000.50", "-3.25", "0.375", "12.5", "1003.75"]) {
      expect(masked).not.toContain(secret);
    }
    expect(masked).toContain("MASKED");
    expect(masked).toContain("97000.1");
    expect(await press("p")).toContain("1003.75");
  });

  test("what is frozen looks as it did, whatever becomes of the connection", async () => {
    const { feed, dashboard } = opened();
    const model = dashboard.modelOf(accountView).one;
    feed.link("waiting");
    dashboard.perform("freeze");
    feed.link("open");
    feed.subscribe(ACCOUNT);
    feed.first(ACCOUNT, everything);
    expect(model.status.state).toBe("offline");
    dashboard.perform("freeze");
    expect(model.status.state).toBe("live");
  });

  test("the value of a position comes with what a lot is worth, without another frame", async () => {
    let scale: Scale | undefined;
    const of = (): MarketScale => ({
      ...{ scale, source: scale === undefined ? "none" : "measured", evidence: "20 trades" },
      ...{ inconsistency: "", pairs: 20, contradictions: 0 },
    });
    const { feed, dashboard, screen } = open({ scales: { of } as unknown as Scales });
    const position = { market_id: 1, side: "long", size_base_lots: "375", mark_price: "100000" };
    feed.first(ACCOUNT, { positions: [position] });
    expect(await screen()).toMatch(/375 lots +100000/);
    scale = { tickSize: { mantissa: 1n, places: 2 }, lotSize: { mantissa: 1n, places: 3 } };
    dashboard.notify();
    expect(await screen()).toMatch(/0\.375 +37500 +100000/);
  });

  test("f keeps what is shown while the account changes", async () => {
    const { feed, press, screen } = opened();
    await screen();
    expect(await press("f")).toContain("FROZEN");
    feed.next(ACCOUNT, 2, { balances: [{ asset: "USDC", total: "1.11" }] });
    expect(await screen()).toContain("1003.75");
    expect(await press("f")).toContain("1.11");
  });

  test("the exact row has what came, and nothing that was joined to it", async () => {
    const { press, screen } = opened();
    await screen();
    const row = await press("return");
    expect(row).toMatch(/liquidation_price +90000/);
    expect(row).not.toContain("to_liquidation");
    expect(row).not.toContain("leverage");
  });

  test("every list can be reached in the smallest terminal", async () => {
    const { screen, press, reports } = opened({ columns: 40, rows: 12 });
    expect(await screen()).toContain("BTC-PERP");
    expect(await press("tab")).toContain("Orders 2");
    expect(await press("tab")).toContain("Fills 1");
    expect(await press("tab")).toContain("Balances 1");
    expect(await press("tab", "tab")).toContain("Positions 1");
    expect(reports).toEqual([]);
  });
});

describe("layout of the account view", () => {
  test("fills its room exactly, whatever its size", () => {
    const size = fc.integer({ min: 0, max: 300 });
    const focus = fc.constantFrom(...ACCOUNT_PANES);
    const one = ACCOUNT_PANES.map((pane) => [pane, fc.nat(500)] as const);
    const counts = fc.record(Object.fromEntries(one) as Record<AccountPane, fc.Arbitrary<number>>);
    const wanted = fc.record({
      focus,
      isZoomed: fc.boolean(),
      isRecordOpen: fc.boolean(),
      rows: counts,
    });
    fc.assert(
      fc.property(size, size, wanted, (width, height, each) => {
        const layout = layOutAccount(width, height, each);
        if (layout.rows.length === 0) return;
        const taken = layout.rows.reduce((sum, row) => sum + row.height, 0);
        expect(taken + layout.headerRows).toBe(height);
        const panes = layout.rows.flatMap((row) => row.panes);
        expect(panes.map(({ pane }) => pane)).toContain(each.focus);
        for (const row of layout.rows) {
          expect(row.height).toBeGreaterThan(0);
          expect(row.panes.reduce((sum, pane) => sum + pane.width, 0)).toBe(width);
        }
      }),
    );
  });
});
