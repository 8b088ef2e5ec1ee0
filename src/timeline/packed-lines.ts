// Lines of a history buffer in a row, packed: texts in one piece of memory and numbers in another, which the collector of garbage
// does not look into. As objects they would cost a busy session more than everything else that it keeps.
import type { UpdatePlace } from "../wire/stream-event.ts";
import type { Entry } from "./entry.ts";

/** A line, and the channel that it is about; undefined where it is about none. */
export interface PackedLine {
  readonly entry: Entry;
  readonly channel: string | undefined;
}

/** Of an update: when it came, monotonic, its channel and its place there. */
export interface PlacedUpdate extends UpdatePlace {
  readonly atMs: number;
  readonly channel: string;
  readonly lagMs?: number | undefined;
}

/** What lines are packed in. Whoever has it may write over all of it. */
export interface PackedMemory {
  readonly text: Buffer;
  readonly numbers: Float64Array;
}

/** Places of a line's numbers: times, where its text ends, its lag (NaN where nothing can be said), and its channel. */
const TIME = 0;
const WALL = 1;
const END = 2;
const LAG = 3;
const CHANNEL = 4;
const WIDTH = 5;
/** The last number has the channel and, in its lowest bits, the place of an update among those of its channel. */
const FIRST = 1;
const SNAPSHOT = 2;
const PART = 4;
const PLACES = 8;
/** Stands for no channel. */
const NONE = -1;

/** What a line takes at most beside its text: its numbers, in memory that grows by half. */
export const LINE_BYTES = 64;
const FIRST_LINES = 256;

const NOTHING: PackedMemory = { text: Buffer.alloc(0), numbers: new Float64Array(0) };

/** Lines of one segment, numbered from 0 in the order in which they were added. */
export class PackedLines {
  /** What they are packed in: of no use to others while these lines are kept. */
  memory: PackedMemory;
  count = 0;
  /** Names of channels, and the place of each among them. */
  readonly #names: string[] = [];
  readonly #places = new Map<string, number>();
  /** Lines that are no updates: few. */
  readonly #others = new Map<number, Entry>();

  /** @param memory that of lines that are not kept any more, to be written over */
  constructor(memory: PackedMemory = NOTHING) {
    this.memory = memory;
  }

  timeOf(place: number): number | undefined {
    return place >= 0 && place < this.count ? this.#number(place, TIME) : undefined;
  }

  /**
   * Adds an update, as it is emitted: nothing is made of it on the way.
   * @param w wall clock, Unix milliseconds
   * @param roomBytes what the texts may take in all; a first one may be larger
   */
  addUpdate(text: string, event: PlacedUpdate, w: number, roomBytes: number): void {
    const begin = this.#endBefore(this.count);
    // Whoever keeps to the room never needs more memory behind a first text.
    if (begin === 0) this.#makeRoom(text, roomBytes);
    const end = begin + this.memory.text.write(text, begin);
    const { isFirst, isSnapshot, continues } = event;
    const begins = isFirst ? FIRST : isSnapshot ? SNAPSHOT : 0;
    const place = begins | (continues ? PART : 0);
    this.#add(event.atMs, w, end, event.lagMs ?? Number.NaN, event.channel, place);
  }

  addOther(entry: Entry, channel: string | undefined): void {
    this.#others.set(this.count, entry);
    this.#add(entry.t, entry.w, this.#endBefore(this.count), Number.NaN, channel);
  }

  at(place: number): PackedLine | undefined {
    const t = this.timeOf(place);
    if (t === undefined) return undefined;
    const channel = this.#channelAt(place);
    const entry = this.#others.get(place) ?? this.#updateAt(place, t);
    return { entry, channel };
  }

  /** The channel that a line is about, where it is about one; without reading its text. */
  channelAt(place: number): string | undefined {
    return this.timeOf(place) === undefined ? undefined : this.#channelAt(place);
  }

  #channelAt(place: number): string | undefined {
    return this.#names[Math.floor(this.#number(place, CHANNEL) / PLACES)];
  }

  #updateAt(place: number, t: number): Entry {
    const lag = this.#number(place, LAG);
    const text = this.memory.text;
    const flags = this.#number(place, CHANNEL) % PLACES;
    const isSo = (bit: number) => (flags & bit) > 0;
    return {
      t,
      w: this.#number(place, WALL),
      in: text.toString("utf8", this.#endBefore(place), this.#number(place, END)),
      update: {
        first: isSo(FIRST),
        snapshot: isSo(SNAPSHOT) ? true : undefined,
        part: isSo(PART) ? true : undefined,
        lag: Number.isNaN(lag) ? undefined : lag,
      },
    };
  }

  #number(place: number, which: number): number {
    return this.memory.numbers[place * WIDTH + which] ?? 0;
  }

  #endBefore(place: number): number {
    return place === 0 ? 0 : this.#number(place - 1, END);
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
      (channel === undefined ? NONE : this.#placeOf(channel) * PLACES) + update;
    this.count++;
  }

  #makeRoomForLines(): void {
    const { numbers } = this.memory;
    const lines = Math.max(FIRST_LINES, Math.floor((this.count * 3) / 2));
    const larger = new Float64Array(lines * WIDTH);
    larger.set(numbers);
    this.memory = { ...this.memory, numbers: larger };
  }

  #placeOf(channel: string): number {
    const known = this.#places.get(channel);
    if (known !== undefined) return known;
    this.#places.set(channel, this.#names.length);
    return this.#names.push(channel) - 1;
  }
}
