// An alert that records: one file for firings whose minutes overlap, within 20 files and 1 GB, and one clear line otherwise.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  type FolderContent,
  lookIntoFolder,
  RecordEffect,
} from "../../src/alerts/record-effect.ts";
import { openScales } from "../../src/select/scale.ts";
import { FlightRecorder } from "../../src/timeline/flight-recorder.ts";
import { HistoryBuffer } from "../../src/timeline/history-buffer.ts";
import { decodeEntry, decodeHeading } from "../../src/timeline/recording-reader.ts";
import { alertRule } from "../support/alert-rule.ts";
import { CHANNELS, MarketFeed } from "../support/market-feed.ts";
import { SETTINGS } from "../support/recording-settings.ts";
import { folderOfTest } from "../support/temporary-folder.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { openAlerts } from "./alert-rig.ts";

const WALL_MS = Date.UTC(2026, 10, 22, 2, 0, 0);

/** A session in which a trade comes every second, at the price of its second. */
function open(look?: (folder: string) => FolderContent) {
  const folder = join(folderOfTest(), "incidents");
  const clock = createVirtualClock(WALL_MS);
  const feed = new MarketFeed();
  const { store } = feed;
  const historyBuffer = new HistoryBuffer({ live: store, clock });
  feed.historyBuffer = historyBuffer;
  const recorder = new FlightRecorder({
    historyBuffer,
    scales: openScales(store, {}),
    clock,
    settings: () => SETTINGS,
    isMasked: () => false,
  });
  onTestFinished(() => recorder.close());
  const effect = new RecordEffect({
    recorder: () => recorder,
    clock,
    isMasked: () => false,
    onChange: () => {},
    ...(look && { look }),
  });
  const { manager } = openAlerts();
  feed.link("open");
  feed.say({ type: "subscribing", channel: CHANNELS.trades });
  let second = 0;
  return {
    folder,
    clock,
    effect,
    recorder,
    manager,
    pass(seconds: number) {
      for (const end = second + seconds; second < end; ) {
        clock.advance(1000);
        second++;
        feed.nowMs = clock.now();
        feed.trade(second, 1);
      }
    },
    async fire(words = "perp/1 last > 5 ticks", to = folder) {
      const alert = manager.add(alertRule(words), "config", { record: to });
      if (alert === undefined) throw new Error(words);
      await effect.run({
        alert,
        atWallMs: clock.wall(),
        value: "6",
        crossedDuringGap: false,
        state: "live",
      });
    },
    files: () => readdirSync(folder).sort(),
    /** Into the folder for recordings. */
    put(name: string, text = "") {
      lookIntoFolder(folder);
      writeFileSync(join(folder, name), text);
    },
    /** Prices of the trades that a file holds, in order; those of its first state apart. */
    read(name: string) {
      const [first = "", ...lines] = readFileSync(join(folder, name), "utf8").trimEnd().split("\n");
      const entries = lines.map((line) => decodeEntry(line));
      const prices = entries.flatMap((entry) =>
        entry !== undefined && "in" in entry && entry.made === undefined
          ? JSON.parse(entry.in).trades.map(({ price_ticks }: { price_ticks: string }) =>
              Number(price_ticks),
            )
          : [],
      );
      return { heading: decodeHeading(first), prices };
    },
  };
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);

test("a firing is recorded from two minutes before it to one minute after, under its time and market", async () => {
  const { pass, fire, files, read, recorder } = open();
  pass(300);
  await fire();
  pass(120);
  await recorder.close();
  expect(files()).toEqual(["2026-11-22T02-05-00Z-perp-1.jsonl"]);
  const { heading, prices } = read("2026-11-22T02-05-00Z-perp-1.jsonl");
  expect(heading?.settings.cause).toBe("alert: perp/1 last > 5 ticks: 6");
  expect(heading?.w).toBe(WALL_MS + 180_000);
  expect(prices).toEqual(range(181, 360));
});

