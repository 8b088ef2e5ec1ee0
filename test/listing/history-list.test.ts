// The list behind a history view: older rows on demand, newer ones above, none twice and none skipped.
import { describe, expect, test } from "vitest";
import { HistoryList } from "../../src/listing/history-list.ts";
import { type Listing, tradesListing } from "../../src/listing/listing.ts";
import type { Source } from "../../src/listing/source.ts";
import type { Clock } from "../../src/units/clock.ts";
import type { TradeRecord } from "../../src/wire/rest/trades.ts";
import { listedTrade } from "../support/listed-trade.ts";

const run = (callback: () => void): (() => void) => {
  let isCancelled = false;
  queueMicrotask(() => {
    if (!isCancelled) callback();
  });
  return () => {
    isCancelled = true;
  };
};

const instantClock: Clock = {
  now: () => 0,
  wall: () => 0,
  after: (_, callback) => run(callback),
  soon: run,
  next: run,
};

type Page<T> = (
  before: bigint | undefined,
  limit: number,
  signal: AbortSignal,
) => readonly T[] | Promise<readonly T[]>;

/** A listing without a service behind it. */
const sourceOf = <T extends TradeRecord>(page: Page<T>): Source<T> => ({
  listing: tradesListing({ type: "perp", id: "1" }) as unknown as Listing<T>,
  page: async (before, limit, signal) => page(before, limit, signal),
});

const PAGE = 50;

function open(count: number) {
  const service = {
    rows: Array.from({ length: count }, (_, i) => trade(count - i)),
    fault: "",
    asked: 0,
    signals: [] as AbortSignal[],
  };
  let nowMs = 0;
  const source = sourceOf((before, limit, signal) => {
    service.asked++;
    service.signals.push(signal);
    nowMs += 5;
    if (service.fault !== "") throw new Error(service.fault);
    const below = service.rows.filter(
      (row) => before === undefined || BigInt(row.trade_id) < before,
    );
    return below.slice(0, limit);
  });
  let onIdle = () => {};
  const told: string[] = [];
  const list: HistoryList<TradeRecord> = new HistoryList({
    ...{ source, headSource: source, limit: PAGE, clock: { ...instantClock, now: () => nowMs } },
    onChange() {
      told.push(list.activity);
      if (list.activity === "nothing") onIdle();
    },
  });
  const done = (act: () => void) =>
    new Promise<void>((resolve) => {
      onIdle = resolve;
      act();
      if (list.activity === "nothing") resolve();
    });
  return {
    service,
    list,
    /** What it was at whenever it told of a change. */
    told,
    older: () => done(() => list.loadOlder()),
    newer: () => done(() => list.follow()),
    /** Some trades are made. */
    make(more: number) {
      const newest = Number(service.rows[0]?.trade_id ?? 0);
      for (let i = 1; i <= more; i++) service.rows.unshift(trade(newest + i));
    },
  };
}

const trade = (id: number) =>
  listedTrade({ trade_id: `${id}`, timestamp_ms: 1_700_000_000_000 + Math.floor(id / 3) * 1000 });

const ids = ({ rows }: HistoryList<TradeRecord>) => rows.map(({ trade_id }) => Number(trade_id));
const down = (from: number, count: number) => Array.from({ length: count }, (_, i) => from - i);

describe("older rows", () => {
  test("come page by page down to the end, which is proven", async () => {
    const { list, older } = open(180);
    for (let i = 0; i < 6 && list.verdict === undefined; i++) await older();
    expect(ids(list)).toEqual(down(180, 180));
    expect(list.verdict).toMatchObject({ isComplete: true });
    expect(list.cursor).toBe("trade_id");
  });

  test("go on after a request that failed", async () => {
    const { list, service, older } = open(180);
    await older();
    service.fault = "no network";
    for (let i = 0; i < 3 && list.error === undefined; i++) await older();
    expect(list.error).toBe("no network");
    service.fault = "";
    for (let i = 0; i < 6 && list.verdict === undefined; i++) await older();
    expect([ids(list), list.error]).toEqual([down(180, 180), undefined]);
  });

  test("of an empty listing are none, and that is proven", async () => {
    const { list, older } = open(0);
    await older();
    expect([ids(list), list.verdict?.isComplete]).toEqual([[], true]);
  });
});

