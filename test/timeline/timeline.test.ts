// Recordings of a scripted service, in virtual time: what is in the files, what is wrong with them, and how one moves in them.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSession } from "../../src/live/session.ts";
import type { Book } from "../../src/state/book.ts";
import { fromExact, toExact } from "../../src/timeline/exact.ts";
import { createHistory } from "../../src/timeline/history.ts";
import { createPlayer } from "../../src/timeline/player.ts";
import { openRecording } from "../../src/timeline/recording-file.ts";
import { createPast } from "../../src/timeline/timeline.ts";
import { Cursor } from "../../src/timeline/track.ts";
import { openRecordingWriter } from "../../src/timeline/writer.ts";
import { createRandom } from "../../src/units/random.ts";
import type { Json } from "../../src/wire/json.ts";
import { ADDRESS, level } from "../support/frames.ts";
import { ScriptedService } from "../support/scripted-service.ts";
import { folderOfTest } from "../support/temporary-folder.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const BOOK = "orderbook/perp/1";
const ACCOUNT = `account/${ADDRESS}/0`;
const END = Number.POSITIVE_INFINITY;

const book = (bid: number, asks = 1) => ({
  orderbook: {
    bids: [level(bid, 1)],
    asks: Array.from({ length: asks }, (_, i) => level(100_000 + i, 1)),
  },
});

/** @param asks levels of the book, for long lines @param lookMs what each look at the clock costs */
function start(asks = 1, lookMs = 0) {
  const clock = createVirtualClock();
  let spentMs = 0;
  const now = () => {
    spentMs += lookMs;
    return clock.now() + spentMs;
  };
  const channels = {
    [BOOK]: () => book(Math.max(1, Math.round(clock.now() / 1000)), asks),
    [ACCOUNT]: () => ({ account: { owner: ADDRESS, equity: "1" } }),
  };
  const service = new ScriptedService({ clock, channels });
  const session = openSession({
    ...{ url: "ws://service/v1/ws", openSocket: service.connect, random: createRandom(1) },
    ...{ clock: { ...clock, now }, channels: [BOOK, ACCOUNT], learnedPath: undefined },
  });
  const { recorder } = session;
  let bid = 0;
  /** A new best bid in the middle of each second, one higher than the last one. */
  const pass = (seconds: number) => {
    for (let i = 0; i < seconds; i++) {
      clock.advance(500);
      service.publish(BOOK, book(++bid, asks));
      clock.advance(500);
    }
  };
  return { clock, service, session, recorder, pass };
}

const bestBid = ({ states }: { readonly states: ReadonlyMap<string, unknown> }) =>
  Number((states.get(BOOK) as Book | undefined)?.bids[0]?.price_ticks);

/** Twenty seconds, with a gap in the tenth. */
async function recorded(isRedacted = false) {
  const run = start();
  const path = join(folderOfTest(), "file");
  const about = { version: "1", isRedacted };
  const writer = openRecordingWriter(path, run.recorder, run.clock, about);
  run.pass(10);
  run.service.publish(BOOK, undefined);
  run.pass(10);
  await writer.close();
  return { ...run, path, text: readFileSync(path, "utf8") };
}

async function openText(text: string) {
  const path = join(folderOfTest(), "file");
  writeFileSync(path, text);
  return openRecording(path);
}

describe("exact JSON", () => {
  it("keeps Maps, Sets, numbers of every kind and names of its own", () => {
    const value = {
      map: new Map<unknown, unknown>([
        ["a", new Set([1n, -2n])],
        [1, [null, { x: Number.NaN }]],
      ]),
      ...{ $map: [["not", "a map"]], __proto: { $bigint: "no" }, marked: "\u0000n1.10" },
      ...{ infinite: Number.NEGATIVE_INFINITY, small: 5e-324, text: "\ud800\u2028" },
    };
    expect(fromExact(JSON.parse(JSON.stringify(toExact(value))) as Json)).toEqual(value);
  });
});

