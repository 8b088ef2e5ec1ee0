// The history views on a terminal without a window, over listings in memory.

import { describe, expect, test, vi } from "vitest";
import type { DashboardOptions } from "../../../src/screen/dashboard.ts";
import type { ExportRequest } from "../../../src/screen/views/history/listings.ts";
import { MASK } from "../../../src/select/mask.ts";
import type { TradeRecord } from "../../../src/wire/rest/trades.ts";
import trades from "../../fixtures/rest/trades.json" with { type: "json" };
import { MarketFeed } from "../../support/market-feed.ts";
import { command, mountDashboard } from "../../support/mount-dashboard.tsx";
import { openDashboard } from "../../support/open-dashboard.ts";
import { sourceOf } from "../../support/source-of.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const model = trades.good[0]?.message?.[0] as TradeRecord;
const OWNER = { owner: model.maker_address, subaccountId: model.maker_subaccount_id };
const PAUSE_MS = 500;
const START = Date.UTC(2026, 0, 1);

const tradesDownFrom = (newest: number): TradeRecord[] =>
  Array.from({ length: newest }, (_, i) => ({
    ...model,
    trade_id: `${newest - i}`,
    quote_notional: "2.5",
    maker_fee_quote: "-0.1",
    timestamp_ms: START + (newest - i) * 1000,
  }));

function openHistory(
  listed: TradeRecord[],
  columns = 110,
  rows = 20,
  options: Partial<DashboardOptions> = {},
) {
  const feed = new MarketFeed();
  const clock = createVirtualClock();
  const { dashboard } = openDashboard(feed, options);
  const service = { rows: listed, fault: "", background: 0 };
  const wishes: ExportRequest[] = [];
  const named: string[] = [];
  const source = sourceOf((before, limit) => {
    if (service.fault !== "") throw new Error(service.fault);
    return service.rows
      .filter(({ trade_id }) => before === undefined || BigInt(trade_id) < before)
      .slice(0, limit);
  });
  const background: typeof source = {
    ...source,
    page(...request) {
      service.background++;
      return source.page(...request);
    },
  };
  dashboard.listings.feed = {
    clock: { ...clock, now: () => feed.nowMs },
    owner: OWNER,
    sourceOf: () => source as never,
    headSourceOf: () => background as never,
    running: "",
    fileName(name) {
      named.push(name);
      return "file.csv";
    },
    export(wish, tell) {
      wishes.push(wish);
      tell("file.csv: 5 rows");
    },
  };
  dashboard.open({ type: "perp", id: "1" });
  const app = mountDashboard(dashboard, { columns, rows });
  /** Pages that are asked for after a pause have no other. */
  const look = () => {
    clock.advance(PAUSE_MS);
    return app.screen();
  };
  const shows = (text: string | RegExp) => expect.poll(look).toMatch(text);
  const passes = (ms: number) => {
    feed.advance(ms);
    dashboard.tick();
  };
  return { ...app, feed, service, wishes, named, shows, passes };
}

async function openHundred() {
  const opened = openHistory(tradesDownFrom(100));
  await opened.press("T");
  await opened.shows("Trades perp/1 100 ");
  return opened;
}

