// The last minutes of a live session in memory, as raw text: segments of lines, each with the state before its first line.
// Nothing is folded until the user looks back.
import type { Store } from "../state/store.ts";
import type { Clock } from "../units/clock.ts";
import type { ChainPosition, StreamEvent } from "../wire/stream-event.ts";
import type { Entry, Stamp } from "./entry.ts";

/** For text and lines, excluding the states. At 50 updates per second about ten minutes. */
const MAX_BYTES = 12 * 1024 * 1024;
/** The oldest segment is dropped as a whole. More segments make going back faster, but hold more states. */
const SEGMENTS = 8;

/** Consecutive lines, numbered from the start of the session. */
interface Segment {
  readonly state: Store;
  readonly start: Stamp;
  readonly first: number;
  readonly lines: PackedLines;
  /** Size of text and lines. */
  bytes: number;
}

export interface HistoryBufferOptions {
  /** Filled by the session. A line must be added before it is applied. */
  readonly live: Store;
  readonly clock: Pick<Clock, "now" | "wall">;
  readonly maxBytes?: number;
}

export class HistoryBuffer {
  readonly #live: Store;
  readonly #clock: Pick<Clock, "now" | "wall">;
  readonly #maxBytes: number;
  /** Oldest first, never empty. */
  readonly #segments: Segment[] = [];
  /** Memory of a dropped segment, reused for the next one. */
  #spare: PackedMemory | undefined;

  constructor({ live, clock, maxBytes = MAX_BYTES }: HistoryBufferOptions) {
    this.#live = live;
    this.#clock = clock;
    this.#maxBytes = maxBytes;
    this.#begin({ t: clock.now(), w: clock.wall() }, 0);
  }

  /** Monotonic milliseconds. */
  get startMs(): number {
    return this.#oldest.start.t;
  }

  get endMs(): number {
    const { lines, start } = this.#newest;
    return lines.timeOf(lines.count - 1) ?? start.t;
  }

  /** Number of the oldest line; `end`: of the next line. */
  get first(): number {
    return this.#oldest.first;
  }

  get end(): number {
    return this.#newest.first + this.#newest.lines.count;
  }

  /** Never exceeds the maximum, except for a single larger message. */
  get bytes(): number {
    return this.#segments.reduce((sum, { bytes }) => sum + bytes, 0);
  }

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

  /** Adds lines of one channel that must stay in one segment; they may be applied already. @param entries at least one */
  made(entries: readonly Entry[], channel: string): void {
    const [{ t, w } = this.#newest.start] = entries;
    const text = JSON.stringify(entries);
    this.#makeRoom(t, w, text.length);
    // A copy: the entries share objects with the live state.
    for (const entry of JSON.parse(text)) this.#newest.lines.addOther(entry, channel);
  }

  pass(nowMs: number): void {
    const stamp = { t: nowMs, w: this.#clock.wall() };
    this.#makeRoom(stamp.t, stamp.w, 0);
    this.#newest.lines.addOther({ ...stamp, pass: true }, undefined);
  }

  line(number: number): PackedLine | undefined {
    const segment = this.segmentOf(number);
    return segment.lines.at(number - segment.first);
  }

  /** Does not decode the line. */
  channelOf(number: number): string | undefined {
    const segment = this.segmentOf(number);
    return segment.lines.channelAt(number - segment.first);
  }

  /** The segment whose state precedes a line, or the oldest one. */
  segmentOf(number: number): Segment {
    return this.#segments.findLast(({ first }) => first <= number) ?? this.#oldest;
  }

  /** Number of the first line after a moment. */
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

  get #oldest(): Segment {
    return this.#segments[0] as Segment;
  }

  get #newest(): Segment {
    return this.#segments.at(-1) as Segment;
  }

  get #segmentBytes(): number {
    return Math.ceil(this.#maxBytes / SEGMENTS);
  }

  /** Begins a new segment when the newest is full, and drops the oldest ones while there are too many bytes. */
  #makeRoom(t: number, w: number, textBytes: number): void {
    const bytes = textBytes + LINE_BYTES;
    const held = this.#newest.bytes;
    if (held > 0 && held + bytes > this.#segmentBytes) this.#begin({ t, w }, this.end);
    this.#newest.bytes += bytes;
    while (this.#segments.length > 1 && this.bytes > this.#maxBytes) {
      this.#spare = this.#segments.shift()?.lines.memory;
    }
  }

  #begin(start: Stamp, first: number): void {
    const lines = new PackedLines(this.#spare);
    this.#spare = undefined;
    this.#segments.push({ state: this.#live.copy(), start, first, lines, bytes: 0 });
  }
}

// Packed lines of a segment: text in one buffer and numbers in another, which the garbage collector does not scan. As objects,
// they would cost a busy session more than everything else it holds.

export interface PackedLine {
  readonly entry: Entry;
  readonly channel: string | undefined;
}

/** An accepted update; `atMs` is monotonic. */
interface PlacedUpdate extends ChainPosition {
  readonly atMs: number;
  readonly channel: string;
  readonly lagMs?: number | undefined;
}

