// One channel on a connection: phases, refreshes, and how often a service is asked.
import { beforeEach, describe, expect, it } from "vitest";
import { createDialect } from "../../src/dialect/dialect.ts";
import * as subscriptions from "../../src/stream/subscription.ts";
import { level, type Numbers, trade, update } from "../support/frames.ts";

const CHANNEL = "orderbook/perp/1";
const TICK_MS = 100;

let sent: { readonly command: string; readonly atMs: number }[];
let nowMs: number;
let sub: subscriptions.Subscription;
let told: string[];
const dialect = createDialect();

const port: subscriptions.Port = {
  random: () => 1,
  send: (command) => sent.push({ command, atMs: nowMs }),
  event: (...parts) => told.push(parts.join(" ")),
};

beforeEach(() => {
  sent = [];
  told = [];
  nowMs = 1000;
  subscribe(CHANNEL);
});

function subscribe(channel: "orderbook/perp/1" | "trades/perp/1"): void {
  const kind = channel === CHANNEL ? "orderbook" : "trades";
  sub = subscriptions.createSubscription(channel, kind);
  subscriptions.subscribe(sub, port, nowMs);
}

function receive(numbers: Numbers, by = dialect): subscriptions.Receipt {
  const { kind, channel } = sub.status;
  const body =
    kind === "orderbook"
      ? { orderbook: { bids: [level(9, 1)], asks: [] } }
      : { trades: [trade(1, 5)] };
  return subscriptions.receive(sub, update(kind, channel, body, numbers), by, nowMs);
}

/** Lets time pass. @param answer what the service does with each command */
function pass(ms: number, answer: (command: string) => void = () => {}): void {
  for (let passed = 0; passed < ms; passed += TICK_MS) {
    nowMs += TICK_MS;
    const before = sent.length;
    subscriptions.tick(sub, port, nowMs);
    for (const { command } of sent.slice(before)) answer(command);
  }
}

const commands = () => sent.splice(0).map(({ command }) => command);

