// A recording of the last minutes begins with a state that was made from memory, and a replay of it shows what the live run
// showed at the same moments, letter by letter.
import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, onTestFinished, test } from "vitest";
import { ReplayedSession } from "../../src/commands/replay/session.ts";
import { accountViewJson } from "../../src/print/account-json.ts";
import { jsonSchema } from "../../src/print/json-schemas.ts";
import { marketJson } from "../../src/print/market-json.ts";
import { accountChannel, accountsChannel } from "../../src/select/account.ts";
import { formatMarket, marketChannels } from "../../src/select/market.ts";
import { openScales } from "../../src/select/scale.ts";
import type { Scales } from "../../src/state/scales.ts";
import { Store } from "../../src/state/store.ts";
import { getNamedChannel } from "../../src/timeline/entry.ts";
import { FlightRecorder } from "../../src/timeline/flight-recorder.ts";
import { HistoryBuffer } from "../../src/timeline/history-buffer.ts";
import { decodeEntry, decodeHeading } from "../../src/timeline/recording-reader.ts";
import { stringifyExact } from "../../src/wire/exact-numbers.ts";
import { startLiveRig } from "../support/live-rig.ts";
import { SETTINGS } from "../support/recording-settings.ts";

const market = { type: "perp", id: "1" } as const;
const channels = marketChannels(market, "1m");
/** Of the virtual clock at its start. */
const WALL_MS = Date.UTC(2026, 0, 1);

interface Held {
  readonly store: Store;
  readonly scales: Scales;
  readonly nowMs: number;
}

function jsonOf({ store, scales, nowMs }: Held, address: string): string {
  const scale = scales.of(formatMarket(market));
  const account = { address, subaccountId: "0" };
  const wallMs = WALL_MS + nowMs;
  const view = { store, market, channels, interval: "1m", scale, nowMs, wallMs, account } as const;
  return [
    stringifyExact(marketJson(view)),
    stringifyExact(accountViewJson({ store, account, scales, nowMs })),
    JSON.stringify(store.slices.map(({ channel, feed }) => [channel, feed]).sort()),
    JSON.stringify([store.link, store.counts]),
  ].join("\n");
}

interface RigOptions {
  readonly scenario?: string;
  readonly maxBytes?: number;
  readonly settings?: Partial<typeof SETTINGS>;
  readonly isMasked?: () => boolean;
  readonly sinceMs?: number;
}

async function startRig({
  scenario = "steady",
  maxBytes,
  settings,
  isMasked,
  sinceMs,
}: RigOptions = {}) {
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
        isMasked: isMasked ?? (() => false),
      });
      return { historyBuffer, store, sinceMs };
    },
  });
  if (recorder === undefined || kept === undefined)
    throw new Error("no history buffer was asked for");
  const { address } = rig.simulator.announcement.account;
  const held = [
    ...Object.values(channels),
    accountsChannel(address),
    accountChannel({ address, subaccountId: "0" }),
  ];
  for (const channel of held) if (channel) rig.stream.subscribe(channel);
  const folder = mkdtempSync(join(tmpdir(), "flight-"));
  onTestFinished(() => recorder?.close());
  return { rig, store, scales, historyBuffer: kept, recorder, address, folder };
}

function opened(text: string) {
  const [first = "", ...rest] = text.trimEnd().split("\n");
  const heading = decodeHeading(first);
  if (heading === undefined) throw new Error(first);
  const entries = rest.map((line) => {
    const entry = decodeEntry(line);
    if (entry === undefined) throw new Error(line.slice(0, 500));
    return entry;
  });
  return { heading, entries };
}

/** What a replay shows at moments of the file. */
function replayed(text: string, moments: readonly number[], address: string) {
  const { heading, entries } = opened(text);
  const session = new ReplayedSession(heading.settings, heading);
  let next = 0;
  const shown = moments.map((atMs) => {
    while ((entries[next]?.t ?? Number.POSITIVE_INFINITY) <= atMs) {
      session.apply(entries[next++] as (typeof entries)[number]);
    }
    const { store, scales } = session;
    return jsonOf({ store, scales, nowMs: atMs }, address);
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
        const text = jsonOf({ store, scales, nowMs: atMs }, address);
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
      const shown = replayed(
        text,
        within.map(({ atMs }) => atMs),
        address,
      );
      for (const [i, { atMs, text: live }] of within.entries()) {
        expect(shown[i], `at ${atMs}`).toBe(live);
      }
    },
  );

  test("that begins in the middle of a busy tape keeps its sums, its holes and its scale", async () => {
    const { rig, store, scales, recorder, address, folder } = await startRig({
      sinceMs: Date.UTC(2025, 11, 31),
    });
    await rig.pass(8000);
    scales.observe("perp/1", []);
    scales.markUnavailable("perp/1", "not measured: no --base-url");
    const before = jsonOf({ store, scales, nowMs: rig.clock.now() }, address);
    expect(store.slice("trades", channels.trades).data.holes.length).toBeGreaterThan(0);
    const path = join(folder, "now.jsonl");
    const flight = await recorder.start(path, { beforeMs: 0, afterMs: 0, cause: "test" });
    await flight.close();
    const [shown] = replayed(readFileSync(path, "utf8"), [rig.clock.now()], address);
    expect(shown).toBe(before);
  });

  test("says of what was made that it was, and of no frame of it that it was received", async () => {
    const { rig, store, recorder, folder } = await startRig();
    await rig.pass(10_000);
    const path = join(folder, "made.jsonl");
    const flight = await recorder.start(path, {
      beforeMs: 4000,
      afterMs: 0,
      cause: "alert: perp/1 last > 5",
      market: "perp/1",
    });
    await flight.close();
    const { heading, entries } = opened(readFileSync(path, "utf8"));
    expect(heading).toMatchObject({ recording: 2, settings: { cause: "alert: perp/1 last > 5" } });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const lastMade = entries.findLastIndex((entry) => "made" in entry && entry.made !== undefined);
    const made = entries.slice(0, lastMade + 1);
    expect(made.every((entry) => entry.t === heading.t && "made" in entry)).toBe(true);
    expect(made.some((entry) => "update" in entry)).toBe(false);
    const session = new ReplayedSession(heading.settings, heading);
    for (const entry of made) session.apply(entry);
    const framesOf = (of: Store) => of.slice("trades", channels.trades).feed.frames;
    expect(framesOf(session.store)).toBeGreaterThan(0);
    expect(framesOf(session.store)).toBeLessThan(framesOf(store));
    expect(session.store.log.lines.map(({ what, detail }) => [what, detail])).toEqual([
      [
        "made",
        expect.stringMatching(/a state made from memory, not received: that of 2026-01-01T/),
      ],
    ]);
    const named = made.map(getNamedChannel).find((channel) => channel !== undefined);
    expect(named).toBe(channels.orderbook);
  });

  test("reaches as far back as is kept, and says where it begins", async () => {
    const { rig, recorder, folder } = await startRig({ maxBytes: 200_000 });
    await rig.pass(15_000);
    const path = join(folder, "short.jsonl");
    const flight = await recorder.start(path, { beforeMs: 120_000, afterMs: 0, cause: "test" });
    await flight.close();
    const { heading } = opened(readFileSync(path, "utf8"));
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
    const masked = await startRig({ settings: { redacted: true }, isMasked: () => true });
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
  const feed = {
    phase: "receiving",
    frames: 1,
    gaps: 0,
    resyncs: 0,
    rejected: 0,
    late: 0,
    drifts: 0,
  };
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
