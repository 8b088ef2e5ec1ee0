// The store: stream events in, slices out, one for each channel. Readers are told that a slice has changed
// at most once until they have settled (drawn). It knows no React, no clock and no socket.

import { stripZeros } from "../units/uint.ts";
import type { LastCandle } from "../wire/channels/candles.ts";
import type { MarkCandle } from "../wire/channels/mark-candles.ts";
import type { Updates } from "../wire/channels.ts";
import { type ChannelKind, parseChannel } from "../wire/channels.ts";
import type { ReceivedUpdate } from "../wire/decode.ts";
import type { Link, StreamEvent } from "../wire/stream-event.ts";
import { AccountState } from "./account.ts";
import { type Aliases, usualAliases } from "./aliases.ts";
import { type AuditResult, addAudit, type ChannelAudits, NO_AUDITS } from "./audit.ts";
import { AuditJournal } from "./audit-journal.ts";
import { type CandlesState, interruptCandles } from "./candles.ts";
import { EventLog } from "./event-log.ts";
import {
  addFaults,
  type FaultCounts,
  type Feed,
  interruptFeed,
  newFeed,
  reduceFeed,
} from "./feed.ts";
import { linkLine, logLine } from "./log-line.ts";
import { mergeFrames, openFrame } from "./open-frame.ts";
import { OrderbookState } from "./orderbook.ts";
import { type PaneState, paneStateAt } from "./pane-state.ts";
import { FOLDS, type Slice, type SliceData } from "./slices.ts";
import { NO_COUNTS, reduceCounts, type StreamCounts } from "./stream-counts.ts";
import { TradesState } from "./trades.ts";

type ChannelEvent = Exclude<
  StreamEvent,
  { type: "link" | "service-error" | "probing-off" | "numbering" }
>;

/** A slice while the store works on it. */
interface Cell<K extends ChannelKind = ChannelKind> extends Slice<K> {
  feed: Feed;
  data: SliceData[K];
  version: number;
  /** Of a best bid and offer: the channel of the same market's order book. */
  readonly bookChannel: string | undefined;
}

const NO_SUSPECTS: ReadonlyMap<string, string> = new Map();

/** Who knows which store is shown: another one while the past is looked at. */
export interface StoreSource {
  readonly store: Store;
}

/** The state of everything that was received: a fold over the events of a stream, without a clock of its own. */
export class Store {
  /** What the fields of open records mean. */
  readonly aliases: Aliases;
  #log = new EventLog();
  readonly #cells = new Map<string, Cell>();
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #told = new Set<string>();
  /** Channels that contradict themselves or their evidence, and why; until they do not. */
  readonly #suspects = new Map<string, string>();
  /** Those of them that nobody has taken yet. */
  #newSuspects: ReadonlyMap<string, string> = NO_SUSPECTS;
  #link: Link | undefined;
  #counts = NO_COUNTS;
  #audits = new Map<string, ChannelAudits>();
  #auditsOff: string | undefined;
  /** Of channels that are being audited. */
  readonly #journals = new Map<string, AuditJournal>();
  /** Version of a new slice: above those of all that was forgotten. */
  #firstVersion = 0;
  #epoch = 0;

  constructor(aliases: Aliases = usualAliases) {
    this.aliases = aliases;
  }

  /** What happened lately, apart from updates. */
  get log(): EventLog {
    return this.#log;
  }

