// One line of a recording, and how it is written. The file is NDJSON: a first line that says what it is, then one line for
// each thing that happened, in order. Format: docs/recordings.md.
import type { ScaleFacts } from "../state/scales.ts";
import type { HeldChannel, HeldSession } from "../state/store.ts";
import type { StreamEvent, UpdatePlace } from "../wire/stream-event.ts";

export const FORMAT_VERSION = 1;
/** Of a recording that begins with a state that was made from memory: a reader of the first would say that it was received. */
export const MADE_VERSION = 2;

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
  /** Why a recording of the last minutes was written: an alert in words, a key, an error. */
  readonly cause?: string | undefined;
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

/** What was held when the recording began, made from memory; nothing of it was received at that moment. */
export type Made =
  /** A channel: its frames are the lines before, marked `made`. */
  | Omit<HeldChannel, "updates">
  | { readonly session: Omit<HeldSession, "words"> }
  | { readonly scale: ScaleFacts };

export type RecordedEvent = Exclude<StreamEvent, { type: "update" }>;

/** Everything after the first line. */
export type Entry = Stamp &
  (
    | {
        readonly in: string;
        readonly update?: Acceptance | undefined;
        /** Not received: a frame that brings about what was held. */
        readonly made?: true | undefined;
      }
    | { readonly made: Made }
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

/** The channel that a line makes known for the first time: it was subscribed, or was held before. */
export function getNamedChannel(entry: Entry): string | undefined {
  if ("event" in entry) return entry.event.type === "subscribing" ? entry.event.channel : undefined;
  if (!("made" in entry) || typeof entry.made !== "object") return undefined;
  return "channel" in entry.made ? entry.made.channel : undefined;
}

/** True for the line with which a recording says that it begins with a state that was made. */
export function isMadeSession(entry: Entry): boolean {
  return "made" in entry && typeof entry.made === "object" && "session" in entry.made;
}

/** One line, without its end. */
export function encodeLine(line: Heading | Entry): string {
  return JSON.stringify(line);
}
