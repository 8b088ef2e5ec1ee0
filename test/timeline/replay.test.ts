// A recorded session that is replayed ends as the live one did, to the last byte of its JSON, whatever happened to it.
import { describe, expect, test } from "vitest";
import { ReplayedSession } from "../../src/commands/replay/session.ts";
import { openSession } from "../../src/live/session.ts";
import { marketJson } from "../../src/print/market-json.ts";
import { formatMarket, marketChannels } from "../../src/select/market.ts";
import { openScales } from "../../src/select/scale.ts";
import { Store } from "../../src/state/store.ts";
import type { Entry } from "../../src/timeline/entry.ts";
import { HistoryBuffer } from "../../src/timeline/history-buffer.ts";
import { Player } from "../../src/timeline/player.ts";
import { Recorder } from "../../src/timeline/recorder.ts";
import { decodeEntry, decodeHeading } from "../../src/timeline/recording-reader.ts";
import { TimelineCursor } from "../../src/timeline/timeline-cursor.ts";
import { createRandom } from "../../src/units/random.ts";
import { startLiveRig } from "../support/live-rig.ts";
import { SETTINGS } from "../support/recording-settings.ts";
import { ScriptedService } from "../support/scripted-service.ts";
import { bboFrame } from "../support/stream-rig.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

/** Far more than the player takes. */
const MAX_TURNS = 100_000;
const market = { type: "perp", id: "1" } as const;
const channels = marketChannels(market, "1m");

type Snapshot = Pick<ReplayedSession, "store" | "scales" | "nowMs">;

function jsonOf({ store, scales, nowMs }: Snapshot): string {
  const scale = scales.of(formatMarket(market));
  return JSON.stringify(
    marketJson({ store, market, channels, interval: "1m", scale, nowMs, wallMs: 0 }),
  );
}

/** Reads the lines back, for a store of their own. */
function opened(lines: readonly string[]) {
  const [first = "", ...rest] = lines.join("").trimEnd().split("\n");
  const heading = decodeHeading(first);
  if (heading === undefined) throw new Error(first);
  const session = new ReplayedSession(heading.settings, heading);
  async function* entries(): AsyncGenerator<Entry> {
    for (const line of rest) yield entryOf(line);
  }
  return { session, rest, entries: entries(), startMs: heading.t };
}

function entryOf(line: string): Entry {
  const entry = decodeEntry(line);
  if (entry === undefined) throw new Error(line);
  return entry;
}

/** Applies the lines to a store of their own. */
function replay(lines: readonly string[]): ReplayedSession {
  const { session, rest } = opened(lines);
  for (const line of rest) session.apply(entryOf(line));
  return session;
}

test("what the live run has given up of a channel is given up in a replay, too", () => {
  const channel = "bbo/perp/1";
  const lines: string[] = [];
  const clock = createVirtualClock();
  const service = new ScriptedService();
  const { store, stream, publish, close } = openSession({
    openSocket: service.connect,
    clock,
    random: createRandom(1),
    isStrict: false,
    recorder: new Recorder({ clock, settings: SETTINGS, write: (line) => lines.push(line) }),
  });
  const undo = stream.subscribe(channel);
  service.last.accept();
  service.last.hello();
  service.last.send(bboFrame);
  undo();
  service.last.unsubscribed(channel);
  expect(replay(lines).store.versionOf(channel)).toBe(store.versionOf(channel));
  publish({ type: "forgotten", atMs: clock.now(), channel });
  expect(store.versionOf(channel)).toBe(0);
  expect(replay(lines).store.versionOf(channel)).toBe(0);
  close();
});

test("what two audits have corrected is corrected in a replay and in the last minutes, too", () => {
  const rows = [1, 2, 3].map((id) => ({ market_type: "perp", market_id: id, symbol: `M${id}` }));
  const lines: string[] = [];
  const clock = createVirtualClock();
  const store = new Store();
  const historyBuffer = new HistoryBuffer({ live: store, clock });
  const service = new ScriptedService({ clock, channels: { markets: () => ({ markets: rows }) } });
  const { stream, close } = openSession({
    openSocket: service.connect,
    auditSocket: service.connect,
    clock,
    random: createRandom(5),
    isStrict: false,
    store,
    recorder: new Recorder({ clock, settings: SETTINGS, write: (line) => lines.push(line) }),
    historyBuffer,
  });
  stream.subscribe("markets");
  clock.advance(10_000);
  rows.splice(1, 1);
  const beforeMs = clock.now();
  clock.advance(40_000);
  const held = (of: Store) => {
    const { data, feed } = of.slice("markets", "markets");
    return { ids: data.records.map(({ market_id }) => market_id), feed };
  };
  expect(held(store).ids).toEqual([1, 3]);
  expect(held(replay(lines).store)).toEqual(held(store));
  const cursor = new TimelineCursor(historyBuffer, clock.now());
  expect(held(cursor.store)).toEqual(held(store));
  cursor.goTo(beforeMs);
  expect(held(cursor.store).ids).toEqual([1, 2, 3]);
  close();
});

