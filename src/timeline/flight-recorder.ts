// Records the last minutes of a live session and what follows: the state at their start, made from the history buffer, then the
// buffered lines. Costs nothing while nothing is being written.
import type { Scales } from "../state/scales.ts";
import type { Slice } from "../state/slices.ts";
import type { Store } from "../state/store.ts";
import { type Clock, every } from "../units/clock.ts";
import { ServiceError } from "../units/monitor-error.ts";
import { formatSpan } from "../units/time.ts";
import {
  type Entry,
  encodeLine,
  type Heading,
  MADE_VERSION,
  type RecordingSettings,
  type Stamp,
} from "./entry.ts";
import { BEFORE_MS } from "./flight-file.ts";
import type { HistoryBuffer } from "./history-buffer.ts";
import { createChannelLines } from "./made-lines.ts";
import { selectRedaction } from "./recorder.ts";
import { openRecordingWriter, type RecordingWriter } from "./recording-writer.ts";
import { Replay } from "./replay.ts";

const WRITE_EVERY_MS = 250;
const LINES_PER_TURN = 250;

export interface FlightRecorderOptions {
  readonly historyBuffer: HistoryBuffer;
  readonly scales: Scales;
  readonly clock: Clock;
  /** `redacted` is also set while accounts are masked. */
  readonly settings: () => RecordingSettings;
  /** Once this was true, account channels are left out for good. */
  readonly isMasked: () => boolean;
}

export interface FlightRequest {
  readonly beforeMs: number;
  /** From now; can be extended. */
  readonly afterMs: number;
  /** For the heading. */
  readonly cause: string;
  /** What a replay shows first: `perp/1`. */
  readonly market?: string | undefined;
  /** How long after its end the recording can still be extended. */
  readonly lingerMs?: number;
  /** The recording ends once it reaches this size. */
  readonly maxBytes?: number;
  readonly onEnd?: (flight: Flight) => void;
}

/** The lines of one recording, in order, with line endings. */
class FlightLines {
  readonly #options: FlightRecorderOptions;
  readonly #settings: RecordingSettings;
  readonly #redact: (line: string) => string;
  readonly #lines: Generator<Heading | Entry | undefined>;
  #isMasked: boolean;
  #untilMs = Number.NEGATIVE_INFINITY;
  #isWaiting = false;
  /** As requested, or as far back as the buffer reaches. */
  startMs = 0;
  /** The scales last written, by market. */
  readonly #scales = new Map<string, string>();
  /** The buffer dropped lines before they were taken. */
  isLost = false;
  /** There may be more lines beyond those taken last. */
  isBehind = false;

  constructor(
    options: FlightRecorderOptions,
    { fromMs, cause, market }: Pick<FlightRequest, "cause" | "market"> & { fromMs: number },
  ) {
    this.#options = options;
    this.#settings = { ...options.settings(), cause };
    this.#redact = selectRedaction(this.#settings);
    this.#isMasked = options.isMasked();
    this.#lines = this.#read(fromMs, market);
    this.#noteScales();
  }

  /** The next lines up to a moment. Does at most `count` steps; the rest is left for the next call. */
  take(count: number, untilMs = Number.POSITIVE_INFINITY): string[] {
    this.#isMasked ||= this.#options.isMasked();
    this.#untilMs = untilMs;
    const taken: string[] = [];
    for (let left = count; left > 0; left--) {
      const { value } = this.#lines.next();
      this.isBehind = !this.isLost && !this.#isWaiting;
      if (!this.isBehind) break;
      if (value !== undefined) taken.push(`${this.#redact(encodeLine(value))}\n`);
    }
    return taken;
  }

  /** Yields undefined if there is nothing to write: for lines before the start, hidden lines, or if no line is available yet. */
  *#read(fromMs: number, market: string | undefined): Generator<Heading | Entry | undefined> {
    const { historyBuffer } = this.#options;
    let next = yield* this.#begin(fromMs, market);
    // Nothing was written yet, so the recording can begin later.
    while (next === undefined) next = yield* this.#begin(historyBuffer.startMs, market);
    while (next >= historyBuffer.first) {
      const line = historyBuffer.line(next);
      this.#isWaiting = line === undefined || line.entry.t > this.#untilMs;
      if (line === undefined || this.#isWaiting) yield undefined;
      else {
        next++;
        yield this.#isMasked && !isPublic(line.entry, line.channel) ? undefined : line.entry;
      }
    }
    this.isLost = true;
  }

