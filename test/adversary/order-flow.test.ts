// Services that lose connections, repeat what was sent, begin subscriptions with a backlog of any length, and list trades
// late. The ledger of the service is the oracle, in BigInt: what `flow` says is exactly what traded in the time that it says is
// covered.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { flowJson } from "../../src/print/market-json.ts";
import {
  minuteAnchor,
  selectProfile,
  selectTradeDelta,
  selectTradedAtLevels,
  selectVwap,
} from "../../src/select/flow.ts";
import { copyState } from "../../src/state/copy-state.ts";
import { findMissedTrades, holeEdges } from "../../src/state/missed-trades.ts";
import { TradesState } from "../../src/state/trades.ts";
import { msOfNs } from "../../src/units/time.ts";
import type { Trade } from "../../src/wire/channels/trades.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";
import { type Flow, flowOf, sumsOf, sumsOfLedger } from "../support/flow-oracle.ts";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";
import { runs } from "../support/soak.ts";

const SECOND_NS = 1_000_000_000n;
const START_NS = 1_795_307_866_000_000_000n;
const ONE = { mantissa: 1n, places: 0 };
const SCALE = { tickSize: ONE, lotSize: ONE };

/** A service, and a client that receives of it what the steps let through. */
class Market {
  readonly feed = new MarketFeed();
  readonly ledger: Trade[] = [];
  ns = START_NS;

  constructor() {
    this.feed.link("open");
  }

  get tape(): TradesState {
    return this.feed.store.slice("trades", CHANNELS.trades).data;
  }

  trade(price: string, size: string, isBought: boolean): Trade {
    const trade = {
      timestamp_ns: `${this.ns}`,
      price_ticks: price,
      size_base_lots: size,
      taker_is_bid: isBought,
    };
    this.ledger.push(trade);
    return trade;
  }

  /** A trade so long after what was last. */
  tradeAfter(waitNs: bigint, price = "5", size = "1", isBought = true): Trade {
    this.ns += waitNs;
    return this.trade(price, size, isBought);
  }

  begin(sinceMs?: number): void {
    this.feed.say({ type: "subscribing", channel: CHANNELS.trades });
    if (sinceMs !== undefined) this.feed.say({ type: "since", channel: CHANNELS.trades, sinceMs });
    this.subscribe(3);
  }

  subscribe(backlog: number, isNewestFirst = false): void {
    const trades = backlog === 0 ? [] : this.ledger.slice(-backlog);
    this.sendFirst(isNewestFirst ? trades.toReversed() : trades);
  }

  sendFirst(trades: readonly Trade[]): void {
    this.feed.say({ type: "subscribing", channel: CHANNELS.trades });
    this.send(trades, true);
  }

  send(trades: readonly Trade[], isFirst = false): void {
    const chain = { previous_sequence: null, sequence: null };
    this.feed.update(CHANNELS.trades, { ...chain, trades, timestamp_ns: `${this.ns}` }, isFirst);
  }

  /** A trade of an earlier time, which the service has not sent yet. */
  tradeLate(price: string, lateNs: bigint): Trade {
    const now = this.ns;
    this.ns -= lateNs;
    const trade = this.trade(price, `${this.ledger.length}`, true);
    this.ns = now;
    this.ledger.sort((a, b) => Number(BigInt(a.timestamp_ns) - BigInt(b.timestamp_ns)));
    return trade;
  }

  /** The listing is asked for each hole; it lacks the newest rows. */
  heal(lagRows: number): void {
    const { tape } = this;
    for (const hole of tape.holes) {
      const edges = holeEdges(tape, hole);
      if (tape.isNearOtherHole(edges.span)) continue;
      const end = this.ledger.length - lagRows;
      const records = this.ledger.slice(0, Math.max(0, end)).map(listed).toReversed();
      const newestMs = records[0]?.timestamp_ms;
      const run = { records, newestMs, wholeUntilMs: Number.NEGATIVE_INFINITY };
      const missed = findMissedTrades(edges, run, SCALE, tape.lateMs);
      if (!missed.isProven) continue;
      const { trades } = missed;
      this.feed.say({ type: "filled", channel: CHANNELS.trades, ...edges.span, trades });
      return;
    }
  }
}

function listed({ timestamp_ns, price_ticks, size_base_lots, taker_is_bid }: Trade): TradeRecord {
  return {
    timestamp_ms: msOfNs(timestamp_ns),
    price: price_ticks,
    quantity: size_base_lots,
    taker_is_bid,
  } as TradeRecord;
}

