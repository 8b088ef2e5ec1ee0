// Decodes server frames (section 6): from text to a typed frame, or to a rejection with place and reason.

import {
  byKind,
  CHANNELS,
  type ChannelKind,
  parseChannel,
  type SequencedKind,
  type Updates,
} from "./channels.ts";
import { channelOfText, headOf, readUpdateText, slotOfChannel } from "./fast-read.ts";
import {
  type ErrorFrame,
  errorFrame,
  type HelloFrame,
  helloFrame,
  type UnsubscribedFrame,
  unsubscribedFrame,
} from "./frames.ts";
import { isDeepValue, isObject, isTooDeepToParse, parseJson } from "./json.ts";
import { type Drift, type Rejection, reject } from "./rejection.ts";
import { createSchema, type Schema } from "./schema.ts";

/** An accepted update with the kind of its channel, and its original text. */
export type ReceivedUpdate = {
  [K in ChannelKind]: {
    readonly type: "update";
    readonly kind: K;
    readonly frame: Updates[K];
    readonly message: string;
  };
}[ChannelKind];

/** An update of a kind whose frames are numbered. */
export type SequencedReceived = Extract<ReceivedUpdate, { kind: SequencedKind }>;

/** True for an update of a kind whose frames carry previous_sequence and sequence (6.3). */
export function isSequenced(update: ReceivedUpdate): update is SequencedReceived {
  return CHANNELS[update.kind].isSequenced;
}

/** An accepted server frame. */
export type Received =
  | ReceivedUpdate
  | { readonly type: "hello"; readonly frame: HelloFrame }
  | { readonly type: "unsubscribed"; readonly frame: UnsubscribedFrame }
  | { readonly type: "error"; readonly frame: ErrorFrame };

/** The result of decoding one message. */
export type Decoded =
  | { readonly ok: true; readonly received: Received; readonly drifts: boolean }
  | { readonly ok: false; readonly rejection: Rejection };

/** Decodes messages into typed frames. */
export interface Decoder {
  decode(message: string): Decoded;
  /** Lists what an accepted frame contains that is not documented. */
  drifts(received: Received): readonly Drift[];
}

const updates = byKind(
  (kind): Schema<Updates[ChannelKind]> => createSchema(CHANNELS[kind].schema as BuildUpdate),
);
type BuildUpdate = (typeof CHANNELS)["bbo"]["schema"];

const others = {
  hello: createSchema(helloFrame),
  unsubscribed: createSchema(unsubscribedFrame),
  error: createSchema(errorFrame),
};

/** Channel names whose kind is cached: several times what one connection plausibly carries. */
const MAX_REMEMBERED_NAMES = 1000;

/** The name is always the same string object, so that lookups need not hash it again. */
interface KnownChannel {
  readonly name: string;
  readonly kind: ChannelKind;
  readonly head: string;
}

/** Creates a decoder of server frames (section 6). Undocumented fields and values are kept. */
export function createDecoder(): Decoder {
  const channels = new Map<string, KnownChannel>();
  /** The last channel seen for each value of `slotOfChannel`. */
  const recent: (KnownChannel | undefined)[] = [];

  const channelOf = (name: string): KnownChannel | undefined => {
    const known = channels.get(name);
    if (known !== undefined) return known;
    const kind = parseChannel(name)?.kind;
    if (kind === undefined) return undefined;
    const channel = { name, kind, head: headOf(name) };
    if (channels.size < MAX_REMEMBERED_NAMES) channels.set(name, channel);
    return channel;
  };

  const channelOfMessage = (message: string): KnownChannel | undefined => {
    const place = slotOfChannel(message);
    const last = recent[place];
    if (last !== undefined && message.startsWith(last.head)) return last;
    const name = channelOfText(message);
    // Names with leading zeros in their ids are normalised on the slow path.
    const channel = name === undefined || isZeroed(name) ? undefined : channelOf(name);
    recent[place] = channel;
    return channel;
  };

  /** @returns undefined if the message must be parsed and validated */
  const readText = (message: string): Decoded | undefined => {
    const channel = channelOfMessage(message);
    if (channel === undefined) return undefined;
    const { kind } = channel;
    const frame = readUpdateText(message, kind, channel.name);
    if (frame === undefined) return undefined;
    const received = { type: "update", kind, frame, message } as ReceivedUpdate;
    return { ok: true, received, drifts: false };
  };

  /** @param isOpen open records may be nested deeply */
  const check = (
    message: string,
    value: Fields,
    schema: Schema<unknown>,
    isOpen: boolean,
    receive: (frame: unknown) => object,
  ): Decoded => {
    const { channel } = value;
    const fit = schema.check(value);
    if (!fit.ok) return refused(message, "wrong-shape", fit.detail, { path: fit.path, channel });
    if ((isOpen || fit.drifts) && isDeepValue(value)) return tooDeep(message, channel);
    return { ok: true, received: receive(fit.value) as Received, drifts: fit.drifts };
  };

  const decodeUpdate = (message: string, value: Fields): Decoded => {
    const { type, channel } = value;
    const kind = typeof channel === "string" ? channelOf(channel)?.kind : undefined;
    if (kind === undefined)
      return refused(message, "unknown-channel", "no channel name", { path: "channel" });
    const isOpen = CHANNELS[kind].openFields.length > 0;
    const receive = (frame: unknown) => ({ type, kind, frame, message });
    return check(message, value, updates[kind], isOpen, receive);
  };

  const decodeValue = (message: string, value: unknown): Decoded => {
    if (value === undefined) return refused(message, "not-json", "the text is not JSON");
    if (!isObject(value)) return refused(message, "not-an-object", "a frame is a JSON object");
    const normalised = withOneName(value);
    const { type, channel } = normalised;
    if (type === "update") return decodeUpdate(message, normalised);
    if (typeof type === "string" && Object.hasOwn(others, type)) {
      const schema = others[type as keyof typeof others];
      return check(message, normalised, schema, false, (frame) => ({ type, frame }));
    }
    const where = { path: "type", channel };
    return refused(message, "unknown-type", "not hello, update, unsubscribed or error", where);
  };

  return {
    decode(message) {
      const read = readText(message);
      if (read !== undefined) return read;
      return isTooDeepToParse(message)
        ? tooDeep(message)
        : decodeValue(message, parseJson(message));
    },
    drifts(received) {
      const schema = received.type === "update" ? updates[received.kind] : others[received.type];
      return (schema as Schema<unknown>).drifts(received.frame);
    },
  };
}

/** Normalises ids (digit strings, 4.1), which may have leading zeros: `bbo/perp/01` is `bbo/perp/1`. */
function withOneName(value: Fields): Fields {
  const { channel } = value;
  if (typeof channel !== "string" || !isZeroed(channel)) return value;
  return { ...value, channel: channel.replace(/\/0+(?=[0-9]+(?:\/|$))/g, "/") };
}

function isZeroed(channel: string): boolean {
  return channel.includes("/0") && /\/0[0-9]/.test(channel);
}

function tooDeep(message: string, channel?: unknown): Decoded {
  return refused(message, "too-deep", "nested too deep", { channel });
}

type Fields = Readonly<Record<string, unknown>>;

function refused(...rejected: Parameters<typeof reject>): Decoded {
  return { ok: false, rejection: reject(...rejected) };
}
