// What two monitors that run at the same time keep in the one file that they share.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { AlertDesk } from "../../src/alerts/alert-desk.ts";
import { parseAlert } from "../../src/alerts/alert-rule.ts";
import { keepAlerts, restoreAlerts } from "../../src/alerts/alerts.ts";
import { keepHistory, readHistory } from "../../src/config/kept-history.ts";
import { KeptState } from "../../src/config/kept-state.ts";
import { KeptWatchlist } from "../../src/config/kept-watchlist.ts";
import { formatMarket, readMarket } from "../../src/select/market.ts";
import { openScales } from "../../src/select/scale.ts";
import { Store } from "../../src/state/store.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

function stateFile() {
  const folder = mkdtempSync(join(tmpdir(), "kept-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "state.json");
  return { folder, path, open: () => new KeptState(path, createVirtualClock()) };
}

const markets = (names: string) => names.split(" ").flatMap((name) => readMarket(name) ?? []);

function openDesk(kept: KeptState) {
  const store = new Store();
  const desk = new AlertDesk({
    store,
    scales: openScales(store, {}),
    now: () => 0,
    wall: () => 1,
  });
  restoreAlerts(desk, kept);
  const set = (text: string) => {
    const parsed = parseAlert(text);
    if ("rule" in parsed) desk.add(parsed.rule, "screen");
    keepAlerts(desk, kept);
  };
  return { desk, set };
}

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

test("watched markets of both runs are kept, without those that either has dropped", () => {
  const { open } = stateFile();
  const first = open();
  new KeptWatchlist(first, []).keep(markets("perp/1 perp/2 perp/3"));
  first.save();
  const runs = [open(), open()] as const;
  const [one, other] = runs.map((kept) => new KeptWatchlist(kept, []));
  one?.keep(markets("perp/9 perp/1 perp/2"));
  other?.keep(markets("perp/2 perp/3 perp/5"));
  for (const kept of runs) kept.save();
  other?.keep(markets("perp/2 perp/3 perp/5 perp/6"));
  for (const kept of runs) kept.save();
  const now = new KeptWatchlist(open(), []).markets.map(formatMarket);
  expect(now.sort()).toEqual(["perp/2", "perp/5", "perp/6", "perp/9"]);
});

test("a run alone keeps its markets in the order that it has them in", () => {
  const { open } = stateFile();
  const kept = open();
  const watched = new KeptWatchlist(kept, ["perp/1", "perp/2"]);
  for (const names of ["perp/2 perp/1", "perp/2 perp/7 perp/1"]) {
    watched.keep(markets(names));
    kept.save();
    expect(new KeptWatchlist(open(), ["perp/1", "perp/2"]).markets).toEqual(markets(names));
  }
});

test("an alert that was set in one window is not lost when one fires in another", () => {
  const { open } = stateFile();
  const runs = [open(), open()] as const;
  const [one, other] = runs.map(openDesk);
  one?.set("perp/1 last > 5");
  runs[0].save();
  other?.set("perp/2 last > 7");
  runs[1].save();
  const texts = openDesk(open()).desk.alerts.map(({ text }) => text);
  expect(texts).toEqual(["perp/1 last > 5", "perp/2 last > 7"]);
});

test("lines that were typed in both are kept, those of the run that ended last first", () => {
  const { open } = stateFile();
  const runs = [open(), open()] as const;
  keepHistory(runs[0], ["market BTC", "theme dark"]);
  keepHistory(runs[1], ["theme dark", "market ETH"]);
  for (const kept of runs) kept.save();
  expect(readHistory(open())).toEqual(["theme dark", "market ETH", "market BTC"]);
});

test("a file that was broken meanwhile is written anew with all that this run knows", () => {
  const { path, open } = stateFile();
  const first = open();
  first.set("layout", "wide");
  first.save();
  const kept = open();
  writeFileSync(path, '{"layout": ');
  kept.set("symbols", ["BTC"]);
  kept.save();
  expect([open().get("layout"), open().get("symbols")]).toEqual(["wide", ["BTC"]]);
});
