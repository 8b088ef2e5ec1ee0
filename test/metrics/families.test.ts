// What a scrape holds, of services that do what the interface allows.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatMetrics } from "../../src/metrics/exposition.ts";
import { readMetrics } from "../../src/metrics/families.ts";
import { RunCounts } from "../../src/metrics/run-counts.ts";
import { openScales } from "../../src/select/scale.ts";
import type { Store } from "../../src/state/store.ts";
import type { StreamEvent } from "../../src/wire/stream-event.ts";
import { startPlayed } from "../support/played-session.ts";
import { readPrometheusText, scrapedValue } from "../support/prometheus-text.ts";
import type { Payload, Peer, ScriptedService } from "../support/scripted-service.ts";

const ADDRESS = "7xKXtg2CWvuPzqd1sH7M5vqHkqrhmhmkFk6Q9qHTqkFk";
const ACCOUNT = `account/${ADDRESS}/0`;
const KNOWN = {
  "perp/1": { tickSize: { mantissa: 1n, places: 2 }, lotSize: { mantissa: 1n, places: 4 } },
};
const PRICES = /^monitor_(?:bid|ask|last|mark|equity|liquidation_distance_ratio)$/;

const level = (price_ticks: string) => ({ price_ticks, size_base_lots: "5" });
const bbo = (bid: string | null, ask: string | null): Payload => ({
  bbo: { bid: bid && level(bid), ask: ask && level(ask) },
});
const trade = (price_ticks: string, timestamp_ns = "1767225600000000000") => ({
  timestamp_ns,
  price_ticks,
  size_base_lots: "1",
  taker_is_bid: true,
});

const CHANNELS: Readonly<Record<string, () => Payload>> = {
  "bbo/perp/1": () => bbo("6500010", "6500020"),
  "trades/perp/1": () => ({ trades: [trade("6500015")] }),
  "market-stats/perp/1": () => ({ market_stats: [{ market_id: 1, mark_price: "65000.1234" }] }),
  [ACCOUNT]: () => ({
    account: { equity: "1234.5" },
    positions: [
      { market_type: "perp", market_id: 1, size: "1", liquidation_price: "52000.09872" },
      { market_type: "perp", market_id: 2, size: "-1", mark_price: "10", liquidation_price: "12" },
    ],
  }),
};

interface Scrape {
  readonly store: Store;
  readonly clock: { now(): number };
  readonly events: readonly StreamEvent[];
}

function scrape({ store, clock, events }: Scrape, counts = new RunCounts(), known = KNOWN) {
  const channels = new Set<string>();
  for (const event of events) {
    counts.observe(event);
    if (event.type === "subscribing") channels.add(event.channel);
  }
  const scales = openScales(store, known);
  const source = { store, scales, counts, channels: [...channels], nowMs: clock.now() };
  return readPrometheusText(formatMetrics(readMetrics(source), "text"));
}

function pricesOf(scraped: ReturnType<typeof scrape>) {
  return scraped.samples.filter(({ name }) => PRICES.test(name)).map(({ name }) => name);
}

