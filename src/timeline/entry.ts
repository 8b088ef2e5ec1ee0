// One line of a recording. The file is NDJSON: a heading, then one line per occurrence, in order. Format: docs/recordings.md.
import type { ScaleFacts } from "../state/facts-schema.ts";
import type { HeldChannel, HeldSession } from "../state/store.ts";
import type { ChainPosition, StreamEvent } from "../wire/stream-event.ts";

export const FORMAT_VERSION = 1;
/** For a recording that begins with a state made from memory: an older reader would take that for received data. */
export const MADE_VERSION = 2;

export interface RecordingSettings {
  readonly program: string;
  /** Without its options. */
  readonly command: string;
  readonly ws_url: string | null;
  readonly base_url: string | null;
  /** Names only. */
  readonly headers: readonly string[];
  readonly channels: readonly string[];
  readonly interval: string | null;
  readonly simulated: boolean;
  readonly redacted: boolean;
  /** Why the last minutes were saved: an alert, a key, an error. */
  readonly cause?: string | undefined;
  /** From the config, by market. */
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

export interface Acceptance {
  readonly first: boolean;
  /** Omitted for a first update, which always is one. */
  readonly snapshot?: true | undefined;
  /** It continues the transaction of the previous frame. */
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

export function getPosition({ first, snapshot, part }: Acceptance): ChainPosition {
  return { isFirst: first, isSnapshot: first || snapshot === true, continues: part === true };
}

/** State held when the recording began, or when an audit had corrected a channel, made from memory. */
export type Made =
  /** A channel; its frames are the preceding `made` lines. */
  | Omit<HeldChannel, "updates">
  | { readonly session: Omit<HeldSession, "words"> }
  | { readonly scale: ScaleFacts };

export type RecordedEvent = Exclude<StreamEvent, { type: "update" }>;

/** Any line after the first. */
export type Entry = Stamp &
  (
    | {
        readonly in: string;
        readonly update?: Acceptance | undefined;
        /** Not received: a frame that restores held state, or one corrected by an audit. */
        readonly made?: true | undefined;
      }
    | { readonly made: Made }
    /** The frame of the last `in` that was received was accepted as an update. */
    | { readonly update: Acceptance }
    | { readonly out: string }
    | { readonly wire: "open" | "ping" | "pong" | "binary" | "end"; readonly detail?: string }
    | { readonly event: RecordedEvent }
    /** Time has advanced. */
    | { readonly pass: true }
    /** Trades from the listing of a market, or why there are none: evidence for its scale. */
    | { readonly listing: string; readonly trades: readonly object[] }
    | { readonly listing: string; readonly obstacle: string }
    /** The view was printed at `t`. */
    | { readonly shown: true }
  );

/** The channel that a line has changed; empty for the whole session; undefined if nothing changed. */
export type Changed = string | undefined;

export function isChangeIn(channels: readonly string[], changed: Changed): boolean {
  return changed !== undefined && (changed === "" || channels.includes(changed));
}

export function getNamedChannel(entry: Entry): string | undefined {
  if ("event" in entry) return entry.event.type === "subscribing" ? entry.event.channel : undefined;
  if (!("made" in entry) || typeof entry.made !== "object") return undefined;
  return "channel" in entry.made ? entry.made.channel : undefined;
}

export function isMadeSession(entry: Entry): boolean {
  return "made" in entry && typeof entry.made === "object" && "session" in entry.made;
}

export function encodeLine(line: Heading | Entry): string {
  return JSON.stringify(line);
}