describe("a subscription", () => {
  it("is nothing yet before it is asked for", () => {
    sub = subscriptions.createSubscription(CHANNEL, "orderbook");
    expect(sub).toMatchObject({
      ...{ isContinuous: false, status: { phase: "closed", isBroken: false } },
    });
    pass(60_000);
    subscriptions.doubt(sub, "a doubt", nowMs);
    pass(TICK_MS);
    expect(commands()).toEqual(["subscribe"]);
  });

  it("is broken where the connection ends after a frame, and waits for another one", () => {
    subscriptions.disconnect(sub);
    expect(sub.status).toMatchObject({ phase: "closed", isBroken: false });
    subscriptions.subscribe(sub, port, nowMs);
    receive({ sequence: "5" });
    subscriptions.doubt(sub, "a doubt", nowMs);
    subscriptions.disconnect(sub);
    expect(sub.status).toMatchObject({ phase: "closed", isBroken: true });
    commands();
    pass(60_000);
    expect(commands()).toEqual([]);
    expect(receive({ previous: "5", sequence: "6" })).toBe("behind");
    subscriptions.subscribe(sub, port, nowMs);
    expect(receive({ sequence: "7" })).toBe("first");
    expect(sub.status).toMatchObject({ phase: "open", isBroken: false });
  });

  it("counts what is late or comes twice, and drops what a gap is behind", () => {
    receive({ sequence: "5" });
    expect(receive({ previous: "3", sequence: "4" })).toBe("late");
    expect(receive({ sequence: "5" })).toBe("repeat");
    expect(sub.status.counts.late).toBe(2);
    receive({ previous: "7", sequence: "8" });
    expect(receive({ previous: "8", sequence: "9" })).toBe("behind");
  });

  it("leaves frames that name one before them to the subscription before for two seconds", () => {
    receive({ sequence: "5" });
    subscriptions.doubt(sub, "a doubt", nowMs);
    pass(TICK_MS);
    subscriptions.receiveUnsubscribed(sub, port, nowMs);
    pass(1900);
    expect(receive({ previous: "6", sequence: "7" })).toBe("next");
    pass(TICK_MS);
    expect(receive({ previous: "8", sequence: "9" })).toBe("first");
  });

  it.each([
    [400, ["unsubscribe", "subscribe"]],
    [404, ["unsubscribe", "subscribe"]],
    [403, ["unsubscribe"]],
  ])("that ends and gets an error %i sends %j", (code, wanted) => {
    receive({ sequence: "5" });
    commands();
    subscriptions.doubt(sub, "a doubt", nowMs);
    pass(TICK_MS);
    subscriptions.receiveError(sub, { code, message: "" }, port, nowMs);
    expect(commands()).toEqual(wanted);
  });

  it.each([
    [503, { phase: "unavailable", isBroken: true }, []],
    [403, { phase: "open", isBroken: false }, [`refresh ${CHANNEL} an error about the channel`]],
  ])("that is open and gets an error %i is %j", (code, wanted, events) => {
    receive({ sequence: "5" });
    subscriptions.receiveError(sub, { code, message: "" }, port, nowMs);
    expect(sub.status).toMatchObject(wanted);
    pass(TICK_MS);
    expect(told).toEqual(events);
  });

  it("that the service takes away is asked for again, and that is a resync", () => {
    receive({ sequence: "5" });
    commands();
    subscriptions.receiveUnsubscribed(sub, port, nowMs);
    expect(sub.status).toMatchObject({ phase: "unavailable", isBroken: true, counts: { gaps: 1 } });
    pass(TICK_MS);
    expect(commands()).toEqual(["subscribe"]);
  });

  it("opens with its first frame", () => {
    expect(receive({ sequence: "5" })).toBe("first");
    expect(sub.status).toMatchObject({ phase: "open", isBroken: false, firstAtMs: 1000 });
  });

  it("ends and begins anew at once after a gap, and shows a resync meanwhile", () => {
    receive({ sequence: "5" });
    commands();
    receive({ previous: "7", sequence: "8" });
    expect(sub.status.isBroken).toBe(true);
    pass(TICK_MS);
    expect(commands()).toEqual(["unsubscribe"]);
    subscriptions.receiveUnsubscribed(sub, port, nowMs);
    expect(commands()).toEqual(["subscribe"]);
    receive({ sequence: "9" });
    expect(sub.status).toMatchObject({ phase: "open", isBroken: false });
    expect(sub.status.counts).toMatchObject({ gaps: 1, resyncs: 1, refreshes: 0 });
    expect(told).toEqual([`resync ${CHANNEL} previous_sequence 7 instead of 5`]);
  });

  it("asks once after gaps in a row, of which each is accepted where trades go on", () => {
    subscribe("trades/perp/1");
    receive({ sequence: "5" });
    for (const sequence of ["8", "12", "16"]) {
      expect(receive({ previous: "7", sequence })).toBe("gap");
    }
    commands();
    pass(TICK_MS);
    expect(commands()).toEqual(["unsubscribe"]);
    expect(sub.status.counts.gaps).toBe(3);
  });

  it("asks at once after a gap, although a doubt has to wait", () => {
    receive({ sequence: "5" });
    subscriptions.doubt(sub, "a doubt", nowMs);
    pass(TICK_MS, () => subscriptions.receiveUnsubscribed(sub, port, nowMs));
    receive({ sequence: "6" });
    subscriptions.doubt(sub, "another", nowMs);
    commands();
    receive({ previous: "7", sequence: "8" });
    pass(TICK_MS);
    expect(commands()).toEqual(["unsubscribe"]);
  });

  it("is broken where a gap comes while it ends", () => {
    receive({ sequence: "5" });
    subscriptions.doubt(sub, "a doubt", nowMs);
    pass(TICK_MS);
    receive({ previous: "7", sequence: "8" });
    expect(sub.status).toMatchObject({ phase: "ending", isBroken: true });
    subscriptions.receiveUnsubscribed(sub, port, nowMs);
    receive({ sequence: "9" });
    commands();
    pass(9000);
    expect(commands()).toEqual([]);
  });

  it("waits two seconds for unsubscribed", () => {
    receive({ sequence: "5" });
    subscriptions.doubt(sub, "a doubt", nowMs);
    commands();
    pass(1900);
    expect(commands()).toEqual(["unsubscribe"]);
    pass(300);
    expect(commands()).toEqual(["subscribe"]);
    // It comes late, and is not taken for the end of the new one.
    subscriptions.receiveUnsubscribed(sub, port, nowMs);
    receive({ sequence: "6" });
    expect(sub.status).toMatchObject({ phase: "open" });
    expect(sub.status.counts.gaps).toBe(0);
  });

  it("refreshes once for a burst of doubts, and not sooner than after ten seconds again", () => {
    receive({ sequence: "5" });
    commands();
    const refreshed = (command: string) => {
      if (command === "unsubscribe") subscriptions.receiveUnsubscribed(sub, port, nowMs);
      receive({ sequence: "5" });
    };
    for (const because of ["one", "two", "one"]) subscriptions.doubt(sub, because, nowMs);
    pass(TICK_MS, refreshed);
    subscriptions.doubt(sub, "three", nowMs);
    pass(9000, refreshed);
    expect(commands()).toEqual(["unsubscribe", "subscribe"]);
    pass(2000, refreshed);
    expect(commands()).toEqual(["unsubscribe", "subscribe"]);
    expect(sub.status).toMatchObject({ isBroken: false, counts: { refreshes: 2, resyncs: 0 } });
  });

  it("asks less and less often for a reason that refreshing does not help", () => {
    receive({ sequence: "5" });
    commands();
    for (let minute = 0; minute < 30; minute++) {
      for (let second = 0; second < 60; second++) {
        subscriptions.doubt(sub, "always", nowMs);
        pass(1000, (command) => {
          if (command === "unsubscribe") subscriptions.receiveUnsubscribed(sub, port, nowMs);
          receive({ sequence: "5" });
        });
      }
    }
    const refreshes = commands().length / 2;
    expect(refreshes).toBeGreaterThan(6);
    expect(refreshes).toBeLessThan(15);
  });

  it("does not hold one reason back because another one has to wait", () => {
    receive({ sequence: "5" });
    const refreshed = (command: string) => {
      if (command === "unsubscribe") subscriptions.receiveUnsubscribed(sub, port, nowMs);
      receive({ sequence: "5" });
    };
    for (let times = 0; times < 4; times++) {
      subscriptions.doubt(sub, "always", nowMs);
      pass(60_000, refreshed);
    }
    subscriptions.doubt(sub, "always", nowMs);
    commands();
    subscriptions.doubt(sub, "new", nowMs);
    pass(TICK_MS, refreshed);
    expect(commands()).toEqual(["unsubscribe", "subscribe"]);
  });

  it("leaves frames of the subscription before to it", () => {
    receive({ sequence: "5" });
    subscriptions.doubt(sub, "a doubt", nowMs);
    pass(TICK_MS);
    subscriptions.receiveUnsubscribed(sub, port, nowMs);
    expect(receive({ previous: "5", sequence: "6" })).toBe("next");
    expect(receive({ sequence: "6" })).toBe("first");
  });

  it("asks whether a silent channel stands, and goes on where 409 says so", () => {
    receive({ sequence: "5" });
    commands();
    pass(31_000);
    expect(commands()).toEqual(["subscribe"]);
    subscriptions.receiveError(sub, { code: 409, message: "" }, port, nowMs);
    expect(receive({ previous: "5", sequence: "6" })).toBe("next");
    expect(sub.status.counts).toMatchObject({ gaps: 0, resyncs: 0 });
    pass(200_000);
    expect(commands()).toEqual([]);
  });

  it("begins anew where a silent channel was gone", () => {
    receive({ sequence: "5" });
    pass(31_000);
    commands();
    expect(receive({ sequence: "9" })).toBe("behind");
    pass(TICK_MS, () => subscriptions.receiveUnsubscribed(sub, port, nowMs));
    expect(commands()).toEqual(["unsubscribe", "subscribe"]);
    expect(receive({ sequence: "9" })).toBe("first");
    expect(sub).toMatchObject({ isContinuous: false, status: { phase: "open" } });
    expect(sub.status.counts.gaps).toBe(1);
  });

  it("goes on where a silent channel was gone, and nothing was missed", () => {
    receive({ sequence: "5" });
    pass(31_000);
    commands();
    expect(receive({ sequence: "5" })).toBe("behind");
    expect(receive({ previous: "5", sequence: "6" })).toBe("next");
    pass(TICK_MS);
    expect(commands()).toEqual([]);
    expect(sub.status).toMatchObject({ isBroken: false, counts: { gaps: 0 } });
  });

  it.each<[string, Numbers, Numbers, ReturnType<typeof createDialect>]>([
    ["the first had none", {}, { sequence: "9" }, dialect],
    ["the new one has none", { sequence: "5" }, {}, dialect],
    [
      "they show no gaps",
      { previous: "4", sequence: "5" },
      { previous: "7", sequence: "9" },
      createDialect({}, { chain: "none" }),
    ],
  ])(
    "asks anew where a silent channel speaks and its numbers say nothing: %s",
    (_, first, next, by) => {
      receive(first, by);
      pass(31_000);
      commands();
      expect(receive(next, by)).toBe("next");
      pass(TICK_MS);
      expect(commands()).toEqual(["unsubscribe"]);
      expect(told).toEqual([`refresh ${CHANNEL} silent, and then not`]);
    },
  );

  it("waits longer and longer for a stream that is unavailable", () => {
    pass(120_000, () => subscriptions.receiveError(sub, { code: 503, message: "" }, port, nowMs));
    subscriptions.receiveError(sub, { code: 503, message: "" }, port, nowMs);
    commands();
    pass(600_000, () => subscriptions.receiveError(sub, { code: 503, message: "" }, port, nowMs));
    expect(commands().length).toBeLessThan(20);
  });

  it("asks at once after a break, then after 1, 2, 4 and 8 s while it repeats, and at once again when it has been live", () => {
    /** How long it waits with its question. */
    const breakAfter = (liveMs: number) => {
      receive({ sequence: "5" });
      pass(liveMs);
      commands();
      const brokeAtMs = nowMs;
      receive({ previous: "7", sequence: "8" });
      while (sent.length === 0) pass(TICK_MS);
      subscriptions.receiveUnsubscribed(sub, port, nowMs);
      return (sent[0]?.atMs ?? 0) - brokeAtMs;
    };
    const delays = [0, 1, 2, 4, 8, 8, 8].map((seconds) => seconds * 1000 || TICK_MS);
    expect(delays.map(() => breakAfter(10_000))).toEqual(delays);
    expect([10_100, 0, 0].map(breakAfter)).toEqual(delays.slice(0, 3));
  });

  it.each([
    [400, "refused"],
    [404, "refused"],
    [408, "unavailable"],
    [425, "unavailable"],
    [426, "refused"],
    [429, "unavailable"],
    [499, "refused"],
    [500, "unavailable"],
  ])("is after an error %i %s", (code, phase) => {
    subscriptions.receiveError(sub, { code, message: "" }, port, nowMs);
    expect(sub.status.phase).toBe(phase);
  });

  it("tries again after five minutes where a channel is refused", () => {
    subscriptions.receiveError(sub, { code: 404, message: "no" }, port, nowMs);
    expect(sub.status).toMatchObject({ phase: "refused", error: { code: 404 } });
    commands();
    pass(290_000);
    expect(commands()).toEqual([]);
    pass(20_000);
    expect(commands()).toEqual(["subscribe"]);
  });
});

