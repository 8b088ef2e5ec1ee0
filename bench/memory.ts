// 6: can it stay open: RSS after minutes of a busy market, and CPU of the last of so many hours of a calm one over the first, with
// virtual clocks. Half an hour and eight hours with MONITOR_BENCH_LONG=1.
import { openRecorded } from "../src/live/recorded.ts";
import { noteHeat } from "../src/rows/heat.ts";
import type { SocketHandlers } from "../src/stream/socket.ts";
import { createHistory } from "../src/timeline/history.ts";
import { createRandom } from "../src/units/random.ts";
import { VIEWS } from "../src/views/views.ts";
import { openRig } from "../test/screen/rig.tsx";
import { createVirtualClock } from "../test/support/virtual-clock.ts";
import { marketUpdates } from "./market.ts";
import { cpuMs, median, type Row, sleep } from "./measure.ts";
import { rssMb, simulate, watchMarket } from "./processes.ts";

const IS_LONG = process.env.MONITOR_BENCH_LONG === "1";
const MINUTES = IS_LONG ? 30 : 1;
const HOURS = IS_LONG ? 8 : 2;
const ROUNDS_A_SECOND = 16;
const HOUR_S = 3600;
const WARM_S = 600;

async function measureRss(): Promise<Row> {
  const exchange = await simulate("--scenario", "busy");
  const terminal = await watchMarket(exchange.ws_url, []);
  const found: number[] = [];
  for (let second = 0; second < MINUTES * 60; second++) {
    await sleep(1000);
    found.push(rssMb(terminal.pid));
  }
  await terminal.end();
  exchange.close();
  return {
    what: `RSS after ${MINUTES} minutes at 10,000 updates/s`,
    ...{ unit: "MB", ours: median(found.slice(-20)), goal: ["ours", "≤", 120] },
  };
}

/** A session of a calm market with all that it keeps, and two frames a second of it. */
function openDay() {
  const clock = createVirtualClock();
  let handlers: SocketHandlers | undefined;
  const channels = marketUpdates(0, 0).map(([channel]) => channel);
  const { session, recorder } = openRecorded({
    ...{ url: "ws://any", clock, random: createRandom(1), channels, learnedPath: undefined },
    openSocket(given) {
      handlers = given;
      return { send: () => {}, ping: () => given.onPong(), hold: () => {}, terminate: () => {} };
    },
    onUpdate: (update, place) =>
      noteHeat({ store: session.store, nowMs: clock.now(), wallMs: clock.wall() }, update, place),
  });
  createHistory(recorder);
  const rig = openRig({ views: VIEWS, store: session.store, columns: 120, rows: 40 });
  const hello = { type: "hello", protocol_version: 1, keepalive_timeout_ms: 120_000 };
  handlers?.onOpen();
  handlers?.onMessage(JSON.stringify(hello));
  let n = 0;
  function receive(): void {
    const numbers = { previous_sequence: n === 0 ? null : String(n), sequence: String(++n) };
    const timestamp_ns = `${Math.floor(clock.wall())}000000`;
    for (const [channel, body] of marketUpdates(n, clock.now())) {
      const chain = /^(?:orderbook|trades)/.test(channel) ? numbers : {};
      const update = { type: "update", channel, timestamp_ns, ...chain, ...body };
      handlers?.onMessage(JSON.stringify(update));
    }
  }
  return async (seconds: number): Promise<number> => {
    const before = cpuMs();
    for (let round = 0; round < seconds * ROUNDS_A_SECOND; round++) {
      for (const each of [clock, rig.clock]) each.advance(1000 / ROUNDS_A_SECOND);
      receive();
      if (round % (ROUNDS_A_SECOND / 2) === 0) rig.terminal.screen.frameNow(true);
    }
    // What was written is dropped.
    await rig.screen();
    return cpuMs() - before;
  };
}

async function measureHours(): Promise<Row> {
  const pass = openDay();
  await pass(WARM_S);
  const hours: number[] = [];
  for (let hour = 0; hour < HOURS; hour++) hours.push(await pass(HOUR_S));
  const [first = 0] = hours;
  const last = hours.at(-1) ?? 0;
  return {
    what: `CPU of the last of ${HOURS} hours at 64 updates/s over the first, virtual time`,
    ...{ unit: "ms", ours: last, ratio: last / first, goal: ["ratio", "≤", 1.1] },
    other: { name: "first hour", value: first },
  };
}

export async function measure(): Promise<readonly Row[]> {
  return [await measureRss(), await measureHours()];
}
