// Opens the recording of a command: its file, and the recorder that writes to it.

import type { Context } from "../args/context.ts";
import { VERSION } from "../system/version.ts";
import { Recorder } from "../timeline/recorder.ts";
import { openRecordingWriter } from "../timeline/recording-writer.ts";
import { formatDecimal } from "../units/decimal.ts";
import type { Scale } from "../units/scale.ts";
import type { Recording, RecordingFacts } from "./recording.ts";

/**
 * Starts to record to a file.
 * @throws {UsageError} when the file exists or cannot be made
 */
export async function openCommandRecording(
  context: Context,
  path: string,
  facts: RecordingFacts,
): Promise<Recording> {
  const { clock, options } = context;
  const writer = await openRecordingWriter(path, clock);
  const { service, command, channels = [], interval, isSimulated = false, knownScales } = facts;
  const recorder = new Recorder({
    clock,
    write: (line) => writer.write(line),
    settings: {
      program: `monitor ${VERSION}`,
      command,
      ws_url: withoutQuery(service.url),
      base_url: service.baseUrl ?? null,
      headers: Object.keys(service.headers),
      channels,
      interval: interval ?? null,
      strict: options.strict ?? false,
      simulated: isSimulated,
      redacted: options.redact ?? false,
      scales: scalesOf(knownScales ?? {}),
    },
  });
  return {
    recorder,
    get failure() {
      return writer.failure;
    },
    close: () => writer.close(),
  };
}

/** A key may stand in it. */
function withoutQuery(url: string): string {
  return url.replace(/\?.*$/s, "?[hidden]");
}

function scalesOf(known: Readonly<Record<string, Scale>>) {
  return Object.fromEntries(
    Object.entries(known).map(([market, { tickSize, lotSize }]) => [
      market,
      { tick_size: formatDecimal(tickSize), lot_size: formatDecimal(lotSize) },
    ]),
  );
}
