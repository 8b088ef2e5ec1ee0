// A recording of a command's live session, from the first connection to the end of the command. What writes it is loaded
// when one is asked for: a start without one does without it.

import type { Context } from "../args/context.ts";
import type { Service } from "../live/service.ts";
import { VERSION } from "../system/version.ts";
import type { RecordingSettings } from "../timeline/entry.ts";
import type { Recorder } from "../timeline/recorder.ts";
import { formatDecimal } from "../units/decimal.ts";
import type { Scale } from "../units/scale.ts";

/** What the heading of a recording says of its run. */
export interface RecordingFacts {
  readonly service: Service;
  readonly command: string;
  readonly channels?: readonly string[];
  readonly interval?: string;
  readonly isSimulated?: boolean;
  readonly knownScales?: Readonly<Record<string, Scale>>;
}

/** The same of a run whose service may not be found yet. */
export type KnownFacts = Omit<RecordingFacts, "service"> & {
  readonly service?: Service | undefined;
};

/** A recording that is being written. */
export interface Recording {
  readonly recorder: Recorder;
  /** Why the recording ended before the command did. */
  readonly failure: Error | undefined;
  close(): Promise<void>;
}

/**
 * Runs a command with a service whose session is recorded, when --record asks for it.
 * @throws the recording's failure, when the command itself has none
 */
export async function withRecording(
  context: Context,
  findService: () => Promise<Service>,
  facts: Omit<RecordingFacts, "service">,
  run: (findService: () => Promise<Service>) => Promise<number>,
): Promise<number> {
  const path = context.options.record;
  if (path === undefined) return run(findService);
  warnOfMask(context);
  let recording: Recording | undefined;
  try {
    const code = await run(async () => {
      const service = await findService();
      recording = await openRecording(context, path, { ...facts, service });
      return { ...service, recorder: recording.recorder };
    });
    await recording?.close();
    if (recording?.failure !== undefined) throw recording.failure;
    return code;
  } finally {
    await recording?.close();
  }
}

/** Said once, before there is a screen: what is hidden on it is not hidden in the file. */
function warnOfMask({ options, stderr }: Context): void {
  if (!options.mask || options.redact) return;
  stderr.write("monitor: the recording is not masked; --redact replaces the addresses in it\n");
}

/**
 * Starts to record to a file.
 * @throws {UsageError} when the file exists or cannot be made
 */
export async function openRecording(
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

/** What the heading says of a run; of its service as far as that is known. */
export function createRecordingSettings(
  options: Context["options"],
  facts: KnownFacts,
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
    strict: options.strict ?? false,
    simulated: isSimulated,
    redacted: options.redact ?? false,
    scales: getScales(knownScales ?? {}),
  };
}

/** A key may stand in it. */
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
