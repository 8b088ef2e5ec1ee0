// Sessions of many connections, of many subscriptions, and of days: nothing of what is over is kept.
import { describe, expect, test } from "vitest";
import { openSession } from "../../src/live/session.ts";
import { MAX_CANDLES_KEPT } from "../../src/state/candles.ts";
import { Store } from "../../src/state/store.ts";
import { HistoryBuffer } from "../../src/timeline/history-buffer.ts";
import { createRandom } from "../../src/units/random.ts";
import { BUSY_CHANNELS, BUSY_PRICES, BusyService } from "../support/busy-service.ts";
import { collect } from "../support/collect.ts";
import { isSoak, report } from "../support/soak.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;

/** What is in use after a collection, MiB. */
function memory(): { heap: number; buffers: number; resident: number } {
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heap: heapUsed / MIB, buffers: external / MIB, resident: rss / MIB };
}

/** A live session with all that a dashboard has of it, against a service that a test drives. */
class Session {
  readonly clock = createVirtualClock();
  readonly service = new BusyService();
  readonly live: ReturnType<typeof openSession>;

  constructor(channels: readonly string[], historyBytes?: number) {
    const { clock, service } = this;
    const store = new Store();
    this.live = openSession({
      openSocket: service.connect,
      clock,
      random: createRandom(1),
      store,
      historyBuffer: new HistoryBuffer({
        live: store,
        clock,
        ...(historyBytes && { maxBytes: historyBytes }),
      }),
    });
    for (const channel of channels) this.live.stream.subscribe(channel);
    this.connect();
  }

  connect(): void {
    this.service.accept();
    this.service.answer(this.clock.wall());
  }

  /** So many messages, one after the other in so much time each. */
  observe(messages: number, periodMs: number): void {
    const { clock, service, live } = this;
    for (let i = 0; i < messages; i++) {
      clock.advance(periodMs);
      service.publishNext(clock.wall());
      if (service.last.commands.length > 0) service.answer(clock.wall());
      live.store.settle();
    }
  }

  /** The connection ends, and the next one is there as soon as it is asked for. */
  reconnect(): void {
    const { clock, service } = this;
    const old = service.last;
    old.end();
    while (service.last === old) clock.advance(1000);
    this.connect();
  }
}

const CONNECTIONS = isSoak ? 1000 : 100;
const SUBSCRIPTIONS = isSoak ? 10_000 : 1000;
/** Connections before the first look: the log is full by then. */
const WARM_UP = 400;
/** Channels that are taken in turn: those that were given up are remembered, up to a number. */
const OTHERS = 500;
/** Bytes, so that it is full soon. */
const SMALL_REEL = 100_000;
/** In heap; code that is compiled meanwhile is in it. A connection that stayed would take some kilobytes, each. */
const MAX_GROWTH_MIB = 0.8;

/** What is held weakly is held until the turn ends. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("what is over leaves nothing behind:", () => {
  test(`${CONNECTIONS} connections`, async () => {
    const session = new Session(
      [...BUSY_CHANNELS].filter((channel) => /book|stats/.test(channel)),
      SMALL_REEL,
    );
    const old: WeakRef<object>[] = [];
    const connect = async (times: number) => {
      for (let i = 0; i < times; i++) {
        old.push(new WeakRef(session.service.last));
        session.reconnect();
        session.observe(BUSY_CHANNELS.length, 10);
      }
      await nextTurn();
    };
    await connect(WARM_UP);
    const [before, timers] = [memory().heap, session.clock.pending];
    await connect(CONNECTIONS);
    const growth = memory().heap - before;
    expect(session.live.stream.link.reconnects).toBe(WARM_UP + CONNECTIONS);
    expect(growth).toBeLessThan(MAX_GROWTH_MIB);
    expect(session.clock.pending).toBe(timers);
    expect(old.filter((each) => each.deref() !== undefined)).toEqual([]);
  });

  test(`${SUBSCRIPTIONS} subscriptions`, () => {
    const { live, service, clock } = new Session([], SMALL_REEL);
    const others = Array.from({ length: OTHERS }, (_, i) => `orderbook/perp/${i + 1}`);
    const subscribe = (times: number) => {
      for (let i = 0; i < times; i++) {
        const channel = others[i % OTHERS] ?? "";
        const release = live.stream.subscribe(channel);
        service.answer(clock.wall());
        release();
        service.answer(clock.wall());
        live.store.forget(channel);
        clock.advance(10);
      }
    };
    subscribe(OTHERS * 2);
    const [before, timers] = [memory().heap, clock.pending];
    subscribe(SUBSCRIPTIONS);
    const growth = memory().heap - before;
    expect(growth).toBeLessThan(MAX_GROWTH_MIB);
    expect(clock.pending).toBe(timers);
    expect(live.store.slices.length).toBeLessThan(OTHERS);
    live.close();
  });
});

/** Of twenty channels that speak by turns. */
const MESSAGES_A_SECOND = 50;
/** What is kept of the past is let go in pieces, of each kind at its own time: single looks differ by a MiB. */
const LOOKS = 200;
/** Of half a day: a fifth of a MiB of heap and buffers a day, and one of all memory. */
const MAX_HELD_MIB = 0.1;
const MAX_RESIDENT_MIB = 0.5;

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;
const most = (values: readonly number[]) => Math.max(...values);

/** How much more the second half is than the first. */
function growth(values: readonly number[], of: (half: readonly number[]) => number): number {
  const half = values.length / 2;
  return of(values.slice(half)) - of(values.slice(0, half));
}

describe.runIf(isSoak)("in the long form", () => {
  test("a day at 50 messages a second leaves the memory as large as it was", () => {
    const session = new Session(BUSY_CHANNELS);
    // A day of minutes is kept, of candles and of what traded at each price, so it is there from the start.
    const messagesAMinute = BUSY_CHANNELS.length * BUSY_PRICES;
    session.observe(messagesAMinute * MAX_CANDLES_KEPT, MINUTE_MS / messagesAMinute);
    const messages = (DAY_MS / 1000) * MESSAGES_A_SECOND;
    session.observe(messages / 10, 1000 / MESSAGES_A_SECOND);
    const looks = Array.from({ length: LOOKS }, () => {
      session.observe(messages / LOOKS, 1000 / MESSAGES_A_SECOND);
      return memory();
    });
    const held = looks.map(({ heap, buffers }) => heap + buffers);
    const heldGrowth = growth(held, mean);
    // The machine takes pages back when it likes.
    const resident = looks.map((look) => look.resident);
    const residentGrowth = growth(resident, most);
    const heldText = `${mean(held).toFixed(1)} MiB, grown by ${heldGrowth.toFixed(2)}`;
    const residentText = `${most(resident).toFixed(1)} MiB, grown by ${residentGrowth.toFixed(2)}`;
    report(`${messages} messages: heap and buffers ${heldText}; resident ${residentText}`);
    expect(heldGrowth).toBeLessThan(MAX_HELD_MIB);
    expect(residentGrowth).toBeLessThan(MAX_RESIDENT_MIB);
  });
});
