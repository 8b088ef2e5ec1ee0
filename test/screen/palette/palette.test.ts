import { describe, expect, test } from "vitest";
import { PALETTE_COMMANDS } from "../../../src/screen/palette/commands.ts";
import { Appearance, DEFAULT_THEME } from "../../../src/screen/theme/theme.ts";
import { fillsView } from "../../../src/screen/views/history/model.ts";
import { linkView } from "../../../src/screen/views/link.tsx";
import { marketView } from "../../../src/screen/views/market/market.tsx";
import { StyleTable } from "../../../src/terminal/cells/style-table.ts";
import { openAlerts } from "../../support/alert-rule.ts";
import { CHANNELS, MarketFeed } from "../../support/market-feed.ts";
import { openDashboard } from "../../support/open-dashboard.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

function open(history: readonly string[] = [], aliases: Record<string, string> = {}) {
  const feed = new MarketFeed();
  const appearance = new Appearance(new StyleTable(), DEFAULT_THEME);
  const alerts = openAlerts(feed);
  const saved: unknown[] = [];
  const save = (request: unknown) => void saved.push(request);
  const { dashboard, told } = openDashboard(feed, { appearance, alerts, history, aliases, save });
  const list = (symbols: readonly (readonly [id: number, symbol: string])[], sequence?: string) => {
    const markets = symbols.map(([id, symbol]) => ({ market_id: id, market_type: "perp", symbol }));
    feed.first(CHANNELS.markets, { markets }, sequence);
  };
  feed.subscribe(CHANNELS.markets);
  list([
    [1, "BTC-PERP"],
    [2, "ETH-PERP"],
    [3, "SOL-PERP"],
  ]);
  dashboard.open({ type: "perp", id: "1" });
  const press = (...keys: string[]) => {
    for (const key of keys) dashboard.press(key);
  };
  /** Types a line into the palette, letter by letter. */
  const type = (line: string) => press(...[...line].map((each) => (each === " " ? "space" : each)));
  const run = (line: string) => {
    press(":");
    type(line);
    press("return");
  };
  const texts = () => dashboard.palette.suggestions.map(({ text }) => text);
  /** What a line, typed into a palette without any, suggests. */
  const find = (line: string) => {
    press("escape", ":");
    type(line);
    return texts();
  };
  return { dashboard, feed, find, list, told, saved, appearance, alerts, press, type, run, texts };
}

