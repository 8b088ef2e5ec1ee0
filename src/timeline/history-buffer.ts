// The last minutes of a live session, kept in memory as raw text, so that every moment of them can be shown again:
// segments of lines, each with the state before its first line. Nothing is folded until somebody looks back.
import type { Store } from "../state/store.ts";
import type { Clock } from "../units/clock.ts";
import type { StreamEvent } from "../wire/stream-event.ts";
import type { Stamp } from "./entry.ts";
import { LINE_BYTES, type PackedLine, PackedLines, type PackedMemory } from "./packed-lines.ts";

/** Text and lines that are kept at most; the states beside them add to it. At 50 updates a second about ten minutes. */
const MAX_BYTES = 12 * 1024 * 1024;
/** The oldest is released as a whole. With more of them going back is quicker, and more states are held. */
const SEGMENTS = 8;

/** Lines in a row. Lines are numbered from the start of the session. */
export interface Segment {
  readonly state: Store;
  readonly start: Stamp;
  readonly first: number;
  readonly lines: PackedLines;
}

/** What is kept, and how much of it. */
export interface HistoryBufferOptions {
  /** What the session fills. A line must be kept before it is applied. */
  readonly live: Store;
  readonly clock: Pick<Clock, "now" | "wall">;
  readonly maxBytes?: number;
}

/** Keeps lines from the time that it is made; the oldest make room for the newest. */
export class HistoryBuffer {
  readonly #live: Store;
  readonly #clock: Pick<Clock, "now" | "wall">;
  readonly #maxBytes: number;
  /** Oldest first, never empty. */
  readonly #segments: Segment[];
  readonly #bytes: number[] = [0];
  /** Memory of a segment that was released, for the next one. */
  #spare: PackedMemory | undefined;

  constructor({ live, clock, maxBytes = MAX_BYTES }: HistoryBufferOptions) {
    this.#live = live;
    this.#clock = clock;
    this.#maxBytes = maxBytes;
    this.#segments = [
      {
        state: live.copy(),
        start: { t: clock.now(), w: clock.wall() },
        first: 0,
        lines: new PackedLines(),
      },
    ];
  }

  /** The oldest moment that can be shown, and the newest, monotonic milliseconds. */
  get startMs(): number {
    return this.#segments[0]?.start.t ?? 0;
  }

  get endMs(): number {
    const { lines, start } = this.#newest;
    return lines.timeOf(lines.count - 1) ?? start.t;
  }

  /** Number of the oldest line that is kept, and of the next one to come. */
  get first(): number {
    return this.#segments[0]?.first ?? 0;
  }

  get end(): number {
    return this.#newest.first + this.#newest.lines.count;
  }

  /** Text and lines, in bytes: never more than was asked for, but for one message that is larger alone. */
  get bytes(): number {
    return this.#bytes.reduce((sum, bytes) => sum + bytes, 0);
  }

  /** A stream event, before the state has it. */
  event(event: StreamEvent): void {
    const t = event.atMs;
    const w = this.#clock.wall();
    if (event.type !== "update") {
      const channel = "channel" in event ? event.channel : undefined;
      this.#makeRoom(t, w, JSON.stringify(event).length);
      this.#newest.lines.addOther({ t, w, event }, channel);
      return;
    }
    const { message } = event.update;
    this.#makeRoom(t, w, Buffer.byteLength(message));
    this.#newest.lines.addUpdate(message, event, w, this.#segmentBytes);
  }

  pass(nowMs: number): void {
    const stamp = { t: nowMs, w: this.#clock.wall() };
    this.#makeRoom(stamp.t, stamp.w, 0);
    this.#newest.lines.addOther({ ...stamp, pass: true }, undefined);
  }

  line(number: number): PackedLine | undefined {
    const segment = this.segmentOf(number);
    return segment?.lines.at(number - segment.first);
  }

  /** The channel that a line is about; undefined where it is about none, or is not kept. */
  channelOf(number: number): string | undefined {
    const segment = this.segmentOf(number);
    return segment?.lines.channelAt(number - segment.first);
  }

  /** The segment from whose state everything before a line can be applied; undefined when it is not kept any more. */
  segmentOf(number: number): Segment | undefined {
    return this.#segments.findLast(({ first }) => first <= number);
  }

  /** Count of the lines, from the start of the session, that had been applied at a moment. */
  endAt(ms: number): number {
    const segment = this.#segments.findLast(({ start }) => start.t <= ms);
    if (segment === undefined) return this.first;
    const { lines, first } = segment;
    let low = 0;
    let high = lines.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((lines.timeOf(middle) ?? 0) <= ms) low = middle + 1;
      else high = middle;
    }
    return first + low;
  }

  get #newest(): Segment {
    return this.#segments.at(-1) as Segment;
  }

  get #segmentBytes(): number {
    return Math.ceil(this.#maxBytes / SEGMENTS);
  }

  /** Room for one more line: a new segment when the newest is full, the oldest let go when there are too many bytes. */
  #makeRoom(t: number, w: number, textBytes: number): void {
    const bytes = textBytes + LINE_BYTES;
    const held = this.#bytes.at(-1) ?? 0;
    if (held > 0 && held + bytes > this.#segmentBytes) this.#begin({ t, w });
    this.#bytes[this.#bytes.length - 1] = (this.#bytes.at(-1) ?? 0) + bytes;
    while (this.#segments.length > 1 && this.bytes > this.#maxBytes) {
      this.#spare = this.#segments.shift()?.lines.memory;
      this.#bytes.shift();
    }
  }

  #begin(start: Stamp): void {
    const lines = new PackedLines(this.#spare);
    this.#spare = undefined;
    this.#segments.push({ state: this.#live.copy(), start, first: this.end, lines });
    this.#bytes.push(0);
  }
}
