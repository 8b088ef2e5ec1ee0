// Recent events for the log on the screen. Repeated lines are counted instead of kept.
import { formatIsoMs } from "../units/time.ts";
import type { Link, StreamEvent } from "../wire/stream-event.ts";

/** Lines kept: some hours of a bad day. */
const MAX_LINES = 1000;

export interface LoggedLine extends LogLine {
  /** How many times in a row it happened; `atMs` is the last time. */
  readonly times: number;
}

export class EventLog {
  /** Oldest first. */
  lines: LoggedLine[] = [];
  version = 0;

  clear(): void {
    this.lines = [];
    this.version++;
  }

  add(line: LogLine): void {
    this.version++;
    const last = this.lines.at(-1);
    if (last !== undefined && isSame(last, line)) {
      this.lines[this.lines.length - 1] = { ...last, ...line, times: last.times + 1 };
      return;
    }
    // Trims many lines at once, so that a flood does not copy the list for each line.
    if (this.lines.length >= MAX_LINES * 1.5) this.lines = this.lines.slice(-MAX_LINES);
    this.lines.push({ ...line, times: 1 });
  }
}

function isSame(a: LogLine, b: LogLine): boolean {
  return a.what === b.what && a.channel === b.channel && a.level === b.level;
}

// Events as text with a level: the lines of the log on the screen and of the log file. Updates are not included.

type LogLevel = "debug" | "info" | "warn" | "error";

export interface LogLine {
  /** Monotonic milliseconds. */
  readonly atMs: number;
  readonly level: LogLevel;
  /** Stable code: `gap`, `resync`, `connected` … */
  readonly what: string;
  readonly channel: string | undefined;
  /** Details; may contain text from the service. */
  readonly detail: string;
}

type Logged = Exclude<StreamEvent, { type: "update" | "link" | "forgotten" }>;
type EventOf<T extends Logged["type"]> = Extract<Logged, { type: T }>;
type Words = readonly [level: LogLevel, detail: string];
type Word<T extends Logged["type"]> = (event: EventOf<T>) => Words;

const WORDS: { readonly [T in Logged["type"]]: Word<T> } = {
  subscribing: () => ["debug", ""],
  unsubscribed: () => ["debug", ""],
  probing: () => ["debug", "silent: asked whether the subscription stands"],
  confirmed: () => ["debug", "the subscription stands"],
  doubted: ({ reason }) => ["warn", reason],
  late: (event) => ["info", formatDropped(event)],
  numbering: (event) => ["warn", formatNumbering(event)],
  lost: ({ reason = "the service had lost the subscription" }) => ["warn", reason],
  "probing-off": ({ reason }) => ["warn", reason],
  gap: (event) => ["warn", formatGap(event)],
  resync: ({ reason }) => ["warn", reason],
  filled: ({ trades }) => ["info", formatFilled(trades.length)],
  since: ({ sinceMs }) => ["info", `trades are requested from ${formatIsoMs(sinceMs)} on`],
  unavailable: ({ message }) => ["warn", message],
  refused: ({ code, message }) => ["error", `${code}: ${message}`],
  rejected: ({ rejection: { reason, path, detail, sample } }) => [
    "warn",
    `${reason}${path === "" ? "" : ` at ${path}`}: ${detail}: ${sample}`,
  ],
  drift: ({ drifts: [first] }) => [
    first === undefined ? "debug" : "info",
    first === undefined ? "" : `${first.path === "" ? "" : `${first.path}: `}${first.detail}`,
  ],
  "service-error": ({ code, message }) => ["error", `${code}: ${message}`],
};

export function formatGap({ held, previous, sequence }: EventOf<"gap">): string {
  const number = sequence === undefined ? "" : `, ${sequence},`;
  return `held ${held}, the next update${number} names ${previous} before it`;
}

function formatFilled(count: number): string {
  if (count === 0) return "no trade was missed, by the listing";
  return `${count} missed ${count === 1 ? "trade" : "trades"} from the listing`;
}

/** Why a frame was dropped, as text. */
export function formatDropped({ sequence, isRepeat }: EventOf<"late">): string {
  const frame = typeof sequence === "string" ? `update ${sequence}` : "an update without a number";
  return isRepeat
    ? `${frame} was received before`
    : `${frame} is older than the first of the subscription`;
}

/** What `previous_sequence` was found to name, as text. */
export function formatNumbering({ kind, previous, frames, unseen }: EventOf<"numbering">): string {
  if (previous === "frame") return `${kind}: previous names the frame before all the same`;
  return previous === "nothing"
    ? `${kind}: previous is null in each of ${frames} frames: it says nothing, and missed frames cannot be seen by it`
    : `${kind}: previous counts the transactions of the service, not the frames of a channel: it was the sequence less one in ${frames} frames, and never seen in ${unseen}; missed frames cannot be seen by it`;
}

/**
 * The log line of an event; undefined for updates and forgotten channels, and if only measurements of the link have changed.
 * @param link as before the event
 */
export function logLine(link: Link | undefined, event: StreamEvent): LogLine | undefined {
  if (event.type === "update" || event.type === "forgotten") return undefined;
  if (event.type === "link") return linkLine(link, event.link, event.atMs);
  const [level, detail] = (WORDS[event.type] as Word<Logged["type"]>)(event);
  const channel = "channel" in event ? event.channel : undefined;
  const what = event.type === "late" && event.isRepeat ? "repeat" : event.type;
  return { atMs: event.atMs, level, what, channel, detail };
}

function linkLine(before: Link | undefined, now: Link, atMs: number): LogLine | undefined {
  const line = (level: LogLevel, what: string, detail: string) =>
    ({ atMs, level, what, channel: undefined, detail }) satisfies LogLine;
  const { state, fault, protocolVersion, isLate } = now;
  if (before?.state !== state) {
    if (state === "waiting") return line("warn", "disconnected", fault?.detail ?? "");
    return line(state === "open" ? "info" : "debug", state === "open" ? "connected" : state, "");
  }
  if (protocolVersion !== before.protocolVersion && protocolVersion !== undefined) {
    return line("info", "hello", `protocol version ${protocolVersion}`);
  }
  if (isLate && !before.isLate) return line("warn", "late", "updates arrive later and later");
  return undefined;
}
