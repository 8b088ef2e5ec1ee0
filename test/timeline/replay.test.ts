// A recorded session that is replayed ends as the live one did, to the last byte of its JSON, whatever happened to it.
import { describe, expect, test } from "vitest";
import { ReplayedSession } from "../../src/commands/replay/session.ts";
import { openSession } from "../../src/live/session.ts";
import { openScales } from "../../src/select/scale.ts";
import { Store } from "../../src/state/store.ts";
import { HistoryBuffer } from "../../src/timeline/history-buffer.ts";
import { Recorder } from "../../src/timeline/recorder.ts";
import { TimelineCursor } from "../../src/timeline/timeline-cursor.ts";
import { createRandom } from "../../src/units/random.ts";
import { startLiveRig } from "../support/live-rig.ts";
import { SETTINGS } from "../support/recording-settings.ts";
import { ScriptedService } from "../support/scripted-service.ts";
import { bboFrame } from "../support/stream-rig.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { marketText, openText, play, replay, watchAll } from "./replayed.ts";

test("what the live run has given up of a channel is given up in a replay, too", () => {
  const channel = "bbo/perp/1";
  const lines: string[] = [];
  const clock = createVirtualClock();
  const service = new ScriptedService();
  const { store, stream, publish, close } = openSession({
    openSocket: service.connect,
    clock,
    random: createRandom(1),
    recorder: new Recorder({ clock, settings: SETTINGS, write: (line) => lines.push(line) }),
  });
  const undo = stream.subscribe(channel);
  service.last.accept();
  service.last.hello();
  service.last.send(bboFrame);
  undo();
  service.last.unsubscribed(channel);
  // The recorder changes neither sockets nor events.
  expect(service.last.takeCommands()).toEqual([`subscribe ${channel}`, `unsubscribe ${channel}`]);
  expect(store.link?.protocolVersion).toBe(1);
  expect(store.versionOf(channel)).toBeGreaterThan(0);
  expect(replay(lines.join("")).store.versionOf(channel)).toBe(store.versionOf(channel));
  publish({ type: "forgotten", atMs: clock.now(), channel });
  expect(store.versionOf(channel)).toBe(0);
  expect(replay(lines.join("")).store.versionOf(channel)).toBe(0);
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
  expect(held(replay(lines.join("")).store)).toEqual(held(store));
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
  watchAll(rig.stream);
  await rig.pass(ms);
  const nowMs = rig.clock.now();
  rig.shown(nowMs);
  const live = textOf({ store: rig.store, scales: openScales(rig.store, {}), nowMs });
  return { lines, live, rig };
}

/** What is shown of the market, and what is kept of its channels. */
function textOf(session: Parameters<typeof marketText>[0]): string {
  const feeds = session.store.slices.map(({ channel, feed }) => JSON.stringify([channel, feed]));
  return [marketText(session), ...feeds.sort()].join("\n");
}

describe("a recording", () => {
  test.each([
    ["steady", 10_000],
    ["gaps", 30_000],
    ["drops", 45_000],
    ["unavailable", 30_000],
  ])(
    "of the scenario %s ends with the same JSON: once, again after all was forgotten, and at a thousand times its speed",
    async (scenario, ms) => {
      const { lines, live } = await record(scenario, ms);
      const text = lines.join("");
      const session = replay(text);
      expect(session.unreadable).toBe(0);
      expect(textOf(session)).toBe(live);
      session.restart();
      expect(textOf(session)).not.toBe(live);
      for (const entry of openText(text).entries) session.apply(entry);
      expect(textOf(session)).toBe(live);
      expect(textOf(await play(text, 1000))).toBe(live);
    },
  );

  test("that was cut in the middle of a line holds all frames and commands before it, and ends as the live one was then", async () => {
    const { lines, live, rig } = await record("gaps", 10_000);
    const count = lines.length;
    await rig.pass(1000);
    const half = lines[count]?.slice(0, 20) ?? "";
    expect(half.length).toBe(20);
    const text = [...lines.slice(0, count), half].join("");
    const whole = text.slice(0, text.lastIndexOf("\n") + 1);
    expect(textOf(replay(whole))).toBe(live);
    const { entries } = openText(whole);
    const commands = entries.flatMap((entry) => ("out" in entry ? [JSON.parse(entry.out)] : []));
    expect(commands[0]).toEqual({ type: "subscribe", channel: expect.any(String) });
    const types = entries.flatMap((entry) => ("in" in entry ? [JSON.parse(entry.in).type] : []));
    expect([...new Set(types)].sort()).toEqual(["hello", "unsubscribed", "update"]);
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
