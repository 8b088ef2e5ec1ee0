// Server frames other than updates (sections 6.1, 6.2, 7).
import { ERROR_CODES, KEEPALIVE_TIMEOUT_MS, PROTOCOL_VERSION } from "../wire/limits.ts";
import type { Infer, Shape } from "./shape.ts";

/** The service's greeting (6.1): protocol version and keepalive limit. When it is sent is not documented. */
export const helloFrame = (s: Shape) =>
  s.record({
    type: s.literal("hello"),
    /** 1 for this interface; another number is kept and shown. */
    protocol_version: s.number([PROTOCOL_VERSION]),
    /** Maximum time between two frames of the client, in milliseconds: 120000, or another value from a newer service. */
    keepalive_timeout_ms: s.number([KEEPALIVE_TIMEOUT_MS]),
  });
export type HelloFrame = Infer<typeof helloFrame>;

/** The end of a subscription (6.2). */
export const unsubscribedFrame = (s: Shape) =>
  s.record({
    type: s.literal("unsubscribed"),
    channel: s.channelName,
    /** Unix nanoseconds, digit text. */
    timestamp_ns: s.unsignedInteger,
  });
export type UnsubscribedFrame = Infer<typeof unsubscribedFrame>;

/** A command that failed, or a stream that is unavailable (7). */
export const errorFrame = (s: Shape) => {
  const { invalid, unknownResource, duplicateSubscription, streamUnavailable } = ERROR_CODES;
  return s.record({
    type: s.literal("error"),
    /** Absent when the error names none. */
    channel: s.optional(s.channel),
    /** One of ERROR_CODES, or a newer one. */
    code: s.number([invalid, unknownResource, duplicateSubscription, streamUnavailable]),
    /** Text of the service: data, not safe to print to a terminal. */
    message: s.text,
    /** Unix nanoseconds, digit text. */
    timestamp_ns: s.unsignedInteger,
  });
};
export type ErrorFrame = Infer<typeof errorFrame>;
