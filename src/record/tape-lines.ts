// Lines of a tape in a row, packed: texts in one piece of memory and numbers in lists of numbers, which the collector of
// garbage does not look into. As objects they would cost a busy session more than everything else that it keeps.
import type { Acceptance, Entry, Stamp } from "./entry.ts";

/** A line, and the channel that it is about; undefined where it is about none. */
export interface Kept {
  readonly entry: Entry;
  readonly channel: string | undefined;
}

/** What a line takes at most beside its text: five numbers of eight bytes, in lists that grow by half. */
export const LINE_BYTES = 64;

export class TapeLines {
  #text: Buffer | undefined;
  readonly #times: number[] = [];
  readonly #walls: number[] = [];
  readonly #channels: (string | undefined)[] = [];
  /** Where the text of each line ends. */
  readonly #ends: number[] = [];
  /** NaN where nothing can be said. */
  readonly #lags: number[] = [];
  readonly #firsts = new Set<number>();
  /** Lines that are no updates: few. */
  readonly #others = new Map<number, Entry>();

  /** @param text memory of lines that are not kept any more, to be written over */
  constructor(text?: Buffer | undefined) {
    this.#text = text;
  }

  get count(): number {
    return this.#times.length;
  }

  /** Memory of its texts; undefined before the first. */
  get memory(): Buffer | undefined {
    return this.#text;
  }

  /** Time of a line, monotonic milliseconds; undefined when there is no such line. */
  timeOf(place: number): number | undefined {
    return this.#times[place];
  }

  /** @param roomBytes what the texts may take in all; a first one may be larger */
  addUpdate(
    stamp: Stamp,
    text: string,
    { first, lag }: Acceptance,
    channel: string,
    roomBytes: number,
  ) {
    const place = this.count;
    const begin = this.#ends[place - 1] ?? 0;
    const end = begin + Buffer.byteLength(text);
    // Whoever keeps to the room never needs more memory behind a first text.
    if (begin === 0 && (this.#text?.length ?? 0) < end) {
      this.#text = Buffer.allocUnsafeSlow(Math.max(roomBytes, end));
    }
    this.#text?.write(text, begin);
    if (first) this.#firsts.add(place);
    this.#add(stamp, channel, end, lag ?? Number.NaN);
  }

  addOther(entry: Entry, channel: string | undefined): void {
    this.#others.set(this.count, entry);
    this.#add(entry, channel, this.#ends.at(-1) ?? 0, Number.NaN);
  }

  /** Undefined when there is no such line. */
  at(place: number): Kept | undefined {
    const t = this.#times[place];
    if (t === undefined) return undefined;
    const channel = this.#channels[place];
    const entry = this.#others.get(place) ?? this.#updateAt(place, t);
    return { entry, channel };
  }

  #updateAt(place: number, t: number): Entry {
    const lag = this.#lags[place];
    return {
      t,
      w: this.#walls[place] ?? 0,
      in: this.#text?.toString("utf8", this.#ends[place - 1] ?? 0, this.#ends[place]) ?? "",
      update: { first: this.#firsts.has(place), lag: Number.isNaN(lag) ? undefined : lag },
    };
  }

  #add({ t, w }: Stamp, channel: string | undefined, end: number, lag: number): void {
    this.#times.push(t);
    this.#walls.push(w);
    this.#channels.push(channel);
    this.#ends.push(end);
    this.#lags.push(lag);
  }
}