/** Services that do everything wrong. */
const HOSTILE: readonly (readonly [string, (command: string) => void])[] = [
  [
    "breaks the chain at once",
    () => {
      subscriptions.receiveUnsubscribed(sub, port, nowMs);
      receive({ sequence: "5" });
      receive({ previous: "7", sequence: "8" });
    },
  ],
  ["ends each subscription", () => subscriptions.receiveUnsubscribed(sub, port, nowMs)],
  [
    "answers 409 to everything",
    () => subscriptions.receiveError(sub, { code: 409, message: "" }, port, nowMs),
  ],
  [
    "opens and then answers 409",
    () => {
      if (sub.status.firstAtMs === undefined) receive({ sequence: "5" });
      subscriptions.receiveError(sub, { code: 409, message: "" }, port, nowMs);
      subscriptions.doubt(sub, "a doubt", nowMs);
    },
  ],
  [
    "answers 404 to everything",
    () => subscriptions.receiveError(sub, { code: 404, message: "" }, port, nowMs),
  ],
  [
    "answers 503 to everything",
    () => subscriptions.receiveError(sub, { code: 503, message: "" }, port, nowMs),
  ],
  [
    "sends a first frame and ends it",
    () => {
      receive({ sequence: "5" });
      subscriptions.receiveUnsubscribed(sub, port, nowMs);
    },
  ],
  ["never answers", () => {}],
];

describe("a service that", () => {
  it.each(HOSTILE)("%s is asked a bounded number of times a minute", (_, answer) => {
    answer("subscribe");
    for (let minute = 0; minute < 10; minute++) {
      commands();
      pass(60_000, answer);
      expect(commands().length).toBeLessThan(25);
    }
  });
});
