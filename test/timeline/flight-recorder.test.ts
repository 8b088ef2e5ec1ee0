// A recording of the last minutes begins with a state that was made from memory, and a replay of it shows what the live run
// showed at the same moments, letter by letter.
import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { jsonSchema } from "../../src/print/json-schemas.ts";
import { accountChannel, accountsChannel } from "../../src/select/account.ts";
import { openScales } from "../../src/select/scale.ts";
import { Store } from "../../src/state/store.ts";
import { getNamedChannel } from "../../src/timeline/entry.ts";
import { FlightRecorder } from "../../src/timeline/flight-recorder.ts";
import { HistoryBuffer } from "../../src/timeline/history-buffer.ts";
import { decodeEntry } from "../../src/timeline/recording-reader.ts";
import { startLiveRig } from "../support/live-rig.ts";
import { SETTINGS } from "../support/recording-settings.ts";
import { channels, openText, shownText, watchAll } from "./replayed.ts";

interface RigOptions {
  readonly scenario?: string;
  readonly maxBytes?: number;
  readonly settings?: Partial<typeof SETTINGS>;
  readonly isMasked?: boolean;
  readonly sinceMs?: number;
}

async function startRig(options: RigOptions = {}) {
  const { scenario = "steady", maxBytes, settings, isMasked = false, sinceMs } = options;
  const store = new Store();
  const scales = openScales(store, {});
  let recorder: FlightRecorder | undefined;
  let kept: HistoryBuffer | undefined;
  const rig = await startLiveRig({
    scenario,
    seed: 11,
    history: 100,
    sessionOf: (clock) => {
      const historyBuffer = new HistoryBuffer({
        live: store,
        clock,
        ...(maxBytes && { maxBytes }),
      });
      kept = historyBuffer;
      recorder = new FlightRecorder({
        historyBuffer,
        scales,
        clock,
        settings: () => ({ ...SETTINGS, ...settings }),
        isMasked: () => isMasked,
      });
      return { historyBuffer, store, sinceMs };
    },
  });
  if (recorder === undefined || kept === undefined)
    throw new Error("no history buffer was asked for");
  const { address } = rig.simulator.announcement.account;
  watchAll(rig.stream, accountsChannel(address), accountChannel({ address, subaccountId: "0" }));
  const folder = mkdtempSync(join(tmpdir(), "flight-"));
  const running = recorder;
  onTestFinished(() => running.close());
  /** A recording of what is kept until now. */
  const save = async (beforeMs: number, more: { cause?: string; market?: string } = {}) => {
    const path = join(folder, "flight.jsonl");
    const request = { beforeMs, afterMs: 0, cause: "test", ...more };
    const flight = await running.start(path, request);
    await flight.close();
    return { flight, path, text: readFileSync(path, "utf8") };
  };
  return { rig, store, scales, historyBuffer: kept, recorder: running, address, folder, save };
}

/** What a replay shows at moments of the file. */
function replayed(text: string, moments: readonly number[], address: string) {
  const { entries, session } = openText(text);
  let next = 0;
  const shown = moments.map((atMs) => {
    while ((entries[next]?.t ?? Number.POSITIVE_INFINITY) <= atMs) {
      session.apply(entries[next++] as (typeof entries)[number]);
    }
    const { store, scales } = session;
    return shownText({ store, scales, nowMs: atMs }, address);
  });
  expect(session.unreadable).toBe(0);
  return shown;
}

