import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { keepSymbols, readSymbols } from "../../src/config/kept-markets.ts";
import { KeptState } from "../../src/config/kept-state.ts";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

function openKept() {
  const folder = mkdtempSync(join(tmpdir(), "kept-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return () => new KeptState(join(folder, "state.json"), createVirtualClock());
}

test("symbols of the service are there for the shell after the run, without those a shell would run", () => {
  const open = openKept();
  const feed = new MarketFeed();
  const kept = open();
  keepSymbols(kept, feed.store);
  expect(readSymbols(kept)).toEqual([]);
  feed.say({ type: "subscribing", channel: CHANNELS.markets });
  const symbols = ["BTC-PERP", "ETH/USD", "$(reboot)", "a b", "", "BTC-PERP", "x".repeat(41)];
  const markets = symbols.map((symbol, i) => ({ market_id: i, market_type: "perp", symbol }));
  feed.update(CHANNELS.markets, { previous_sequence: null, sequence: "1", markets }, true);
  keepSymbols(kept, feed.store);
  kept.save();
  expect(readSymbols(open())).toEqual(["BTC-PERP", "ETH/USD"]);
});

test("a run that saw no list keeps what an earlier one saw, and a file that was changed is read with care", () => {
  const kept = openKept()();
  kept.set("symbols", ["BTC-PERP", 5, "`id`", null]);
  keepSymbols(kept, new MarketFeed().store);
  expect(readSymbols(kept)).toEqual(["BTC-PERP"]);
  for (const broken of [undefined, "BTC", { length: 2 }, 7]) {
    kept.set("symbols", broken);
    expect(readSymbols(kept)).toEqual([]);
  }
});
