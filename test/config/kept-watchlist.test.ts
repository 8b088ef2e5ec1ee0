import { expect, test } from "vitest";
import { KeptWatchlist } from "../../src/config/kept-watchlist.ts";
import { Watchlist } from "../../src/screen/watchlist.ts";
import type { Market } from "../../src/select/market.ts";

const perp1: Market = { type: "perp", id: "1" };
const spot2: Market = { type: "spot", id: "2" };

/** What is written and read again as JSON, between two runs. */
function openState(text = "{}") {
  const values = JSON.parse(text) as Record<string, unknown>;
  return {
    get: (name: string) => values[name],
    set: (name: string, value: unknown) => {
      values[name] = value;
    },
    text: () => JSON.stringify(values),
  };
}

test("markets that were watched are watched in the next run, and those that were dropped are not", () => {
  const state = openState();
  const first = new KeptWatchlist(state, ["perp/1"]);
  const watchlist = new Watchlist(first.markets, (markets) => first.keep(markets));
  watchlist.toggle(spot2);
  watchlist.toggle(perp1);
  const next = new KeptWatchlist(openState(state.text()), ["perp/1"]);
  expect(next.markets).toEqual([spot2]);
  new Watchlist(next.markets, (markets) => next.keep(markets)).toggle(spot2);
  expect(new KeptWatchlist(state, ["perp/1"]).markets).toEqual([spot2]);
});

test("an empty list is kept, too; a config file that says something else has the last word", () => {
  const state = openState();
  const first = new KeptWatchlist(state, ["1"]);
  new Watchlist(first.markets, (markets) => first.keep(markets)).toggle(perp1);
  expect(new KeptWatchlist(state, ["1"]).markets).toEqual([]);
  expect(new KeptWatchlist(state, ["1", "spot/2"]).markets).toEqual([perp1, spot2]);
});

test.each([null, 7, "x", [], { markets: 7 }, { markets: ["perp/x", 7, "spot/2"], configured: [] }])(
  "a broken state file is no list: %j",
  (value) => {
    const state = openState(JSON.stringify({ watchlist: value }));
    const { markets } = new KeptWatchlist(state, []);
    expect(markets).toEqual(JSON.stringify(value)?.includes("spot/2") ? [spot2] : []);
  },
);