function check(market: Market): void {
  const flow = checkSums(market);
  expect(flow.coverage.known_ms).toBeGreaterThanOrEqual(0);
  checkGoingOn(market);
}

function checkSums({ tape, ledger }: Market): Flow {
  const flow = flowOf(tape);
  expect(sumsOf(flow), JSON.stringify(flow)).toEqual(sumsOfLedger(ledger, flow));
  return flow;
}

/** A view that goes on with each trade is as one that is made anew, while its span moves and its groups change. */
function checkGoingOn({ tape: { flow }, ns }: Market): void {
  const untilMs = Number(ns / 1_000_000n) + 1;
  const fromMs = minuteAnchor(untilMs - 120_000);
  const anew = flow.copyHeld();
  const views = (of: typeof flow) => [
    selectProfile(of, { fromMs, untilMs }, 10n),
    selectProfile(of, { fromMs: minuteAnchor(Number(START_NS / 1_000_000n)), untilMs }),
    ...[1n, 10n].flatMap((grouping) => {
      const levels = selectTradedAtLevels(of, fromMs, grouping);
      return [1n, 2n, 10n, 97n, 100n].map((row) => [levels.at("bid", row), levels.at("ask", row)]);
    }),
    selectTradeDelta(of, { fromMs, untilMs: fromMs + 120_000 }),
    selectVwap(of, { fromMs, untilMs: fromMs + 60_000 }),
  ];
  expect(views(flow)).toEqual(views(anew));
}

interface Step {
  readonly waitNs: bigint;
  readonly trades: readonly (readonly [price: string, size: string, isBought: boolean])[];
  readonly what: "send" | "lose" | "reconnect" | "heal" | "copy";
  readonly backlog: number;
  readonly isNewestFirst: boolean;
  /** The frame has one more trade, so many nanoseconds before it; none at 0. */
  readonly lateNs?: bigint;
}

const step: fc.Arbitrary<Step> = fc.record({
  waitNs: fc.constantFrom(0n, 1n, 300_000n, 1_000_000n, 700_000_000n, 41_000_000_000n),
  trades: fc.array(
    fc.tuple(
      fc.constantFrom("1", "2", "97", "9007199254740993", "123456789012345678901234567890"),
      fc.constantFrom("0", "1", "1", "5", "9007199254740991", "99999999999999999999"),
      fc.boolean(),
    ),
    { maxLength: 4 },
  ),
  what: fc.constantFrom("send", "send", "send", "send", "lose", "reconnect", "heal", "copy"),
  backlog: fc.nat(14),
  isNewestFirst: fc.boolean(),
});

/** @param isDistinct no two trades are alike: only then can a connection be lost within a moment */
function play(
  market: Market,
  steps: readonly Step[],
  {
    sinceMs,
    isDistinct = false,
  }: { readonly sinceMs?: number; readonly isDistinct?: boolean } = {},
): void {
  market.begin(sinceMs);
  check(market);
  for (const each of steps) takeStep(market, each, isDistinct);
}

function takeStep(market: Market, each: Step, isDistinct: boolean): void {
  const { waitNs, trades, what, isNewestFirst, lateNs = 0n } = each;
  const isLost = what === "lose" || what === "reconnect";
  market.ns += isLost && !isDistinct ? waitNs + 1n : waitNs;
  const made = trades.map(([price, size, isBought]) =>
    market.trade(price, isDistinct ? `${market.ledger.length}` : size, isBought),
  );
  if (lateNs > 0n) made.unshift(market.tradeLate("3", lateNs));
  if (!isLost) market.send(isNewestFirst ? made.toReversed() : made);
  DEEDS[what](market, each);
  check(market);
}

const DEEDS: Readonly<Record<Step["what"], (market: Market, step: Step) => void>> = {
  send: () => {},
  lose: (market) => reconnect(market),
  reconnect,
  heal: (market, { backlog }) => market.heal(backlog % 3),
  copy: checkCopy,
};

function reconnect(
  market: Market,
  { backlog = 0, isNewestFirst = false }: Partial<Pick<Step, "backlog" | "isNewestFirst">> = {},
): void {
  market.ns += 1n;
  market.feed.link("waiting");
  market.feed.link("open");
  market.subscribe(backlog, isNewestFirst);
  market.ns += 1n;
}

/** What comes later reaches no copy. */
function checkCopy(market: Market): void {
  const copy = copyState(market.tape);
  const before = JSON.stringify(flowJson(copy, undefined));
  market.ns += 1n;
  // No two alike, as where the steps make none.
  const trade = (price: string) => market.trade(price, `${market.ledger.length}`, price === "1");
  market.send([trade("1"), trade("97")]);
  expect(JSON.stringify(flowJson(copy, undefined))).toBe(before);
}