describe("a scrape", () => {
  test("has prices in price units, equity, and the distance to the liquidation", () => {
    const live = startPlayed({ channels: CHANNELS });
    live.pass(500);
    const scraped = scrape(live);
    const market = "perp/1";
    expect(scrapedValue(scraped, "monitor_bid", { market })).toBe(65000.1);
    expect(scrapedValue(scraped, "monitor_ask", { market })).toBe(65000.2);
    expect(scrapedValue(scraped, "monitor_last", { market })).toBe(65000.15);
    expect(scrapedValue(scraped, "monitor_mark", { market })).toBe(65000.1234);
    const account = `${ADDRESS}/0`;
    expect(scrapedValue(scraped, "monitor_equity", { account })).toBe(1234.5);
    const distance = "monitor_liquidation_distance_ratio";
    expect(scrapedValue(scraped, distance, { account, market })).toBe(0.2);
    expect(scrapedValue(scraped, distance, { account, market: "perp/2" })).toBe(0.2);
    expect(
      scrapedValue(scraped, "monitor_channel_state", { channel: ACCOUNT, state: "live" }),
    ).toBe(1);
  });

  test("has one state of each channel at 1 and all others at 0", () => {
    const live = startPlayed({ channels: CHANNELS }, [...Object.keys(CHANNELS), "bbo/perp/9"]);
    live.pass(500);
    const states = scrape(live).samples.filter(({ name }) => name === "monitor_channel_state");
    for (const channel of [...Object.keys(CHANNELS), "bbo/perp/9"]) {
      const own = states.filter(({ labels }) => labels.channel === channel);
      expect(own.map(({ value }) => value).sort()).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
    }
    const refused = { channel: "bbo/perp/9", state: "refused" };
    expect(
      scrapedValue({ samples: states, types: new Map() }, "monitor_channel_state", refused),
    ).toBe(1);
  });

  test("has states and no prices while there is no connection", () => {
    const live = startPlayed({
      channels: CHANNELS,
      refuse: (n) => (n > 1 ? { code: "refused", detail: "no" } : undefined),
    });
    live.pass(500);
    expect(pricesOf(scrape(live)).length).toBeGreaterThan(0);
    for (const peer of live.service.open) peer.end();
    live.pass(5000, 100);
    const scraped = scrape(live);
    expect(pricesOf(scraped)).toEqual([]);
    const offline = scraped.samples.filter(
      ({ labels, value }) => labels.state === "offline" && value === 1,
    );
    expect(offline).toHaveLength(4);
    expect(scrapedValue(scraped, "monitor_round_trip_seconds")).toBeUndefined();
    expect(
      scrapedValue(scraped, "monitor_channel_age_seconds", { channel: ACCOUNT }),
    ).toBeGreaterThan(5);
  });

  test("has no price of ticks without a scale, and the mark price all the same", () => {
    const live = startPlayed({ channels: CHANNELS });
    live.pass(500);
    const scales = {} as typeof KNOWN;
    const names = new Set(pricesOf(scrape(live, new RunCounts(), scales)));
    expect(names).toEqual(
      new Set(["monitor_mark", "monitor_equity", "monitor_liquidation_distance_ratio"]),
    );
  });

  test("leaves out what the service does not say, and what no double holds", () => {
    const live = startPlayed({
      channels: {
        "bbo/perp/1": () => bbo(null, "9".repeat(400)),
        "trades/perp/1": () => ({ trades: [] }),
        "market-stats/perp/1": () => ({ market_stats: [{ market_id: 2, mark_price: "5" }] }),
        [ACCOUNT]: () => ({
          account: { name: "mine" },
          positions: [{ market_id: 1, size: "0", mark_price: "5", liquidation_price: "4" }],
        }),
      },
    });
    live.pass(500);
    expect(pricesOf(scrape(live))).toEqual([]);
  });

  test.each([
    ["long", "100", "100", 0],
    ["long", "99", "100", 0],
    ["long", "101", "100", 1 / 101],
    ["short", "100", "100", 0],
    ["short", "101", "100", 0],
    ["short", "80", "100", 0.25],
    ["long", "0", "100", undefined],
    ["long", "100", "0", undefined],
    ["long", "100", "-5", undefined],
    ["long", "100", null, undefined],
    ["long", "-1", "100", undefined],
  ])(
    "has for a %s at mark %s, liquidated at %s, the distance %s",
    (side, mark_price, liquidation_price, expected) => {
      const position = { market_id: 1, side, size: "1", mark_price, liquidation_price };
      const live = startPlayed({ channels: { [ACCOUNT]: () => ({ positions: [position] }) } });
      live.pass(500);
      const distance = scrapedValue(scrape(live), "monitor_liquidation_distance_ratio");
      if (expected === undefined) expect(distance).toBeUndefined();
      else expect(distance).toBeCloseTo(expected, 12);
    },
  );

  test("takes the mark price of the market where the position names none, and only while it is true", () => {
    const position = { market_id: 1, size: "1", liquidation_price: "50" };
    const stats = { market_stats: [{ market_id: 1, mark_price: "100" }] };
    const channels = {
      [ACCOUNT]: () => ({ positions: [position] }),
      "market-stats/perp/1": () => stats,
    };
    const live = startPlayed({ channels });
    live.pass(500);
    const distance = () => scrapedValue(scrape(live), "monitor_liquidation_distance_ratio");
    expect(distance()).toBe(0.5);
    for (const peer of live.service.open) peer.error(503, "market-stats/perp/1");
    live.pass(100);
    expect(distance()).toBeUndefined();
  });

  test("names no address while accounts are masked, and no equity", () => {
    const live = startPlayed({
      channels: { ...CHANNELS, [`account/${ADDRESS}/1`]: () => ({ account: { equity: "1" } }) },
    });
    live.pass(500);
    const scraped = scrape(live, new RunCounts(true));
    expect(JSON.stringify(scraped.samples)).not.toContain(ADDRESS);
    expect(scrapedValue(scraped, "monitor_equity")).toBeUndefined();
    expect(
      scrapedValue(scraped, "monitor_channel_state", { channel: "account/•••1/1", state: "live" }),
    ).toBe(1);
    expect(
      scrapedValue(scraped, "monitor_liquidation_distance_ratio", {
        account: "•••1/0",
        market: "perp/1",
      }),
    ).toBe(0.2);
  });

  test("has a value of exactly those channels that are live or quiet, whatever has happened", () => {
    const happening = fc.constantFrom(...Object.values(HAPPENINGS));
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 12 }), fc.nat(40), (happenings, step) => {
        const live = startPlayed({ channels: CHANNELS });
        live.pass(300);
        for (const happen of happenings) {
          happen(live.service);
          live.pass(step * 100 + 1);
        }
        const scraped = scrape(live);
        const states = stateOf(scraped);
        for (const [name, channel] of Object.entries(CHANNEL_OF)) {
          const isTrue = ["live", "quiet"].includes(states.get(channel) ?? "");
          expect([name, scrapedValue(scraped, name) !== undefined]).toEqual([name, isTrue]);
        }
        live.close();
      }),
      { numRuns: 100 },
    );
  });
});

