// What is of before an outage, a gap or a closed channel looks like it: no cell keeps a colour of live data.
import { describe, expect, test } from "vitest";
import { App } from "../../src/screen/App.tsx";
import { createTheme, DEFAULT_THEME } from "../../src/screen/theme/theme.ts";
import { StyleTable } from "../../src/terminal/cells/style-table.ts";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";
import { openDashboard } from "../support/open-dashboard.ts";
import { mountApp } from "../support/terminal/mounted-app.ts";

const PRICE = 9_702_000n;

function feedMarket(feed: MarketFeed): void {
  const side = (sign: bigint): [bigint, bigint][] =>
    Array.from({ length: 30 }, (_, i) => [PRICE + sign * BigInt(i + 1), 100n + BigInt(i)]);
  feed.link("open", { roundTripMs: 4.2 });
  for (const channel of Object.values(CHANNELS)) feed.say({ type: "subscribing", channel });
  const chain = { previous_sequence: null, sequence: "1" };
  const stats = {
    market_id: 1,
    market_type: "perp",
    mark_price: "97020.55",
    price_change_percent_24h: "1.25",
    funding_rate: "0.0001",
  };
  feed.update(CHANNELS.stats, { ...chain, market_stats: [stats] }, true);
  feed.book(side(-1n), side(1n), 1, true);
  feed.bbo(PRICE - 1n, PRICE + 1n, 100n);
  feed.candle(0, "97020.10", "97025.80", "97014.00", "97022.52");
  feed.candle(1, "97022.52", "97030.00", "97010.00", "97019.99");
  for (let i = 0; i < 40; i++) feed.trade(PRICE + BigInt(i % 3), 10 + i, i % 2 === 0);
}

/** The dashboard, and the colours of its data: cells inside of panes and of the header. */
function openMarket(theme: string) {
  const feed = new MarketFeed();
  const styles = new StyleTable();
  const { dashboard } = openDashboard(feed);
  dashboard.open({ type: "perp", id: "1" });
  feedMarket(feed);
  const looks = createTheme(styles, { ...DEFAULT_THEME, theme });
  const app = mountApp(<App dashboard={dashboard} theme={looks} />, {
    columns: 120,
    rows: 40,
    styles,
  });
  const colors = async () => {
    dashboard.tick();
    const terminal = await app.shown();
    const text = terminal.text();
    return terminal.cells().flatMap((row, y) => {
      // Frames say the state, in a look of its own; tabs and the status line are not data.
      if (/[╭╰]/.test(text[y] ?? "") || y === 0 || y === terminal.rows - 1) return [];
      return row.filter((cell) => !/^[│ ]?\|/.test(cell)).map((cell) => cell.split("|")[1]);
    });
  };
  return { feed, colors, text: async () => (await app.shown()).text() };
}

/** What rises and falls is seen by, in sixteen colours and in a theme of its own colours. */
const DIRECTIONS = { terminal: ["2", "9"], dark: ["#62d78b", "#ff8585"] } as const;

const LOSSES: readonly (readonly [string, (feed: MarketFeed) => void])[] = [
  ["the connection is lost", (feed) => feed.link("waiting", { retryAtMs: 5000 })],
  ["the link gives no sign of life", (feed) => feed.advance(13_000)],
  [
    "everything is fetched anew",
    (feed) => {
      for (const channel of Object.values(CHANNELS)) {
        feed.say({ type: "resync", channel, reason: "a gap" });
      }
    },
  ],
  [
    "the subscriptions have to be made again",
    (feed) => {
      feed.link("waiting");
      feed.link("open");
      for (const channel of Object.values(CHANNELS)) feed.say({ type: "subscribing", channel });
    },
  ],
];

describe.each(Object.entries(DIRECTIONS))("in the theme %s", (theme, [rise, fall]) => {
  test.each(LOSSES)("no figure keeps the colours of live data when %s", async (_, lose) => {
    const { feed, colors } = openMarket(theme);
    expect(await colors()).toEqual(expect.arrayContaining([rise, fall]));
    lose(feed);
    const after = await colors();
    expect(after.filter((color) => color === rise || color === fall)).toEqual([]);
    expect(after.length).toBeGreaterThan(500);
  });
});

test("the header says how old the best prices are, once they are not of now", async () => {
  const { feed, text, colors } = openMarket("terminal");
  expect((await text()).slice(0, 3).join("\n")).not.toContain("old");
  feed.advance(13_000);
  await colors();
  expect((await text()).slice(0, 3).join("\n")).toMatch(/13\.?0?s old/);
});
