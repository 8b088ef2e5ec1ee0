// The service's side of one client: hello, commands and their answers, and everything that is sent on
// its way through the fault stage.
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { parseChannel } from "../../wire/channels.ts";
import { type Command, decodeCommand } from "../../wire/commands.ts";
import { parseJson } from "../../wire/json.ts";
import { ERROR_CODES, KEEPALIVE_TIMEOUT_MS, PROTOCOL_VERSION } from "../../wire/limits.ts";
import type { FaultTarget, OutgoingFrame } from "../faults/fault.ts";
import { createFaultStage, type StageContext } from "../faults/fault-stage.ts";
import type { Publisher, Subscriber } from "../feeds/publisher.ts";
import type { Scenario } from "../scenarios/scenario.ts";
import { Wire } from "./socket.ts";

/** What a client may leave unread before it is dropped: some seconds of the busiest market. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;
/** A client that was sent a close frame has this long to go by itself. */
const CLOSE_GRACE_MS = 2000;
const TRY_AGAIN_LATER = 1013;
const POLICY_VIOLATION = 1008;

export interface ConnectionSetup {
  readonly webSocket: WebSocket;
  /** The socket beneath it, which is corked while many frames are sent in one turn. */
  readonly socket: Socket;
  readonly publisher: Publisher;
  readonly scenario: Scenario;
  readonly faults: StageContext;
  readonly onClose: () => void;
  readonly timestampNs: () => string;
}

/** One client, from its handshake to its end. */
export interface Connection {
  /** Holds frames back until uncork, so that a turn's frames leave in few packets. */
  cork(): void;
  uncork(): void;
}

export function openConnection(setup: ConnectionSetup): Connection {
  const { webSocket, socket, publisher, scenario, faults, timestampNs } = setup;
  const { interpretations } = scenario;
  const { clock } = faults;
  const wire = new Wire(socket, clock);
  const channels = new Set<string>();
  let isLeaving = false;
  let sendsPongs = true;
  /** End the timers of a late hello, of the watch over silence, and of a goodbye. */
  let stopHello = () => {};
  let stopWatch = () => {};
  let stopGrace = () => {};
  const isOpen = () => !isLeaving && webSocket.readyState === webSocket.OPEN;

  const target: FaultTarget = {
    send({ text }) {
      if (!isOpen()) return;
      webSocket.send(text);
      if (webSocket.bufferedAmount + wire.queuedBytes > MAX_BUFFERED_BYTES) {
        target.close(TRY_AGAIN_LATER, "the client reads too slowly");
      }
    },
    insert(message, form) {
      if (isOpen()) webSocket.send(message, { binary: form === "binary" });
    },
    setPongs(isOn) {
      sendsPongs = isOn;
    },
    freeze: () => wire.freeze(),
    limitBytesPerSecond: (limit) => wire.limit(limit),
    cutNextWrite: () => wire.cutNext(target.terminate),
    close(code, reason) {
      if (isLeaving) return;
      leaveAll();
      webSocket.close(code, reason);
      stopGrace = clock.after(CLOSE_GRACE_MS, target.terminate);
    },
    terminate() {
      leaveAll();
      webSocket.terminate();
    },
    revoke(matches, code, message) {
      for (const channel of [...channels].filter(matches)) {
        leave(channel);
        target.refuse(code, message, channel);
      }
    },
    refuse(code, message, channel) {
      const timestamp_ns = timestampNs();
      answer({ type: "error", ...(channel && { channel }), code, message, timestamp_ns });
    },
  };
  const stage = createFaultStage(scenario.faults, faults, target);
  const subscriber: Subscriber = {
    receive(frame) {
      for (const each of stage.frames(frame)) target.send(each);
    },
  };
  const answer = <F extends { readonly type: OutgoingFrame["type"] }>(frame: F) => {
    const text = JSON.stringify(frame);
    const facts = { channel: undefined, isSequenced: false, isFirst: false };
    subscriber.receive({ type: frame.type, text, ...facts });
  };

  const leave = (channel: string) => {
    channels.delete(channel);
    publisher.unsubscribe(channel, subscriber);
  };
  const leaveAll = () => {
    isLeaving = true;
    for (const channel of [...channels]) leave(channel);
  };
  const subscribe = (channel: string) => {
    const { duplicateSubscription, unknownResource } = ERROR_CODES;
    if (channels.has(channel)) {
      target.refuse(duplicateSubscription, "already subscribed", channel);
      return;
    }
    const refusal = stage.refusal(channel);
    if (refusal !== undefined) {
      target.refuse(refusal.code, refusal.message, channel);
      return;
    }
    channels.add(channel);
    if (publisher.subscribe(channel, subscriber)) {
      stage.subscribed(channel);
      return;
    }
    channels.delete(channel);
    target.refuse(unknownResource, "unknown market, account or subaccount", channel);
  };
  const obey = ({ type, channel }: Command) => {
    if (type === "subscribe") {
      subscribe(channel);
      return;
    }
    // To end what never was is no error: it is as the client asked for.
    leave(channel);
    const timestamp_ns = timestampNs();
    answer({ type: "unsubscribed", channel, timestamp_ns });
  };
  /** The client has sent something. */
  const noteLife = () => {
    if (interpretations.silence === "ignore") return;
    stopWatch();
    stopWatch = clock.after(KEEPALIVE_TIMEOUT_MS, () =>
      target.close(POLICY_VIOLATION, "nothing came for too long"),
    );
  };
  const greet = () =>
    answer({
      type: "hello",
      protocol_version: PROTOCOL_VERSION,
      keepalive_timeout_ms: KEEPALIVE_TIMEOUT_MS,
    });

  webSocket.on("message", (data, isBinary) => {
    noteLife();
    if (isLeaving || wire.isFrozen) return;
    const text = isBinary ? "" : String(data);
    const decoded = decodeCommand(text);
    if (decoded.ok) obey(decoded.command);
    else {
      const message = `invalid command: ${decoded.rejection.detail}`;
      target.refuse(ERROR_CODES.invalid, message, channelIn(text));
    }
  });
  webSocket.on("ping", (data) => {
    noteLife();
    const isAble = webSocket.readyState === webSocket.OPEN && !wire.isFrozen;
    if (isAble && sendsPongs) webSocket.pong(data);
  });
  webSocket.on("pong", noteLife);
  // An error is followed by a close, which is all that matters here.
  webSocket.on("error", () => {});
  webSocket.on("close", () => {
    leaveAll();
    stage.stop();
    wire.stop();
    stopHello();
    stopWatch();
    stopGrace();
    setup.onClose();
  });
  if (interpretations.hello === "at-once") greet();
  if (interpretations.hello === "late")
    stopHello = clock.after(interpretations.hello_delay_ms, greet);
  noteLife();
  return { cork: () => socket.cork(), uncork: () => socket.uncork() };
}

/** The channel that an invalid command names, when it is a channel name: an error frame may carry no other. */
function channelIn(text: string): string | undefined {
  const value = parseJson(text);
  if (typeof value !== "object" || value === null || !("channel" in value)) return undefined;
  const { channel } = value;
  return typeof channel === "string" && parseChannel(channel) !== undefined ? channel : undefined;
}
