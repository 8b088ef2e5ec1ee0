import { describe, expect, test } from "vitest";
import { EventLog, type LogLine } from "../../src/state/event-log.ts";
import { MarketFeed } from "../support/market-feed.ts";

const line = (what: string, atMs: number, channel?: string): LogLine => ({
  atMs,
  level: "warn",
  what,
  channel,
  detail: `${atMs}`,
});

describe("the log", () => {
  test("counts what repeats, with the words of the last time", () => {
    const log = new EventLog();
    for (let i = 1; i <= 5; i++) log.add(line("gap", i, "trades/perp/1"));
    log.add(line("gap", 6, "trades/perp/2"));
    expect(log.lines).toMatchObject([
      { ...line("gap", 5, "trades/perp/1"), times: 5 },
      { ...line("gap", 6, "trades/perp/2"), times: 1 },
    ]);
  });

  test("keeps the last lines of a flood, and never more than its cap", () => {
    const log = new EventLog();
    for (let i = 0; i < 100_000; i++) log.add(line(i % 2 === 0 ? "gap" : "resync", i));
    expect(log.lines.length).toBeLessThanOrEqual(1500);
    expect(log.lines.at(-1)?.atMs).toBe(99_999);
    expect(log.lines[0]?.atMs).toBeGreaterThan(98_000);
  });

  test("has the life of a session, and nothing of each update", () => {
    const feed = new MarketFeed();
    const channel = "trades/perp/1";
    feed.link("connecting", { protocolVersion: undefined });
    feed.link("open", { protocolVersion: undefined });
    feed.link("open", { protocolVersion: 1 });
    feed.link("open", { protocolVersion: 1, roundTripMs: 3 });
    feed.say({ type: "subscribing", channel });
    feed.trade(1, 1);
    feed.say({ type: "gap", channel, held: "4", previous: "6" });
    feed.say({ type: "resync", channel, reason: "the sequence chain is broken" });
    feed.say({ type: "refused", channel, code: 404, message: "unknown" });
    feed.link("open", { protocolVersion: 1, isLate: true });
    feed.link("waiting", { fault: { code: "silent", detail: "no pong in 10 s" } });
    expect(feed.store.log.lines.map(({ level, what, detail }) => [level, what, detail])).toEqual([
      ["debug", "connecting", ""],
      ["info", "connected", ""],
      ["info", "hello", "protocol version 1"],
      ["debug", "subscribing", ""],
      ["warn", "gap", "held 4, the next update names 6 before it"],
      ["warn", "resync", "the sequence chain is broken"],
      ["error", "refused", "404: unknown"],
      ["warn", "late", "updates arrive later and later"],
      ["warn", "disconnected", "no pong in 10 s"],
    ]);
  });
});
