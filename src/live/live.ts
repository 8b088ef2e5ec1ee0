// A live session: stream and store put together, with what each has to tell the other.

import type { Context } from "../args/context.ts";
import type { Service } from "../config/service.ts";
import { Store } from "../state/store.ts";
import type { OpenSocket } from "../stream/socket.ts";
import { Stream } from "../stream/stream.ts";
import { createWsSocket } from "../stream/ws-socket.ts";
import type { Log } from "../system/log-file.ts";
import type { Recorder } from "../timeline/recorder.ts";
import type { Reel } from "../timeline/reel.ts";
import { type Clock, every } from "../units/clock.ts";
import type { Random } from "../units/random.ts";
import type { StreamListener } from "../wire/stream-event.ts";
import { Auditor } from "./auditor.ts";

/** How often time passes for what waits for it. */
const PASS_PERIOD_MS = 1000;

/** What a live session is made of, and who hears of it, in this order: recorder, reel, log, store, `onEvent`. */
export interface LiveOptions {
  readonly openSocket: OpenSocket;
  readonly isStrict: boolean;
  readonly clock: Clock;
  readonly random: Random;
  /** Opens the second connections that audits need; without it there are none. */
  readonly auditSocket?: OpenSocket | undefined;
  /** An audit has ended. */
  readonly onAudit?: (() => void) | undefined;
  /** Writes down what the session is told, before the store is. */
  readonly recorder?: Recorder | undefined;
  /** Keeps the last minutes, to go back to. */
  readonly reel?: Pick<Reel<Store>, "event" | "pass"> | undefined;
  /** Keeps what happens, apart from updates. */
  readonly log?: Log | undefined;
  /** The store to fill; a fresh one without it. */
  readonly store?: Store;
  /** Sees every event after the store has folded it. */
  readonly onEvent?: StreamListener;
}

/** A live session, from the first attempt to connect until `close`. */
export interface Live {
  readonly store: Store;
  readonly stream: Stream;
  readonly auditor: Auditor | undefined;
  /** Makes something known to all that the stream's own events are made known to. */
  readonly publish: StreamListener;
  /** Notes in the recording that the view was printed as it was at this moment. */
  shown(nowMs: number): void;
  close(): void;
}

/** The real socket, time and chance, and what the user has asked for. Never throws. */
export function liveOptions(context: Context, service: Service): LiveOptions {
  const openSocket = createWsSocket({ ...service, clock: context.clock });
  return {
    openSocket,
    auditSocket: service.audit === false ? undefined : openSocket,
    recorder: service.recorder,
    log: context.log,
    isStrict: context.options.strict ?? false,
    clock: context.clock,
    random: context.random,
  };
}

/** Opens the connection. Channels are subscribed on the stream that is answered. Never throws. */
export function openLive(options: LiveOptions): Live {
  const { clock, random, isStrict, onEvent, recorder, reel, log, openSocket } = options;
  const store = options.store ?? new Store();
  const auditor = openAuditor(options, store, (...of) => stream.resync(...of));
  const publish: StreamListener = (event) => {
    recorder?.event(event);
    reel?.event(event);
    log?.event(event);
    auditor?.observe(event);
    store.dispatch(event);
    onEvent?.(event);
  };
  const stream = new Stream({
    openSocket: recorder?.sockets(openSocket) ?? openSocket,
    clock,
    random,
    isStrict,
    onEvent: publish,
    toleratesGaps: (channel) => isWholeBook(store, channel),
  });
  store.onDoubt = (channel, reason) => stream.resync(channel, reason);
  const stop = every(clock, PASS_PERIOD_MS, () => {
    const nowMs = clock.now();
    recorder?.pass(nowMs);
    reel?.pass(nowMs);
    store.pass(nowMs);
    auditor?.pass();
  });
  stream.open();
  return {
    store,
    stream,
    auditor,
    publish,
    shown: (nowMs) => recorder?.shown(nowMs),
    close() {
      stop();
      auditor?.close();
      stream.close();
    },
  };
}

function openAuditor(
  { auditSocket, clock, random, isStrict, onAudit }: LiveOptions,
  store: Store,
  resubscribe: (channel: string, reason: string) => void,
): Auditor | undefined {
  if (auditSocket === undefined) return undefined;
  const openSocket = auditSocket;
  return new Auditor({ openSocket, clock, random, isStrict, store, resubscribe, onAudit });
}

/** Where each frame is known to be the whole book, a missed one does no harm. */
function isWholeBook(store: Store, channel: string): boolean {
  if (!channel.startsWith("orderbook/")) return false;
  const { reading, isDecided } = store.slice("orderbook", channel).data;
  return isDecided && reading === "whole";
}
