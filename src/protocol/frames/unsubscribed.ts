// unsubscribed: the end of a subscription (section 6.2).
import * as z from "zod";
import { channelName, type Shape, unsignedInteger } from "../shape.ts";

export interface UnsubscribedFrame {
  readonly type: "unsubscribed";
  /** Channel name of any kind. */
  readonly channel: string;
  /** Unix nanoseconds, digit text. */
  readonly timestamp_ns: string;
}

export function unsubscribedFrame(shape: Shape): z.ZodType<UnsubscribedFrame> {
  return shape.record({
    type: z.literal("unsubscribed"),
    channel: channelName,
    timestamp_ns: unsignedInteger,
  });
}
