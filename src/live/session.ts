// A live session, and the path of a message from top to bottom:
//
//   socket        stream/ws-socket.ts     text of one message, with the values of our headers redacted
//   connection    stream/connection.ts    drops what an older connection still delivers
//   decode        wire/decode.ts          a typed frame (by wire/fast-read.ts if possible), or a rejection
//   subscription  stream/subscription.ts  its position in the channel's sequence chain: an event
//   publish       here                    auditor, recorder, history buffer, log, store, subscribers
//   store         state/store.ts          the fold of its kind; notifies listeners of the channel
//
// docs/architecture.md describes the path file by file.
import type { Context } from "../args/context.ts";
import { logLine } from "../state/event-log.ts";
import { Store } from "../state/store.ts";
import type { EarlyStream } from "../stream/early-stream.ts";
import type { OpenSocket } from "../stream/socket.ts";
import { Stream } from "../stream/stream.ts";
import { createWsSocket } from "../stream/ws-socket.ts";
import type { Log } from "../system/log-file.ts";
import type { HistoryBuffer } from "../timeline/history-buffer.ts";
import { createChannelLines } from "../timeline/made-lines.ts";
import type { Recorder } from "../timeline/recorder.ts";
import { type Clock, every } from "../units/clock.ts";
import type { Random } from "../units/random.ts";
import type { StreamEvent, StreamListener } from "../wire/stream-event.ts";
import { Auditor } from "./auditor.ts";
import type { Service } from "./service.ts";

const ADVANCE_PERIOD_MS = 1000;

export interface SessionOptions {
  readonly openSocket: OpenSocket;
  /** Used instead of a new stream. Its events have not been recorded yet. */
  readonly early?: EarlyStream | undefined;
  readonly clock: Clock;
  readonly random: Random;
  /** Opens second connections; without it there are no audits. */
  readonly auditSocket?: OpenSocket | undefined;
  readonly onAudit?: (() => void) | undefined;
  /** Receives each event before the store. */
  readonly recorder?: Recorder | undefined;
  /** Receives each event before the store. */
  readonly historyBuffer?: Pick<HistoryBuffer, "event" | "made" | "pass"> | undefined;
  /** Receives all events except updates. */
  readonly log?: Log | undefined;
  /** Unix milliseconds from which the past of tapes is requested; default: their first update. */
  readonly sinceMs?: number | undefined;
  /** Default: a new one. */
  readonly store?: Store;
  /** Receives each event after the store. */
  readonly onEvent?: StreamListener;
}

export interface Session {
  readonly store: Store;
  readonly stream: Stream;
  readonly auditor: Auditor | undefined;
  /** Handles an event as if it came from the stream. */
  readonly publish: StreamListener;
  /** Notes in the recording that the view was printed at this time. */
  shown(nowMs: number): void;
  close(): void;
}

/** The caller subscribes channels on the stream. */
export function openSession(options: SessionOptions): Session {
  const { openSocket, early, auditSocket, clock, random, recorder, historyBuffer, log } = options;
  const store = options.store ?? new Store();
  const toleratesGaps = (channel: string) => isSnapshotBook(store, channel);
  const stream =
    early?.stream ??
    new Stream({
      openSocket: recorder?.sockets(openSocket) ?? openSocket,
      clock,
      random,
      onEvent: publish,
      toleratesGaps,
    });
  const auditor =
    auditSocket &&
    new Auditor({
      openSocket: auditSocket,
      clock,
      random,
      store,
      ping: () => stream.ping(),
      resubscribe: (channel, reason) => stream.resync(channel, reason),
      onCorrected: recordCorrected,
      onAudit: options.onAudit,
    });

  let isOpen = true;
  function publish(event: StreamEvent): void {
    // First: the state that an audit corrects does not include this event yet.
    auditor?.observe(event);
    // Our own closing is not recorded.
    if (isOpen) recorder?.event(event);
    historyBuffer?.event(event);
    const line = log && logLine(store.link, event);
    if (line !== undefined)
      log?.write(line.level, line.what, { channel: line.channel, detail: line.detail });
    store.dispatch(event);
    // A numbering event is emitted while a frame is being classified: the frame is handled first.
    if (event.type !== "numbering") resyncSuspects();
    if (event.type === "subscribing") askForPast(event);
    options.onEvent?.(event);
  }

  /** Records a state that was not received, but corrected by an audit. */
  function recordCorrected(channel: string): void {
    const slice = store.slices.find((each) => each.channel === channel);
    if (slice === undefined || (recorder ?? historyBuffer) === undefined) return;
    const entries = [...createChannelLines(slice, { t: clock.now(), w: clock.wall() })];
    recorder?.made(entries);
    historyBuffer?.made(entries, channel);
  }

  function askForPast({ atMs, channel }: StreamEvent & { readonly type: "subscribing" }): void {
    const { sinceMs } = options;
    if (sinceMs === undefined || !channel.startsWith("trades/")) return;
    if (store.slice("trades", channel).feed.frames > 0) return;
    publish({ atMs, type: "since", channel, sinceMs });
  }

  function advance(): void {
    const nowMs = clock.now();
    recorder?.pass(nowMs);
    historyBuffer?.pass(nowMs);
    store.advance(nowMs);
    auditor?.pass();
    resyncSuspects();
  }

  /** Resubscribes channels that contradict themselves or their evidence. */
  function resyncSuspects(): void {
    if (!store.hasSuspects) return;
    for (const [channel, reason] of store.takeSuspects()) stream.resync(channel, reason);
  }

  const stop = every(clock, ADVANCE_PERIOD_MS, advance);
  if (early === undefined) stream.open();
  else early.take(publish, toleratesGaps);
  return {
    store,
    stream,
    auditor,
    publish,
    shown: (nowMs) => recorder?.shown(nowMs),
    close() {
      isOpen = false;
      stop();
      auditor?.close();
      stream.close();
    },
  };
}

export function sessionOptions(context: Context, service: Service): SessionOptions {
  const openSocket = createWsSocket({ ...service, clock: context.clock });
  return {
    openSocket,
    early: service.early,
    auditSocket: service.audit === false ? undefined : openSocket,
    recorder: service.recorder,
    log: context.log,
    sinceMs: context.options.since,
    clock: context.clock,
    random: context.random,
  };
}

/** Gaps do no harm if each frame is known to be a snapshot. */
function isSnapshotBook(store: Store, channel: string): boolean {
  if (!channel.startsWith("orderbook/")) return false;
  const { interpretation, isDecided, suspect } = store.slice("orderbook", channel).data;
  return isDecided && interpretation === "whole" && suspect === undefined;
}
