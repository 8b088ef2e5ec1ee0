// 6: can it stay open: RSS after minutes of a busy market, and CPU of the last of so many hours of a calm one over the first, in
// virtual time. MONITOR_BENCH_LONG=1 takes half an hour and eight hours.
import { openRecorded } from "../src/live/recorded.ts";
import { noteHeat } from "../src/rows/heat.ts";
import type { SocketHandlers } from "../src/stream/socket.ts";
import { createHistory } from "../src/timeline/history.ts";
import { createRandom } from "../src/units/random.ts";
import { createVirtualClock } from "../test/support/virtual-clock.ts";
import { marketUpdates, openScreen } from "./market.ts";
import { compare, cpuMs, median, type Row, sleep } from "./measure.ts";
import { BUSY, rssMbOf, simulate, watchMarket } from "./processes.ts";

const [MINUTES, HOURS] = process.env.MONITOR_BENCH_LONG === "1" ? [30, 8] : [0.5, 2];
const ROUNDS_A_SECOND = 16;
const HOUR_S = 3600;
const WARM_S = 600;

async function measureRss(): Promise<Row> {
  const exchange = await simulate(...BUSY);
  const { pid } = await watchMarket(exchange.ws_url);
  const found: number[] = [];
  for (let second = 0; second < MINUTES * 60; second++) {
    await sleep(1000);
    found.push(rssMbOf(pid));
  }
  exchange.end();
  const what = `RSS after ${MINUTES} min at 10,000 updates/s`;
  return { what, unit: "MB", ours: median(found.slice(-20)), goal: ["ours", "≤", 120] };
}

/** A session with all that it keeps, and two frames a second. @returns CPU milliseconds of so many seconds */
function openDay(): (seconds: number) => Promise<number> {
  const clock = createVirtualClock();
  let handlers: SocketHandlers | undefined;
  const { session, recorder } = openRecorded({
    ...{ url: "ws://any", clock, random: createRandom(1), learnedPath: undefined },
    channels: marketUpdates(0, 0).map(([channel]) => channel),
    openSocket(given) {
      handlers = given;
      return { send: () => {}, ping: () => given.onPong(), hold: () => {}, terminate: () => {} };
    },
    onUpdate: (update, place) =>
      noteHeat({ store: session.store, nowMs: clock.now(), wallMs: clock.wall() }, update, place),
  });
  createHistory(recorder);
  const screen = openScreen(session.store);
  const say = (frame: object) => handlers?.onMessage(JSON.stringify(frame));
  handlers?.onOpen();
  say({ type: "hello", protocol_version: 1, keepalive_timeout_ms: 120_000 });
  let n = 0;
  function receive(): void {
    const numbers = { previous_sequence: n === 0 ? null : String(n), sequence: String(++n) };
    const timestamp_ns = `${Math.floor(clock.wall())}000000`;
    for (const [channel, body] of marketUpdates(n, clock.now())) {
      const chain = /^(?:orderbook|trades)/.test(channel) ? numbers : {};
      say({ type: "update", channel, timestamp_ns, ...chain, ...body });
    }
  }
  return async (seconds) => {
    const before = cpuMs();
    for (let round = 0; round < seconds * ROUNDS_A_SECOND; round++) {
      for (const each of [clock, screen.clock]) each.advance(1000 / ROUNDS_A_SECOND);
      receive();
      if (round % (ROUNDS_A_SECOND / 2) === 0) screen.terminal.screen.frameNow(true);
    }
    // What was written is dropped.
    await screen.screen();
    return cpuMs() - before;
  };
}

export async function measure(): Promise<readonly Row[]> {
  const rss = await measureRss();
  const pass = openDay();
  await pass(WARM_S);
  const hours: number[] = [];
  for (let hour = 0; hour < HOURS; hour++) hours.push(await pass(HOUR_S));
  const what = `CPU of the last of ${HOURS} hours at 64 updates/s, in virtual time`;
  return [rss, compare(what, "ms", [hours.slice(-1), hours.slice(0, 1)], ["first hour", "≤", 1.1])];
}