  /**
   * The heading and the state at the start. @returns the number of the next buffered line; undefined if it was dropped meanwhile
   */
  *#begin(
    fromMs: number,
    market: string | undefined,
  ): Generator<Heading | Entry | undefined, number | undefined> {
    const { historyBuffer, scales } = this.#options;
    const atMs = Math.max(historyBuffer.startMs, Math.min(historyBuffer.endMs, fromMs));
    const end = historyBuffer.endAt(atMs);
    const segment = historyBuffer.segmentOf(end);
    const isShown = (channel: string) => !this.#isMasked || !isOfAccount(channel);
    this.startMs = atMs;
    const store = segment.state.copy();
    const replay = new Replay(store);
    let last: Stamp = segment.start;
    for (let number = segment.first; number < end; number++) {
      const entry = historyBuffer.line(number)?.entry;
      if (entry === undefined) return undefined;
      replay.apply(entry);
      last = entry;
      yield undefined;
    }
    const stamp = { t: atMs, w: last.w + (atMs - last.t) };
    yield { ...stamp, recording: MADE_VERSION, settings: this.#settings };
    yield* createMadeLines(store, scales, stamp, { isShown, market });
    return end;
  }

  /** Changes of scales since the last call. */
  takeScales(): string[] {
    const { clock } = this.#options;
    const stamp = { t: clock.now(), w: clock.wall() };
    return this.#noteScales().map(
      (scale) => `${this.#redact(encodeLine({ ...stamp, made: { scale } }))}\n`,
    );
  }

  #noteScales() {
    return this.#options.scales.facts().filter((facts) => {
      const text = JSON.stringify(facts);
      const isNew = this.#scales.get(facts.market) !== text;
      this.#scales.set(facts.market, text);
      return isNew;
    });
  }
}

function isOfAccount(channel: string): boolean {
  return channel.startsWith("account/") || channel.startsWith("accounts/");
}

/** A message without a known channel may belong to an account. */
function isPublic(entry: Entry, channel: string | undefined): boolean {
  if (channel !== undefined) return !isOfAccount(channel);
  return !("event" in entry && (entry.event.type === "rejected" || entry.event.type === "drift"));
}

export class Flight {
  readonly path: string;
  readonly cause: string;
  /** When the recording ends; moves when it is extended. */
  untilMs: number;
  bytes = 0;
  /** True until it reaches its end. */
  isWriting = true;
  /** Why it ended early. */
  failure: Error | undefined;
  readonly #lines: FlightLines;
  readonly #writer: RecordingWriter;
  readonly #clock: Clock;
  readonly #request: FlightRequest;
  readonly #stop: () => void;
  #cancelTurn = () => {};
  #closing: Promise<void> | undefined;

  constructor(
    path: string,
    writer: RecordingWriter,
    { lines, clock, request }: { lines: FlightLines; clock: Clock; request: FlightRequest },
  ) {
    this.path = path;
    this.cause = request.cause;
    this.#writer = writer;
    this.#lines = lines;
    this.#clock = clock;
    this.#request = request;
    this.untilMs = clock.now() + request.afterMs;
    this.#stop = every(clock, WRITE_EVERY_MS, () => this.#write());
    this.#write();
  }