test("firings whose minutes overlap extend one file, without a gap and with no line twice", async () => {
  const { pass, fire, files, read, recorder } = open();
  pass(200);
  await fire();
  pass(30);
  await fire("perp/1 last > 7 ticks");
  // The file has ended, and its minutes and those before the next firing overlap.
  pass(170);
  await fire();
  pass(239);
  await fire();
  pass(240);
  await fire();
  pass(61);
  await recorder.close();
  const [first = "", second = "", ...more] = files();
  expect([first, second, more]).toEqual([
    "2026-11-22T02-03-20Z-perp-1.jsonl",
    "2026-11-22T02-10-39Z-perp-1.jsonl",
    ["2026-11-22T02-14-39Z-perp-1.jsonl"],
  ]);
  expect(read(first).prices).toEqual(range(81, 460));
  expect(read(second).prices).toEqual(range(520, 699));
});

test("a file of the same name, of another program, is left alone, and another name is taken", async () => {
  const { pass, put, fire, files, folder, effect } = open();
  pass(10);
  put("2026-11-22T02-00-10Z-perp-1.jsonl", "theirs");
  await fire();
  expect(effect.fault).toBeUndefined();
  expect(files()).toEqual([
    "2026-11-22T02-00-10Z-perp-1-2.jsonl",
    "2026-11-22T02-00-10Z-perp-1.jsonl",
  ]);
  expect(readFileSync(join(folder, "2026-11-22T02-00-10Z-perp-1.jsonl"), "utf8")).toBe("theirs");
});

test("no more than 20 files: the next firing is refused and said, and recorded again once there is room", async () => {
  const { pass, put, fire, files, folder, effect } = open();
  pass(10);
  for (const i of range(10, 29)) put(`2026-01-01T00-00-${i}Z-perp-1.jsonl`);
  put("notes.txt");
  await fire();
  expect(effect.fault).toBe(`${folder} holds 20 recordings: none is added`);
  expect(files()).toHaveLength(21);
  rmSync(join(folder, "2026-01-01T00-00-10Z-perp-1.jsonl"));
  await fire();
  expect(effect.fault).toBeUndefined();
});

test("no more than 1 GB: a full folder takes none, and a recording ends where it would be more", async () => {
  let bytes = 1_000_000_000;
  const { pass, fire, folder, effect, read, files } = open((path) => ({
    ...lookIntoFolder(path),
    bytes,
  }));
  pass(130);
  await fire();
  expect(effect.fault).toBe(`${folder} holds 1 GB of recordings: none is added`);
  bytes -= 25_000;
  await fire();
  pass(300);
  expect(effect.fault).toMatch(/the recording ended: the folder is full, by its bound$/);
  const [name = ""] = files();
  await effect.flight?.close();
  const { prices } = read(name);
  expect(prices.length).toBeGreaterThan(10);
  expect(prices).toEqual(range(11, prices.at(-1) ?? 0));
});

test("a folder that is gone is made again; one that cannot be made, or is a file, is said in one line", async () => {
  const { pass, fire, folder, effect, files } = open();
  pass(10);
  await fire();
  await effect.flight?.close();
  rmSync(folder, { recursive: true });
  pass(400);
  await fire();
  expect(effect.fault).toBeUndefined();
  expect(files()).toHaveLength(1);
  await fire(undefined, join(folder, "not", "there"));
  expect(effect.fault).toMatch(/^ENOENT: no such file or directory, mkdir/);
  const file = join(folder, files()[0] ?? "");
  await fire(undefined, file);
  expect(effect.fault).toMatch(/^ENOTDIR/);
});

test("alerts of an account are recorded without their address in the name", async () => {
  const { pass, fire, files } = open();
  pass(10);
  await fire("account/gtSFx2ZaJ8MqyRzT3mWJrDvC9wPbLkHnUeQaXsVoJNeD/0 equity < 5");
  expect(files()).toEqual(["2026-11-22T02-00-10Z-account.jsonl"]);
});