const MAX_LATE_NS = 900_000_000n;
const lateNs = fc.constantFrom(0n, 0n, 1_000_000n, 500_000_000n, MAX_LATE_NS);
const steps = fc.array(step, { maxLength: 30 });

/** A trade a second until now. */
function tradeBefore(market: Market, count: number): void {
  for (let i = 0; i < count; i++) market.tradeAfter(SECOND_NS, "5", "2", i % 3 === 0);
}

test("sums are those of the service over the time that is said to be covered", () => {
  const property = fc.property(steps, (all) => {
    const market = new Market();
    tradeBefore(market, 3);
    play(market, all);
  });
  fc.assert(property, { numRuns: runs(120, 20_000) });
});

test("so are they where a connection is lost within a moment, if no two trades are alike", () => {
  const property = fc.property(steps, (all) => {
    const market = new Market();
    market.trade("5", "1000", true);
    play(market, all, { isDistinct: true });
  });
  fc.assert(property, { numRuns: runs(80, 10_000) });
});

test("so are they where the past was asked for, before and after the listing has it", () => {
  const property = fc.property(steps, fc.nat(20), (all, past) => {
    const market = new Market();
    tradeBefore(market, past);
    play(market, all, { sinceMs: Number(START_NS / 1_000_000n) + 2_000 });
  });
  fc.assert(property, { numRuns: runs(80, 10_000) });
});

test("so are they where trades come late, by no more than one has come before, and no two are alike", () => {
  const lateStep = fc
    .record({ each: step, lateNs })
    .map(({ each, ...late }) => ({ ...each, ...late }));
  const property = fc.property(fc.array(lateStep, { maxLength: 30 }), (all) => {
    const market = new Market();
    market.trade("5", "1000", true);
    market.begin();
    for (let second = 0; second < 4; second++) {
      market.send([market.tradeAfter(SECOND_NS, "5", `${market.ledger.length}`)]);
    }
    market.send([market.tradeLate("3", MAX_LATE_NS)]);
    for (const each of all) takeStep(market, each, true);
  });
  fc.assert(property, { numRuns: runs(80, 10_000) });
});

test("where equal trades of one nanosecond have come, one moment that a backlog repeats proves nothing", () => {
  const market = new Market();
  const twin = () => market.trade("5", "1", true);
  market.begin();
  for (let second = 0; second < 3; second++) {
    market.ns += SECOND_NS;
    market.send([twin(), twin()]);
  }
  market.ns += SECOND_NS;
  market.send([twin()]);
  // The backlog begins with another one of the same moment, or with the same: nothing tells.
  market.trade("7", "100", true);
  twin();
  market.tradeAfter(SECOND_NS, "6", "2", false);
  reconnect(market, { backlog: 2 });
  check(market);
  expect(flowOf(market.tape).coverage.holes).toMatchObject([{}, { healed: false }]);
  market.send([market.tradeAfter(SECOND_NS, "6", "3", false)]);
  market.heal(0);
  check(market);
  expect(market.tape.holes).toEqual([]);
});

describe("a backlog that repeats one moment, of a service that makes equal trades in one nanosecond", () => {
  /** A is lost, and B comes. @param secondsToB between the two */
  function loseBefore(secondsToB: bigint): Market {
    const market = new Market();
    for (const size of ["10", "11", "12"]) market.tradeAfter(SECOND_NS, "5", size);
    market.begin();
    market.tradeAfter(1n, "5", "100");
    reconnect(market);
    market.send([market.tradeAfter(secondsToB * SECOND_NS, "5", "20")]);
    return market;
  }
  const tradeTwins = (market: Market) => {
    market.ns += 41n * SECOND_NS;
    for (let twin = 0; twin < 2; twin++) market.trade("6", "1", false);
  };
  const meetTwins = (market: Market) => reconnect(market, { backlog: 4 });

  test.each([1n, 41n])("brings what was lost before it, %i s later, once", (secondsToB) => {
    const market = loseBefore(secondsToB);
    tradeTwins(market);
    meetTwins(market);
    check(market);
    market.send([market.tradeAfter(SECOND_NS, "6", "3", false)]);
    for (let hole = 0; hole < 2; hole++) market.heal(0);
    check(market);
    expect(market.tape.holes).toEqual([]);
    expect(flowOf(market.tape).trades).toBe(market.ledger.length);
  });

  test.each([1n, 41n])("brings what the listing brought before, %i s later, once", (secondsToB) => {
    const market = loseBefore(secondsToB);
    tradeTwins(market);
    market.heal(0);
    expect(market.tape.holes).toEqual([]);
    meetTwins(market);
    check(market);
  });
});