/** The owner may overwrite all of it. */
interface PackedMemory {
  readonly text: Buffer;
  readonly numbers: Float64Array;
}

/** Numbers per line: times, end of its text, lag (NaN for none), and channel. */
const TIME = 0;
const WALL = 1;
const END = 2;
const LAG = 3;
const CHANNEL = 4;
const WIDTH = 5;
/** The lowest bits of the channel number hold flags for the position in the sequence chain. */
const FIRST = 1;
const SNAPSHOT = 2;
const PART = 4;
const PLACES = 8;
/** No channel. */
const NONE = -1;

/** Maximum bytes per line in addition to its text: its numbers, in memory that grows by half. */
const LINE_BYTES = 64;
const FIRST_LINES = 256;

const NOTHING: PackedMemory = { text: Buffer.alloc(0), numbers: new Float64Array(0) };

/** Lines are numbered from 0 in the order in which they were added. */
export class PackedLines {
  /** Reusable once these lines are dropped. */
  memory: PackedMemory;
  count = 0;
  /** Channel names, and the index of each. */
  readonly #names: string[] = [];
  readonly #positions = new Map<string, number>();
  /** The few lines that are not updates. */
  readonly #others = new Map<number, Entry>();

  /** @param memory of dropped lines, to be overwritten */
  constructor(memory: PackedMemory = NOTHING) {
    this.memory = memory;
  }

  timeOf(position: number): number | undefined {
    return position >= 0 && position < this.count ? this.#number(position, TIME) : undefined;
  }

  /**
   * @param w wall clock, Unix milliseconds
   * @param roomBytes capacity for text; a larger first text extends it
   */
  addUpdate(text: string, event: PlacedUpdate, w: number, roomBytes: number): void {
    const begin = this.#endBefore(this.count);
    // Text within this capacity never needs more memory.
    if (begin === 0) this.#makeRoom(text, roomBytes);
    const end = begin + this.memory.text.write(text, begin);
    const { isFirst, isSnapshot, continues } = event;
    const begins = isFirst ? FIRST : isSnapshot ? SNAPSHOT : 0;
    const position = begins | (continues ? PART : 0);
    this.#add(event.atMs, w, end, event.lagMs ?? Number.NaN, event.channel, position);
  }

  addOther(entry: Entry, channel: string | undefined): void {
    this.#others.set(this.count, entry);
    this.#add(entry.t, entry.w, this.#endBefore(this.count), Number.NaN, channel);
  }

  at(position: number): PackedLine | undefined {
    const t = this.timeOf(position);
    if (t === undefined) return undefined;
    const entry = this.#others.get(position) ?? this.#updateAt(position, t);
    return { entry, channel: this.channelAt(position) };
  }

  /** Does not decode its text. */
  channelAt(position: number): string | undefined {
    if (this.timeOf(position) === undefined) return undefined;
    return this.#names[Math.floor(this.#number(position, CHANNEL) / PLACES)];
  }

  #updateAt(position: number, t: number): Entry {
    const lag = this.#number(position, LAG);
    const text = this.memory.text;
    const flags = this.#number(position, CHANNEL) % PLACES;
    const isSo = (bit: number) => (flags & bit) > 0;
    return {
      t,
      w: this.#number(position, WALL),
      in: text.toString("utf8", this.#endBefore(position), this.#number(position, END)),
      update: {
        first: isSo(FIRST),
        snapshot: isSo(SNAPSHOT) ? true : undefined,
        part: isSo(PART) ? true : undefined,
        lag: Number.isNaN(lag) ? undefined : lag,
      },
    };
  }

  #number(position: number, which: number): number {
    return this.memory.numbers[position * WIDTH + which] ?? 0;
  }

  #endBefore(position: number): number {
    return position === 0 ? 0 : this.#number(position - 1, END);
  }

  #makeRoom(text: string, roomBytes: number): void {
    const bytes = Buffer.byteLength(text);
    if (this.memory.text.length >= bytes) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(roomBytes, bytes));
    this.memory = { ...this.memory, text: larger };
  }

  #add(t: number, w: number, end: number, lag: number, channel?: string, update = 0): void {
    const at = this.count * WIDTH;
    if (at === this.memory.numbers.length) this.#makeRoomForLines();
    const { numbers } = this.memory;
    numbers[at + TIME] = t;
    numbers[at + WALL] = w;
    numbers[at + END] = end;
    numbers[at + LAG] = lag;
    numbers[at + CHANNEL] =
      (channel === undefined ? NONE : this.#positionOf(channel) * PLACES) + update;
    this.count++;
  }

  #makeRoomForLines(): void {
    const { numbers } = this.memory;
    const lines = Math.max(FIRST_LINES, Math.floor((this.count * 3) / 2));
    const larger = new Float64Array(lines * WIDTH);
    larger.set(numbers);
    this.memory = { ...this.memory, numbers: larger };
  }

  #positionOf(channel: string): number {
    const known = this.#positions.get(channel);
    if (known !== undefined) return known;
    this.#positions.set(channel, this.#names.length);
    return this.#names.push(channel) - 1;
  }
}
