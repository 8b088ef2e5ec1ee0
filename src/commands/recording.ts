// A recording of a command's live session. The writer is loaded on demand: starts without a recording are faster.

import type { Context } from "../args/context.ts";
import type { Service } from "../live/service.ts";
import { VERSION } from "../system/version.ts";
import type { RecordingSettings } from "../timeline/entry.ts";
import type { Recorder } from "../timeline/recorder.ts";
import { formatDecimal } from "../units/decimal.ts";
import type { Scale } from "../units/scale.ts";

/** Facts about a run, for the heading of its recording. */
export interface RecordingFacts {
  /** Undefined until it is known. */
  readonly service?: Service | undefined;
  readonly command: string;
  readonly channels?: readonly string[];
  readonly interval?: string;
  readonly isSimulated?: boolean;
  readonly knownScales?: Readonly<Record<string, Scale>>;
}

interface Recording {
  readonly recorder: Recorder;
  /** Why the recording ended before the command did, if it did. */
  readonly failure: Error | undefined;
  close(): Promise<void>;
}

/**
 * Records the session of a command's service.
 * @param path undefined: no recording
 * @param run receives how to find the service, and whether the recording has failed
 * @throws the recording's failure, unless the command fails itself; {UsageError} when the file exists or cannot be created
 */
export async function withRecording(
  context: Context,
  path: string | undefined,
  findService: () => Promise<Service>,
  facts: RecordingFacts,
  run: (findService: () => Promise<Service>, hasFailed: () => boolean) => Promise<number>,
): Promise<number> {
  if (path === undefined) return run(findService, () => false);
  warnOfMask(context);
  let recording: Recording | undefined;
  const findRecorded = async () => {
    const service = await findService();
    recording = await openRecording(context, path, { ...facts, service });
    return { ...service, recorder: recording.recorder };
  };
  try {
    const code = await run(findRecorded, () => recording?.failure !== undefined);
    await recording?.close();
    if (recording?.failure !== undefined) throw recording.failure;
    return code;
  } finally {
    await recording?.close();
  }
}

/** Warns once, before the screen opens, that the mask does not apply to the file. */
function warnOfMask({ options, stderr }: Context): void {
  if (!options.mask || options.redact) return;
  stderr.write("monitor: the recording is not masked; --redact replaces the addresses in it\n");
}

async function openRecording(
  context: Context,
  path: string,
  facts: RecordingFacts,
): Promise<Recording> {
  const [{ Recorder }, { openRecordingWriter }] = await Promise.all([
    import("../timeline/recorder.ts"),
    import("../timeline/recording-writer.ts"),
  ]);
  const { clock, options } = context;
  const writer = await openRecordingWriter(path, clock);
  const recorder = new Recorder({
    clock,
    write: (line) => writer.write(line),
    settings: createRecordingSettings(options, facts),
  });
  return {
    recorder,
    get failure() {
      return writer.failure;
    },
    close: () => writer.close(),
  };
}

/** The settings for the heading; those of the service only once it is known. */
export function createRecordingSettings(
  options: Context["options"],
  facts: RecordingFacts,
): RecordingSettings {
  const { service, command, channels = [], interval, isSimulated = false, knownScales } = facts;
  return {
    program: `monitor ${VERSION}`,
    command,
    ws_url: service === undefined ? null : withoutQuery(service.url),
    base_url: service?.baseUrl ?? null,
    headers: Object.keys(service?.headers ?? {}),
    channels,
    interval: interval ?? null,
    simulated: isSimulated,
    redacted: options.redact ?? false,
    scales: getScales(knownScales ?? {}),
  };
}

/** The query may contain an API key. */
function withoutQuery(url: string): string {
  return url.replace(/\?.*$/s, "?[hidden]");
}

function getScales(known: Readonly<Record<string, Scale>>) {
  return Object.fromEntries(
    Object.entries(known).map(([market, { tickSize, lotSize }]) => [
      market,
      { tick_size: formatDecimal(tickSize), lot_size: formatDecimal(lotSize) },
    ]),
  );
}
