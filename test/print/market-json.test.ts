// What --json says of a market: decimals beside ticks, figures with their ages, nothing that a terminal would obey.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonText } from "../../src/print/json-text.ts";
import { marketJson } from "../../src/print/market-json.ts";
import { marketChannels } from "../../src/select/market.ts";
import { openScales } from "../../src/select/scale.ts";
import type { Scale } from "../../src/units/scale.ts";
import { CHANNELS, level, MarketFeed } from "../support/market-feed.ts";

const market = { type: "perp", id: "1" } as const;
const chain = { previous_sequence: null, sequence: "1" };

/** Fields of the JSON that tests read. */
interface Printed {
  readonly market: object;
  readonly stats: Readonly<Record<string, unknown>> & {
    readonly age_ms: Readonly<Record<string, number>>;
  };
  readonly bbo: { readonly bid: Priced; readonly ask: Priced };
  readonly orderbook: { readonly bids: readonly Priced[]; readonly asks: readonly Priced[] };
  readonly trades: readonly Priced[];
}

interface Priced {
  readonly price_ticks: string;
  readonly size_base_lots: string;
  readonly price?: string;
  readonly size?: string;
}

function openFeed(): MarketFeed {
  const feed = new MarketFeed();
  feed.subscribe();
  return feed;
}

function textOf({ store, nowMs }: MarketFeed, scale?: Scale): string {
  const scales = openScales(store, scale === undefined ? {} : { "perp/1": scale });
  const channels = marketChannels(market, "1m");
  const shown = { store, market, channels, interval: "1m", nowMs, wallMs: 0 } as const;
  return jsonText(marketJson({ ...shown, scale: scales.of("perp/1") }));
}

const print = (feed: MarketFeed, scale?: Scale): Printed => JSON.parse(textOf(feed, scale));

const ticks = fc.bigInt({ min: 1n, max: 10n ** 38n });
const unit = fc.record({ mantissa: fc.bigInt({ min: 1n, max: 10n ** 12n }), places: fc.nat(18) });

/** How often `unit` goes into `text`, by whole numbers alone: the text has to have the unit's decimals. */
function unitsIn(text: string, size: Scale["tickSize"]): bigint {
  const [whole = "", fraction = ""] = text.split(".");
  expect(fraction).toHaveLength(size.places);
  const amount = BigInt(whole + fraction);
  expect(amount % size.mantissa).toBe(0n);
  return amount / size.mantissa;
}

describe("decimals", () => {
  test("divided by tick and lot they are the ticks and lots that stand beside them, of any size", () => {
    fc.assert(
      fc.property(ticks, ticks, unit, unit, (price, size, tickSize, lotSize) => {
        const feed = openFeed();
        feed.bbo(price, price + 1n, size);
        feed.book([[price, size]], [[price + 1n, size]], 1, true);
        feed.trade(price, size);
        const { bbo, orderbook, trades } = print(feed, { tickSize, lotSize });
        const rows = [bbo.bid, bbo.ask, ...orderbook.bids, ...orderbook.asks, ...trades];
        expect(rows).toHaveLength(5);
        for (const row of rows) {
          expect(unitsIn(row.price ?? "", tickSize)).toBe(BigInt(row.price_ticks));
          expect(unitsIn(row.size ?? "", lotSize)).toBe(BigInt(row.size_base_lots));
        }
      }),
    );
  });

  test("without a scale they are absent, and ticks and lots stand alone", () => {
    const feed = openFeed();
    feed.bbo(100, 101);
    feed.book([[100, 1]], [[101, 1]], 1, true);
    feed.trade(100, 1);
    const { bbo, orderbook, trades } = print(feed);
    expect(bbo).toEqual({ bid: level(100), ask: level(101) });
    expect(orderbook.bids).toEqual([level(100)]);
    expect(Object.keys(trades[0] ?? {}).sort()).toEqual(
      ["price_ticks", "size_base_lots", "taker_is_bid", "timestamp_ns"].sort(),
    );
  });
});

describe("figures", () => {
  const TENTH = { tickSize: { mantissa: 1n, places: 1 }, lotSize: { mantissa: 1n, places: 0 } };

  test("stand under the names of the contract, exactly as the service has them, each with its age", () => {
    const feed = openFeed();
    feed.update(CHANNELS.stats, {
      ...chain,
      market_stats: [
        {
          market_id: 1,
          mark_price: "10.50",
          index_price: "10.4",
          change_percent_24h: "-1.25",
          high_24h: "11",
          low_24h: "9",
          volume_base_24h: "5.0",
          volume_quote_24h: "50",
          open_interest: "3",
          funding_rate: "0.00001",
          next_funding_time_ms: 1_800_000_000_000,
        },
      ],
    });
    feed.advance(70);
    feed.trade(105, 1);
    feed.advance(30);
    const { stats } = print(feed, TENTH);
    const { age_ms, ...figures } = stats;
    expect(figures).toEqual({
      last: "10.5",
      mark: "10.50",
      index: "10.4",
      change_24h: "-0.0125",
      high_24h: "11",
      low_24h: "9",
      volume_base_24h: "5.0",
      volume_quote_24h: "50",
      open_interest: "3",
      funding_rate: "0.00001",
      next_funding_ms: 1_800_000_000_000,
    });
    expect(age_ms).toEqual({
      ...Object.fromEntries(Object.keys(figures).map((name) => [name, 100])),
      last: 30,
    });
  });

  test("the newest rate of the market's own channel goes before that of its figures", () => {
    const feed = openFeed();
    const market_stats = [{ market_id: 1, funding_rate: "0.5" }];
    feed.update(CHANNELS.stats, { ...chain, market_stats });
    const funding_rates = [{ funding_time_ms: 1000, funding_rate: "0.000012" }];
    feed.update(CHANNELS.fundingRates, { ...chain, funding_rates });
    expect(print(feed).stats.funding_rate).toBe("0.000012");
  });

  test.each([
    [{ change_percent_24h: "1.5" }, "0.015"],
    [{ change_ratio_24h: "0.0150" }, "0.0150"],
    [{ price_change_24h: "2", last_price: "102" }, "0.02"],
    [{ price_change_24h: "-1", last_price: "2" }, "-0.33333333"],
    [{ price_change_24h: "2", last_price: "2" }, undefined],
    [{ price_change_24h: "2" }, undefined],
    [{ change_percent_24h: "high" }, undefined],
  ])("a change of a day in the words %j is %s", (words, change) => {
    const feed = openFeed();
    feed.update(CHANNELS.stats, { ...chain, market_stats: [{ market_id: 1, ...words }] });
    expect(print(feed).stats.change_24h).toBe(change);
  });

  test("a trade in ticks is no price: without a scale the last price is that of the service", () => {
    const feed = openFeed();
    feed.trade(105, 1);
    expect(print(feed).stats).toEqual({ age_ms: {} });
    feed.update(CHANNELS.stats, { ...chain, market_stats: [{ market_id: 1, last_price: "10.4" }] });
    expect(print(feed).stats.last).toBe("10.4");
  });
});

test("the symbol of the list stands with type and id, and hides and commands nothing", () => {
  const feed = openFeed();
  const symbol = "A\u202eB\u200bC\u0007\u009bD\u2028é";
  feed.update(CHANNELS.markets, { ...chain, markets: [{ market_id: 1, type: "perp", symbol }] });
  const text = textOf(feed);
  expect(text).toContain('"symbol":"A\\u202eB\\u200bC\\u0007\\u009bD\\u2028é"');
  expect(JSON.parse(text).market).toEqual({ type: "perp", id: 1, symbol });
});
