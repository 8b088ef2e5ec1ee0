// Live by its pongs, lively by its frames, and yet minutes old: a stream that runs late.
import { describe, expect, test } from "vitest";
import { ChannelLag, StreamLag } from "../../src/stream/stream-lag.ts";
import { createRandom } from "../../src/units/random.ts";
import { openStreamRig } from "../support/stream-rig.ts";

const bbo = "bbo/perp/1";
const EPOCH_MS = 1_800_000_000_000;

/** When a stream first becomes late, if the frame made at `t` ms is stamped and comes at `arrival(t)`. */
function lateAt(arrival: (t: number) => number, untilMs: number, periodMs = 100) {
  const lag = new ChannelLag();
  for (let t = 0; t < untilMs; t += periodMs) {
    if (lag.note(EPOCH_MS + t, arrival(t))) return arrival(t);
  }
  return undefined;
}

/** Ten updates a second, until a moment: all come so much later than they are stamped. */
function tell(lag: StreamLag, untilMs: number, { fromMs = 0, offMs = 0, lateMs = 0 } = {}) {
  for (let t = fromMs; t < untilMs; t += 100) {
    expect(lag.note(bbo, EPOCH_MS + offMs + t, t + lateMs)).toBe(false);
  }
}

describe("a stream", () => {
  test("delivered at 82 % of its speed is late within a minute", () => {
    expect(lateAt((t) => t / 0.82, 600_000)).toBeLessThanOrEqual(60_000);
  });

  test("delivered at full speed with 300 ms of jitter is never late", () => {
    const random = createRandom(1);
    expect(lateAt((t) => t + random() * 300, 3_600_000)).toBeUndefined();
  });

  test("that stalled once and caught up is not late", () => {
    const stall = (t: number) => (t > 60_000 && t < 68_000 ? 68_000 + (t - 60_000) / 100 : t);
    expect(lateAt(stall, 600_000)).toBeUndefined();
  });

  test("of a quiet market that repeats its last stamp is not late", () => {
    const lag = new ChannelLag();
    for (let t = 0; t < 600_000; t += 100) expect(lag.note(EPOCH_MS, t)).toBe(false);
  });

  test("of a service whose clock runs an hour ahead or behind is not late, and the skew is known", () => {
    for (const skewMs of [-3_600_000, 3_600_000]) {
      const lag = new StreamLag();
      tell(lag, 60_000, { offMs: skewMs, lateMs: 20 });
      const clock = { now: () => 60_000, wall: () => EPOCH_MS + 60_000 };
      expect(lag.skewMs(clock)).toBe(20 - skewMs);
    }
  });

  test.each([3_600_000, -3_600_000])(
    "whose server's clock is set by %i ms is measured anew",
    (step) => {
      const lag = new StreamLag();
      tell(lag, 60_000);
      tell(lag, 120_000, { fromMs: 60_000, offMs: step });
      expect(lag.lagOf(bbo, EPOCH_MS + step + 120_000, 120_030)).toBe(30);
      expect(lag.isLate).toBe(false);
    },
  );

  test("is not misled by one damaged stamp, nor by a channel that is stamped for the future", () => {
    const lag = new StreamLag();
    const books = "orderbook/perp/1";
    const funding = "funding-rates/1";
    for (let t = 0; t < 60_000; t += 100) {
      lag.note(bbo, EPOCH_MS + t, t);
      lag.note(books, EPOCH_MS + t, t + 10);
      lag.note(funding, EPOCH_MS + 3_600_000 + t, t);
      if (t === 30_000) lag.note(bbo, EPOCH_MS + 1_000_000_000, t);
    }
    expect(lag.lagOf(bbo, EPOCH_MS + 60_000, 60_025)).toBe(25);
    expect(lag.lagOf(books, EPOCH_MS + 60_000, 60_025)).toBe(25);
    expect(lag.lagOf(funding, EPOCH_MS + 3_660_000, 60_025)).toBe(25);
  });

  test("of which one channel comes three seconds later than the others shows it", () => {
    const lag = new StreamLag();
    for (let t = 0; t < 10_000; t += 100) {
      lag.note(bbo, EPOCH_MS + t, t);
      lag.note("trades/perp/1", EPOCH_MS + t, t + 3000);
    }
    expect(lag.lagOf("trades/perp/1", EPOCH_MS + 10_000, 13_000)).toBe(3000);
  });

  test("of a clock that runs slower than ours is a day later no further behind than in hours", () => {
    const lag = new StreamLag();
    const rate = 1 - 50 / 1_000_000;
    for (let t = 0; t < 86_400_000; t += 10_000) {
      expect(lag.note(bbo, EPOCH_MS + t * rate, t + 20)).toBe(false);
      expect(lag.lagOf(bbo, EPOCH_MS + t * rate, t + 20)).toBeLessThan(500);
    }
  });

  test("whose server's clock is set back by less than a step is measured anew within two hours, whatever is silent since", () => {
    const lag = new StreamLag();
    const backMs = 1500;
    const silent = "account/7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU/0";
    for (let t = 0; t < 60_000; t += 1000) {
      for (const channel of [bbo, silent]) lag.note(channel, EPOCH_MS + t, t);
    }
    for (let t = 60_000; t <= 7_260_000; t += 1000) lag.note(bbo, EPOCH_MS + t - backMs, t);
    expect(lag.lagOf(bbo, EPOCH_MS + 7_261_000 - backMs, 7_261_000)).toBe(0);
  });

  test("is no longer late when it has caught up", () => {
    const lag = new ChannelLag();
    for (let t = 0; t < 60_000; t += 100) lag.note(EPOCH_MS + t, t / 0.82);
    expect(lag.isLate).toBe(true);
    lag.note(EPOCH_MS + 80_000, 80_000);
    expect(lag.isLate).toBe(false);
  });
});

