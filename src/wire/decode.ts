// A message as a frame. What the document fixes is checked (2.1, 2.2, 6); further properties and words pass and are noted.
import { kindOf } from "./channels.ts";
import type { Check } from "./check.ts";
import { readFast } from "./fast-read.ts";
import {
  ACCOUNT_LISTS,
  type Bodies,
  CHANNELS,
  ERROR,
  type Frame,
  HELLO,
  type Kind,
  type Update,
} from "./frames.ts";
import { isObject, type JsonObject, parseExact, parseJson } from "./json.ts";
import { KEEPALIVE_TIMEOUT_MS } from "./limits.ts";

/** Never throws: what is no frame of the document is `rejected`, with the reason. */
export function decode(text: string): Frame {
  const fast = readFast(text);
  if (fast !== undefined) return fast;
  const value = parseJson(text);
  if (value === undefined) return rejected("no JSON", channelIn(text));
  if (!isObject(value)) return rejected("no JSON object");
  const channel = typeof value.channel === "string" ? value.channel : undefined;
  const kind = channel === undefined ? undefined : kindOf(channel);
  if (channel !== undefined && kind !== undefined) return decodeNamed(value, channel, kind, text);
  if (value.type === "hello") return checked(HELLO, value, () => helloOf(value));
  if (value.type === "error") return checked(ERROR, value, () => errorOf(value));
  return rejected("no known channel");
}

const CHANNEL = /"channel"\s*:\s*"([^"\\]{1,100})"/;
const HEAD_CHARACTERS = 300;

/** The channel that broken text names at its beginning, if it has a known form. */
function channelIn(text: string): string | undefined {
  const [, channel] = CHANNEL.exec(text.slice(0, HEAD_CHARACTERS)) ?? [];
  return channel !== undefined && kindOf(channel) !== undefined ? channel : undefined;
}

/** A frame that names a channel of a known form. */
function decodeNamed(value: JsonObject, channel: string, kind: Kind, text: string): Frame {
  if (value.type === "update") return decodeUpdate(exactOf(value, kind, text), channel, kind, text);
  if (value.type === "unsubscribed") return { type: "unsubscribed", channel };
  if (value.type === "error") return checked(ERROR, value, () => errorOf(value, channel), channel);
  return rejected("no known type", channel);
}

function rejected(reason: string, channel?: string): Frame {
  return { type: "rejected", channel, reason };
}

function checked(check: Check, value: JsonObject, frame: () => Frame, channel?: string): Frame {
  const wrong = check(value, []);
  return wrong === undefined ? frame() : rejected(wrong.slice(1), channel);
}

function helloOf({ protocol_version, keepalive_timeout_ms }: JsonObject): Frame {
  const isLimit = typeof keepalive_timeout_ms === "number" && keepalive_timeout_ms > 0;
  return {
    type: "hello",
    protocolVersion: Number(protocol_version),
    keepaliveMs: isLimit ? keepalive_timeout_ms : KEEPALIVE_TIMEOUT_MS,
  };
}

function errorOf({ code, message }: JsonObject, channel?: string): Frame {
  const said = typeof message === "string" ? message : "";
  return { type: "error", channel, code: Number(code), message: said };
}

/** With the texts of its numbers, where the document does not say which fields are numbers. */
function exactOf(value: JsonObject, kind: Kind, text: string): JsonObject {
  if (!CHANNELS[kind].isOpen) return value;
  const exact = parseExact(text);
  return isObject(exact) ? exact : value;
}

/** At least one of its fields is there (6.3). */
function emptyAccount(value: JsonObject): string | undefined {
  const fields = ["account", ...ACCOUNT_LISTS];
  return fields.some((name) => isObject(value[name]) || Array.isArray(value[name]))
    ? undefined
    : ": none of the fields of an account";
}

function decodeUpdate(value: JsonObject, channel: string, kind: Kind, text: string): Frame {
  const notes: string[] = [];
  const wrong =
    CHANNELS[kind].check(value, notes) ?? (kind === "account" ? emptyAccount(value) : undefined);
  if (wrong !== undefined) return rejected(wrong.slice(1), channel);
  const { timestamp_ns, previous_sequence = null, sequence = null } = value;
  const isNumbered = CHANNELS[kind].isNumbered;
  // Held to the check of its kind just above.
  return {
    type: "update",
    channel,
    kind,
    timestampNs: timestamp_ns as string,
    previous: isNumbered ? (previous_sequence as string | null) : null,
    sequence: isNumbered ? (sequence as string | null) : null,
    body: value as unknown as Bodies[Kind],
    text,
    ...(notes[0] !== undefined && { drift: `${kind}: ${notes[0].slice(1)}` }),
  } as Update;
}