  /** A store of its own that holds the same; nothing that is told to one of them reaches the other. */
  copy(): Store {
    const copy = new Store(this.aliases);
    copy.#log = this.#log.copy();
    for (const [channel, cell] of this.#cells) {
      const fold = FOLDS[cell.kind] as (typeof FOLDS)["bbo"];
      copy.#cells.set(channel, { ...cell, data: fold.copy(cell.data as SliceData["bbo"]) });
    }
    for (const [channel, reason] of this.#suspects) copy.#suspects.set(channel, reason);
    copy.#link = this.#link;
    copy.#counts = this.#counts;
    copy.#audits = new Map(this.#audits);
    copy.#auditsOff = this.#auditsOff;
    copy.#firstVersion = this.#firstVersion;
    copy.#epoch = this.#epoch;
    return copy;
  }

  /** The connection as last told; undefined before the first word of it. */
  get link(): Link | undefined {
    return this.#link;
  }

  get counts(): StreamCounts {
    return this.#counts;
  }

  /** Faults of every channel that was ever held, with what could be ascribed to none. */
  get faults(): FaultCounts {
    let sum = this.#counts.forgotten;
    for (const { feed } of this.#cells.values()) sum = addFaults(sum, feed);
    return { ...sum, rejected: sum.rejected + this.#counts.rejected };
  }

  /**
   * The slice of a channel; an empty one before anything came.
   * @throws {RangeError} when the channel is not of that kind
   */
  slice<K extends ChannelKind>(kind: K, channel: string): Slice<K> {
    const cell = this.#cells.get(channel) ?? this.#add(channel);
    if (cell?.kind !== kind) throw new RangeError(`${channel} is not a ${kind} channel`);
    return cell as Slice as Slice<K>;
  }

  /** Grows when everything was forgotten: slices that were taken before are of no use any more. */
  get epoch(): number {
    return this.#epoch;
  }

  /** The version of a channel's slice; 0 before anything is held of it. Never throws. */
  versionOf(channel: string): number {
    return this.#cells.get(channel)?.version ?? 0;
  }

  /** Every channel that is held, in the order first asked for. */
  get slices(): readonly Slice[] {
    return [...this.#cells.values()];
  }

  /** What a pane says of this channel's data at this moment. */
  paneState(slice: Slice, nowMs: number): PaneState {
    const isUntrue = slice.data instanceof OrderbookState && slice.data.isUntrue;
    return paneStateAt({ feed: slice.feed, link: this.#link, isUntrue }, nowMs);
  }

  /** Calls back when the channel's slice has changed, at most once until `settle`. Returns its undo. */
  subscribe(channel: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** Readers have seen every change so far: tell them again of the next one. */
  settle(): void {
    this.#told.clear();
  }

  /** Forgets a channel that nobody shows any more; its faults still count, and its version never comes again. */
  forget(channel: string): void {
    const cell = this.#cells.get(channel);
    if (cell === undefined) return;
    this.#counts = { ...this.#counts, forgotten: addFaults(this.#counts.forgotten, cell.feed) };
    this.#firstVersion = Math.max(this.#firstVersion, cell.version + 1);
    this.#suspects.delete(channel);
    this.#cells.delete(channel);
    this.#audits.delete(channel);
    this.#journals.delete(channel);
  }

  /** Forgets everything that was told, for telling it again. Readers are told; versions go on growing. */
  clear(): void {
    this.#epoch++;
    for (const { version } of this.#cells.values()) {
      this.#firstVersion = Math.max(this.#firstVersion, version + 1);
    }
    const channels = [...this.#cells.keys()];
    this.#cells.clear();
    this.#suspects.clear();
    this.#newSuspects = NO_SUSPECTS;
    this.#link = undefined;
    this.#counts = NO_COUNTS;
    this.#audits.clear();
    this.#auditsOff = undefined;
    this.#journals.clear();
    this.#log.clear();
    for (const channel of channels) {
      for (const listener of this.#listeners.get(channel) ?? []) listener();
    }
  }

  /** Folds in one stream event. Never throws. */
  dispatch(event: StreamEvent): void {
    this.#note(event);
    if (event.type === "link") this.#onLink(event.link);
    else if (!isOfChannel(event)) this.#counts = reduceCounts(this.#counts, event);
    else this.#onChannelEvent(event);
  }

  /** Lets time pass for what waits for it: call it about once a second. */
  pass(nowMs: number): void {
    for (const cell of this.#cells.values()) {
      const { data } = cell;
      const canDoubt = data instanceof OrderbookState || data instanceof AccountState;
      if (!canDoubt || !this.#isReceived(cell)) continue;
      data.pass(nowMs);
      this.#checkDoubt(cell);
    }
  }

  /** Channels that should be fetched anew, and why: each is given once each time that it becomes so. */
  takeSuspects(): ReadonlyMap<string, string> {
    const taken = this.#newSuspects;
    this.#newSuspects = NO_SUSPECTS;
    return taken;
  }

  /** What was compared with snapshots of a channel. */
  auditsOf(channel: string): ChannelAudits {
    return this.#audits.get(channel) ?? NO_AUDITS;
  }

  /** Why there are no audits any more, in words; undefined while there may be. */
  get auditsOff(): string | undefined {
    return this.#auditsOff;
  }

  /** There will be no audits any more. */
  endAudits(reason: string): void {
    this.#auditsOff = reason;
  }

  /**
   * True when a snapshot can be compared with what is held of a channel, and nothing else speaks for it: a book that
   * the best bid and offer watch needs none, once it is decided how its frames are taken.
   */
  isAuditable(channel: string): boolean {
    const cell = this.#cells.get(channel);
    if (cell === undefined || FOLDS[cell.kind].audit === undefined) return false;
    const { data } = cell;
    return !(data instanceof OrderbookState && data.hasWitness && !data.isOpen);
  }

  /** Keeps what comes on a channel from now on, so that a snapshot can be compared. Ended by `endJournal`. */
  openJournal(channel: string): AuditJournal | undefined {
    const cell = this.#cells.get(channel);
    if (cell === undefined) return undefined;
    const fold = FOLDS[cell.kind] as (typeof FOLDS)["bbo"];
    const base = fold.copy(cell.data as SliceData["bbo"]);
    const { sequence } = cell.feed;
    const journal = new AuditJournal(channel, base, sequence == null ? null : stripZeros(sequence));
    this.#journals.set(channel, journal);
    return journal;
  }

  /** A journal is not needed any more. */
  closeJournal(journal: AuditJournal): void {
    if (this.#journals.get(journal.channel) === journal) this.#journals.delete(journal.channel);
  }

  /**
   * Compares a snapshot, in one frame or several, with what was held at a place of the journal. Feed, state and counts
   * of the channel stay as they are. The journal is used up.
   */
  audit(
    journal: AuditJournal,
    snapshot: readonly ReceivedUpdate[],
    place: number,
    atMs: number,
  ): AuditResult | undefined {
    const cell = this.#cells.get(journal.channel);
    const isOpen = this.#journals.get(journal.channel) === journal;
    this.closeJournal(journal);
    if (cell === undefined || !isOpen || journal.isTooLong) return undefined;
    const fold = FOLDS[cell.kind] as (typeof FOLDS)["markets"];
    if (fold.audit === undefined) return undefined;
    const frame = mergeFrames(snapshot.map(openFrame)) as Updates["markets"];
    const { entries } = journal;
    const isNow = place === entries.length;
    let data = (isNow ? cell.data : journal.base) as SliceData["markets"];
    const replay = (from: number, to: number) => {
      for (const entry of entries.slice(from, to)) {
        const { place: at, atMs: cameAtMs } = entry;
        data = fold.update(data, entry.frame as Updates["markets"], at.isFirst, cameAtMs, at);
      }
    };
    if (!isNow) replay(0, place);
    const result = fold.audit(data, frame, atMs);
    if (!isNow) replay(place, entries.length);
    cell.data = data;
    this.#audits.set(cell.channel, addAudit(this.auditsOf(cell.channel), result, atMs));
    if (result.changed !== undefined) {
      this.#log.add({
        ...{ atMs, level: "warn", what: "audit", channel: cell.channel },
        detail: result.changed,
      });
    }
    this.#checkDoubt(cell);
    this.#changed(cell);
    return result;
  }

  /** An audit of a channel compared nothing. */
  noteAuditFailure(channel: string, failure: string): void {
    this.#audits.set(channel, { ...this.auditsOf(channel), failure });
  }

  #note(event: StreamEvent): void {
    const line =
      event.type === "link" ? linkLine(this.#link, event.link, event.atMs) : logLine(event);
    if (line !== undefined) this.#log.add(line);
  }

  #onChannelEvent(event: ChannelEvent): void {
    if (event.type === "rejected") this.#onRejected(event.channel);
    const cell = this.#cellOf(event);
    if (cell === undefined) {
      this.#counts = reduceCounts(this.#counts, event);
      return;
    }
    cell.feed = reduceFeed(cell.feed, event);
    if (event.type === "update") this.#onUpdate(cell, event);
    else if (event.type === "filled" && cell.data instanceof TradesState) {
      cell.data.fill(event, event.trades);
    } else if (cell.kind === "bbo" && cell.feed.phase !== "receiving") this.#loseWitness(cell);
    this.#changed(cell);
  }

  #onUpdate(cell: Cell, event: Extract<StreamEvent, { type: "update" }>): void {
    const { update, isFirst, atMs } = event;
    const fold = FOLDS[cell.kind] as (typeof FOLDS)["bbo"];
    const frame = openFrame(update);
    cell.data = fold.update(
      cell.data as SliceData["bbo"],
      frame as Updates["bbo"],
      isFirst,
      atMs,
      event,
    );
    if (this.#journals.size > 0) {
      const { isSnapshot, continues } = event;
      const place = { isFirst, isSnapshot, continues };
      this.#journals.get(cell.channel)?.note({ frame, place, atMs });
    }
    if (update.kind === "bbo") {
      const book = this.#bookBeside(cell);
      if (book === undefined) return;
      book.data.hear(update.frame, atMs);
      this.#checkDoubt(book);
    } else this.#checkDoubt(cell);
  }

  #onLink(link: Link): void {
    const wasOpen = this.#link?.state === "open";
    this.#link = link;
    if (wasOpen && link.state !== "open") {
      for (const cell of this.#cells.values()) {
        const { data } = cell;
        cell.feed = interruptFeed(cell.feed);
        if (data instanceof OrderbookState) data.loseWitness();
        else if (data instanceof TradesState) data.interrupt(link.aliveAtMs);
        else interruptIfCandles(cell);
      }
    }
    for (const cell of this.#cells.values()) this.#changed(cell);
  }

  /** A message that nobody could read may have been of any channel whose frames are not numbered. */
  #onRejected(channel: string | undefined): void {
    for (const cell of this.#cells.values()) {
      if (channel !== undefined && channel !== cell.channel) continue;
      const { kind, data, feed } = cell;
      // Where frames of the channel are numbered, the next one shows whether one is missing.
      const isNumbered =
        feed.sequence !== null && this.#counts.numbering[kind]?.previous !== "transaction";
      if (data instanceof TradesState && !isNumbered) data.miss();
      else interruptIfCandles(cell);
    }
  }

  #loseWitness(bbo: Cell): void {
    this.#bookBeside(bbo)?.data.loseWitness();
  }

  /** The order book of the market whose best bid and offer this is, if it is held. */
  #bookBeside({ bookChannel }: Cell): Cell<"orderbook"> | undefined {
    const book = bookChannel === undefined ? undefined : this.#cells.get(bookChannel);
    return book as Cell as Cell<"orderbook"> | undefined;
  }

  #isReceived({ feed }: Cell): boolean {
    return feed.phase === "receiving" && this.#link?.state === "open";
  }

  #checkDoubt(cell: Cell): void {
    const { data } = cell;
    const canDoubt = data instanceof OrderbookState || data instanceof AccountState;
    const doubt = canDoubt ? data.doubt : undefined;
    if (doubt === undefined) this.#suspects.delete(cell.channel);
    else if (!this.#suspects.has(cell.channel)) {
      this.#suspects.set(cell.channel, doubt);
      this.#newSuspects = new Map([...this.#newSuspects, [cell.channel, doubt]]);
      this.#changed(cell);
    }
  }

  /** The cell that an event concerns. Only what we asked for makes a new one: a service could name anything. */
  #cellOf(event: ChannelEvent): Cell | undefined {
    if (event.channel === undefined) return undefined;
    const known = this.#cells.get(event.channel);
    return known ?? (event.type === "subscribing" ? this.#add(event.channel) : undefined);
  }

  #add(channel: string): Cell | undefined {
    const kind = parseChannel(channel)?.kind;
    if (kind === undefined) return undefined;
    const cell: Cell = {
      channel,
      kind,
      feed: newFeed,
      data: FOLDS[kind].initial(this.aliases),
      version: this.#firstVersion,
      bookChannel: kind === "bbo" ? channel.replace(/^bbo/, "orderbook") : undefined,
    };
    this.#cells.set(channel, cell);
    return cell;
  }

  #changed(cell: Cell): void {
    cell.version++;
    if (this.#told.has(cell.channel)) return;
    this.#told.add(cell.channel);
    for (const listener of this.#listeners.get(cell.channel) ?? []) listener();
  }
}

/** The last word on the candle that was forming may have been missed. */
function interruptIfCandles(cell: Cell): void {
  if (cell.kind !== "candles" && cell.kind !== "mark-candles") return;
  cell.data = interruptCandles(cell.data as CandlesState<LastCandle | MarkCandle>) as Cell["data"];
}

function isOfChannel(event: Exclude<StreamEvent, { type: "link" }>): event is ChannelEvent {
  const { type } = event;
  return type !== "service-error" && type !== "probing-off" && type !== "numbering";
}
