// The market as a line and as a page of plain text.
import { expect, test } from "vitest";
import { accountLine } from "../../src/print/account.ts";
import { marketLine, marketPage } from "../../src/print/market.ts";
import type { MarketSnapshot } from "../../src/print/market-json.ts";
import { marketChannels } from "../../src/select/market.ts";
import { openScales } from "../../src/select/scale.ts";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";

const market = { type: "perp", id: "1" } as const;

function snapshotOf(feed: MarketFeed): MarketSnapshot {
  const { store } = feed;
  const scales = openScales(store, {});
  const channels = marketChannels(market, "1m");
  const now = { nowMs: 0, wallMs: 0 };
  const scale = scales.of("perp/1");
  return { store, market, channels, interval: "1m", scale, scales, ...now };
}

test("what the service says when it closes the connection is spelled out, and a line stays one line", () => {
  const feed = new MarketFeed();
  const detail = "closed by the service with code 1008 (policy violation): a\nb\u001b[2Jc";
  feed.link("waiting", { fault: { code: "closed", detail } });
  const snapshot = snapshotOf(feed);
  const account = { address: "gtSFx2ZaJ8MqyRzT3mWJrDvC9wPbLkHnUeQaXsVoJNeD", subaccountId: "0" };
  for (const text of [
    marketLine(snapshot),
    accountLine({ ...snapshot, account, isMasked: false }),
  ]) {
    expect(text).toMatch(/code 1008 \(policy violation\): a\\nb\\x1b\[2Jc$/);
  }
  expect(marketPage(snapshot)).toContain("code 1008 (policy violation): a\\nb\\x1b[2Jc\n");
});

test("the book's columns stand on the right, asks above bids", () => {
  const feed = new MarketFeed();
  feed.link("open");
  feed.subscribe(CHANNELS.orderbook);
  feed.book("99:5", "101:20 102:1", 1, true);
  expect(marketPage(snapshotOf(feed))).toContain(
    [
      "order book",
      "side  price  size  cumulative",
      " ask    102     1          21",
      " ask    101    20          20",
      " bid     99     5           5",
    ].join("\n"),
  );
});
