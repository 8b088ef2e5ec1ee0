// T2, T3, T4: processing of received data without a screen: in memory, compared with JSON.parse; on a real socket, compared with
// `ws` and JSON.parse; and lateness of timers while the socket is never idle.
import WebSocket from "ws";
import { openSession } from "../src/live/session.ts";
import type { SocketHandlers } from "../src/stream/socket.ts";
import { createWsSocket } from "../src/stream/ws-socket.ts";
import { systemClock } from "../src/system/system-clock.ts";
import { createRandom } from "../src/units/random.ts";
import { runBench } from "./harness/bench.ts";
import { CHANNEL_OF, Feed, type FeedKind } from "./harness/feed.ts";
import { startFeeder } from "./harness/feeder-process.ts";
import { atMost, type Effort, type Figure } from "./harness/figure.ts";
import {
  cpuMs,
  measureInTurns,
  median,
  medianRatio,
  quantile,
  timed,
} from "./harness/statistics.ts";

const HELLO = '{"type":"hello","protocol_version":1,"keepalive_timeout_ms":120000}';
const FOLDED_SHARE = 0.9;
const common = { clock: systemClock, random: createRandom(1) };

/** A live session with a fake socket that the bench drives. */
function openPlayed(kind: FeedKind) {
  let handlers: SocketHandlers | undefined;
  const live = openSession({
    ...common,
    openSocket: (given) => {
      handlers = given;
      return { send: () => {}, ping: () => {}, terminate: () => {} };
    },
  });
  for (const channel of CHANNEL_OF[kind]) live.stream.subscribe(channel);
  handlers?.onOpen();
  handlers?.onMessage(HELLO);
  return { live, say: (message: string) => handlers?.onMessage(message) };
}

async function measureMemory(kind: FeedKind, what: string, effort: Effort): Promise<Figure> {
  const feed = new Feed(kind);
  const count = effort.pick(kind === "book" ? 100 : 4000, 20);
  const messages = Array.from({ length: count }, () => feed.next());
  const ours = () => {
    const { live, say } = openPlayed(kind);
    const start = performance.now();
    for (const message of messages) say(message);
    const taken = performance.now() - start;
    const frames = live.store.slices.reduce((sum, slice) => sum + slice.feed.frames, 0);
    live.close();
    // On a busy machine a stall may be long enough for a resync of the book.
    if (frames < count * FOLDED_SHARE) throw new Error(`${count} frames sent, ${frames} folded`);
    return taken;
  };
  const parse = timed(() => {
    for (const message of messages) JSON.parse(message);
  });
  const [taken = [], least = []] = await measureInTurns([ours, parse], effort.pick(31, 1));
  return {
    id: "T2",
    what: `${what}, text to state`,
    unit: "µs",
    ours: (median(taken) * 1000) / count,
    other: { name: "JSON.parse", value: (median(least) * 1000) / count },
    ratio: medianRatio(taken, least),
    goal: atMost("ratio", 1.5),
  };
}

/** CPU milliseconds of a live session for this many frames from a real socket. */
function receive(url: string, kind: FeedKind, count: number): Promise<number> {
  return new Promise((resolve) => {
    let left = count;
    let start = 0;
    const live = openSession({
      ...common,
      openSocket: createWsSocket({ url, headers: {}, clock: systemClock }),
      onEvent(event) {
        if (event.type !== "update") return;
        if (left === count) start = cpuMs();
        if (--left > 0) return;
        resolve(cpuMs() - start);
        live.close();
      },
    });
    for (const channel of CHANNEL_OF[kind]) live.stream.subscribe(channel);
  });
}

/** The same for a minimal client. */
function receiveBare(url: string, count: number): Promise<number> {
  return new Promise((resolve) => {
    let left = count;
    let start = 0;
    const webSocket = new WebSocket(url, { perMessageDeflate: false });
    webSocket.on("open", () => webSocket.send("{}"));
    webSocket.on("message", (data: Buffer) => {
      const frame = JSON.parse(data.toString());
      if (frame.type !== "update") return;
      if (left === count) start = cpuMs();
      if (--left > 0) return;
      resolve(cpuMs() - start);
      webSocket.terminate();
    });
  });
}

async function measureSocket(
  base: string,
  kind: FeedKind,
  what: string,
  effort: Effort,
): Promise<Figure> {
  const count = effort.pick(kind === "book" ? 800 : 12_000, 60);
  const url = `${base}/?feed=${kind}&count=${count}`;
  const ways = [() => receive(url, kind, count), () => receiveBare(url, count)];
  const [ours = [], bare = []] = await measureInTurns(ways, effort.pick(21, 1));
  return {
    id: "T3",
    what: `${what}, CPU of the whole client`,
    unit: "µs",
    ours: (median(ours) * 1000) / count,
    other: { name: "ws + JSON.parse", value: (median(bare) * 1000) / count },
    ratio: medianRatio(ours, bare),
    goal: atMost("ratio", 1.35),
  };
}

/** Lateness of each of this many 33 ms timers. */
async function timerLateness(count: number): Promise<number[]> {
  const late: number[] = [];
  for (let i = 0; i < count; i++) {
    const due = performance.now() + 33;
    await new Promise((resolve) => setTimeout(resolve, 33));
    late.push(performance.now() - due);
  }
  return late;
}

/** Lateness in a flood of frames, and while idle: that of the machine itself. */
async function measureLateness(base: string, kind: FeedKind, effort: Effort): Promise<Figure> {
  const idle = await timerLateness(effort.pick(90, 1));
  const live = openSession({
    ...common,
    openSocket: createWsSocket({ url: `${base}/?feed=${kind}`, headers: {}, clock: systemClock }),
  });
  for (const channel of CHANNEL_OF[kind]) live.stream.subscribe(channel);
  await timerLateness(effort.pick(20, 1));
  const busy = await timerLateness(effort.pick(120, 1));
  live.close();
  return {
    id: "T4",
    what: `lateness of a 33 ms timer in a flood of ${kind}, p95`,
    unit: "ms",
    ours: quantile(busy, 0.95),
    other: { name: "idle", value: quantile(idle, 0.95) },
    goal: atMost("ours", 10),
  };
}

await runBench(async (effort) => {
  const feeder = await startFeeder();
  const figures = [
    await measureMemory("bbo", "bbo", effort),
    await measureMemory("book", "whole book of 10 KB", effort),
    await measureMemory("busy", "busy market", effort),
    await measureSocket(feeder.url, "bbo", "bbo", effort),
    await measureSocket(feeder.url, "book", "whole book of 10 KB", effort),
    await measureLateness(feeder.url, "bbo", effort),
    await measureLateness(feeder.url, "book", effort),
  ];
  feeder.close();
  return figures;
});
