// A recording of a command's live session, from the first connection to the end of the command. What writes it is loaded
// when one is asked for: a start without one does without it.

import type { Context } from "../args/context.ts";
import type { Service } from "../config/service.ts";
import type { Recorder } from "../timeline/recorder.ts";
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
      const { openCommandRecording } = await import("./command-recording.ts");
      recording = await openCommandRecording(context, path, { ...facts, service });
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
