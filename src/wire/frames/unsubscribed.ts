// unsubscribed: the end of a subscription (section 6.2).
import * as z from "zod/mini";
import { channelName, type Shape, unsignedInteger } from "../shape.ts";

/** The service has given a channel back (section 4.3). */
export interface UnsubscribedFrame {
  readonly type: "unsubscribed";
  /** Channel name of any kind. */
  readonly channel: string;
  /** Unix nanoseconds, digit text. */
  readonly timestamp_ns: string;
}

/** Its schema (6.2), as strict as the shape says. Never throws. */
export function unsubscribedFrame(shape: Shape): z.ZodMiniType<UnsubscribedFrame> {
  return shape.record({
    type: z.literal("unsubscribed"),
    channel: channelName,
    timestamp_ns: unsignedInteger,
  });
}