async function record(scenario: string, ms: number) {
  const lines: string[] = [];
  const rig = await startLiveRig({
    scenario,
    seed: 11,
    history: 100,
    sessionOf: (clock) => ({
      recorder: new Recorder({ clock, settings: SETTINGS, write: (line) => lines.push(line) }),
    }),
  });
  for (const channel of Object.values(channels)) if (channel) rig.stream.subscribe(channel);
  await rig.pass(ms);
  const nowMs = rig.clock.now();
  rig.shown(nowMs);
  const scales = openScales(rig.store, {});
  return { lines, live: jsonOf({ store: rig.store, scales, nowMs }), rig };
}

describe("a recording", () => {
  test.each([
    ["steady", 20_000],
    ["gaps", 60_000],
    ["drops", 60_000],
    ["unavailable", 40_000],
  ])("of the scenario %s ends with the same JSON", async (scenario, ms) => {
    const { lines, live, rig } = await record(scenario, ms);
    const session = replay(lines);
    expect(session.unreadable).toBe(0);
    expect(jsonOf(session)).toBe(live);
    const feeds = (store: typeof rig.store) =>
      store.slices.map(({ channel, feed }) => [channel, feed]);
    expect(JSON.stringify(feeds(session.store))).toBe(JSON.stringify(feeds(rig.store)));
  });

  test("played at a thousand times its speed ends with the same JSON", async () => {
    const { lines, live } = await record("gaps", 20_000);
    const { session, entries, startMs } = opened(lines);
    const clock = createVirtualClock();
    const player = new Player({
      clock,
      startMs,
      speed: 1000,
      open: async () => entries,
      apply: (entry) => session.apply(entry),
      onRestart: () => session.restart(),
      onChange: () => {},
    });
    const ended = player.run();
    for (let turns = 0; !player.isOver && turns < MAX_TURNS; turns++) {
      clock.advance(1);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(player.isOver).toBe(true);
    expect(jsonOf(session)).toBe(live);
    player.stop();
    await ended;
  });

  test("that was cut in the middle of a line ends as the live one was before it", async () => {
    const { lines, rig } = await record("gaps", 5000);
    const count = lines.length;
    const scales = openScales(rig.store, {});
    const before = jsonOf({ store: rig.store, scales, nowMs: rig.clock.now() });
    await rig.pass(1000);
    const half = lines[count]?.slice(0, 20) ?? "";
    expect(half.length).toBe(20);
    const text = [...lines.slice(0, count), half].join("");
    expect(jsonOf(replay([text.slice(0, text.lastIndexOf("\n") + 1)]))).toBe(before);
  });

  test("applied again after everything was forgotten ends with the same JSON", async () => {
    const { lines, live } = await record("gaps", 20_000);
    const session = replay(lines);
    session.restart();
    expect(jsonOf(session)).not.toBe(live);
    for (const line of lines.slice(1)) session.apply(decodeEntry(line) as Entry);
    expect(jsonOf(session)).toBe(live);
  });

  test("holds every frame that was received and every command that was sent", async () => {
    const { lines } = await record("gaps", 10_000);
    const entries = lines.slice(1).map((line) => decodeEntry(line));
    const commands = entries.flatMap((entry) =>
      entry && "out" in entry ? [JSON.parse(entry.out)] : [],
    );
    expect(commands[0]).toEqual({ type: "subscribe", channel: expect.any(String) });
    const types = new Set(
      entries.flatMap((entry) => (entry && "in" in entry ? [JSON.parse(entry.in).type] : [])),
    );
    expect([...types].sort()).toEqual(["hello", "unsubscribed", "update"]);
  });

  test("that was changed afterwards is applied as far as it makes sense, and the rest is counted", () => {
    const t = 1;
    const w = 2;
    const session = new ReplayedSession(SETTINGS, { t, w });
    session.apply({ t, w, in: "<html>", update: { first: true } });
    session.apply({ t, w, update: { first: true } });
    expect(session.unreadable).toBe(2);
  });
});

test("a session is the same session, recorded or not", async () => {
  // The recorder changes neither sockets nor events: what goes in comes out.
  const sent: string[] = [];
  const recorder = new Recorder({
    clock: {
      now: () => 0,
      wall: () => 0,
      after: () => () => {},
      soon: () => () => {},
      next: () => () => {},
    },
    settings: SETTINGS,
    write: () => {},
  });
  const live = openSession({
    clock: {
      now: () => 0,
      wall: () => 0,
      after: () => () => {},
      soon: () => () => {},
      next: () => () => {},
    },
    random: createRandom(1),
    isStrict: false,
    recorder,
    openSocket: (handlers) => {
      queueMicrotask(() => {
        handlers.onOpen();
        handlers.onMessage('{"type":"hello","protocol_version":1,"keepalive_timeout_ms":120000}');
      });
      return { send: (text) => sent.push(text), ping: () => {}, terminate: () => {} };
    },
  });
  live.stream.subscribe("markets");
  await Promise.resolve();
  expect(sent).toEqual(['{"type":"subscribe","channel":"markets"}']);
  expect(live.store.link?.protocolVersion).toBe(1);
  live.close();
});
