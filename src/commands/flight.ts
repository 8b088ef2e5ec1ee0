// Recordings of the last minutes of a run: by key, by command, by an alert, and after an internal error.
import { writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { lookIntoFolder, MAX_BYTES, MAX_FILES } from "../alerts/record-effect.ts";
import type { Context } from "../args/context.ts";
import { dataFolder } from "../config/config-location.ts";
import type { SaveRequest } from "../screen/dashboard.ts";
import { formatMarket, type Market } from "../select/market.ts";
import { resolveOutputPath } from "../system/named-file.ts";
import { makeOwnersFolder } from "../system/own-file.ts";
import { AFTER_MS, BEFORE_MS, formatFlightName } from "../timeline/flight-file.ts";
import {
  type Flight,
  FlightRecorder,
  type FlightRecorderOptions,
} from "../timeline/flight-recorder.ts";
import { errorText } from "../units/monitor-error.ts";
import { formatSpan } from "../units/time.ts";
import { createRecordingSettings, type RecordingFacts } from "./recording.ts";

const OWNER_ONLY = 0o600;

export interface FlightRun extends Pick<FlightRecorderOptions, "historyBuffer" | "scales"> {
  /** True while account data is masked on the screen; it is then masked in recordings too. */
  readonly isMasked: () => boolean;
  /** What is known about the run so far. */
  readonly facts: () => RecordingFacts;
}

/** From now until the recorder is closed, an internal error saves the last minutes to a file. */
export function openFlightRecorder(context: Context, run: FlightRun): FlightRecorder {
  const { clock, options, blackBox } = context;
  const { isMasked, facts, ...rest } = run;
  const recorder = new FlightRecorder({
    ...rest,
    clock,
    isMasked,
    settings: () => {
      const settings = createRecordingSettings(options, facts());
      return { ...settings, redacted: settings.redacted || isMasked() };
    },
  });
  if (blackBox === undefined) return recorder;
  let folderOfData: string | undefined;
  dataFolder().then(
    (folder) => {
      folderOfData = folder;
    },
    () => {},
  );
  blackBox.write = (error) => {
    const folder = getLogFolder(options.log) ?? folderOfData ?? resolve(".");
    return writeLastMinutes(recorder, join(folder, formatFlightName(clock.wall(), "error")), error);
  };
  return recorder;
}

/** The folder of the log, if it is a file. */
function getLogFolder(log: string | undefined): string | undefined {
  if (log === undefined) return undefined;
  const { kind, path } = resolveOutputPath(log, "expected: --log FILE");
  return kind === "file" ? dirname(resolve(path)) : undefined;
}

/** @returns a message about the outcome, for the user */
function writeLastMinutes(recorder: FlightRecorder, path: string, error: unknown): string {
  try {
    const folder = dirname(path);
    makeOwnersFolder(folder);
    const { files, bytes } = lookIntoFolder(folder);
    if (files >= MAX_FILES || bytes >= MAX_BYTES) {
      return `the last minutes are not saved: ${folder} holds ${files} recordings`;
    }
    const text = recorder.lastLines(`error: ${errorText(error)}`);
    writeFileSync(path, text, { flag: "wx", mode: OWNER_ONLY });
    return `the last minutes are in ${path}`;
  } catch (fault) {
    return `the last minutes are not saved: ${errorText(fault)}`;
  }
}

interface Saving {
  readonly recorder: FlightRecorder;
  readonly clock: Context["clock"];
  readonly market: () => Market | undefined;
  readonly say: (words: string) => void;
}

/** The action of the save key and command; the key ends a recording that is still being written. */
export function createSave({
  recorder,
  clock,
  market,
  say,
}: Saving): (request: SaveRequest) => void {
  let newest: Flight | undefined;
  const start = async ({ beforeMs = BEFORE_MS, path }: SaveRequest) => {
    const shown = market();
    const name = shown === undefined ? "session" : formatMarket(shown);
    const nowMs = clock.now();
    const file = path ?? formatFlightName(clock.wall(), name);
    const flight = await recorder.start(file, {
      beforeMs,
      afterMs: AFTER_MS,
      market: shown && name,
      cause: path === undefined ? "saved by key" : "saved by command",
      onEnd: ({ failure, span }) =>
        say(failure === undefined ? `saved ${file}: ${span}` : failure.message),
    });
    newest = flight;
    const savedMs = nowMs - flight.startMs;
    const all = savedMs < beforeMs ? " (all there is)" : "";
    say(`saving ${formatSpan(savedMs)}${all} and a minute more: ${file}`);
  };
  return (request) => {
    if (request.byKey && newest?.isWriting) void newest.close();
    else start(request).catch((error) => say(`not saved: ${errorText(error)}`));
  };
}
