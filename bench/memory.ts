// 6: can it stay open: RSS after minutes of a busy market, CPU of the last of so many hours of a calm one over the first in
// virtual time, and both of a watch that hears in minutes what a calm night says. MONITOR_BENCH_LONG=1 takes an hour, eight hours
// and a whole night.
import { openSession } from "../src/live/session.ts";
import { foldHeat } from "../src/state/heat.ts";
import type { SocketHandlers } from "../src/stream/socket.ts";
import { createHistory } from "../src/timeline/history.ts";
import { createRandom } from "../src/units/random.ts";
import { createVirtualClock } from "../test/support/virtual-clock.ts";
import { marketUpdates, openScreen } from "./market.ts";
import { compare, cpuMs, median, type Row, sleep } from "./measure.ts";
import {
  BUSY,
  cpuMsOf,
  PROGRAM,
  rssMbOf,
  simulate,
  TerminalProcess,
  watchMarket,
} from "./processes.ts";

const [MINUTES, HOURS, NIGHT_MINUTES] =
  process.env.MONITOR_BENCH_LONG === "1" ? [60, 8, 4] : [0.5, 2, 0.5];
/** Of what is compared with what comes at the end. */
const SHARE = 6;
const ROUNDS_A_SECOND = 16;
const HOUR_S = 3600;
const WARM_S = 600;
const RSS_SECONDS = 20;
/** V8 compiles hot code for some seconds. */
const WARM_MS = 10_000;

/** A program that stays open at a busy market: its memory at the end, and its CPU of the last sixth over that of the first. */
async function stayOpen(
  name: string,
  minutes: number,
  open: (url: string) => TerminalProcess | Promise<TerminalProcess>,
): Promise<readonly Row[]> {
  const exchange = await simulate(...BUSY);
  const program = await open(exchange.ws_url);
  await sleep(WARM_MS);
  const rssMb: number[] = [];
  const cpu = [cpuMsOf(program.pid)];
  for (let part = 0; part < SHARE; part++) {
    for (let second = 0; second < (minutes * 60) / SHARE; second++) {
      await sleep(1000);
      rssMb.push(rssMbOf(program.pid));
    }
    cpu.push(cpuMsOf(program.pid));
  }
  await program.end();
  exchange.end();
  const used = cpu.slice(1).map((ms, part) => ms - (cpu[part] ?? 0));
  const what = `${name}, ${minutes} min at 10,000 updates/s`;
  const last = [used.slice(-1), used.slice(0, 1)];
  return [
    {
      what: `RSS of ${what}`,
      unit: "MB",
      ours: median(rssMb.slice(-RSS_SECONDS)),
      goal: ["ours", "≤", 120],
    },
    compare(`CPU of the last sixth of ${what}`, "ms", last, ["first sixth", "≤", 1.1]),
  ];
}

const openWatch = (url: string): TerminalProcess =>
  new TerminalProcess([
    ...[PROGRAM, "watch", "perp/1", "--ws-url", url, "--metrics", "0"],
    ...["--alert", "perp/1 spread > 1000000"],
  ]);

/** A session with all that it keeps, and two frames a second. @returns CPU milliseconds of so many seconds */
function openDay(): (seconds: number) => Promise<number> {
  const clock = createVirtualClock();
  let handlers: SocketHandlers | undefined;
  const session = openSession({
    ...{ url: "ws://any", clock, random: createRandom(1), learnedPath: undefined },
    channels: marketUpdates(0, 0).map(([channel]) => channel),
    openSocket(given) {
      handlers = given;
      return { send: () => {}, ping: () => given.onPong(), hold: () => {}, terminate: () => {} };
    },
    onUpdate: (update, place) =>
      foldHeat({ store: session.store, nowMs: clock.now(), wallMs: clock.wall() }, update, place),
  });
  const { recorder } = session;
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
  const pass = openDay();
  await pass(WARM_S);
  const hours: number[] = [];
  for (let hour = 0; hour < HOURS; hour++) hours.push(await pass(HOUR_S));
  const what = `CPU of the last of ${HOURS} hours at 64 updates/s, in virtual time`;
  return [
    ...(await stayOpen("the market's view", MINUTES, (url) => watchMarket(url))),
    ...(await stayOpen("a watch with metrics", NIGHT_MINUTES, openWatch)),
    compare(what, "ms", [hours.slice(-1), hours.slice(0, 1)], ["first hour", "≤", 1.1]),
  ];
}
