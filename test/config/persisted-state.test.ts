// What is persisted between runs, in the one file that all of them share.
import { mkdirSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  PersistedState,
  persistHistory,
  persistSymbols,
  persistWatchlist,
  readHistory,
  readSymbols,
  readWatchlist,
} from "../../src/config/persisted-state.ts";
import { Watchlist } from "../../src/screen/watchlist.ts";
import { type Market, readMarket } from "../../src/select/market.ts";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";
import { folderOfTest } from "../support/temporary-folder.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

function stateFile() {
  const folder = folderOfTest();
  const path = join(folder, "state.json");
  return { folder, path, open: () => new PersistedState(path, createVirtualClock()) };
}

const markets = (names: string) => names.split(" ").flatMap((name) => readMarket(name) ?? []);

test("neither run writes over what the other one has set under another name", () => {
  const { folder, open } = stateFile();
  const [one, other] = [open(), open()];
  one.set("layout", "wide");
  other.set("symbols", ["BTC"]);
  one.save();
  other.save();
  expect([open().get("layout"), open().get("symbols")]).toEqual(["wide", ["BTC"]]);
  expect(readdirSync(folder)).toEqual(["state.json"]);
});

test("of two runs that set the same value, the one that writes last counts", () => {
  const { open } = stateFile();
  const runs = [open(), open()] as const;
  persistHistory(runs[0], ["market BTC", "theme dark"]);
  persistHistory(runs[1], ["market ETH"]);
  for (const state of runs) state.save();
  expect(readHistory(open())).toEqual(["market ETH"]);
});

test("a run alone keeps its markets in the order that it has them in", () => {
  const { open } = stateFile();
  const state = open();
  const configured = ["perp/1", "perp/2"];
  for (const names of ["perp/2 perp/1", "perp/2 perp/7 perp/1"]) {
    persistWatchlist(state, configured, markets(names));
    state.save();
    expect(readWatchlist(open(), configured)).toEqual(markets(names));
  }
});

test("a file that was broken meanwhile is written anew with all that this run knows", () => {
  const { path, open } = stateFile();
  const first = open();
  first.set("layout", "wide");
  first.save();
  const state = open();
  writeFileSync(path, '{"layout": ');
  state.set("symbols", ["BTC"]);
  state.save();
  expect([open().get("layout"), open().get("symbols")]).toEqual(["wide", ["BTC"]]);
});

test("what could not be written is written with the next save, and nothing is left beside the file", () => {
  const { folder, path, open } = stateFile();
  const state = open();
  state.set("layout", "wide");
  // No file can take the place of a folder.
  mkdirSync(path);
  state.save();
  expect(readdirSync(folder)).toEqual(["state.json"]);
  rmdirSync(path);
  state.save();
  expect(open().get("layout")).toBe("wide");
});

test("symbols of the service are there for the shell after the run, without those a shell would run", () => {
  const { open } = stateFile();
  const feed = new MarketFeed();
  const state = open();
  persistSymbols(state, feed.store);
  expect(readSymbols(state)).toEqual([]);
  feed.say({ type: "subscribing", channel: CHANNELS.markets });
  const symbols = ["BTC-PERP", "ETH/USD", "$(reboot)", "a b", "", "BTC-PERP", "x".repeat(41)];
  const markets = symbols.map((symbol, i) => ({ market_id: i, market_type: "perp", symbol }));
  feed.update(CHANNELS.markets, { previous_sequence: null, sequence: "1", markets }, true);
  persistSymbols(state, feed.store);
  state.save();
  expect(readSymbols(open())).toEqual(["BTC-PERP", "ETH/USD"]);
});

test("a run that saw no list keeps what an earlier one saw, and a file that was changed is read with care", () => {
  const state = stateFile().open();
  state.set("symbols", ["BTC-PERP", 5, "`id`", null]);
  persistSymbols(state, new MarketFeed().store);
  expect(readSymbols(state)).toEqual(["BTC-PERP"]);
  for (const broken of [undefined, "BTC", { length: 2 }, 7]) {
    state.set("symbols", broken);
    expect(readSymbols(state)).toEqual([]);
  }
});

const perp1: Market = { type: "perp", id: "1" };
const spot2: Market = { type: "spot", id: "2" };

/** What is written and read again as JSON, between two runs. */
function jsonState(text = "{}") {
  const values = JSON.parse(text) as Record<string, unknown>;
  return {
    get: (name: string) => values[name],
    set: (name: string, value: unknown) => {
      values[name] = value;
    },
    text: () => JSON.stringify(values),
  };
}

type State = Parameters<typeof readWatchlist>[0];

function openWatchlist(state: State, configured: readonly string[]): Watchlist {
  return new Watchlist(readWatchlist(state, configured), (markets) =>
    persistWatchlist(state, configured, markets),
  );
}

test("markets that were watched are watched in the next run, and those that were dropped are not", () => {
  const state = jsonState();
  const first = openWatchlist(state, ["perp/1"]);
  first.toggle(spot2);
  first.toggle(perp1);
  const next = openWatchlist(jsonState(state.text()), ["perp/1"]);
  expect(next.markets).toEqual([spot2]);
  next.toggle(spot2);
  expect(readWatchlist(state, ["perp/1"])).toEqual([spot2]);
});

test("an empty list is persisted, too; a config file that says something else has the last word", () => {
  const state = jsonState();
  openWatchlist(state, ["1"]).toggle(perp1);
  expect(readWatchlist(state, ["1"])).toEqual([]);
  expect(readWatchlist(state, ["1", "spot/2"])).toEqual([perp1, spot2]);
});

test.each([null, 7, "x", [], { markets: 7 }, { markets: ["perp/x", 7, "spot/2"], configured: [] }])(
  "a broken state file is no list: %j",
  (value) => {
    const state = jsonState(JSON.stringify({ watchlist: value }));
    expect(readWatchlist(state, [])).toEqual(
      JSON.stringify(value)?.includes("spot/2") ? [spot2] : [],
    );
  },
);
