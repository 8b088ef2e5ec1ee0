// What panes say of a day in which nothing is wrong, and how soon they say so when something is.
import { expect, test } from "vitest";
import { openSession } from "../../src/live/session.ts";
import { createRandom, type Random } from "../../src/units/random.ts";
import { BUSY_CHANNELS, BusyService } from "../support/busy-service.ts";
import { isSoak, runs } from "../support/soak.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const TRIALS = runs(4, 500);
const SEED = Number(process.env.MONITOR_SEED ?? 5);
const HOURS = isSoak ? 24 : 2;
/** Longest of the ways that messages take, beyond the shortest. */
const JITTER_MS = 300;

/** A session of twenty channels: the words of its panes now, each once, and when it was first called late. */
function openBusySession() {
  const clock = createVirtualClock();
  const service = new BusyService();
  let lateAtMs: number | undefined;
  const { stream, store, close } = openSession({
    openSocket: service.connect,
    clock,
    random: createRandom(1),
    onEvent: (event) => {
      if (event.type === "link" && event.link.isLate) lateAtMs ??= event.atMs;
    },
  });
  for (const channel of BUSY_CHANNELS) stream.subscribe(channel);
  service.accept();
  service.answer(clock.wall());
  const states = () => new Set(store.slices.map((slice) => store.paneState(slice, clock.now())));
  return { clock, service, states, lateAtMs: () => lateAtMs, close };
}

type Session = ReturnType<typeof openBusySession>;

/** So many seconds of a market of which something is told ten times a second, by ways of any length. */
function live({ clock, service }: Session, random: Random, seconds: number): void {
  for (let i = 0; i < seconds * 10; i++) {
    clock.advance(100);
    service.publishNext(clock.wall() - random() * JITTER_MS);
  }
}

test(`${HOURS} hours of a quiet market, on ways of any length, bring no alarm (seed ${SEED})`, () => {
  const session = openBusySession();
  const { clock, service, states, lateAtMs } = session;
  const random = createRandom(SEED);
  const seen = new Set<string>();
  for (let s = 0; s < HOURS * 3600; s++) {
    clock.advance(1000);
    const channel = BUSY_CHANNELS[Math.floor(random() * 500)];
    if (channel !== undefined) service.publishOn(channel, clock.wall() - random() * JITTER_MS);
    service.answer(clock.wall());
    if (s % 5 === 0) for (const state of states()) seen.add(state);
  }
  expect([...seen].sort()).toEqual(["live", "quiet"]);
  expect(lateAtMs()).toBeUndefined();
  expect(service.peers).toHaveLength(1);
});

test(`a link without a sign of life is nowhere called live for longer than a second, stale after twelve, offline after twenty (seed ${SEED})`, () => {
  const random = createRandom(SEED);
  for (let trial = 0; trial < TRIALS; trial++) {
    const session = openBusySession();
    const { clock, service, states, close } = session;
    live(session, random, 1 + random() * 20);
    service.last.answersPings = false;
    const passed: Record<string, number> = {};
    for (let ms = 100; ms <= 20_100; ms += 100) {
      clock.advance(100);
      for (const state of states()) passed[state] = ms;
      if (ms > 12_100) expect([...states()]).not.toContain("quiet");
    }
    expect(passed.live ?? 0).toBeLessThanOrEqual(1000);
    expect([...states()]).toEqual(["offline"]);
    close();
  }
});

test(`a stream that is delivered ever later is found late within a minute (seed ${SEED})`, () => {
  const random = createRandom(SEED);
  for (let trial = 0; trial < TRIALS; trial++) {
    const session = openBusySession();
    const { clock, service, lateAtMs, close } = session;
    live(session, random, 10 + random() * 20);
    const [from, wall] = [clock.now(), clock.wall()];
    const speed = 0.5 + random() * 0.32;
    while (lateAtMs() === undefined) {
      expect(clock.now() - from).toBeLessThanOrEqual(60_000);
      clock.advance(100);
      service.publishNext(wall + (clock.now() - from) * speed);
    }
    expect(lateAtMs()).toBe(clock.now());
    close();
  }
});