describe("a recording of the last minutes", () => {
  test.each(["gaps", "drops", "unavailable", "storm"])(
    "of the scenario %s shows what the live run showed, from its first moment to its last",
    async (scenario) => {
      const { rig, store, scales, historyBuffer, recorder, address, folder } = await startRig({
        scenario,
      });
      const moments: { readonly atMs: number; readonly text: string; readonly end: number }[] = [];
      const look = () => {
        const atMs = rig.clock.now();
        if (atMs % 500 !== 0) return;
        const text = shownText({ store, scales, nowMs: atMs }, address);
        moments.push({ atMs, text, end: historyBuffer.end });
      };
      await rig.pass(13_000, look);
      const path = join(folder, "flight.jsonl");
      const flight = await recorder.start(path, { beforeMs: 6000, afterMs: 3000, cause: "test" });
      await rig.pass(3500, look);
      await flight.close();
      expect(flight.failure).toBeUndefined();
      const text = readFileSync(path, "utf8");
      // Some may happen at the very moment, and after it was looked at.
      const within = moments.filter(
        ({ atMs, end }) =>
          atMs >= flight.startMs && atMs <= flight.untilMs && historyBuffer.endAt(atMs) === end,
      );
      expect(within.length).toBeGreaterThan(15);
      const places = within.map(({ atMs }) => atMs);
      for (const [i, shown] of replayed(text, places, address).entries()) {
        expect(shown, `at ${places[i]}`).toBe(within[i]?.text);
      }
    },
  );

  test("that begins in the middle of a busy tape keeps its sums, its holes and its scale", async () => {
    const { rig, store, scales, address, save } = await startRig({
      sinceMs: Date.UTC(2025, 11, 31),
    });
    await rig.pass(8000);
    scales.observe("perp/1", []);
    scales.markUnavailable("perp/1", "not measured: no --base-url");
    const before = shownText({ store, scales, nowMs: rig.clock.now() }, address);
    expect(store.slice("trades", channels.trades).data.holes.length).toBeGreaterThan(0);
    const { text } = await save(0);
    const [shown] = replayed(text, [rig.clock.now()], address);
    expect(shown).toBe(before);
  });

  test("says of what was made that it was, and of no frame of it that it was received", async () => {
    const { rig, store, save } = await startRig();
    await rig.pass(10_000);
    const cause = "alert: perp/1 last > 5";
    const { path, text } = await save(4000, { cause, market: "perp/1" });
    const { heading, entries, session } = openText(text);
    expect(heading).toMatchObject({ recording: 2, settings: { cause } });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const lastMade = entries.findLastIndex((entry) => "made" in entry && entry.made !== undefined);
    const made = entries.slice(0, lastMade + 1);
    expect(made.every((entry) => entry.t === heading.t && "made" in entry)).toBe(true);
    expect(made.some((entry) => "update" in entry)).toBe(false);
    for (const entry of made) session.apply(entry);
    const framesOf = (of: Store) => of.slice("trades", channels.trades).feed.frames;
    expect(framesOf(session.store)).toBeGreaterThan(0);
    expect(framesOf(session.store)).toBeLessThan(framesOf(store));
    const detail = expect.stringMatching(
      /a state made from memory, not received: that of 2026-01-01T/,
    );
    expect(session.store.log.lines).toMatchObject([{ what: "made", detail }]);
    const named = made.map(getNamedChannel).find((channel) => channel !== undefined);
    expect(named).toBe(channels.orderbook);
  });

  test("reaches as far back as is kept, and says where it begins", async () => {
    const { rig, save } = await startRig({ maxBytes: 200_000 });
    await rig.pass(15_000);
    const { flight, text } = await save(120_000);
    const { heading } = openText(text);
    expect(heading.t).toBe(flight.startMs);
    expect(flight.startMs).toBeGreaterThan(0);
    expect(rig.clock.now() - flight.startMs).toBeLessThan(15_000);
  });

  test("holds no address where they are replaced, and nothing of accounts while they are masked", async () => {
    const redacted = await startRig({ settings: { redacted: true } });
    await redacted.rig.pass(3000);
    const text = redacted.recorder.lastLines("test");
    expect(text).not.toContain(redacted.address);
    expect(text).toContain("account/Redacted");
    const masked = await startRig({ settings: { redacted: true }, isMasked: true });
    await masked.rig.pass(3000);
    const hidden = masked.recorder.lastLines("test");
    expect(hidden).not.toContain(masked.address);
    expect(hidden).not.toMatch(/"?accounts?\/|equity/);
    expect(hidden).toContain("trades/perp/1");
  });

  test("replaces no file, and says so in one line", async () => {
    const { rig, recorder, folder } = await startRig();
    await rig.pass(1000);
    const path = join(folder, "there.jsonl");
    writeFileSync(path, "mine");
    const request = { beforeMs: 0, afterMs: 0, cause: "test" };
    await expect(recorder.start(path, request)).rejects.toThrow(`${path} exists already`);
    await expect(recorder.start(join(folder, "gone", "x.jsonl"), request)).rejects.toThrow(
      /^the recording cannot be made: ENOENT/,
    );
    expect(readFileSync(path, "utf8")).toBe("mine");
  });

  test("ends where more was received than is kept, or where it would be larger than it may be", async () => {
    const { rig, recorder, folder } = await startRig({ maxBytes: 60_000 });
    await rig.pass(3000);
    const request = { beforeMs: 0, afterMs: 60_000, cause: "test" };
    const full = await recorder.start(join(folder, "full.jsonl"), { ...request, maxBytes: 1 });
    await full.close();
    expect(full.failure?.message).toMatch(/full\.jsonl: the recording ended: the folder is full/);
    const flight = await recorder.start(join(folder, "late.jsonl"), { ...request, afterMs: 0 });
    await rig.pass(20_000);
    expect(flight.isWriting).toBe(false);
    expect(flight.extend(rig.clock.now() + 1000)).toBe(false);
  });
});

test("every line of it is of the form that the printed schema has", async () => {
  const { rig, scales, recorder } = await startRig({ scenario: "drops", maxBytes: 200_000 });
  await rig.pass(14_000);
  scales.observe("perp/1", []);
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  const isLine = ajv.compile(jsonSchema("recording"));
  const lines = recorder.lastLines("test").trimEnd().split("\n");
  expect(lines.filter((line) => line.includes('"made"')).length).toBeGreaterThan(10);
  for (const line of lines) {
    expect(isLine(JSON.parse(line)), `${line.slice(0, 300)} ${JSON.stringify(isLine.errors)}`).toBe(
      true,
    );
  }
});

test("a made state of another form is not a line of a recording", () => {
  const stamp = { t: 1, w: 1 };
  const counts = { gaps: 0, resyncs: 0, rejected: 0, late: 0, drifts: 0 };
  const feed = { phase: "receiving", frames: 1, ...counts };
  const line = (made: object) => JSON.stringify({ ...stamp, made });
  const good = { channel: "candles/perp/1/1m", feed, facts: { unfinished: [5] } };
  expect(decodeEntry(line(good))).toEqual({ ...stamp, made: good });
  for (const made of [
    { ...good, facts: { unfinished: ["x"] } },
    { ...good, channel: "trades/perp/1" },
    { ...good, feed: { ...feed, phase: "fine" } },
    { channel: "nothing", feed },
    {},
  ]) {
    expect(decodeEntry(line(made))).toBeUndefined();
  }
});