test("what a backlog brings from the middle of a hole says nothing of its beginning", () => {
  const market = new Market();
  const trade = (waitNs: bigint) => market.tradeAfter(waitNs);
  for (let second = 0; second < 3; second++) trade(SECOND_NS);
  market.begin();
  for (const waitNs of [1n, 0n]) market.tradeAfter(waitNs, "6");
  reconnect(market, { backlog: 2 });
  // One is lost in the millisecond of the last that is held, and two more before the next that comes.
  trade(1n);
  reconnect(market);
  for (const waitNs of [41_000_000_000n, 0n]) trade(waitNs);
  reconnect(market);
  market.send([trade(0n)]);
  for (const waitNs of [1n, 0n]) trade(waitNs);
  reconnect(market, { backlog: 5 });
  market.send([trade(41_000_000_000n)]);
  market.heal(0);
  check(market);
});

test("a trade that the listing brought makes no way for an equal one of its millisecond that was held before", () => {
  const market = new Market();
  const trade = (waitNs: bigint) => market.tradeAfter(waitNs);
  market.begin();
  market.send([trade(1n)]);
  trade(1_000_000_000n);
  reconnect(market);
  market.send([trade(1n)]);
  market.send([trade(1_000_000_000n), trade(1_000_000_000n)]);
  market.heal(0);
  expect(market.tape.holes).toEqual([]);
  // Its millisecond is cut in two.
  reconnect(market, { backlog: 3 });
  check(market);
  expect(flowOf(market.tape).trades).toBe(market.ledger.length);
});

test("a loss of more trades than may lie in holes is healed without the sums beginning anew", () => {
  const market = new Market();
  const trade = () => {
    const { length } = market.ledger;
    return market.tradeAfter(1_000_000n, `${50 + (length % 7)}`, "3", length % 3 === 0);
  };
  const trades = (count: number) => Array.from({ length: count }, trade);
  trades(3);
  market.begin();
  market.send(trades(100));
  const { since_ms } = flowOf(market.tape);
  trades(25_000);
  reconnect(market);
  market.send(trades(100));
  market.heal(0);
  check(market);
  const flow = flowOf(market.tape);
  expect(flow).toMatchObject({ since_ms, trades: 25_203, coverage: { holes: [{ healed: true }] } });
});

test("nor is what was missed while the service set its clock back", () => {
  const market = new Market();
  market.begin();
  const trade = (waitNs: bigint) => market.tradeAfter(waitNs, "97", `${market.ledger.length + 1}`);
  market.send([trade(1n)]);
  market.ns += 7_200_000_000_000n;
  market.send([trade(1n)]);
  market.feed.link("waiting");
  market.feed.nowMs += 4000;
  trade(1_400_000_000n);
  trade(500_000_000n);
  market.ns -= 7_800_000_000_000n;
  trade(300_000_000n);
  trade(1n);
  market.feed.link("open");
  market.subscribe(3);
  check(market);
  market.ns += 600_000_000_000n;
  market.send([trade(1n)]);
  check(market);
});

test("connections that are opened and closed again say nothing of the time in which they did", () => {
  const market = new Market();
  const pass = (ms: number) => {
    market.ns += BigInt(ms) * 1_000_000n;
    market.feed.advance(ms);
  };
  market.begin();
  market.send([market.trade("5", "1", true)]);
  market.feed.link("waiting");
  pass(5000);
  market.trade("5", "2", true);
  pass(5000);
  market.feed.link("open");
  market.feed.link("waiting");
  pass(5000);
  market.feed.link("open");
  market.subscribe(0);
  pass(1000);
  market.send([market.trade("5", "4", true)]);
  check(market);
  expect(market.tape.holes).toHaveLength(1);
});