describe("the view of trades", () => {
  test("shows the newest first, with how they are proven", async () => {
    const { press, shows, screen } = openHistory(tradesDownFrom(300));
    const reported = vi.spyOn(console, "error");
    await press("T");
    await shows(/Trades \S+ 300 {2}all of it {2}no gap/);
    // Such as that something was changed while it was drawn.
    expect(reported).not.toHaveBeenCalled();
    reported.mockRestore();
    await press("end");
    await press("home");
    expect(await screen()).toMatch(/▸ 2026-01-01 00:05:00 .*\n.* 2026-01-01 00:04:59/);
  });

  test("numbers stand on the right, and columns do not become narrower while rows are scrolled", async () => {
    const priceOf = (i: number) => (i < 2 ? "7777.25" : "7");
    const listed = tradesDownFrom(60).map((trade, i) => ({ ...trade, price: priceOf(i) }));
    const { press, shows, screen } = openHistory(listed);
    await press("T");
    await shows("7777.25");
    const pricesEnd = async () => {
      const lines = (await screen()).split("\n").filter((line) => /^│.*2026-01-01 00:/.test(line));
      return lines.map((line) => {
        const { index, 0: text } = / (?:7777\.25|7)(?= )/.exec(line) ?? { index: 0, 0: "" };
        return index + text.length;
      });
    };
    const [end, ...others] = await pricesEnd();
    expect(new Set(others)).toEqual(new Set([end]));
    await press("end");
    expect(new Set(await pricesEnd())).toEqual(new Set([end]));
  });

  test("asks for older rows as the user comes near to the last one", async () => {
    const { press, shows } = openHistory(tradesDownFrom(2000));
    await press("T");
    await shows("Trades perp/1 398 ");
    await press("end");
    await shows("Trades perp/1 596 ");
    await press("end");
    await shows("Trades perp/1 794 ");
  });

  test("takes in newer rows when asked, and jumps to a time and back", async () => {
    const { press, service, shows } = await openHundred();
    service.rows = tradesDownFrom(103);
    await press(...command("newer rows"));
    await shows("Trades perp/1 103 ");
    await press(...command("go to a time"), ..."2026-01-01", "space", ..."00:00:50");
    await shows("time 2026-01-01 00:00:50▏");
    await press("return");
    await shows(/Trades perp\/1 50 .*from 2026-01-01 00:00:50 back/);
    await press(...command("go to a time"), "return");
    await shows("Trades perp/1 103 ");
    await press(...command("go to a time"), ..."tomorrow", "return");
    await shows("time tomorrow▏ (not a time: 10:00, 2025-11-21 10:00 or Unix ms)");
    await press("ctrl+u", ..."2026-01-01T00:00:50", "return");
    await shows("Trades perp/1 50 ");
    await press(...command("go to a time"), "ctrl+u", ..."00:00:50", "return");
    await shows(/from \d{4}-\d\d-\d\d 00:00:50 back/);
  });

  test("says of what moment it is, and takes in newer rows by itself, in the background", async () => {
    const { press, service, shows, passes } = openHistory(tradesDownFrom(100));
    await press("T");
    await shows(/Trades perp\/1 100 .* listed as of \d\d:\d\d:\d\d, 0\.0s ago/);
    service.rows = tradesDownFrom(103);
    passes(4000);
    await shows(/Trades perp\/1 100 .*, 4\.0s ago/);
    expect(service.background).toBe(0);
    passes(1000);
    await shows(/Trades perp\/1 103 .*, 0\.0s ago/);
    expect(service.background).toBeGreaterThan(0);
  });

  test("stays with the row that was chosen when newer ones come, and at the top with the newest", async () => {
    const { press, service, shows, passes } = openHistory(tradesDownFrom(100));
    await press("T");
    await shows(/▸ 2026-01-01 00:01:40/);
    service.rows = tradesDownFrom(103);
    passes(5000);
    await shows(/▸ 2026-01-01 00:01:43/);
    await press("down");
    service.rows = tradesDownFrom(108);
    passes(5000);
    await shows(/Trades perp\/1 108 /);
    await shows(/▸ 2026-01-01 00:01:42/);
  });

  test.each([
    ["while the screen is frozen", ["f"]],
    ["while another view is shown", ["M"]],
    [
      "while another time is looked at",
      [...command("go to a time"), ..."2026-01-01T00:00:50", "return"],
    ],
  ])("asks for nothing by itself %s", async (_, keys) => {
    const { press, service, passes } = await openHundred();
    await press(...keys);
    for (let i = 0; i < 20; i++) passes(1000);
    expect(service.background).toBe(0);
  });

  test.each([
    ["T", "No trades in this market yet"],
    ["Q", "No liquidations in this market yet"],
    ["O", "No fills of this subaccount yet"],
  ])("%s: says that there is nothing yet, and shows what comes", async (key, words) => {
    const { press, service, shows, passes } = openHistory([]);
    await press(key);
    await shows(words);
    service.rows = tradesDownFrom(3);
    if (key === "Q") service.rows = [{ ...model, positions: [] } as never];
    passes(5000);
    await shows(/ [13] .* listed/);
  });

  test("says what is wrong, and keeps what it has", async () => {
    const { press, service, shows, screen } = await openHundred();
    service.fault = "answers 500: broken";
    await press(...command("newer rows"));
    await shows(/× offline .*answers 500: broken/);
    expect(await screen()).toContain("2026-01-01 00:01:40");
  });

  test("that has never come says why, whole on a narrow screen, too, and names no owner where that is hidden", async () => {
    const { dashboard, press, service, shows, screen } = openHistory([], 60);
    service.fault = `http://127.0.0.1:8080/accounts/${OWNER.owner}/subaccounts/1/trades answers 404: gone`;
    await press("O");
    await shows(/× offline/);
    const words = (text: string) => text.replaceAll(/[\s│]/g, "");
    expect(words(await screen())).toContain(words(service.fault));
    dashboard.toggleMask();
    await shows(MASK);
    expect(words(await screen())).not.toContain(OWNER.owner.slice(0, 12));
    expect(words(await screen())).toContain("answers404:gone");
  });

  test("asks for the file, and exports everything to it", async () => {
    const { press, wishes, shows } = await openHundred();
    await press(...command("export trades"));
    await shows("export to file.csv▏");
    await press(..."/longer".repeat(15), ..."-end.csv");
    await shows("/longer-end.csv▏");
    await press("escape");
    expect(wishes).toEqual([]);
    await press(...command("export trades"), "ctrl+u", ..."mine.csv", "return");
    await shows("file.csv: 5 rows");
    expect(wishes).toMatchObject([{ name: "trades perp/1", path: "mine.csv", filter: "" }]);
  });

  test("exports what the filter finds, and everything without it", async () => {
    const { press, wishes, shows } = await openHundred();
    await press("/", ...`PERP ${START + 42_000}`, "return");
    await shows("1 of 100 for /");
    await press(
      ...command("export trades"),
      "return",
      "/",
      "ctrl+u",
      "return",
      ...command("export trades"),
      "return",
    );
    const [shown, all] = wishes;
    expect([shown?.filter, all?.filter, all?.found]).toEqual([
      `PERP ${START + 42_000}`,
      "",
      undefined,
    ]);
    const found = shown?.found as (trade: TradeRecord) => TradeRecord | undefined;
    const wanted = tradesDownFrom(100).find(({ trade_id }) => trade_id === "42");
    expect(tradesDownFrom(100).flatMap((trade) => found(trade) ?? [])).toEqual([wanted]);
  });
});