describe("a recording", () => {
  it("without the end of its last line is read up to there", async () => {
    const { text } = await recorded();
    const { isCut, track } = await openText(`${text}{"t":1,"w":1,"in`);
    const cursor = new Cursor(track);
    cursor.goTo(END);
    expect(isCut).toBe(true);
    expect(bestBid(cursor.store)).toBe(20);
  });

  it("has the times of its run, however slow the machine was", async () => {
    const { clock, recorder, session, pass } = start(1, 5);
    const path = join(folderOfTest(), "file");
    const writer = openRecordingWriter(path, recorder, clock, { version: "1", isRedacted: false });
    pass(1);
    await writer.close();
    const text = readFileSync(path, "utf8");
    expect(text).toContain('"event":"learned"');
    const cursor = new Cursor((await openText(text)).track);
    cursor.goTo(END);
    expect(cursor.store.channels.get(BOOK)?.lastAtMs).toBe(
      session.store.channels.get(BOOK)?.lastAtMs,
    );
  });

  it("shows, where it was printed, what the listings had told by then", async () => {
    const { clock, recorder, session, pass } = start();
    const path = join(folderOfTest(), "file");
    const writer = openRecordingWriter(path, recorder, clock, { version: "1", isRedacted: false });
    pass(2);
    for (const price of ["70", "80"]) {
      const state = session.store.states.get(BOOK) as Book;
      session.store.states.set(BOOK, {
        ...state,
        bids: [{ price_ticks: price, size_base_lots: "1" }],
      });
      recorder.noteState(BOOK);
      recorder.print("page", clock.now(), clock.wall());
    }
    await writer.close();
    const cursor = new Cursor((await openRecording(path)).track);
    cursor.goTo(END);
    expect(bestBid(cursor.store)).toBe(80);
  });

  it.each([
    ["is no recording", () => "hello\n"],
    ["is no recording", () => ""],
    ["is no recording", (text: string) => text.replace("{", '{"shown":{"view":"x"},')],
    [
      "is a recording of format 2, not 5",
      (text: string) => text.replace('"recording":5', '"recording":2'),
    ],
  ])("that %s is refused", async (words, change) => {
    const { text } = await recorded();
    await expect(openText(change(text))).rejects.toThrow(words);
  });

  it.each([
    "no JSON",
    '{"t":1}',
    '{"t":5000,"w":1,"in":"no frame","place":"next"}',
    '{"t":5000,"w":1,"state":{}}',
  ])("says which line is damaged: %s", async (line) => {
    const { text } = await recorded();
    const lines = text.split("\n");
    lines[20] = line;
    const { track } = await openText(lines.join("\n"));
    expect(() => new Cursor(track).goTo(END)).toThrow("line 21 is damaged");
  });

  it("of a version that held less is replayed", async () => {
    const { text } = await recorded();
    const { track } = await openText(text.replace(',"heat":{"$map":[]}', ""));
    const cursor = new Cursor(track);
    cursor.goTo(END);
    expect(bestBid(cursor.store)).toBe(20);
  });

  it("of several pieces is gone through in any order", async () => {
    const { clock, recorder, pass } = start(200);
    const path = join(folderOfTest(), "file");
    const writer = openRecordingWriter(path, recorder, clock, { version: "1", isRedacted: false });
    pass(300);
    await writer.close();
    expect(statSync(path).size).toBeGreaterThan(2_500_000);
    const { track, close } = openRecording(path);
    const cursor = new Cursor(track);
    for (const second of [290, 3, 200, 199, 100, 250, 1, 300]) {
      cursor.goTo(second * 1000);
      expect(bestBid(cursor.store)).toBe(second);
    }
    close();
  });

  it("that is redacted has another address, the same everywhere, and replays", async () => {
    const { text } = await recorded(true);
    expect(text).not.toContain(ADDRESS);
    const { track } = await openText(text);
    const { store } = new Cursor(track);
    const cursor = new Cursor(track);
    cursor.goTo(END);
    const account = [...cursor.store.channels.keys()].find((name) => name.startsWith("account/"));
    const address = account?.split("/")[1];
    expect(store.channels.size).toBe(0);
    expect(cursor.store.states.get(account ?? "")).toMatchObject({
      account: { owner: address, equity: "1" },
    });
  });
});

describe("the last minutes", () => {
  it("reach back as far as their memory, which is dropped by the piece", () => {
    const { recorder, pass } = start(200);
    const history = createHistory(recorder, 300_000);
    pass(300);
    const past = createPast(history, recorder.settle, 0);
    expect(history.startMs).toBeGreaterThan(100_000);
    const begin = Math.ceil(history.startMs / 1000);
    for (const second of [300, begin + 5, 299, begin]) {
      past.goTo(second * 1000);
      expect(bestBid(past.moment.store)).toBe(second);
    }
    pass(300);
    expect(bestBid(past.moment.store)).toBe(begin);
    past.goTo(599_000);
    expect(bestBid(past.moment.store)).toBe(599);
  });

  it("begin with the first change of what is known, before which nothing could be shown", () => {
    const { clock, recorder, pass } = start();
    const history = createHistory(recorder);
    pass(10);
    const past = createPast(history, recorder.settle, clock.now());
    past.goTo(Number.NEGATIVE_INFINITY);
    expect(bestBid(past.moment.store)).toBe(1);
  });

  it("are stepped through by change, and searched for what went wrong", () => {
    const { clock, recorder, service, pass } = start();
    const history = createHistory(recorder);
    pass(10);
    service.publish(BOOK, undefined);
    pass(10);
    const past = createPast(history, recorder.settle, clock.now());
    past.step(-1, [BOOK]);
    expect(bestBid(past.moment.store)).toBe(19);
    past.step(1, [BOOK]);
    expect(bestBid(past.moment.store)).toBe(20);
    expect(past.jump(-1)).toBe(true);
    expect(Math.floor(past.moment.nowMs / 1000)).toBe(10);
    expect(past.moment.store.channels.get(BOOK)).toMatchObject({ isBroken: true });
    expect([past.jump(1), past.jump(-1)]).toEqual([false, false]);
  });
});

describe("a player", () => {
  it("plays at its speed, pauses, steps and goes anywhere", async () => {
    const { text } = await recorded();
    const { track } = await openText(text);
    const clock = createVirtualClock();
    const events: string[] = [];
    const player = createPlayer(track, clock);
    player.play({
      onChange: () => {},
      onEvent: ({ event }) => events.push(event),
      onError: (error) => expect.unreachable(String(error)),
    });
    const bid = () => bestBid(player.moment.store);
    clock.advance(5100);
    expect(bid()).toBe(5);
    player.playing.changeSpeed(1);
    clock.advance(1000);
    expect(bid()).toBe(7);
    player.playing.togglePause();
    clock.advance(60_000);
    expect(bid()).toBe(7);
    player.step(1, [BOOK]);
    clock.advance(100);
    expect(bid()).toBe(8);
    player.goTo(17_000);
    clock.advance(100);
    expect(bid()).toBe(17);
    player.goTo(3500);
    clock.advance(100);
    expect(bid()).toBe(3);
    player.playing.togglePause();
    clock.advance(60_000);
    expect(bid()).toBe(20);
    expect(player.playing.isOver).toBe(true);
    expect(events.filter((event) => event === "gap")).toEqual(["gap"]);
  });
});