describe("of a service whose trades may come late", () => {
  const at = (market: Market, ms: number, size: string) => {
    market.ns = START_NS + BigInt(ms) * 1_000_000n;
    return market.trade("7", size, true);
  };
  /** It sends in the order of the ledger; 300 and 900 come 600 and 400 ms late. */
  const tradeUntil = (market: Market, count: number) => {
    const times = [0, 800, 200, 1000, 1300, 900, 1500, 1700];
    return times.slice(0, count).map((ms, i) => at(market, ms, `${i + 1}`));
  };

  test("what the first frame cannot hold is no part of the sums", () => {
    const market = new Market();
    tradeUntil(market, 8);
    market.subscribe(4);
    check(market);
    expect(flowOf(market.tape).coverage.holes).toHaveLength(1);
  });

  test("nor is what a loss may have taken with it", () => {
    const market = new Market();
    market.sendFirst([at(market, -5000, "100")]);
    market.send(tradeUntil(market, 3));
    check(market);
    // Lost: one from 400 ms before the newest that was seen, and the newest.
    at(market, 400, "50");
    at(market, 1900, "60");
    reconnect(market);
    market.send([at(market, 3000, "80"), at(market, 6000, "90")]);
    expect(checkSums(market).bought_lots).toBe("91");
  });

  test("nor is the beginning, if the first one that comes late does so behind a loss", () => {
    const market = new Market();
    at(market, -100, "20");
    const first = [at(market, 0, "1"), at(market, 700, "2")];
    // Of a backlog of two the one that came between them is not to be seen.
    market.ledger.splice(1, 0, at(market, 300, "30"));
    market.ledger.pop();
    market.sendFirst(first);
    at(market, 4000, "40");
    reconnect(market);
    market.send([at(market, 9000, "5")]);
    market.send([at(market, 8500, "6")]);
    expect(checkSums(market).coverage.holes).toHaveLength(2);
  });

  test("nor is what was missed behind one that only a backlog shows to be late", () => {
    const market = new Market();
    const first = [at(market, -5000, "100"), at(market, 5000, "20"), at(market, 10_000, "1")];
    market.sendFirst(first);
    // Of 10.3 and 9.5 seconds, in the order of the service; the backlog holds the second of them.
    at(market, 10_300, "50");
    at(market, 9500, "2");
    at(market, 10_600, "3");
    reconnect(market, { backlog: 2 });
    market.send([at(market, 15_000, "4")]);
    expect(checkSums(market).bought_lots).toBe("24");
  });

  test("what was lost of before a loss is healed with it", () => {
    const market = new Market();
    market.sendFirst([at(market, -9000, "100"), at(market, -8000, "101")]);
    market.send(tradeUntil(market, 8));
    for (let ms = 4000; ms < 9000; ms += 200) market.send([at(market, ms, `${ms}`)]);
    // Lost: one of before most of what lies beside the hole.
    at(market, 8250, "50");
    at(market, 9000, "60");
    market.ns = START_NS + 10_000_000_000n;
    reconnect(market);
    for (let ms = 11_000; ms < 16_000; ms += 200) market.send([at(market, ms, `${ms}`)]);
    expect(market.tape.holes).toHaveLength(1);
    market.heal(0);
    expect(market.tape.holes).toEqual([]);
    checkSums(market);
  });

  test("nor what is older than the stamp of the last frame before a loss, if such a trade has come", () => {
    const market = new Market();
    const pass = (ms: number) => {
      market.ns += BigInt(ms) * 1_000_000n;
    };
    market.sendFirst([market.trade("5", "1", true)]);
    const loseWithOld = (ageMs: number) => {
      pass(3000);
      market.send([]);
      pass(-ageMs);
      market.trade("5", "7", true);
      pass(ageMs + 500);
      reconnect(market);
      pass(1000);
      market.send([market.trade("5", "2", true)]);
    };
    loseWithOld(400);
    pass(2000);
    market.send([]);
    pass(-500);
    const old = market.trade("5", "3", false);
    pass(600);
    market.send([old]);
    check(market);
    loseWithOld(500);
    check(market);
    expect(flowOf(market.tape).coverage.holes).toHaveLength(2);
  });

  test("a recording that begins in mid-session has how late they come", () => {
    const market = new Market();
    market.sendFirst([at(market, -5000, "100")]);
    market.send(tradeUntil(market, 6));
    reconnect(market);
    const { tape } = market;
    const trades = tape.recent().toReversed();
    const restored = TradesState.restored(trades, JSON.parse(JSON.stringify(tape.facts())));
    expect(flowJson(restored, undefined)).toEqual(flowJson(tape, undefined));
    expect(restored.lateMs).toBe(600);
  });

  test("a clock that goes back is none", () => {
    const market = new Market();
    market.sendFirst([at(market, 3_600_000, "1")]);
    market.send([at(market, 3_600_001, "2")]);
    market.send([at(market, 1000, "3"), at(market, 1001, "4")]);
    expect(flowOf(market.tape).coverage.holes).toEqual([]);
  });
});
