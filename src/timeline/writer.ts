// Writes recordings: one that goes on beside a session, or the last minutes at once. A file that is there is never replaced, and
// only its owner can read it.
import { closeSync, createWriteStream, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "../state/store.ts";
import { type Clock, every } from "../units/clock.ts";
import { errorText, MonitorError } from "../units/monitor-error.ts";
import { formatIsoMs } from "../units/time.ts";
import { encodeEntry, encodeHeading, type Heading, type Stamp } from "./entry.ts";
import type { History } from "./history.ts";
import type { Recorder } from "./recorder.ts";
import { createAddressRedact } from "./redact.ts";
import { Cursor } from "./track.ts";

export type About = Omit<Heading, keyof Stamp> & {
  /** Addresses are replaced. */
  readonly isRedacted: boolean;
};

export interface RecordingWriter {
  /** Why it ended early. */
  readonly failure: MonitorError | undefined;
  /** Resolves when everything is written, or has failed. */
  close(): Promise<void>;
}

const WRITE_EVERY_MS = 250;
/** A disk that falls so far behind ends the recording: memory is not for it. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** Records from now on. @throws {MonitorError} when the file exists or cannot be created */
export function openRecordingWriter(
  path: string,
  recorder: Recorder,
  clock: Clock,
  about: About,
): RecordingWriter {
  let failure: MonitorError | undefined;
  let waiting: string[] = [];
  const stamp = recorder.settle();
  const textOf = createTextOf(about);
  const fd = createFile(path, textOf(headOf(stamp, recorder.store, about)));
  const stream = createWriteStream("", { fd });
  stream.on("error", (error) => fail(error.message));
  const stopTaking = recorder.give({ line: (line, message) => waiting.push(line + message) });
  const stopWriting = every(clock, WRITE_EVERY_MS, write);

  function write(): void {
    recorder.settle();
    if (waiting.length > 0) stream.write(textOf(waiting));
    waiting = [];
    if (stream.writableLength > MAX_WAITING_BYTES) fail("the disk is too slow");
  }

  function fail(reason: string): void {
    if (failure !== undefined) return;
    stopTaking();
    stopWriting();
    failure = new MonitorError("recording", "failed", `${path}: the recording ended: ${reason}`, {
      advice: "record to a new file, on a disk with room",
    });
  }

  return {
    get failure() {
      return failure;
    },
    async close() {
      if (failure === undefined) write();
      stopTaking();
      stopWriting();
      if (!stream.destroyed)
        await new Promise<void>((resolve) => stream.once("close", resolve).end());
    },
  };
}

/**
 * Writes the last minutes to a new file, from a time on or as far as memory reaches back.
 * @throws {MonitorError} when the file exists or cannot be written
 */
export function writeLastMinutes(
  path: string,
  history: History,
  fromMs: number,
  about: About,
): void {
  const cursor = new Cursor(history);
  cursor.goTo(Math.max(history.startMs, fromMs));
  const { nowMs: t, wallMs: w, store } = cursor.moment;
  const lines = [...headOf({ t, w }, store, about), ...[...cursor.rest()].flat()];
  closeSync(createFile(path, createTextOf(about)(lines)));
}

/** `2026-11-22T02-24-08Z-perp-1.ndjson` in a folder. @param what such as `perp/1` */
export function lastMinutesPath(folder: string, wallMs: number, what: string): string {
  const time = formatIsoMs(wallMs).slice(0, 19).replaceAll(":", "-");
  return join(folder, `${time}Z-${what.replaceAll("/", "-")}.ndjson`);
}

function createTextOf({ isRedacted }: About): (lines: readonly string[]) => string {
  const redact = isRedacted ? createAddressRedact() : (line: string) => line;
  return (lines) => lines.map((line) => `${redact(line)}\n`).join("");
}

function headOf(stamp: Stamp, state: Store, { isRedacted: _, ...about }: About): readonly string[] {
  return [encodeHeading({ ...stamp, ...about }), encodeEntry(stamp, { state })];
}

/** With its first lines, so that there is no recording without them. */
function createFile(path: string, text: string): number {
  let fd: number | undefined;
  try {
    fd = openSync(path, "wx", 0o600);
    writeFileSync(fd, text);
    return fd;
  } catch (error) {
    if (fd !== undefined) rmSync(path);
    const isThere = (error as NodeJS.ErrnoException).code === "EEXIST";
    const words = isThere ? "exists already" : `cannot be written: ${errorText(error)}`;
    throw new MonitorError("recording", isThere ? "usage" : "failed", `${path} ${words}`, {
      advice: "record to a new file, in a folder of yours, on a disk with room",
      cause: error,
    });
  }
}