describe("newer rows", () => {
  test("stand above those that are held, and older ones go on below", async () => {
    const { list, make, older, newer } = open(180);
    await older();
    make(7);
    await newer();
    make(5);
    await newer();
    await older();
    expect(ids(list)).toEqual(down(192, list.rows.length));
    expect(list.rows.length).toBeGreaterThan(12 + PAGE);
  });

  test("that are more than a page begin the list anew", async () => {
    const { list, make, older, newer } = open(180);
    await older();
    await older();
    make(1500);
    await newer();
    expect(ids(list)).toEqual(down(1680, PAGE));
    await older();
    expect(ids(list)).toEqual(down(1680, list.rows.length));
    expect(list.rows.length).toBeGreaterThan(PAGE);
  });

  test("that do not fit what is held begin the list anew, and that is said", async () => {
    const { list, service, older, newer } = open(180);
    await older();
    service.rows = service.rows.map((row) => ({ ...row, price: "2" }));
    await newer();
    expect(list).toMatchObject({ hasChanged: true, verdict: undefined });
    expect(list.rows.map(({ price }) => price)).toEqual(Array(PAGE).fill("2"));
  });

  test("are asked for once at a time", async () => {
    const { list, service, older } = open(180);
    await older();
    const before = service.asked;
    list.follow();
    list.follow();
    expect(service.asked).toBe(before + 1);
  });

  test("come to a listing that had none, and to one that has none still", async () => {
    const { list, service, make, older, newer } = open(0);
    await older();
    const { asked } = service;
    await newer();
    expect(service.asked).toBe(asked + 1);
    expect([ids(list), list.hasChanged, list.verdict?.isComplete]).toEqual([[], false, true]);
    make(60);
    await newer();
    expect([ids(list), list.hasChanged, list.verdict]).toEqual([down(60, PAGE), false, undefined]);
  });

  test("of a listing that has lost its rows are none, which is said", async () => {
    const { list, service, older, newer } = open(20);
    await older();
    service.rows = [];
    await newer();
    expect([ids(list), list.hasChanged]).toEqual([[], true]);
    service.rows = [trade(1000), trade(999)];
    await newer();
    expect([ids(list), list.hasChanged]).toEqual([[1000, 999], true]);
  });

  test("that are more than a page are no change of what was listed", async () => {
    const { list, make, older, newer } = open(20);
    await older();
    make(1020);
    await newer();
    expect([ids(list), list.hasChanged]).toEqual([down(1040, PAGE), false]);
  });

  test("come no more to a list that is full", async () => {
    const { list, service, older, newer, make } = open(180);
    await older();
    list.rows = Array.from({ length: 50_000 }, (_, i) => trade(50_000 - i));
    expect(list.isFull).toBe(true);
    const { asked } = service;
    make(3);
    await newer();
    await older();
    expect([service.asked, list.rows.length]).toEqual([asked, 50_000]);
    list.rows = list.rows.slice(1);
    expect(list.isFull).toBe(false);
  });
});

describe("what a list is at", () => {
  test("is told when older rows are asked for, but only at the end for newer ones", async () => {
    const { list, told, older, newer } = open(180);
    expect([list.activity, list.error, list.endedAtMs]).toEqual(["nothing", undefined, undefined]);
    await older();
    expect(told).toEqual(["older", "nothing"]);
    told.length = 0;
    const done = newer();
    expect(list.activity).toBe("following");
    await done;
    expect(told).toEqual(["nothing"]);
  });

  test("is the newer rows, and then the older ones that were asked for meanwhile", async () => {
    const { list, told, make, older } = open(300);
    await older();
    make(7);
    told.length = 0;
    list.follow();
    await older();
    expect(told).toEqual(["older", "older", "nothing"]);
    expect(ids(list)).toEqual(down(307, 105));
    const { length } = told;
    await older();
    expect(told.length).toBe(length + 2);
  });

  test("ends at a time, good or bad, of which a good one is that of the rows", async () => {
    const { list, service, told, older, newer } = open(180);
    await older();
    const goodMs = list.listedAtMs;
    expect(goodMs).toBeGreaterThan(0);
    expect(list.endedAtMs).toBe(goodMs);
    service.fault = "no network";
    await newer();
    expect([list.error, list.listedAtMs]).toEqual(["no network", goodMs]);
    expect(list.endedAtMs).toBeGreaterThan(goodMs ?? 0);
    service.fault = "";
    told.length = 0;
    const done = older();
    expect([list.error, told]).toEqual([undefined, ["older"]]);
    await done;
    service.fault = "again";
    await newer();
    service.fault = "";
    await newer();
    expect(list.error).toBeUndefined();
    expect(list.listedAtMs).toBe(list.endedAtMs);
  });

  test("is nothing at its end, and nothing is told of a list that is closed", async () => {
    const { list, service, told, older } = open(20);
    while (list.verdict === undefined) await older();
    const { asked } = service;
    await older();
    expect(service.asked).toBe(asked);
    told.length = 0;
    list.follow();
    list.close();
    await new Promise((resolve) => setImmediate(resolve));
    expect([told, list.activity]).toEqual([[], "nothing"]);
    expect(service.signals.every(({ aborted }) => aborted)).toBe(true);
  });
});
