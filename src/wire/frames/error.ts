// error: a command that could not be honoured, or a stream that is unavailable (section 7).
import * as z from "zod/mini";
import { ERROR_CODES } from "../limits.ts";
import { type Shape, text, unsignedInteger } from "../shape.ts";

/** The service refuses something; the channel is missing where it does not say which. */
export interface ErrorFrame {
  readonly type: "error";
  /** The channel concerned; absent when the error names none. */
  readonly channel?: string | undefined;
  /** One of ERROR_CODES, or a code that came later. */
  readonly code: number;
  /** Words of the service: data, not text for a terminal. */
  readonly message: string;
  /** Unix nanoseconds, digit text. */
  readonly timestamp_ns: string;
}

/** Its schema (7), as strict as the shape says. Never throws. */
export function errorFrame(shape: Shape): z.ZodMiniType<ErrorFrame> {
  const { invalid, unknownResource, duplicateSubscription, streamUnavailable } = ERROR_CODES;
  return shape.record({
    type: z.literal("error"),
    channel: z.optional(shape.channel),
    code: shape.number([invalid, unknownResource, duplicateSubscription, streamUnavailable]),
    message: text,
    timestamp_ns: unsignedInteger,
  });
}