describe("the palette", () => {
  test("opens with :, takes every key, and closes with Escape", () => {
    const { dashboard, press, told } = open();
    press(":");
    expect(dashboard.palette.isOpen).toBe(true);
    press("q", "?");
    expect(dashboard.palette.text).toBe("q?");
    press("escape");
    expect(dashboard.palette.isOpen).toBe(false);
    expect(told).toEqual([]);
    press(":", "ctrl+c");
    expect(told).toEqual(["quit"]);
  });

  test("runs what is chosen, or what is written", () => {
    const { dashboard, run } = open();
    run("ethp");
    expect(dashboard.market).toEqual({ type: "perp", id: "2" });
    run("market spot/7");
    expect(dashboard.market).toEqual({ type: "spot", id: "7" });
    run("market sol-perp");
    expect(dashboard.market).toEqual({ type: "perp", id: "3" });
    run("interval 4h");
    expect(dashboard.modelOf(marketView).choices.interval).toBe("4h");
    run("freeze");
    expect(dashboard.shown.isFrozen).toBe(true);
  });

  test("means what was chosen, also when data that come later bring other suggestions", () => {
    const { dashboard, list, press, type, texts } = open();
    press(":");
    type("market ");
    press("down", "down");
    expect(texts()[dashboard.palette.selected]).toBe("market ETH-PERP");
    const others = [
      [9, "AAA-PERP"],
      [8, "AAB-PERP"],
    ] as const;
    list([...others, [1, "BTC-PERP"], [2, "ETH-PERP"]], "2");
    expect(texts()[dashboard.palette.selected]).toBe("market ETH-PERP");
    expect(dashboard.palette.preview).toContain("perp/2");
    press("return");
    expect(dashboard.market).toEqual({ type: "perp", id: "2" });
  });

  test("offers no market that shares its id with another where neither names its type", () => {
    const { feed, find } = open();
    const markets = ["BTC-PERP", "BTC/USDC"].map((symbol) => ({ market_id: 1, symbol }));
    feed.first(CHANNELS.markets, { markets });
    expect(find("market btc")).toEqual([]);
  });

  test("does only what the letters surely mean, and says so where they mean nothing", () => {
    const { dashboard, press, told, find } = open();
    const zone = () => dashboard.shown.display.choice.timeZone;
    for (const line of ["zzz", "xq", "view zzz", "sol eth", "perpsol", "??"]) {
      const before = [dashboard.market, dashboard.view.name, zone()];
      expect(find(line), line).toEqual([]);
      press("return");
      expect(dashboard.palette.message, line).not.toBe("");
      expect([dashboard.market, dashboard.view.name, zone()], line).toEqual(before);
      press("escape");
    }
    expect(told).toEqual([]);
  });

  test("says what stands in for a view that is gone", () => {
    const { dashboard, press, find } = open();
    find("view grid");
    press("return");
    expect(dashboard.palette.message).toMatch(/^view grid is gone; instead: view markets/);
  });

  test.each([
    ["freeze", "freeze", "the name itself"],
    ["FREE", "freeze", "the start of a word, in capitals or not"],
    ["tizo", "times in UTC, or in your zone", "starts of words, one behind the other"],
    ["sol-p", "market SOL-PERP", "the same with what stands between them"],
    ["solp", "market SOL-PERP", "starts of words that belong together"],
    ["view mark", "view market", "the name and the start of its argument"],
    ["frz", "freeze", "letters of one word, from its first on"],
    ["market", "market", "the name before others that begin with it"],
  ])("%s finds %s first: %s", (line, found) => {
    const { find } = open();
    expect(find(line)[0]).toBe(found);
  });

  test("a word of what is said of a key finds it behind all names", () => {
    const { find } = open();
    expect(find("private")).toContain("hide what is private");
    expect(find("balances")).toContain("hide what is private");
    expect(find("onset")).toEqual([]);
  });

  test("knows the user's own names of markets, before those of the service", () => {
    const { dashboard, press, type, texts, run } = open([], {
      BTC: "perp/1",
      "ETH-PERP": "spot/9",
      odd: "no market",
    });
    const market = (line: string) => {
      run(line);
      return dashboard.market;
    };
    expect(market("market BTC")).toEqual({ type: "perp", id: "1" });
    expect(market("market ETH-PERP")).toEqual({ type: "spot", id: "9" });
    expect(market("market odd")).toEqual({ type: "spot", id: "9" });
    expect(dashboard.palette.message).toBe("alias odd is not a market: no market");
    press("escape", ":");
    type("market BT");
    expect(texts()).toContain("market BTC");
  });

  test("sets alerts and changes colours", () => {
    const { run, alerts, appearance } = open();
    run("alert perp/1 last > 65000");
    run("theme light");
    expect(alerts.alerts.map(({ text, origin }) => [text, origin])).toEqual([
      ["perp/1 last > 65000", "screen"],
    ]);
    expect(appearance.choice.theme).toBe("light");
  });

  test("says of an alert that is past already that it fires when it happens again, and offers those of the account", () => {
    const { dashboard, feed, alerts, run, find } = open();
    feed.link("open");
    feed.subscribe(CHANNELS.trades);
    feed.trade(100, 1);
    run("alert perp/1 last > 90 ticks");
    expect(dashboard.notice).toBe("alert set; already true: it fires when it happens again");
    expect(alerts.alerts.map(({ state }) => [state.isPast, state.firings])).toEqual([[true, 0]]);
    run("alert perp/1 last > 110 ticks");
    expect(dashboard.notice).toBe("alert set");
    const account = "account/7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU/3";
    dashboard.watch({ address: "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU", subaccountId: "3" });
    expect(find("alert account")).toContain(`alert ${account} liquidation any < 10% every 10m`);
  });

  test("says so where there are no colours to change", () => {
    const { dashboard } = openDashboard(new MarketFeed());
    dashboard.press(":");
    dashboard.paste("theme dark");
    dashboard.press("return");
    expect(dashboard.palette.message).toMatch(/^there is no .* here$/);
  });

  test("chooses candles and hides what is private", () => {
    const { dashboard, run } = open();
    const choices = (line: string) => {
      run(line);
      return dashboard.modelOf(marketView).choices;
    };
    expect(choices("candles both").source).toBe("both");
    run("mask on");
    run("mask on");
    expect(dashboard.isMasked).toBe(true);
    run("mask off");
    expect(dashboard.isMasked).toBe(false);
  });

  test("takes no mistyped duration for the name of a file", () => {
    const { dashboard, press, saved, run } = open();
    for (const words of ["5x", "10 s.jsonl", "1.5d x"]) {
      run(`save ${words}`);
      expect(dashboard.palette.message).toContain(`not a duration: ${words.split(" ")[0]}`);
      press("escape");
    }
    run("save 5m 5x");
    expect(saved).toEqual([{ beforeMs: 300_000, path: "5x" }]);
  });

  test("shows a channel by a few of its letters", () => {
    const { dashboard, feed, press, find } = open();
    feed.subscribe(CHANNELS.orderbook);
    expect(find("chorderb")[0]).toBe("channel orderbook/perp/1");
    press("return");
    expect(dashboard.view.name).toBe("link");
    expect(dashboard.modelOf(linkView).panes.channels.table.filter).toBe("orderbook/perp/1");
  });

  test("exports a listing, whether or not it was looked at, and says where there is none", () => {
    const { dashboard, press, type, run } = open();
    run("export fills");
    expect(dashboard.palette.message).toBe("there is no listing here");
    press("escape");
    const wishes: string[] = [];
    dashboard.listings.feed = {
      clock: createVirtualClock(),
      owner: { owner: `0x${"ab".repeat(20)}`, subaccountId: 3 },
      sourceOf: (listing) => ({ listing, page: () => new Promise(() => {}) }),
      running: "",
      fileName: () => "file.csv",
      export: ({ name, path }, tell) => {
        wishes.push(`${name} ${path}`);
        tell("file.csv: 5 rows");
      },
    };
    run("export fills");
    press("return");
    expect(wishes).toEqual([`fills 0x${"ab".repeat(20)} 3 file.csv`]);
    expect(dashboard.view.name).toBe("fills");
    expect(dashboard.modelOf(fillsView).pane.options.foot?.(80)).toBe("file.csv: 5 rows");
    run("export trades");
    press("ctrl+u");
    type("mine.csv");
    press("return");
    expect(wishes.at(-1)).toBe("trades perp/1 mine.csv");
  });

  test("spaces before a line and between its words count for nothing", () => {
    const { dashboard, press, type, run, find } = open();
    expect(find("  theme  dar")).toEqual(["theme dark"]);
    press("ctrl+u");
    type(`account  gtSFx2ZaJ8MqyRzT3mWJrDvC9wPbLkHnUeQaXsVoJNeD   0`);
    press("return");
    expect(dashboard.account?.subaccountId).toBe("0");
    run(`account gtSFx2ZaJ8MqyRzT3mWJrDvC9wPbLkHnUeQaXsVoJNeD 007`);
    expect(dashboard.account?.subaccountId).toBe("7");
  });

  test("says why a line cannot be done, and stays open with it", () => {
    const { dashboard, press, type, run } = open();
    run("alert perp/1 lats > 5");
    expect(dashboard.palette.isOpen).toBe(true);
    expect(dashboard.palette.message).toContain("did you mean last?");
    press("ctrl+u");
    expect(dashboard.palette.message).toBe("");
    type("mask maybe");
    expect(dashboard.palette.preview).toBe("expected: on, off");
    for (const line of [
      "market XRP",
      "theme drak",
      "interval 2m",
      "account 0x12",
      "view nowhere",
      "zzzz",
    ]) {
      press("ctrl+u");
      type(line);
      press("return");
      expect(dashboard.palette.message).not.toBe("");
    }
  });

  test("completes with Tab, and asks for the argument that is missing", () => {
    const { dashboard, press, type, texts, run } = open();
    press(":");
    type("them");
    press("tab");
    expect(dashboard.palette.text).toBe("theme ");
    expect(texts()).toContain("theme dark");
    type("high");
    press("tab", "return");
    expect(dashboard.appearance?.choice.theme).toBe("high-contrast");
    run("interval");
    expect(dashboard.palette.text).toBe("interval ");
    press("down", "down", "return");
    expect(dashboard.modelOf(marketView).choices.interval).toBe("5m");
  });

  test("remembers what was run, of this run and of earlier ones, the newest first and once", () => {
    const { dashboard, press, texts, run } = open(["theme dark"]);
    for (const line of ["interval 5m", "theme mono", "interval 5m"]) {
      run(line);
    }
    expect(dashboard.palette.history).toEqual(["interval 5m", "theme mono", "theme dark"]);
    press(":");
    expect(texts().slice(0, 3)).toEqual(["interval 5m", "theme mono", "theme dark"]);
    press("down", "down", "return");
    expect(dashboard.appearance?.choice.theme).toBe("mono");
  });

  test("takes pasted text as text", () => {
    const { dashboard, press } = open();
    press(":");
    dashboard.paste("theme\nlight");
    expect(dashboard.palette.text).toBe("theme light");
  });

  test("refuses nothing that it offers itself, but what is still to be written", () => {
    const { dashboard } = open();
    for (const command of PALETTE_COMMANDS) {
      for (const value of command.complete?.(dashboard) ?? []) {
        if (value.endsWith(" ")) continue;
        expect(command.plan(dashboard, value), value).toMatchObject({
          description: expect.any(String),
        });
      }
    }
  });
});