test("fills sum up below the rows, unless they are masked", async () => {
  const { press, shows, screen } = openHistory(tradesDownFrom(10));
  await press("O");
  await shows(/sell .* maker/);
  await shows("fees -1.0  volume 25.0  bought 0  sold 25.0");
  await press("p");
  expect(await screen()).not.toContain("volume 25.0");
});

test("own fills name their market by its symbol once that is known, and a filter finds them by it", async () => {
  const { press, feed, shows, passes, wishes } = openHistory(tradesDownFrom(10));
  await press("O");
  await shows(/ Market +Side .*\n.*2026-01-01 00:00:10 +perp\/1 +sell /);
  const record = { market_id: 1, market_type: "perp", symbol: "BTC-PERP" };
  feed.subscribe("markets");
  feed.first("markets", { markets: [record] });
  passes(2000);
  await shows(/2026-01-01 00:00:10 +BTC-PERP +sell /);
  await press("/", ..."btc-perp", "return", ...command("export fills"), "return");
  await shows("file.csv: 5 rows");
  const [wish] = wishes;
  expect(wish?.kind === "fills" && wish.found?.(model)).toBe(model);
});

test("an export of fills says that its file is not masked while the screen is, one of trades does not", async () => {
  const { press, shows, screen, named } = openHistory(tradesDownFrom(10));
  await press("O");
  await shows(/sell .* maker/);
  await press(...command("export fills"), "return");
  await shows("file.csv: 5 rows");
  expect(await screen()).not.toContain("MASKED");
  await press("p", ...command("export fills"), "return");
  await shows("NOT MASKED in the file: file.csv: 5 rows");
  expect(named).toEqual([`fills ${OWNER.owner} ${OWNER.subaccountId}`, "fills"]);
  await press("T");
  await shows("Trades perp/1 10 ");
  await press(...command("export trades"), "return");
  await shows("file.csv: 5 rows");
  expect(await screen()).not.toContain("NOT MASKED");
});

test("liquidations unfold into their positions, with the columns of these beside the time", async () => {
  const positions = [4, 7].map((market_id) => ({ market_id, side: "long", size: "2" }));
  const event = { trade_id: "1", timestamp_ms: START, liquidation_type: "full", positions };
  const { press, shows, screen } = openHistory([event as never], 80);
  await press("Q");
  await shows(/Liquidation type +Positions .*\n.* full +2 /);
  await press(...command("positions, one a row"));
  await shows(/Liquidation type +Position market ID .*\n.* full +4 .*\n.* full +7 /);
  await press(...command("positions, one a row"));
  await shows(/ full +2 /);
  expect(await screen()).not.toContain("Position market ID");
});

test("of unfolded liquidations the positions that the filter finds are exported", async () => {
  const positions = [41, 77].map((market_id) => ({ market_id, side: "long", size: "2" }));
  const event = { trade_id: "1", timestamp_ms: START, liquidation_type: "full", positions };
  const { press, wishes, shows } = openHistory([event as never]);
  await press("Q");
  await shows("Liquidations perp/1 1 ");
  await press(...command("positions, one a row"));
  await shows("Liquidations perp/1 2 ");
  await press("/", ..."77", "return");
  await shows("1 of 2 for /77");
  await press(...command("export liquidations"), "return");
  const found = wishes[0]?.found as (record: unknown) => unknown;
  expect(found(event)).toEqual({ ...event, positions: [positions[1]] });
  expect(found({ ...event, positions: [positions[0]] })).toBeUndefined();
});

test("another market is another listing", async () => {
  const { dashboard, service, shows } = await openHundred();
  service.rows = tradesDownFrom(7);
  dashboard.open({ type: "spot", id: "2" });
  await shows("Trades spot/2 7 ");
});

test("where there are no listings, there are no such views", () => {
  const { dashboard } = openDashboard(new MarketFeed());
  expect(dashboard.views.map(({ name }) => name)).not.toContain("trades");
});

test("where there is no stream, only the listings have tabs, and no key leads to a view that could show nothing", async () => {
  const options = { start: "trades", isListingOnly: true };
  const { dashboard, press, shows, screen, service } = openHistory(
    tradesDownFrom(100),
    110,
    20,
    options,
  );
  await shows("Trades perp/1 100 ");
  service.rows = [];
  expect(dashboard.views.map(({ name }) => name)).toEqual(["trades", "liquidations", "fills"]);
  await press("D", "M", "F", "L");
  expect(dashboard.view.name).toBe("trades");
  await press("Q");
  expect(dashboard.view.name).toBe("liquidations");
  expect(await screen()).toContain("○ listings only");
  expect(await screen()).not.toMatch(/offline|gaps|reconnects/);
});