/** What may happen to a connection and its channels. */
const HAPPENINGS = {
  update: (service: ScriptedService) =>
    service.publish("trades/perp/1", { trades: [trade("7", "1767225601000000000")] }),
  gap: (service: ScriptedService) => service.publish("market-stats/perp/1", undefined),
  unsubscribed: onEach((peer) => peer.unsubscribed("bbo/perp/1")),
  end: onEach((peer) => peer.end()),
  silence: onEach((peer) => {
    peer.answersPings = false;
  }),
  error: onEach((peer) => peer.error(400)),
};

function onEach(happen: (peer: Peer) => void) {
  return (service: ScriptedService) => {
    for (const peer of service.open) happen(peer);
  };
}

const CHANNEL_OF = {
  monitor_bid: "bbo/perp/1",
  monitor_last: "trades/perp/1",
  monitor_mark: "market-stats/perp/1",
  monitor_equity: ACCOUNT,
};

function stateOf({ samples }: ReturnType<typeof scrape>) {
  const on = samples.filter(({ name, value }) => name === "monitor_channel_state" && value === 1);
  return new Map(on.map(({ labels }) => [labels.channel, labels.state]));
}

describe("the counters of a run", () => {
  test("are those of the store, and never fall, also when a channel is forgotten", () => {
    const kinds = fc.constantFrom("gap", "lost", "resync", "rejected", "forget");
    const channels = fc.constantFrom("bbo/perp/1", "trades/perp/1", "orderbook/perp/2");
    fc.assert(
      fc.property(fc.array(fc.tuple(kinds, channels), { maxLength: 40 }), (steps) => {
        const live = startPlayed({ channels: CHANNELS }, []);
        const counts = new RunCounts();
        const emit = (event: object) => {
          live.store.dispatch(event as StreamEvent);
          counts.observe(event as StreamEvent);
        };
        let before = new Map<string, number>();
        for (const [type, channel] of steps) {
          emit({ atMs: 0, type: "subscribing", channel });
          if (type === "forget") live.store.forget(channel);
          else
            emit({ atMs: 0, type, channel, held: "1", previous: "2", reason: "", rejection: {} });
          const totals = scrape({ ...live, events: [] }, counts).samples.filter(({ name }) =>
            name.endsWith("_total"),
          );
          const now = new Map(
            totals.map(({ name, labels, value }) => [`${name} ${labels.channel}`, value]),
          );
          for (const [key, value] of before) expect(now.get(key)).toBeGreaterThanOrEqual(value);
          before = now;
        }
        const sum = (what: string) =>
          [...before].reduce(
            (all, [key, value]) => all + (key.startsWith(`monitor_${what}_total`) ? value : 0),
            0,
          );
        const { gaps, resyncs, rejected } = live.store.faults;
        expect([sum("gaps"), sum("resyncs"), sum("rejected")]).toEqual([gaps, resyncs, rejected]);
        live.close();
      }),
      { numRuns: 50 },
    );
  });

  test("have no series for a channel that nobody asked for", () => {
    const counts = new RunCounts();
    const live = startPlayed({ channels: CHANNELS }, []);
    for (let i = 0; i < 100; i++) {
      counts.observe({
        atMs: 0,
        type: "rejected",
        channel: `bbo/perp/${i}`,
        rejection: {} as never,
      });
    }
    const scraped = scrape({ ...live, events: [] }, counts);
    expect(scrapedValue(scraped, "monitor_rejected_total", { channel: "link" })).toBe(100);
    expect(scraped.samples.length).toBeLessThan(10);
  });

  test("count each connection after the first one", () => {
    const live = startPlayed({ channels: CHANNELS });
    live.pass(500);
    for (let i = 0; i < 3; i++) {
      for (const peer of live.service.open) peer.end();
      live.pass(40_000, 100);
    }
    expect(live.store.link?.reconnects).toBeGreaterThan(0);
    expect(scrapedValue(scrape(live), "monitor_reconnects_total")).toBe(
      live.store.link?.reconnects,
    );
  });

  test("begin at 0 for each rule", () => {
    const counts = new RunCounts();
    const live = startPlayed({ channels: CHANNELS }, []);
    const rule = 'a "rule" \\ with\na line';
    counts.addRule(rule);
    const value = () =>
      scrapedValue(scrape({ ...live, events: [] }, counts), "monitor_alert_firings_total", {
        rule,
      });
    expect(value()).toBe(0);
    counts.fire(rule);
    counts.addRule(rule);
    expect(value()).toBe(1);
  });
});