test("a part of a first frame is no later than that, however old its stamp is", () => {
  const book = "orderbook/perp/1";
  const { service, clock, events } = openStreamRig([bbo, book]);
  const send = (channel: string, ms: number, fields: object) =>
    service.last.send({ type: "update", channel, timestamp_ns: `${ms}000000`, ...fields });
  for (let s = 0; s < 3; s++) {
    send(bbo, EPOCH_MS + s * 1000, { bbo: { bid: null, ask: null } });
    clock.advance(1000);
  }
  const part = { previous_sequence: null, sequence: "1" };
  for (const price_ticks of ["1", "2"]) {
    const bids = [{ price_ticks, size_base_lots: "1" }];
    send(book, EPOCH_MS - 30_000, { ...part, orderbook: { bids, asks: [] } });
  }
  const lags = events.flatMap((event) =>
    event.type === "update" && event.channel === book ? [[event.isSnapshot, event.lagMs]] : [],
  );
  expect(lags).toEqual([
    [true, undefined],
    [true, undefined],
  ]);
});

describe("the connection of a late stream", () => {
  /** Frames at 82 % of their speed, a second of virtual time at a time. */
  function run(seconds: number) {
    const rig = openStreamRig([bbo]);
    for (let s = 0; s < seconds; s++) {
      rig.clock.advance(1000);
      if (rig.service.last.isOver) continue;
      if (!rig.service.last.isAccepted) {
        rig.service.last.accept();
        rig.service.last.hello();
      }
      const stampMs = EPOCH_MS + Math.round(s * 820);
      rig.service.last.send({
        type: "update",
        channel: bbo,
        timestamp_ns: `${stampMs}000000`,
        bbo: { bid: null, ask: null },
      });
    }
    return rig;
  }

  test("is called late and opened anew", () => {
    const { service, events } = run(60);
    expect(service.peers.length).toBe(2);
    const links = events.flatMap((event) => (event.type === "link" ? [event.link] : []));
    expect(links.some(({ isLate }) => isLate)).toBe(true);
    expect(links.some(({ fault }) => /runs \d+ s late/.test(fault?.detail ?? ""))).toBe(true);
  });

  test("is opened anew at most once in five minutes, and stays late when that did not help", () => {
    const { service, stream } = run(290);
    expect(service.peers.length).toBe(2);
    expect(stream.link.isLate).toBe(true);
  });

  test("is opened anew every five minutes while it stays late", () => {
    expect(run(700).service.peers.length).toBe(4);
  });

  test("is not called late any more once nobody uses what was late on it", () => {
    const { service, stream, undo } = run(290);
    undo();
    service.last.unsubscribed(bbo);
    expect(stream.link.isLate).toBe(false);
  });
});