  /** Monotonic milliseconds of the session. */
  get startMs(): number {
    return this.#lines.startMs;
  }

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /** Its duration, such as `2m 41s`. */
  get span(): string {
    return formatSpan(Math.min(this.untilMs, this.#clock.now()) - this.startMs);
  }

  /** Extends without a gap. @returns false if that is no longer possible */
  extend(untilMs: number): boolean {
    if (this.#closing !== undefined || this.failure !== undefined || this.#lines.isLost)
      return false;
    this.untilMs = Math.max(this.untilMs, untilMs);
    this.isWriting = true;
    return true;
  }

  /** Never rejects. */
  close(): Promise<void> {
    this.untilMs = Math.min(this.untilMs, this.#clock.now());
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#stop();
    this.#cancelTurn();
    while (this.isWriting && this.#turn()) {}
    await this.#writer.close();
    this.#end(this.#writer.failure);
  }

  #write(): void {
    this.#cancelTurn();
    if (!this.isWriting) {
      if (this.#clock.now() > this.untilMs + (this.#request.lingerMs ?? 0)) void this.close();
      return;
    }
    if (this.#turn()) this.#cancelTurn = this.#clock.soon(() => this.#write());
    else if (this.isWriting && this.#clock.now() > this.untilMs) this.#end(undefined);
  }

  /** @returns true if there is more to write right away */
  #turn(): boolean {
    const lines = this.#lines.take(LINES_PER_TURN, this.untilMs);
    const { isBehind } = this.#lines;
    if (!isBehind) lines.push(...this.#lines.takeScales());
    for (const line of lines) {
      this.bytes += Buffer.byteLength(line);
      this.#writer.write(line);
    }
    const { failure } = this.#writer;
    const { maxBytes = Number.POSITIVE_INFINITY } = this.#request;
    if (failure !== undefined) this.#end(failure);
    else if (this.#lines.isLost) this.#end(this.#fault("more was received than is kept"));
    else if (this.bytes >= maxBytes) this.#end(this.#fault("the folder is full, by its bound"));
    return isBehind && this.isWriting;
  }

  #fault(words: string): Error {
    return new ServiceError("recording", `${this.path}: the recording ended: ${words}`);
  }

  #end(failure: Error | undefined): void {
    this.failure ??= failure;
    const wasWriting = this.isWriting;
    this.isWriting = false;
    if (this.failure !== undefined) void this.close();
    if (wasWriting) this.#request.onEnd?.(this);
  }
}

export class FlightRecorder {
  readonly #options: FlightRecorderOptions;
  readonly #flights = new Set<Flight>();

  constructor(options: FlightRecorderOptions) {
    this.#options = options;
  }

  /** Begins with the state `beforeMs` before now. @throws {UsageError} when the file exists or cannot be created */
  async start(path: string, request: FlightRequest): Promise<Flight> {
    const { clock } = this.#options;
    const { cause, market } = request;
    const fromMs = clock.now() - request.beforeMs;
    const writer = await openRecordingWriter(path, clock);
    const lines = new FlightLines(this.#options, { fromMs, cause, market });
    const flight = new Flight(path, writer, { lines, clock, request });
    for (const each of this.#flights) if (each.isClosed) this.#flights.delete(each);
    this.#flights.add(flight);
    return flight;
  }

  /** Files that are still being recorded. */
  get writing(): readonly string[] {
    return [...this.#flights].filter(({ isWriting }) => isWriting).map(({ path }) => path);
  }

  /** Everything buffered, synchronously: for a program that ends with an error. */
  lastLines(cause: string): string {
    const fromMs = this.#options.clock.now() - BEFORE_MS;
    const lines = new FlightLines(this.#options, { fromMs, cause });
    return lines.take(Number.POSITIVE_INFINITY).join("");
  }

  /** Never rejects. */
  async close(): Promise<void> {
    await Promise.all([...this.#flights].map((flight) => flight.close()));
  }
}

// The contents of a store as the first lines of a recording: frames as a service would send them, marked as made, and the facts
// that frames do not carry.

interface MadeStateOptions {
  readonly isShown: (channel: string) => boolean;
  /** Its channels come first: `perp/1`. */
  readonly market?: string | undefined;
}

function* createMadeLines(
  store: Store,
  scales: Scales,
  stamp: Stamp,
  { isShown, market }: MadeStateOptions,
): Generator<Entry> {
  const { link, counts } = store;
  yield { ...stamp, made: { session: { link, counts } } };
  for (const made of scales.facts()) yield { ...stamp, made: { scale: made } };
  // The book comes before the evidence about it.
  const orderOf = ({ channel, kind }: Slice) =>
    (market !== undefined && isOf(channel, market) ? 0 : 2) + (kind === "orderbook" ? 0 : 1);
  for (const slice of [...store.slices].sort((a, b) => orderOf(a) - orderOf(b))) {
    if (isShown(slice.channel)) yield* createChannelLines(slice, stamp);
  }
}

function isOf(channel: string, market: string): boolean {
  return `${channel}/`.includes(`/${market}/`);
}
