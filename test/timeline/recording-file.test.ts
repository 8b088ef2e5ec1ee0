// The file of a recording: whose it is, what it replaces, and what is left of it when it is cut.
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { mkdtemp, open, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/system/system-clock.ts";
import { encodeLine, FORMAT_VERSION } from "../../src/timeline/entry.ts";
import { Recorder } from "../../src/timeline/recorder.ts";
import { openRecording, summarizeRecording } from "../../src/timeline/recording-reader.ts";
import { openRecordingWriter, RecordingWriter } from "../../src/timeline/recording-writer.ts";
import type { Clock } from "../../src/units/clock.ts";
import { createRandom } from "../../src/units/random.ts";
import { SETTINGS } from "../support/recording-settings.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "monitor-recording-"));
});
afterAll(() => rm(folder, { recursive: true }));

const NO_LINK = {
  reconnects: 0,
  aliveAtMs: undefined,
  roundTripMs: undefined,
  retryAtMs: undefined,
  protocolVersion: undefined,
  fault: undefined,
};

async function startRecorder(
  path: string,
  clock = createVirtualClock(),
  flush: Clock = systemClock,
) {
  const writer = await openRecordingWriter(path, flush);
  const write = (line: string) => writer.write(line);
  return { clock, writer, recorder: new Recorder({ clock, settings: SETTINGS, write }) };
}

/** A recording of `count` seconds, each line 1 s after the one before. */
async function write(name: string, count: number): Promise<string> {
  const path = join(folder, name);
  const { clock, writer, recorder } = await startRecorder(path);
  for (let i = 1; i <= count; i++) {
    clock.advance(1000);
    recorder.pass(clock.now());
  }
  await writer.close();
  expect(writer.failure).toBeUndefined();
  return path;
}

async function timesOf(path: string): Promise<number[]> {
  const { entries } = await openRecording(path, { clock: systemClock });
  const times: number[] = [];
  for await (const { t } of entries) times.push(t);
  return times;
}

/** Whether this process holds the file. */
function isOpen(path: string): boolean {
  const folder = "/proc/self/fd";
  return readdirSync(folder).some((fd) => {
    try {
      return readlinkSync(join(folder, fd)) === path;
    } catch {
      return false;
    }
  });
}

describe.each(["plain.ndjson", "pressed.ndjson.gz"])("the file %s", (name) => {
  test("ends once it is removed, and says so", async () => {
    const path = join(folder, `removed-${name}`);
    const writer = await openRecordingWriter(path, systemClock);
    writer.write("{}\n");
    await rm(path);
    await writer.close();
    expect(writer.failure?.message).toBe(`${path}: the recording ended: the file was removed`);
  });

  test.each([
    ["nothing", 0],
    ["a beginning", 1],
  ])(
    "that a full disk ends with %s in it stays only where something is in it",
    async (_, count) => {
      const path = join(folder, `full-${count}-${name}`);
      const handle = await open(path, "wx");
      const writer = new RecordingWriter(path, handle, systemClock);
      if (count === 1) await handle.appendFile("{");
      handle.appendFile = () => Promise.reject(new Error("ENOSPC: no space left on device"));
      writer.write("{}\n");
      await writer.close();
      expect(writer.failure?.message).toContain("ENOSPC");
      expect(existsSync(path)).toBe(count === 1);
    },
  );

  test("says when it ends, and when its connection was lost and back", async () => {
    const path = join(folder, `links-${name}`);
    const { clock, writer, recorder } = await startRecorder(path);
    const states = ["connecting", "open", "waiting", "connecting", "open", "closed"] as const;
    for (const state of states) {
      clock.advance(1000);
      recorder.event({ type: "link", atMs: clock.now(), link: { ...NO_LINK, state } });
    }
    clock.advance(5000);
    recorder.pass(clock.now());
    await writer.close();
    const { endMs, links } = await summarizeRecording(path, { clock: systemClock });
    expect(endMs).toBe(clock.now());
    expect(links.map(({ atMs, isOpen }) => [clock.now() - atMs, isOpen])).toEqual([
      [9000, true],
      [8000, false],
      [6000, true],
    ]);
  });

  test("is readable by its owner only, and every line comes back", async () => {
    const path = await write(name, 500);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await timesOf(path)).toEqual(Array.from({ length: 500 }, (_, i) => (i + 1) * 1000));
    expect((await readFile(path))[0]).toBe(name.endsWith(".gz") ? 0x1f : "{".charCodeAt(0));
  });

  test("cut anywhere is readable to its last whole line", async () => {
    const path = await write(`cut-${name}`, 500);
    const whole = await timesOf(path);
    const { size } = await stat(path);
    for (const share of [0.95, 0.8, 0.6]) {
      await truncate(path, Math.floor(size * share));
      const left = await timesOf(path);
      expect(left).toEqual(whole.slice(0, left.length));
      if (!name.endsWith(".gz")) expect(left.length).toBeGreaterThan(500 * share - 30);
    }
  });

  test("is let go when nobody reads on", async () => {
    const path = join(folder, `long-${name}`);
    const random = createRandom(1);
    const lines = Array.from({ length: 20_000 }, (_, t) =>
      encodeLine({ t, w: t, out: `${random()}${random()}` }),
    );
    const at = { t: 0, w: 0, recording: FORMAT_VERSION, settings: SETTINGS };
    const text = [encodeLine(at), ...lines, ""].join("\n");
    await writeFile(path, name.endsWith(".gz") ? gzipSync(text) : text);
    const { entries } = await openRecording(path, { clock: systemClock });
    for await (const entry of entries) if (entry.t > 10) break;
    await expect.poll(() => isOpen(path)).toBe(false);
  });

  test("replaces no other file", async () => {
    const path = join(folder, `mine-${name}`);
    await writeFile(path, "mine");
    await expect(openRecordingWriter(path, systemClock)).rejects.toThrow(/exists already/);
    expect(await readFile(path, "utf8")).toBe("mine");
  });

  test("is behind by no more than half a second", async () => {
    const path = join(folder, `flushed-${name}`);
    const clock = createVirtualClock();
    const { writer, recorder } = await startRecorder(path, clock, clock);
    recorder.pass(1);
    clock.advance(500);
    await expect.poll(() => timesOf(path).catch(() => [])).toEqual([1]);
    await writer.close();
  });
});

describe("what is no recording", () => {
  test.each([
    ["nothing", ""],
    ["other text", "hello\nworld\n"],
    ["another NDJSON", '{"t":1}\n'],
    ["binary", "\u0000\u0001\u0002\n"],
  ])("is refused: %s", async (name, text) => {
    const path = join(folder, `no-${name}`);
    await writeFile(path, text);
    await expect(openRecording(path, { clock: systemClock })).rejects.toThrow(/is no recording/);
  });

  test("of a newer format is refused with both versions", async () => {
    const path = join(folder, "newer.ndjson");
    const heading = { t: 1, w: 1, recording: 3, settings: SETTINGS };
    await writeFile(path, `${JSON.stringify(heading)}\n`);
    await expect(openRecording(path, { clock: systemClock })).rejects.toThrow(
      /version 3, not 1 or 2/,
    );
  });

  test("is named with its line when it turns bad in the middle", async () => {
    const path = await write("bad.ndjson", 3);
    await writeFile(path, `${await readFile(path, "utf8")}{"t":1,"w":1,"what":1}\n`);
    await expect(timesOf(path)).rejects.toThrow(/bad\.ndjson:5: not a line/);
  });
});
