// One line of a recording, and how it is written. The file is NDJSON: a first line that says what it is, then one line for
// each thing that happened, in order. Format: docs/recordings.md.
import type { StreamEvent, UpdatePlace } from "../wire/stream-event.ts";

export const FORMAT_VERSION = 1;

/** What is known of the run that was recorded. Values of headers are never part of it. */
export interface RecordingSettings {
  readonly program: string;
  /** Words of the command line without its options. */
  readonly command: string;
  readonly ws_url: string | null;
  readonly base_url: string | null;
  /** Names only. */
  readonly headers: readonly string[];
  readonly channels: readonly string[];
  readonly interval: string | null;
  readonly strict: boolean;
  readonly simulated: boolean;
  readonly redacted: boolean;
  /** Scales that the config gave, by market. */
  readonly scales: Readonly<
    Record<string, { readonly tick_size: string; readonly lot_size: string }>
  >;
}

/** `t`: monotonic milliseconds of the recording machine; `w`: its wall clock, Unix milliseconds. */
export interface Stamp {
  readonly t: number;
  readonly w: number;
}

export interface Heading extends Stamp {
  readonly recording: number;
  readonly settings: RecordingSettings;
}

/** The place of an accepted update; `snapshot` and `part` are absent where they are false. */
export interface Acceptance {
  readonly first: boolean;
  /** Its transaction is a snapshot; of a first one that goes without saying. */
  readonly snapshot?: true | undefined;
  /** It continues the transaction of the one before. */
  readonly part?: true | undefined;
  readonly lag?: number | undefined;
}

export function getAcceptance(event: Extract<StreamEvent, { type: "update" }>): Acceptance {
  const { isFirst, isSnapshot, continues, lagMs } = event;
  return {
    first: isFirst,
    snapshot: isSnapshot && !isFirst ? true : undefined,
    part: continues ? true : undefined,
    lag: lagMs,
  };
}

export function getPlace({ first, snapshot, part }: Acceptance): UpdatePlace {
  return { isFirst: first, isSnapshot: first || snapshot === true, continues: part === true };
}

export type RecordedEvent = Exclude<StreamEvent, { type: "update" }>;

/** Everything after the first line. */
export type Entry = Stamp &
  (
    | { readonly in: string; readonly update?: Acceptance | undefined }
    /** The frame of the last `in` was accepted as an update. */
    | { readonly update: Acceptance }
    | { readonly out: string }
    | { readonly wire: "open" | "ping" | "pong" | "binary" | "end"; readonly detail?: string }
    | { readonly event: RecordedEvent }
    /** Time passed for what waits for it. */
    | { readonly pass: true }
    /** What is known of a market's scale has changed: trades that the listing gave, or why it could not. */
    | { readonly listing: string; readonly trades: readonly object[] }
    | { readonly listing: string; readonly obstacle: string }
    /** The view was printed as it was at `t`. */
    | { readonly shown: true }
  );

/** What a line has changed: a channel, or all of the session, which is an empty name; undefined for nothing. */
export type Changed = string | undefined;

export function isChangeIn(channels: readonly string[], changed: Changed): boolean {
  return changed !== undefined && (changed === "" || channels.includes(changed));
}

/** One line, without its end. */
export function encodeLine(line: Heading | Entry): string {
  return JSON.stringify(line);
}
